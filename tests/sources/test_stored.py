"""The promise that a copy meets rows in the order of the server's index."""

from __future__ import annotations

import pytest

from harness.errors import StepError
from harness.model.columns import Column, ColumnKind
from harness.model.values import Value
from harness.sources.stored import scanned_by

BINARY, OWN = "utf8mb4_bin", "utf8mb4_general_ci"
IN_ORDER: dict[ColumnKind, list[Value]] = {
    ColumnKind.DECIMAL: [None, "-10.00", "-9.50", "2.00", "10.00"],
    ColumnKind.TIME: [
        None,
        "-838:59:59.0",
        "-02:00:00.5",
        "-02:00:00.0",
        "99:00:00.0",
        "100:00:00.0",
    ],
    ColumnKind.INT: [None, -1, 2, 10],
    ColumnKind.ENUM: [None, 1, 2],
    ColumnKind.VARBINARY: [None, b"", b"B", b"a"],
    ColumnKind.VARCHAR: [None, "", "B", "a", "ä"],
}


@pytest.mark.parametrize("kind", IN_ORDER)
def test_keys_are_met_in_their_types_order(kind: ColumnKind) -> None:
    """NULL first; numbers and durations by what they are, texts and bytes by their bytes."""
    column = Column(1, "k", kind, collation=BINARY)
    places = [scanned_by(column, value, 3) for value in IN_ORDER[kind]]
    assert sorted(places) == places
    assert len({*places}) == len(places)


def test_an_order_that_a_collation_alone_knows_is_refused() -> None:
    """Digits and small letters stand alike in each; `a` and `B` do not."""
    column = Column(1, "k", ColumnKind.CHAR, collation=OWN)
    for text in ("a", "a1", "10"):
        assert scanned_by(column, text, 3) == (True, text.encode())
    with pytest.raises(StepError, match="k = 'B' is not known: utf8mb4_general_ci"):
        scanned_by(column, "B", 3)
