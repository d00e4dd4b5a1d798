"""Updates that change a unique key are sent as a delete and an insert."""

from __future__ import annotations

import pytest

from harness.ddl import Catalogue
from harness.model.change import Op
from harness.model.values import Row
from harness.sources.tidb.split import split_updates
from harness.sources.tidb.store import NetChange
from tests.changelogs import SCHEMA, T, update

WIDE = (
    "CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, u INT, a INT, b INT, v INT, "
    "g INT AS (v + 1) VIRTUAL, s INT AS (v + 2) STORED, "
    "UNIQUE (u), UNIQUE (a, b), KEY (v), UNIQUE (g))"
)
BEFORE: Row = (1, 1, 1, 1, 1, 2, 3)


def sent(before: Row, *after: Row) -> list[tuple[str, Row | None, Row | None]]:
    """Return what is sent for updates of a row to each of the others, as a transaction of each."""
    table = Catalogue.with_schemas(SCHEMA).apply(WIDE, SCHEMA).catalogue.table(T)
    net = [NetChange(Op.UPDATE, (1,), before, row, update(before, row)) for row in after]
    return [(change.op.value, change.before, change.after) for change in split_updates(table, net)]


# The row after the update -> whether it is split.
UPDATES: dict[str, tuple[Row, bool]] = {
    "primary key": ((2, 1, 1, 1, 1, 2, 3), True),
    "unique key": ((1, 2, 1, 1, 1, 2, 3), True),
    "unique key to NULL": ((1, None, 1, 1, 1, 2, 3), True),
    "part of a unique key": ((1, 1, 1, 2, 1, 2, 3), True),
    "plain index": ((1, 1, 1, 1, 2, 2, 3), False),
    "unique key over a virtual column": ((1, 1, 1, 1, 2, 3, 4), False),
    "nothing": (BEFORE, False),
}


@pytest.mark.parametrize(("after", "split"), UPDATES.values(), ids=UPDATES)
def test_split(after: Row, split: bool) -> None:  # noqa: FBT001
    """A change of any column of any unique key splits, NULL counting as a value."""
    halves = [("delete", BEFORE, None), ("insert", None, after)]
    assert sent(BEFORE, after) == (halves if split else [("update", BEFORE, after)])


def test_split_from_null() -> None:
    """NULL to a value splits, NULL to NULL does not."""
    null = (1, None, 1, 1, 1, 2, 3)
    assert [op for op, _, _ in sent(null, BEFORE)] == ["delete", "insert"]
    assert [op for op, _, _ in sent(null, (1, None, 1, 1, 5, 6, 7))] == ["update"]


def test_sorted_again() -> None:
    """Once anything was split, deletes come before updates and updates before inserts."""
    moved, kept = (2, 1, 1, 1, 1, 2, 3), (1, 1, 1, 1, 9, 2, 3)
    assert sent(BEFORE, kept, moved, kept) == [
        ("delete", BEFORE, None),
        ("update", BEFORE, kept),
        ("update", BEFORE, kept),
        ("insert", None, moved),
    ]
