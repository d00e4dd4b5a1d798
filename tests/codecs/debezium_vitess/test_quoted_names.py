"""Columns whose names stand in quotes: the connector takes the quotes off, whatever is lost."""

from __future__ import annotations

import pytest

from harness.codecs.debezium_vitess.quoted_names import CellSources, cell_sources, moved
from harness.codecs.debezium_vitess.types import column_of
from harness.model.vstream import FieldInfo, RowChange


def sources(*names: str) -> CellSources | None:
    """Return where the values of columns with these names come from."""
    return cell_sources([column_of(FieldInfo(name, "INT64"), texts=False) for name in names])


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("id", "a`b", '"', "'x", "x'", "\"x'"), None),
        (("id", '"q"'), (0, None)),
        (("q", '"q"'), (1, None)),
        (('"q"', "q"), (None, 1)),
        (("S", "`s`"), (1, None)),
        (('"a""b"', 'a"b'), (None, 1)),
        (("''", "id"), (None, 1)),
    ],
)
def test_a_quoted_name_is_looked_up_without_its_quotes(
    names: tuple[str, ...], expected: CellSources | None
) -> None:
    """The last column that is looked up under a name gives the value; a quoted one has none."""
    assert sources(*names) == expected


def test_both_images_of_a_row_move() -> None:
    """Cells move before and after alike; an image that is not there stays so."""
    found = sources("q", '"q"')
    assert found is not None
    assert moved(RowChange((b"1", b"2"), (b"3", None)), found) == RowChange(
        (b"2", None), (None, None)
    )
    assert moved(RowChange(None, (b"3", b"4")), found) == RowChange(None, (b"4", None))
