"""What a TiDB cluster holds after statements on partitions, and what of it cannot be followed."""

from __future__ import annotations

import pytest

from harness.errors import StepError
from harness.model.change import Change
from harness.model.source_events import RowEvent
from harness.model.table import TableId
from tests.changelogs import SCHEMA, T, ddl, delete, feed, insert, log, mount, transaction, update

S = TableId("shop", "s")
PARTS = (
    "PARTITION BY RANGE (id)"
    " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))"
)
KEYED = f"CREATE TABLE t (id INT PRIMARY KEY) {PARTS}"
LOOSE = f"CREATE TABLE t (id INT) {PARTS}"


def rows(*changes: Change, **settings: object) -> list[RowEvent]:
    """Return the row events of a change log."""
    sent = mount(log(*changes), feed(**settings), [SCHEMA])
    return [event for event in sent if isinstance(event, RowEvent)]


def test_a_row_that_went_may_come_again() -> None:
    """The key of a row that a partition took away is free."""
    found = rows(
        ddl(KEYED),
        transaction(insert(1), insert(11)),
        ddl("ALTER TABLE t TRUNCATE PARTITION p0"),
        transaction(insert(1), delete(11)),
    )
    assert [event.op.value for event in found] == ["insert", "insert", "delete", "insert"]
    with pytest.raises(StepError, match="does not hold the row"):
        rows(
            ddl(KEYED),
            transaction(insert(1)),
            ddl("ALTER TABLE t DROP PARTITION p0"),
            transaction(delete(1)),
        )


def test_exchanged_rows_change_under_their_new_table() -> None:
    """A row that was exchanged is updated in its new table, under the partition's new id."""
    *_, last, moved = rows(
        ddl(KEYED),
        ddl("CREATE TABLE s (id INT PRIMARY KEY)"),
        transaction(insert(1), insert(2, table=S)),
        ddl("ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE s"),
        transaction(delete(2), delete(1, table=S)),
    )
    assert {(one.table.table.id, one.before) for one in (last, moved)} == {(T, (2,)), (S, (1,))}


def test_hidden_row_ids_go_on_behind_both_tables() -> None:
    """Rows without a clustered key keep their row ids, and new ones are above those of both."""
    found = rows(
        ddl(LOOSE),
        ddl("CREATE TABLE s (id INT)"),
        transaction(insert(1), insert(2)),
        ddl("ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE s"),
        transaction(insert(3), insert(4, table=S), update((1,), (5,), table=S)),
        force_replicate=True,
    )
    assert {(str(one.table.table.id), one.after, one.row_id) for one in found[2:]} == {
        ("shop.t", (3,), 3),
        ("shop.s", (4,), 3),
        ("shop.s", (5,), 1),
    }


def test_recover_brings_rows_back() -> None:
    """A table that is recovered has its rows again, under the name that it is given."""
    found = rows(
        ddl("CREATE TABLE t (id INT PRIMARY KEY)"),
        transaction(insert(1)),
        ddl("TRUNCATE TABLE t"),
        ddl("FLASHBACK TABLE t TO s"),
        transaction(delete(1, table=S)),
    )
    assert [event.op.value for event in found] == ["insert", "delete"]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        (
            [
                ddl(LOOSE),
                ddl("CREATE TABLE s (id INT)"),
                transaction(insert(1), insert(11), insert(2, table=S)),
                ddl("ALTER TABLE t EXCHANGE PARTITION p1 WITH TABLE s WITHOUT VALIDATION", line=9),
            ],
            "does not belong to the partition",
        ),
        (
            [
                ddl(LOOSE),
                ddl("CREATE TABLE s (id INT)"),
                transaction(insert(1), insert(11), insert(12, table=S)),
                ddl("ALTER TABLE t EXCHANGE PARTITION p1 WITH TABLE s", line=9),
            ],
            "the same _tidb_rowid 1",
        ),
        (
            [
                ddl(f"CREATE TABLE t (v INT, id INT AS (v + 1)) {PARTS}"),
                transaction(insert(1, 2)),
                ddl("ALTER TABLE t TRUNCATE PARTITION p0", line=9),
            ],
            "id is never sent",
        ),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_line(changes: list[Change], what: str) -> None:
    """Rows in a wrong partition, two rows of one hidden id, and columns that nobody sees."""
    with pytest.raises(StepError, match=what) as caught:
        rows(*changes, force_replicate=True)
    assert caught.value.line == 9
