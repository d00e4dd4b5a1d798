"""The truth: the personality's events folded by the protocol's own rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.change import Change
from harness.model.record import Origin
from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent
from harness.model.table import TableId
from harness.sources.clock import FIRST_TS
from harness.verdict.expected import Expected, fold, global_resolved
from tests.changelogs import (
    T,
    ddl,
    delete,
    feed,
    insert,
    resolved,
    source_events,
    transaction,
    update,
)

CREATE = ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
LOOSE = ddl("CREATE TABLE t (id INT, v INT)")
FILLED = (CREATE, transaction(insert(1, 10), insert(2, 20)))
A = TableId("shop", "a")


def folded(*changes: Change, complete: str = "at-or-below", **options: Any) -> Expected:
    """Return the expected state after these changes."""
    to = feed(options.pop("partitions", 1), **options.pop("settings", {}))
    return fold(source_events(*changes, to=to, **options), complete=complete)


def tables(expected: Expected) -> Mapping[str, list[Any]]:
    """Return the rows of each table, sorted."""
    return {
        str(name): sorted(state.all_rows(), key=repr) for name, state in expected.tables.items()
    }


# What follows the two rows (1, 10) and (2, 20) -> the tables at the end.
ENDS: dict[str, tuple[list[Change], Mapping[str, list[Any]]]] = {
    "nothing": ([], {"shop.t": [(1, 10), (2, 20)]}),
    "update": ([transaction(update((1, 10), (1, 11)))], {"shop.t": [(1, 11), (2, 20)]}),
    "delete": ([transaction(delete(1, 10))], {"shop.t": [(2, 20)]}),
    "moved key": ([transaction(update((1, 10), (3, 10)))], {"shop.t": [(2, 20), (3, 10)]}),
    "chain of keys": (
        [transaction(update((2, 20), (3, 20)), update((1, 10), (2, 10)))],
        {"shop.t": [(2, 10), (3, 20)]},
    ),
    "added column": (
        [ddl("ALTER TABLE t ADD COLUMN w INT DEFAULT 5")],
        {"shop.t": [(1, 10, 5), (2, 20, 5)]},
    ),
    "dropped column": ([ddl("ALTER TABLE t DROP COLUMN v")], {"shop.t": [(1,), (2,)]}),
    "dropped and added": (
        [ddl("ALTER TABLE t DROP COLUMN v"), ddl("ALTER TABLE t ADD COLUMN v INT")],
        {"shop.t": [(1, None), (2, None)]},
    ),
    "renamed column": (
        [ddl("ALTER TABLE t CHANGE COLUMN v w VARCHAR(9)")],
        {"shop.t": [(1, "10"), (2, "20")]},
    ),
    "renamed": ([ddl("RENAME TABLE t TO a")], {"shop.a": [(1, 10), (2, 20)]}),
    "truncated": ([ddl("TRUNCATE TABLE t")], {"shop.t": []}),
    "dropped": ([ddl("DROP TABLE t")], {}),
    "dropped with its database": ([ddl("DROP DATABASE shop")], {}),
    "dropped and created": ([ddl("DROP TABLE t"), CREATE], {"shop.t": []}),
    "another database": ([ddl("CREATE DATABASE x")], {"shop.t": [(1, 10), (2, 20)]}),
    "view": ([ddl("CREATE VIEW w AS SELECT id FROM t")], {"shop.t": [(1, 10), (2, 20)]}),
    "index": ([ddl("ALTER TABLE t ADD INDEX (v)")], {"shop.t": [(1, 10), (2, 20)]}),
    "another key": (
        [
            ddl("ALTER TABLE t ADD COLUMN k INT NOT NULL"),
            transaction(update((1, 10, 0), (1, 9, 9))),
        ],
        {"shop.t": [(1, 9, 9), (2, 20, 0)]},
    ),
    "other table": (
        [ddl("CREATE TABLE a (id INT PRIMARY KEY)"), transaction(insert(7, table=A))],
        {"shop.t": [(1, 10), (2, 20)], "shop.a": [(7,)]},
    ),
}


@pytest.mark.parametrize(("after", "expected"), ENDS.values(), ids=ENDS)
def test_fold(after: list[Change], expected: Mapping[str, list[Any]]) -> None:
    """The tables at the end are what the events make of them, in commit order."""
    assert tables(folded(*FILLED, *after)) == expected


def test_keyless_rows_are_a_multiset() -> None:
    """Without a handle key equal rows count, and each delete takes one of them."""
    steps = (
        LOOSE,
        transaction(insert(1, 1), insert(1, 1), insert(1, 1), insert(2, 2)),
        transaction(delete(1, 1), update((1, 1), (2, 2))),
    )
    expected = folded(*steps, settings={"force_replicate": True})
    assert tables(expected) == {"shop.t": [(1, 1), (2, 2), (2, 2)]}
    assert expected.tables[T].keyless
    assert tables(folded(*steps)) == {}


def test_keyless_rows_have_no_column_that_is_never_sent() -> None:
    """No reader learns of a virtual column, so no row is another for its sake."""
    made = ddl("CREATE TABLE t (id INT, v INT AS (id + 1))")
    changes = [made, transaction(insert(1, 2), insert(2, 3)), transaction(delete(2, 3))]
    wanted = {"shop.t": [(1, None)]}
    assert tables(folded(*changes, settings={"force_replicate": True})) == wanted
    more = ddl("ALTER TABLE t ADD COLUMN w INT DEFAULT 5")
    wanted = {"shop.t": [(1, None, 5)]}
    assert tables(folded(*changes, more, settings={"force_replicate": True})) == wanted


def test_a_key_gained() -> None:
    """Rows of a table that was not replicated are unknown when it becomes so."""
    steps = (
        ddl("CREATE TABLE t (id INT NOT NULL, v INT)"),
        transaction(insert(1, 1)),
        ddl("ALTER TABLE t ADD UNIQUE (id)"),
        transaction(insert(2, 2)),
    )
    assert tables(folded(*steps)) == {"shop.t": [(2, 2)]}
    forced = folded(*steps, settings={"force_replicate": True})
    assert tables(forced) == {"shop.t": [(1, 1), (2, 2)]}
    assert set(forced.tables[T].rows) == {(1,), (2,)}


@pytest.mark.parametrize(("complete", "rows"), [("at-or-below", [(1, 1)]), ("below", [])])
def test_what_a_mark_completes(complete: str, rows: list[Any]) -> None:
    """A mark at just the commit ts completes it, or in the 2020 dialect does not."""
    steps = (CREATE, transaction(insert(1, 1), ts=FIRST_TS + 7), resolved(ts=FIRST_TS + 7))
    expected = folded(*steps, complete=complete, end_resolved=False)
    assert tables(expected) == {"shop.t": rows}
    assert expected.resolved_ts == FIRST_TS + 7
    assert [event.after for event in expected.held] == [(1, 1)][len(rows) :]


def test_ddl_at_its_own_mark() -> None:
    """A DDL's marks carry its own ts, which completes it only where at or below is complete."""
    assert set(tables(folded(CREATE, end_resolved=False))) == {"shop.t"}
    assert folded(CREATE, complete="below", end_resolved=False).tables == {}


def test_one_partition_lags() -> None:
    """Complete is what the slowest partition has completed, however far the others are."""
    steps = (
        CREATE,
        transaction(insert(1, 1), ts=FIRST_TS + 10),
        resolved(),
        transaction(insert(2, 2)),
        resolved(0),
    )
    expected = folded(*steps, partitions=2, end_resolved=False)
    assert tables(expected) == {"shop.t": [(1, 1)]}
    assert [event.after for event in expected.held] == [(2, 2)]


def test_marks_that_go_back() -> None:
    """A mark below an earlier one takes nothing back."""
    steps = (*FILLED, resolved(), resolved(ts=FIRST_TS))
    assert tables(folded(*steps, end_resolved=False)) == {"shop.t": [(1, 10), (2, 20)]}


def test_global_resolved() -> None:
    """The global resolved ts is the least of the partitions' greatest; nought before any mark."""
    origin = Origin(1, 0, 0, "resolved")

    def at(*marks: tuple[int, int]) -> list[ResolvedEvent]:
        return [ResolvedEvent(ts, "ticdc", partition, origin) for partition, ts in marks]

    assert global_resolved([]) == 0
    assert global_resolved(at((0, 5), (1, 3), (1, 4), (1, 1))) == 4
    create = source_events(CREATE, to=feed(3), end_resolved=False)
    assert global_resolved([e for e in create if isinstance(e, DdlEvent)]) == 0
    rows = [e for e in source_events(*FILLED) if isinstance(e, RowEvent)]
    assert global_resolved(rows) == 0
    elsewhere = [ResolvedEvent(9, "other", 0, origin)]
    assert global_resolved([*at((0, 5)), *elsewhere]) == 5


def test_history() -> None:
    """A table remembers the events of each key, in order of application, across a rename."""
    expected = folded(
        *FILLED,
        transaction(update((1, 10), (1, 11)), name="t2"),
        ddl("RENAME TABLE t TO a"),
        transaction(delete(1, 11, table=A), name="t3"),
    )
    state = expected.tables[A]
    assert [event.op.value for event in state.history[1,]] == ["insert", "update", "delete"]
    assert len(state.events()) == 4
    assert [event.action for event in expected.ddl] == ["create_table", "rename_table"]
    kinds = [event.origin.kind for event in expected.applied]
    assert kinds == ["ddl", "insert", "insert", "update", "ddl", "delete"]


@given(st.randoms(use_true_random=False))
def test_order_of_arrival_does_not_matter(random: Any) -> None:
    """Rows of one commit ts may come in any order: deletes apply before puts."""
    events = source_events(
        ddl("CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, v INT)"),
        *FILLED[1:],
        transaction(update((2, 20), (3, 20)), update((1, 10), (2, 10)), insert(1, 7)),
    )
    shuffled = list(events)
    random.shuffle(shuffled)
    expected = fold(shuffled, complete="at-or-below")
    assert tables(expected) == {"shop.t": [(1, 7), (2, 10), (3, 20)]}
