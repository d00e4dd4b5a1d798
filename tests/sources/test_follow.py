"""A changefeed's filters, routes and stops over whole change logs."""

from __future__ import annotations

from typing import Any

import pytest

from harness.errors import StepError
from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent
from harness.model.table import TableId
from harness.sources.clock import FIRST_TS
from harness.sources.tidb.changefeed import changefeed
from harness.sources.tidb.simulator import Mounted, follow
from tests.changelogs import SCHEMA, ddl, delete, insert, log, mount, transaction, update

KEYED = "(id INT PRIMARY KEY, v INT)"
CREATE_T = f"CREATE TABLE t {KEYED}"
A = TableId("shop", "a")


def followed(settings: dict[str, Any], *steps: Any, partitions: int = 1) -> Mounted:
    """Return what a changefeed with these settings makes of the steps."""
    feed = changefeed(settings, partitions)
    return follow(log(*steps), feed, (SCHEMA, "other"))


def sent(mounted: Mounted) -> list[str]:
    """Return DDL texts and row changes as they are sent."""
    return [
        event.query if isinstance(event, DdlEvent) else f"{event.op.value} {event.table.table.id}"
        for event in mounted.events
        if not isinstance(event, ResolvedEvent)
    ]


def outcomes(mounted: Mounted) -> list[tuple[str, str]]:
    """Return the subject and outcome of each decision."""
    return [(each.subject, each.decision.outcome.value) for each in mounted.decisions]


# A statement under `filter.rules: ["shop.t*"]`, the new names that are sent, and the errors when
# it stops the changefeed (the examples of the changefeed document).
RENAMES: list[tuple[str, list[str], tuple[str, str] | None]] = [
    ("RENAME TABLE t1 TO t2", ["shop.t2"], None),
    ("RENAME TABLE t1 TO other.t1", ["other.t1"], None),
    ("RENAME TABLE n1 TO n2", [], None),
    ("RENAME TABLE n1 TO t9", [], ("ErrSyncRenameTableFailed", "")),
    ("RENAME TABLE t1 TO t2, t3 TO t4", ["shop.t2", "shop.t4"], None),
    ("RENAME TABLE t1 TO n8, t3 TO n9", ["shop.n8", "shop.n9"], None),
    ("RENAME TABLE n1 TO n2, t3 TO t4", ["shop.t4"], None),
    (
        "RENAME TABLE n1 TO t9, t3 TO t4",
        [],
        ("ErrHandleDDLFailed", "ErrSyncRenameTableFailed"),
    ),
    (
        "RENAME TABLE t1 TO t4, t3 TO t1, t4 TO t3",
        [],
        ("ErrHandleDDLFailed", "ErrSnapshotTableNotFound"),
    ),
    (
        "RENAME TABLE t1 TO other.t1, t3 TO t4",
        [],
        ("ErrHandleDDLFailed", "ErrSnapshotSchemaNotFound"),
    ),
]


@pytest.mark.parametrize(("statement", "renamed", "stops"), RENAMES)
def test_renames(statement: str, renamed: list[str], stops: tuple[str, str] | None) -> None:
    """A rename is judged by its old and new name, each pair of several by itself."""
    tables = [ddl(f"CREATE TABLE {name} {KEYED}") for name in ("t1", "t3", "n1")]
    mounted = followed({"filter.rules": ["shop.t*"]}, *tables, ddl(statement, line=9))
    events = [e for e in mounted.events if isinstance(e, DdlEvent) and e.origin.step == 3]
    assert [f"{event.schema}.{event.table}" for event in events] == renamed
    if stops is None:
        assert mounted.stopped is None
    else:
        assert mounted.stopped is not None
        assert (mounted.stopped.code, mounted.stopped.cause) == stops
        assert mounted.stopped.origin.line == 9


def test_rows_after_a_rename() -> None:
    """A table that leaves the rules takes its rows along; one that stays keeps them."""
    mounted = followed(
        {"filter.rules": ["shop.t*"]},
        ddl(CREATE_T),
        ddl("RENAME TABLE t TO a"),
        transaction(insert(1, 1, table=A)),
        ddl("CREATE TABLE t (id INT PRIMARY KEY)"),
        transaction(insert(1)),
    )
    assert sent(mounted)[1:] == [
        "RENAME TABLE `t` TO `a`",
        "CREATE TABLE `t` (`id` INT PRIMARY KEY)",
        "insert shop.t",
    ]


EVENT_FILTER: dict[str, Any] = {
    "filter.rules": ["shop.t*"],
    "filter.event-filters": [
        {
            "matcher": ["shop.t"],
            "ignore-event": ["create table", "truncate table", "rename table", "drop table"],
        }
    ],
}


def test_filtered_ddl_lets_rows_pass() -> None:
    """DDL that an event filter leaves out has still changed what TiCDC knows of the table."""
    mounted = followed(
        EVENT_FILTER,
        ddl(CREATE_T),
        transaction(insert(1, 1)),
        ddl("TRUNCATE TABLE t"),
        transaction(insert(2, 1)),
        ddl("RENAME TABLE t TO t2"),
        transaction(insert(3, 1, table=TableId("shop", "t2"))),
        ddl("DROP TABLE t2"),
    )
    assert sent(mounted) == [
        "insert shop.t",
        "insert shop.t",
        "insert shop.t2",
        "DROP TABLE `shop`.`t2`",
    ]


def test_filters_see_updates_before_the_sink_splits_them() -> None:
    """Deletes that are half of an update pass a filter of deletes."""
    create = ddl("CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, v INT)")
    settings = {"filter.event-filters": [{"matcher": ["shop.t"], "ignore-event": ["delete"]}]}
    steps = (create, transaction(insert(1, 1)), transaction(update((1, 1), (2, 1))))
    assert sent(followed(settings, *steps))[1:] == [
        "insert shop.t",
        "delete shop.t",
        "insert shop.t",
    ]
    raw = {"sink.kafka-config.output-raw-change-event": True, **settings}
    assert sent(followed(raw, *steps))[1:] == ["insert shop.t", "update shop.t"]


def test_value_expressions() -> None:
    """Rows whose values fit an expression are left out, each by its own key."""
    rule = {
        "matcher": ["shop.t"],
        "ignore-insert-value-expr": "v > 10",
        "ignore-delete-value-expr": "id = 2",
        "ignore-update-new-value-expr": "v = 5",
    }
    mounted = followed(
        {"filter.event-filters": [rule]},
        ddl(CREATE_T),
        transaction(insert(1, 11), insert(2, 1)),
        transaction(update((2, 1), (2, 5)), update((1, 11), (1, 12))),
        transaction(delete(2, 5), delete(1, 12)),
    )
    assert sent(mounted)[1:] == ["insert shop.t", "update shop.t", "delete shop.t"]
    assert outcomes(mounted)[1:] == [
        ("insert shop.t", "ignore"),
        ("insert shop.t", "replicate"),
        ("update shop.t", "replicate"),
        ("update shop.t", "ignore"),
        ("delete shop.t", "replicate"),
        ("delete shop.t", "ignore"),
    ]


def test_ignored_start_ts() -> None:
    """A transaction or DDL of an ignored start ts, one below its commit ts, is left out."""
    second = FIRST_TS + (1000 << 18)
    rows = {"filter.ignore-txn-start-ts": [second - 1]}
    mounted = followed(rows, ddl(CREATE_T), transaction(insert(1, 1), ts=second))
    assert len(sent(mounted)) == 1
    tables = {"filter.ignore-txn-start-ts": [FIRST_TS - 1]}
    mounted = followed(tables, ddl(CREATE_T), transaction(insert(1, 1)))
    assert sent(mounted) == []


def test_bdr_mode_sends_no_ddl() -> None:
    """In bdr-mode only a primary cluster's DDL is sent; rows are."""
    mounted = followed({"bdr-mode": True}, ddl(CREATE_T), transaction(insert(1, 1)))
    assert sent(mounted) == ["insert shop.t"]


STOPS: list[tuple[dict[str, Any], str, str]] = [
    (
        {"filter.event-filters": [{"matcher": ["shop.t"], "ignore-insert-value-expr": "w = 1"}]},
        "ErrExpressionColumnNotFound",
        "names 'w'",
    ),
    (
        {"sink.dispatchers": [{"matcher": ["*.*"], "partition": "columns", "columns": ["w"]}]},
        "ErrDispatcherFailed",
        "names column 'w'",
    ),
    (
        {"sink.dispatchers": [{"matcher": ["*.*"], "partition": "index-value", "index": "w"}]},
        "ErrDispatcherFailed",
        "names index 'w'",
    ),
]


@pytest.mark.parametrize(("settings", "code", "said"), STOPS)
def test_rows_that_stop_a_changefeed(settings: dict[str, Any], code: str, said: str) -> None:
    """What was sent before a stop stands, with a mark just below it; nothing comes after."""
    mounted = followed(
        settings,
        ddl(CREATE_T),
        transaction(insert(1, 1), line=7),
        ddl("CREATE TABLE a (id INT PRIMARY KEY)"),
        transaction(insert(2, 2)),
    )
    assert mounted.stopped is not None
    assert mounted.stopped.code == code
    assert said in mounted.stopped.what
    assert mounted.stopped.origin.line == 7
    assert sent(mounted) == ["CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)"]
    last = mounted.events[-1]
    assert isinstance(last, ResolvedEvent)
    assert last.ts == mounted.stopped.commit_ts - 1
    assert outcomes(mounted)[-1][1] == "stop"


def test_a_stop_that_nobody_meant() -> None:
    """Who does not expect the stop is told the error, the line and what to do."""
    steps = log(ddl("CREATE TABLE n (id INT PRIMARY KEY)"), ddl("RENAME TABLE n TO t", line=8))
    with pytest.raises(StepError, match="stops with ErrSyncRenameTableFailed") as refusal:
        mount(steps, changefeed({"filter.rules": ["shop.t"]}, 1), (SCHEMA,))
    assert refusal.value.line == 8
    assert "filter.rules" in refusal.value.hint


TOPICS = {
    "sink.dispatchers": [
        {"matcher": ["shop.t"], "topic": "rows_{table}", "partition": "ts"},
        {"matcher": ["shop.*"], "topic": "{schema}"},
    ]
}


def test_topics() -> None:
    """Rows go by their table's name, DDL by its old name, schemas' DDL to the default topic."""
    mounted = followed(
        TOPICS,
        ddl(CREATE_T),
        transaction(insert(1, 1)),
        ddl("RENAME TABLE t TO a"),
        transaction(insert(2, 1, table=A)),
        ddl("DROP DATABASE shop"),
        partitions=2,
    )
    topics = [event.topic for event in mounted.events if not isinstance(event, ResolvedEvent)]
    assert topics == ["rows_t", "rows_t", "rows_t", "shop", "ticdc"]
    rows = [event for event in mounted.events if isinstance(event, RowEvent)]
    assert rows[0].partition == rows[0].commit_ts % 2


def test_marks_on_every_topic() -> None:
    """A case ends with a mark on every partition of every topic, above its last commit."""
    mounted = followed(TOPICS, ddl(CREATE_T), transaction(insert(1, 1)), partitions=2)
    marks = [event for event in mounted.events if isinstance(event, ResolvedEvent)][-4:]
    assert {(mark.topic, mark.partition) for mark in marks} == {
        (topic, partition) for topic in ("ticdc", "rows_t") for partition in (0, 1)
    }
    (ts,) = {mark.ts for mark in marks}
    assert ts > max(e.commit_ts for e in mounted.events if isinstance(e, RowEvent))


PARTS = "PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (9))"
# Settings, steps, and the error that TiCDC's own snapshot of the schemas ends in.
GAPS: list[tuple[dict[str, Any], list[str], str]] = [
    (
        {"filter.ignore-txn-start-ts": [FIRST_TS - 1]},
        ["CREATE DATABASE d", f"CREATE TABLE d.t {KEYED}"],
        "ErrSnapshotSchemaNotFound",
    ),
    (
        {"filter.ignore-txn-start-ts": [FIRST_TS - 1]},
        [CREATE_T, "ALTER TABLE t ADD COLUMN w INT"],
        "ErrSnapshotTableNotFound",
    ),
    (
        {"filter.rules": ["shop.t"]},
        [
            f"CREATE TABLE t (id INT PRIMARY KEY) {PARTS}",
            "CREATE TABLE x (id INT PRIMARY KEY)",
            "ALTER TABLE t EXCHANGE PARTITION p WITH TABLE x",
        ],
        "ErrSnapshotTableNotFound",
    ),
]


@pytest.mark.parametrize(("settings", "statements", "cause"), GAPS)
def test_gaps_in_the_snapshot(settings: dict[str, Any], statements: list[str], cause: str) -> None:
    """DDL over a schema or table that the changefeed has left out stops it."""
    mounted = followed(settings, *(ddl(sql) for sql in statements))
    assert mounted.stopped is not None
    assert (mounted.stopped.code, mounted.stopped.cause) == ("ErrHandleDDLFailed", cause)


def test_databases_come_and_go() -> None:
    """Tables of a dropped database are forgotten; a new one of its name is heard of again."""
    mounted = followed(
        {"filter.rules": ["d.*"]},
        ddl(CREATE_T),
        ddl("CREATE DATABASE d"),
        ddl(f"CREATE TABLE d.t {KEYED}"),
        ddl("DROP DATABASE d"),
        ddl("DROP DATABASE other"),
        ddl("CREATE DATABASE d"),
        ddl(f"CREATE TABLE d.t {KEYED}"),
        transaction(insert(1, 1, table=TableId("d", "t")), insert(1, 1)),
    )
    assert mounted.stopped is None
    assert [text.split("`")[0].strip() for text in sent(mounted)] == [
        *("CREATE DATABASE", "CREATE TABLE", "DROP DATABASE", "CREATE DATABASE", "CREATE TABLE"),
        "insert d.t",
    ]


def test_the_document_refuses_what_is_not_covered() -> None:
    """By the document several renames need every old table and every new database."""
    tables = [ddl(f"CREATE TABLE {name} {KEYED}") for name in ("t1", "t3", "n1")]
    settings = {"filter.rules": ["shop.t*"], "ddl-rules": "document"}
    for statement in (
        "RENAME TABLE n1 TO n2, t3 TO t4",
        "RENAME TABLE t1 TO other.t1, t3 TO t4",
    ):
        mounted = followed(settings, *tables, ddl(statement))
        assert mounted.stopped is not None
        assert mounted.stopped.cause == "ErrSyncRenameTableFailed"
    mounted = followed(settings, *tables, ddl("RENAME TABLE t1 TO n8, t3 TO n9"))
    assert mounted.stopped is None


def test_all_pairs_out() -> None:
    """A RENAME TABLE of tables that are all left out is ignored as one."""
    tables = [ddl(f"CREATE TABLE {name} {KEYED}") for name in ("n1", "n2")]
    settings = {"filter.rules": ["shop.t*"]}
    mounted = followed(settings, *tables, ddl("RENAME TABLE n1 TO n3, n2 TO n4"))
    assert sent(mounted) == []
    assert [outcome for _, outcome in outcomes(mounted)] == ["ignore"] * 3
