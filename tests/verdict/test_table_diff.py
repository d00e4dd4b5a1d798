"""A table beside its answer: each wrong row stands under the right one, its cells marked."""

from __future__ import annotations

from typing import Any

import pytest

from harness.model.evidence import RowMark
from harness.verdict.table_diff import ABSENT, table_diffs
from tests.verdict.test_findings import ONE, PLAIN

Shown = list[tuple[RowMark, str, tuple[int, ...]]]
RIGHT = (RowMark.EXPECTED, "1 'z' '1.00'")


def shown(*rows: dict[str, Any]) -> Shown:
    """Return the lines of the row 1, as a table that has these rows is shown."""
    (table,) = PLAIN.expected.tables
    (diff,) = table_diffs(PLAIN.judged, PLAIN.expected, {table: rows})
    lines = [(row.mark, " ".join(row.cells), row.changed) for row in diff.rows]
    return [line for line in lines if line[1].startswith("1 ")]


@pytest.mark.parametrize(
    ("row", "answered", "changed"),
    [
        ({**ONE, "v": "y"}, "1 'y' '1.00'", (1,)),
        ({"id": 1, "d": "1.00"}, f"1 {ABSENT} '1.00'", (1,)),
        ({**ONE, "d": "one", "v": None}, "1 NULL one", (1, 2)),
    ],
)
def test_what_cannot_be_read_stands_beside_what_must_be(
    row: dict[str, Any], answered: str, changed: tuple[int, ...]
) -> None:
    """A value of another type and a column that is missing are cells like others that differ."""
    assert shown(row) == [(*RIGHT, changed), (RowMark.ACTUAL, answered, changed)]
