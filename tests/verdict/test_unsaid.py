"""DDL whose effect on rows the stream does not say: either reading is right, and no third one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.model.change import Change
from harness.model.values import Row
from harness.verdict.folding import Folding
from tests.changelogs import SCHEMA, T, ddl, feed, insert, log, mount, transaction, update

PARTITIONED = (
    "CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id)"
    " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))"
)
PLAIN = "CREATE TABLE t (id INT PRIMARY KEY, v INT)"
FILTER = [{"matcher": ["shop.t"], "ignore-event": ["add table partition"]}]


def accepted(*changes: Change, **settings: object) -> Iterator[frozenset[Row]]:
    """Yield the rows of `t` that a right consumer may end with."""
    events = mount(log(*changes), feed(**settings), [SCHEMA])
    folding = Folding(events, events, "at-or-below", lambda column: column.nullable)
    for way in folding.accepted():
        yield frozenset(way.tables[T].all_rows())


def test_a_partition_that_the_stream_defines_takes_its_rows() -> None:
    """Where the definition is in the stream there is one answer."""
    found = accepted(
        ddl(PARTITIONED),
        transaction(insert(1, 0), insert(11, 0)),
        ddl("ALTER TABLE t TRUNCATE PARTITION p0"),
    )
    assert list(found) == [{(11, 0)}]


@pytest.mark.parametrize(
    "defining",
    [
        [
            ddl(PLAIN),
            ddl(PARTITIONED.replace("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "ALTER TABLE t")),
        ],
        [ddl(PARTITIONED), ddl("ALTER TABLE t ADD COLUMN w INT")],
        [ddl(PARTITIONED.replace("TABLE t", "TABLE s")), ddl("RENAME TABLE s TO t")],
    ],
)
def test_a_definition_is_known_through_later_statements(defining: list[Change]) -> None:
    """A table that is partitioned later, altered or renamed is as well known as before."""
    width = (0,) if len(defining) == 2 and "ADD" in getattr(defining[1], "sql", "") else ()
    found = accepted(
        *defining,
        transaction(insert(1, 0, *width), insert(11, 0, *width)),
        ddl("ALTER TABLE t TRUNCATE PARTITION p0"),
    )
    assert list(found) == [{(11, 0, *width)}]


def test_rows_of_a_partition_that_nothing_defines_may_stay() -> None:
    """A filter that leaves out ADD PARTITION leaves a consumer without its definition."""
    found = accepted(
        ddl(PARTITIONED),
        ddl("ALTER TABLE t ADD PARTITION (PARTITION p2 VALUES LESS THAN (30))"),
        transaction(insert(1, 0), insert(21, 0)),
        ddl("ALTER TABLE t DROP PARTITION p2"),
        **{"filter.event-filters": FILTER},
    )
    assert list(found) == [{(1, 0)}, {(1, 0), (21, 0)}]


def test_recovered_rows_may_be_there_or_not() -> None:
    """With the rows of the table that was dropped or without them, and with what came behind."""
    found = accepted(
        ddl(PLAIN),
        transaction(insert(1, 0), insert(2, 0)),
        ddl("DROP TABLE t"),
        ddl("RECOVER TABLE t"),
        transaction(insert(3, 0), update((1, 0), (1, 5))),
    )
    assert set(found) == {
        frozenset({(1, 5), (2, 0), (3, 0)}),
        frozenset({(1, 5), (3, 0)}),
        frozenset({(3, 0)}),
    }
