"""The stream that a change log becomes: rows in order, broadcasts, marks, timestamps, origins."""

from __future__ import annotations

from typing import Any

import pytest

from harness.errors import StepError
from harness.model.change import Change, RowChanged
from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent
from harness.model.table import TableId
from harness.sources.clock import FIRST_TS, LOGICAL_BITS
from harness.sources.tidb.changefeed import changefeed
from tests.changelogs import (
    T,
    brief,
    ddl,
    ddl_of,
    delete,
    feed,
    insert,
    log,
    marks_of,
    mount,
    resolved,
    rows_of,
    source_events,
    transaction,
    update,
)

SECOND = 1000 << LOGICAL_BITS
CREATE = ddl("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
LOOSE = ddl("CREATE TABLE t (id INT, v INT)")
OTHER = TableId("shop", "a")


def timeline(*changes: Change, partitions: int = 1) -> list[tuple[str, int]]:
    """Return kind and seconds since the first timestamp of each event."""
    events = source_events(*changes, to=feed(partitions))
    seen: list[tuple[str, int]] = []
    for event in events:
        ts = event.ts if isinstance(event, ResolvedEvent) else event.commit_ts
        seen.append((event.origin.kind, (ts - FIRST_TS) // SECOND))
    return seen


def test_timeline() -> None:
    """A DDL's marks carry its own ts; each commit and mark is a second later; a mark ends the case.

    TiCDC Open Protocol, 2020, logs 1 to 4.
    """
    assert timeline(CREATE, transaction(insert(1, 1), insert(2, 2)), resolved(), partitions=2) == [
        ("ddl", 0),
        ("resolved", 0),
        ("resolved", 0),
        ("insert", 1),
        ("insert", 1),
        ("resolved", 2),
        ("resolved", 2),
        ("resolved", 3),
        ("resolved", 3),
    ]


def test_ends_unresolved() -> None:
    """A case may end without a mark; then its last commit is not complete."""
    events = source_events(CREATE, transaction(insert(1, 1)), end_resolved=False)
    assert [event.origin.kind for event in events] == ["ddl", "resolved", "insert"]
    assert source_events(end_resolved=False) == ()
    (mark,) = source_events()
    assert isinstance(mark, ResolvedEvent)


def test_marks_on_some_partitions() -> None:
    """A mark goes to the partitions that are named, as far as the case has them."""
    steps = (CREATE, resolved(0, 2, ts=FIRST_TS + 5), resolved(1))
    three = marks_of(source_events(*steps, to=feed(3), end_resolved=False))[3:]
    assert [(mark.partition, mark.ts) for mark in three] == [
        (0, FIRST_TS + 5),
        (2, FIRST_TS + 5),
        (1, three[2].ts),
    ]
    one = marks_of(source_events(*steps, to=feed(1), end_resolved=False))[1:]
    assert [mark.partition for mark in one] == [0]


def test_origins() -> None:
    """Every event knows its line, its step, its transaction, its table and key; numbers rise."""
    events = source_events(
        CREATE,
        transaction(insert(1, 1, line=6), insert(2, None, line=7), name="first"),
        resolved(line=9),
        to=feed(2),
    )
    origins = [event.origin for event in events]
    assert [origin.event for origin in origins] == [0, 1, 1, 2, 3, 4, 4, 5, 5]
    create, _, _, one, two, mark, *_ = origins
    assert (create.line, create.step, create.table, create.transaction) == (1, 0, "shop.t", None)
    assert (one.line, one.step, one.transaction, one.table, one.key) == (
        *(6, 1),
        *("first", "shop.t", "id=1"),
    )
    assert (two.line, two.key, two.commit_ts) == (7, "id=2", FIRST_TS + SECOND)
    assert (mark.line, mark.step, mark.kind) == (9, 2, "resolved")


def test_key_texts() -> None:
    """A row's key is told by its handle columns, by all of them when there is no handle."""
    wide = ddl("CREATE TABLE t (a VARBINARY(9), b VARCHAR(9), v INT, PRIMARY KEY (b, a))")
    (row,) = rows_of(source_events(wide, transaction(insert(b"\xff", "é", 1))))
    assert row.origin.key == "a=\\xff,b=é"
    (row,) = rows_of(
        source_events(LOOSE, transaction(insert(1, None)), to=feed(force_replicate=True))
    )
    assert row.origin.key == "id=1,v=null"


def test_tables_within_a_transaction() -> None:
    """The rows of one table stay together; tables come in the order in which they were created."""
    second = ddl("CREATE TABLE a (id INT PRIMARY KEY, v INT)")
    changes = [insert(1, 1, table=OTHER), insert(1, 1), insert(2, 2, table=OTHER), insert(0, 0)]
    rows = rows_of(source_events(CREATE, second, transaction(*changes)))
    assert [(row.table.table.id.name, row.after) for row in rows] == [
        ("t", (0, 0)),
        ("t", (1, 1)),
        ("a", (1, 1)),
        ("a", (2, 2)),
    ]
    assert len({row.commit_ts for row in rows}) == 1


def test_row_ids() -> None:
    """The row id is the integer key, the hidden row id without one, and nought for other keys."""

    def ids(create: str, *rows: Any) -> list[int]:
        changes = [insert(*row) for row in rows]
        to = feed(force_replicate=True)
        return [
            row.row_id for row in rows_of(source_events(ddl(create), transaction(*changes), to=to))
        ]

    assert ids("CREATE TABLE t (id BIGINT PRIMARY KEY)", (-7,), (0,)) == [-7, 0]
    assert ids("CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY)", (2**64 - 1,)) == [-1]
    assert ids("CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED)", (70,), (80,)) == [1, 2]
    assert ids("CREATE TABLE t (id INT)", (1,), (1,), (None,)) == [1, 2, 3]
    assert ids("CREATE TABLE t (id VARCHAR(9) PRIMARY KEY CLUSTERED)", ("7",)) == [0]
    assert ids("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))", (1, 2)) == [0]


def test_split_within_the_stream() -> None:
    """A moved key is a delete and an insert at one ts, whichever way the table keeps its rows."""
    unclustered = ddl("CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, v INT)")
    for create in (CREATE, unclustered):
        events = source_events(
            create, transaction(insert(1, 1)), transaction(update((1, 1), (2, 1), line=8))
        )
        _, old, new = rows_of(events)
        assert [brief(old), brief(new)] == [("delete", (1, 1), None), ("insert", None, (2, 1))]
        assert old.commit_ts == new.commit_ts
        assert (old.origin.key, new.origin.key) == ("id=1", "id=2")
        assert old.origin.line == new.origin.line == 8


def test_keyless_tables_stay_home() -> None:
    """Rows of a table without a valid index are sent by force only."""
    steps = (LOOSE, transaction(insert(1, 1)))
    assert [event.origin.kind for event in source_events(*steps)] == ["resolved"]
    assert len(rows_of(source_events(*steps, to=feed(force_replicate=True)))) == 1


def test_a_table_that_gets_a_key() -> None:
    """Rows stored before a table had a valid index were never sent; those after it are."""
    rows = rows_of(
        source_events(
            ddl("CREATE TABLE t (id INT NOT NULL, v INT)"),
            transaction(insert(1, 1)),
            ddl("ALTER TABLE t ADD UNIQUE (id)"),
            transaction(insert(2, 2), update((1, 1), (1, 5))),
        )
    )
    assert [brief(row) for row in rows] == [
        ("update", (1, 1), (1, 5)),
        ("insert", None, (2, 2)),
    ]


def test_broadcast_of_ddl() -> None:
    """A DDL event tells both versions, the new name, TiDB's action and text, and the user's."""
    create, rename = ddl_of(
        source_events(CREATE, ddl("rename table t to a", line=4), to=feed(3), end_resolved=False)
    )
    assert (create.before, create.partitions, create.topic) == (None, 3, "ticdc")
    assert create.action == "create_table"
    assert (rename.schema, rename.table, rename.action) == ("shop", "a", "rename_table")
    assert (rename.query, rename.source) == ("RENAME TABLE `t` TO `a`", "rename table t to a")
    assert rename.before == create.after
    assert rename.after is not None
    assert rename.after.table.id == OTHER
    assert (rename.origin.line, rename.origin.table) == (4, "shop.a")


def after(statement: str, *changes: RowChanged, table: str = "") -> list[Any]:
    """Return what changes send after a table of rows (1, 10) and (2, 20) was altered."""
    create = ddl(table or "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
    filled = transaction(insert(1, 10), insert(2, 20))
    events = source_events(create, filled, ddl(statement), transaction(*changes, name="after"))
    return [brief(row) for row in rows_of(events) if row.origin.transaction == "after"]


# Statement -> a change over the altered table, and what it sends.
ALTERED: dict[str, tuple[RowChanged, Any]] = {
    "ALTER TABLE t ADD COLUMN w INT DEFAULT 5": (
        update((1, 10, 5), (1, 11, 5)),
        ("update", (1, 10, 5), (1, 11, 5)),
    ),
    "ALTER TABLE t ADD COLUMN w VARCHAR(9) NOT NULL FIRST": (
        update(("", 1, 10), ("x", 1, 10)),
        ("update", ("", 1, 10), ("x", 1, 10)),
    ),
    "ALTER TABLE t DROP COLUMN v": (delete(2), ("delete", (2,), None)),
    "ALTER TABLE t MODIFY COLUMN v VARCHAR(9)": (
        update((1, "10"), (1, "x")),
        ("update", (1, "10"), (1, "x")),
    ),
    "ALTER TABLE t CHANGE COLUMN v w BIGINT": (
        update((1, 10), (1, 2**40)),
        ("update", (1, 10), (1, 2**40)),
    ),
    "ALTER TABLE t CHANGE COLUMN v w VARCHAR(9)": (
        update((1, "10"), (1, "x")),
        ("update", (1, "10"), (1, "x")),
    ),
    "ALTER TABLE t RENAME COLUMN v TO w": (delete(1, 10), ("delete", (1, 10), None)),
    "TRUNCATE TABLE t": (insert(1, 7), ("insert", None, (1, 7))),
    "RENAME TABLE t TO a": (
        update((1, 10), (1, 11), table=OTHER),
        ("update", (1, 10), (1, 11)),
    ),
}


@pytest.mark.parametrize("statement", ALTERED)
def test_rows_follow_their_table(statement: str) -> None:
    """Stored rows are found in their table's new shape, under its new name, or no longer."""
    change, sent = ALTERED[statement]
    assert after(statement, change) == [sent]


@pytest.mark.parametrize("statement", ["TRUNCATE TABLE t", "DROP TABLE t", "DROP DATABASE shop"])
def test_rows_go_with_their_table(statement: str) -> None:
    """What was truncated or dropped cannot be deleted any more."""
    with pytest.raises(StepError, match=r"does not hold the row|does not exist"):
        after(statement, delete(1, 10))


def test_recreated_table_starts_empty() -> None:
    """A dropped table that is created again has no rows, and its row ids begin anew."""
    unclustered = ddl("CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, v INT)")
    for gone in ([ddl("DROP TABLE t")], [ddl("DROP DATABASE shop"), ddl("CREATE DATABASE shop")]):
        first, second = rows_of(
            source_events(
                unclustered,
                transaction(insert(1, 1)),
                *gone,
                unclustered,
                transaction(insert(1, 1)),
            )
        )
        assert (first.op, second.op) == ("insert", "insert")
        assert (first.row_id, second.row_id) == (1, 1)
        assert first.table.table.physical_id < second.table.table.physical_id


def test_swap_by_rename() -> None:
    """Tables that change places take their rows along."""
    second = ddl("CREATE TABLE a (id INT PRIMARY KEY, v INT)")
    rows = rows_of(
        source_events(
            CREATE,
            second,
            transaction(insert(1, 1), insert(2, 2, table=OTHER)),
            ddl("RENAME TABLE t TO b"),
            ddl("RENAME TABLE a TO t"),
            ddl("RENAME TABLE b TO a"),
            transaction(delete(2, 2), delete(1, 1, table=OTHER)),
        )
    )
    assert {(str(row.table.table.id), row.before) for row in rows if row.before} == {
        ("shop.t", (2, 2)),
        ("shop.a", (1, 1)),
    }


def test_pins() -> None:
    """A pinned ts and pinned partitions hold; a row's own pin comes before its transaction's."""
    pinned = transaction(
        insert(1, 1),
        insert(2, 2),
        insert(3, 3),
        ts=FIRST_TS + 77,
        partition=1,
        rows=(({"id": "2"}, 0), ({"nope": 1}, 2), ({"v": "x"}, 2), ({"V": 3, "id": 3}, 2)),
    )
    rows = rows_of(source_events(CREATE, pinned, to=feed(3)))
    assert {row.commit_ts for row in rows} == {FIRST_TS + 77}
    assert [(row.after, row.partition) for row in rows] == [((1, 1), 1), ((2, 2), 0), ((3, 3), 2)]


def test_dispatcher_without_pin() -> None:
    """Without a pin the dispatcher decides, by old values for a delete, by new ones otherwise."""
    rule = {"matcher": ["*.*"], "partition": "columns", "columns": ["v"]}
    to = feed(16, **{"sink.dispatchers": [rule]})
    put, moved, gone = rows_of(
        source_events(
            CREATE,
            transaction(insert(1, 1)),
            transaction(update((1, 1), (1, 2))),
            transaction(delete(1, 2)),
            to=to,
        )
    )
    assert put.partition != moved.partition == gone.partition


BAD: dict[str, tuple[Change, str]] = {
    "no such table": (transaction(insert(1, 1, table=OTHER, line=9)), r"table shop\.a does not"),
    "no such row": (transaction(delete(9, 9, line=9)), "does not hold the row of this delete"),
    "SQL that is none": (ddl("CREATE TABLE", line=9), "line 1, column"),
    "SQL that cannot run": (ddl("DROP TABLE nope", line=9), "nope"),
    "ts that goes back": (transaction(ts=1, line=9), "commit ts 1 does not lie after"),
    "DDL ts that goes back": (ddl("DROP TABLE t", ts=1, line=9), "commit ts 1 does not lie after"),
    "partition that is none": (
        transaction(insert(5, 5, line=9), partition=1, line=9),
        "a row is pinned to partition 1",
    ),
    "no exact form": (ddl("ALTER TABLE t MODIFY COLUMN v TINYINT", line=9), "300 is out of the"),
}


@pytest.mark.parametrize(("change", "said"), BAD.values(), ids=BAD)
def test_steps_that_cannot_be(change: Change, said: str) -> None:
    """A step that cannot be replayed is refused with its own line."""
    with pytest.raises(StepError, match=said) as refusal:
        mount(log(CREATE, transaction(insert(1, 300)), change), feed(), ("shop",))
    assert refusal.value.line == 9


def test_same_log_same_stream() -> None:
    """The stream depends on nothing but log and changefeed."""
    steps = (CREATE, transaction(insert(1, 1), insert(2, 2)), ddl("TRUNCATE TABLE t"))
    assert source_events(*steps, to=feed(2)) == source_events(*steps, to=feed(2))


def test_no_databases_no_tables() -> None:
    """Databases that the scenario declares exist at the start; others must be created."""
    with pytest.raises(StepError, match="shop"):
        mount(log(CREATE), feed())
    events = mount(log(ddl("CREATE DATABASE shop"), CREATE), feed())
    assert [event.action for event in events if isinstance(event, DdlEvent)] == [
        "create_schema",
        "create_table",
    ]
    assert not [event for event in events if isinstance(event, RowEvent)]
    assert TableId("shop", "t") == T


def test_a_default_that_tidb_does_not_keep_is_refused() -> None:
    """TiDB stores U+FFFD for what is not UTF-8 (vectors default_varbinary_hex); MySQL the bytes."""
    text = ddl("CREATE TABLE t (id INT PRIMARY KEY, v VARBINARY(9) DEFAULT X'4142')")
    assert source_events(text)
    bad = ddl("CREATE TABLE t (id INT PRIMARY KEY, v VARBINARY(9) DEFAULT X'FF00')")
    with pytest.raises(StepError, match=r"default of shop\.t\.v is not UTF-8"):
        source_events(bad)


def test_a_default_that_ticdc_fills_in_with_its_blanks_is_refused() -> None:
    """A CHAR is stored without them; a row of before would have them until it is written."""
    made = "CREATE TABLE t (id INT PRIMARY KEY, c CHAR(4) DEFAULT 'a ')"
    assert source_events(ddl(made), ddl("ALTER TABLE t ADD COLUMN d CHAR(4) DEFAULT 'a'"))
    with pytest.raises(StepError, match=r"rows of shop\.t get d with blanks at its end"):
        source_events(ddl(made), ddl("ALTER TABLE t ADD COLUMN d CHAR(4) DEFAULT 'a '"))


@pytest.mark.parametrize(
    ("made", "valid"),
    [
        ("id INT PRIMARY KEY, v INT NOT NULL UNIQUE", 2),
        ("a INT NOT NULL UNIQUE, b INT NOT NULL UNIQUE", 2),
        ("id INT PRIMARY KEY, v INT NOT NULL AS (id + 1) VIRTUAL, UNIQUE (v)", 2),
        ("id INT PRIMARY KEY, v INT UNIQUE", 1),
        ("id INT PRIMARY KEY, v INT NOT NULL, KEY (v)", 1),
    ],
)
def test_dialect_of_2020_refuses_several_valid_indexes(made: str, valid: int) -> None:
    """TiCDC up to 4.0.4 sends a deletion for each of them, which is not simulated."""
    step = ddl(f"CREATE TABLE t ({made})")
    assert source_events(step)
    old = changefeed({}, 1, dialect="4.0.4")
    if valid == 1:
        assert source_events(step, to=old)
        return
    with pytest.raises(StepError, match=rf"shop\.t has {valid} valid indexes: dialect 4\.0\.4"):
        source_events(step, to=old)
