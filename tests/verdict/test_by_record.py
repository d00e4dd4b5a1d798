"""The truth of a stream of rows alone: what no row tells is not known."""

from __future__ import annotations

from harness.model.change import Change
from harness.model.table import TableId
from harness.model.values import Row
from harness.verdict.by_record import default_of, fold_rows
from harness.verdict.expected import Expected
from tests.changelogs import T, ddl, delete, feed, insert, source_events, transaction, update

CREATE = ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)")


def folded(*changes: Change, carries_defaults: bool = True) -> Expected:
    """Return the truth of these changes."""
    return fold_rows(source_events(*changes), default_of if carries_defaults else lambda _: None)


def rows(expected: Expected, table: TableId = T) -> list[Row]:
    """Return a table's rows, sorted by key."""
    return sorted(expected.tables[table].all_rows(), key=repr)


def test_rows_are_put_and_removed_by_key() -> None:
    """The last row of a key stands; a deleted key is gone; nothing is held back."""
    expected = folded(
        CREATE,
        transaction(insert(1, 1), insert(2, 2), insert(3, 3)),
        transaction(update((1, 1), (1, 5)), delete(2, 2), update((3, 3), (4, 3))),
    )
    assert rows(expected) == [(1, 5), (4, 3)]
    assert expected.held == ()
    assert expected.ddl == ()


def test_a_table_without_rows_is_unknown() -> None:
    """Nobody told the consumer that it exists."""
    assert folded(CREATE).tables == {}


def test_truncate_and_drop_leave_the_rows_where_they_are() -> None:
    """No record tells of them."""
    expected = folded(CREATE, transaction(insert(1, 1)), ddl("TRUNCATE TABLE t"))
    assert rows(expected) == [(1, 1)]
    assert rows(folded(CREATE, transaction(insert(1, 1)), ddl("DROP TABLE t"))) == [(1, 1)]


def test_a_renamed_table_is_another_table() -> None:
    """Rows that were sent before stay under the old name."""
    expected = folded(
        CREATE,
        transaction(insert(1, 1)),
        ddl("RENAME TABLE t TO u"),
        transaction(insert(2, 2, table=TableId("shop", "u"))),
    )
    assert rows(expected) == [(1, 1)]
    assert rows(expected, TableId("shop", "u")) == [(2, 2)]


def test_older_rows_take_the_default_that_the_wire_carries() -> None:
    """With a default in the schema a reader fills it in; without, there is NULL."""
    changes = (
        CREATE,
        transaction(insert(1, 1)),
        ddl("ALTER TABLE t ADD w INT DEFAULT 7"),
        transaction(insert(2, 2, 8)),
    )
    assert rows(folded(*changes)) == [(1, 1, 7), (2, 2, 8)]
    found = folded(*changes, carries_defaults=False).tables[T].rows
    assert list(found.values()) == [(1, 1, None), (2, 2, 8)]


def test_a_column_that_grows_keeps_its_values() -> None:
    """No row tells that an INT became a BIGINT; what older rows hold is what they held."""
    expected = folded(
        CREATE,
        transaction(insert(1, 1)),
        ddl("ALTER TABLE t MODIFY COLUMN v BIGINT"),
        transaction(insert(2, 2**40)),
    )
    assert rows(expected) == [(1, 1), (2, 2**40)]


def test_a_dropped_column_is_gone_with_the_next_row() -> None:
    """Columns are matched by name; one of the same name and another type starts anew."""
    expected = folded(
        CREATE,
        transaction(insert(1, 1)),
        ddl("ALTER TABLE t DROP COLUMN v"),
        ddl("ALTER TABLE t ADD v VARCHAR(9)"),
        transaction(insert(2, "b")),
    )
    assert list(expected.tables[T].rows.values()) == [(1, None), (2, "b")]


def test_rows_without_a_key_are_counted() -> None:
    """A table without a key is a multiset."""
    changes = (
        ddl("CREATE TABLE t (v INT)"),
        transaction(insert(1), insert(1), insert(2)),
        transaction(delete(2)),
    )
    events = source_events(*changes, to=feed(force_replicate=True))
    expected = fold_rows(events, default_of)
    assert expected.tables[T].multiset == [(1,), (1,)]


def test_a_deletion_carries_no_new_column() -> None:
    """A deletion is a key; the columns that its table has got meanwhile are not on the wire."""
    added = ddl("ALTER TABLE t ADD COLUMN w INT NOT NULL DEFAULT 7")
    expected = folded(
        CREATE, transaction(insert(1, 1), insert(2, 2)), added, transaction(delete(2, 2, 7))
    )
    assert rows(expected) == [(1, 1)]


def test_older_rows_take_the_default_of_the_row_that_carries_it() -> None:
    """A renamed column is a new one with its default, and a default that changed is the new one."""
    renamed = folded(
        ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT DEFAULT 7)"),
        transaction(insert(1, 1)),
        ddl("ALTER TABLE t RENAME COLUMN v TO w"),
        transaction(insert(2, 2)),
    )
    assert rows(renamed) == [(1, 7), (2, 2)]
    changed = folded(
        CREATE,
        transaction(insert(1, 1)),
        ddl("ALTER TABLE t ADD COLUMN w INT DEFAULT 7"),
        ddl("ALTER TABLE t ALTER COLUMN w SET DEFAULT 8"),
        transaction(insert(2, 2, 2)),
    )
    assert rows(changed) == [(1, 1, 8), (2, 2, 2)]
