"""The rows of the changefeed document's matrix, statement by index: sent or not, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.ddl import ActionType, DdlJob
from harness.model.table import Table
from harness.mutants.producers.changefeed.edits import LEFT_OUT, PULLER_CLASS, Judge, judged
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch
from harness.sources.decision import REPLICATE, Decision
from harness.sources.tidb.mounter import eligible


@dataclass(frozen=True, slots=True)
class Statement:
    """One row of the matrix: the clause's last words, the statement, and what makes it one.

    `always` says that it is sent whether or not its table has a valid index; `of_key` that its
    table has one before or after it. `begins` is how its text begins where rows share an action.
    """

    words: str
    statement: str
    action: ActionType
    always: bool = False
    of_key: bool = False
    begins: str = ""

    def covers(self, job: DdlJob) -> bool:
        """Tell whether a job is of this row."""
        return job.action is self.action and job.source.upper().startswith(self.begins)


STATEMENTS = (
    Statement("create-database", "CREATE DATABASE", ActionType.CREATE_SCHEMA, always=True),
    Statement("drop-database", "DROP DATABASE", ActionType.DROP_SCHEMA, always=True),
    Statement(
        "alter-database-charset",
        "ALTER DATABASE CHARACTER SET",
        ActionType.MODIFY_SCHEMA_CHARSET_AND_COLLATE,
        always=True,
    ),
    Statement("create-index", "CREATE INDEX", ActionType.ADD_INDEX, begins="CREATE"),
    Statement("add-index", "ADD INDEX", ActionType.ADD_INDEX, begins="ALTER"),
    Statement("drop-index", "DROP INDEX", ActionType.DROP_INDEX),
    Statement("add-primary-key", "ADD PRIMARY KEY", ActionType.ADD_PRIMARY_KEY, of_key=True),
    Statement("drop-primary-key", "DROP PRIMARY KEY", ActionType.DROP_PRIMARY_KEY, of_key=True),
    Statement("create-table", "CREATE TABLE", ActionType.CREATE_TABLE),
    Statement("drop-table", "DROP TABLE", ActionType.DROP_TABLE, always=True),
    Statement("add-column", "ADD COLUMN", ActionType.ADD_COLUMN),
    Statement("drop-column", "DROP COLUMN", ActionType.DROP_COLUMN),
    Statement("truncate-table", "TRUNCATE TABLE", ActionType.TRUNCATE_TABLE),
    Statement("modify-column", "MODIFY COLUMN", ActionType.MODIFY_COLUMN),
    Statement("rename-table", "RENAME TABLE", ActionType.RENAME_TABLE),
    Statement("alter-column-default", "ALTER COLUMN SET DEFAULT", ActionType.SET_DEFAULT_VALUE),
    Statement("alter-table-comment", "ALTER TABLE COMMENT", ActionType.MODIFY_TABLE_COMMENT),
    Statement("rename-index", "RENAME INDEX", ActionType.RENAME_INDEX),
    Statement("add-partition", "ADD PARTITION", ActionType.ADD_TABLE_PARTITION),
    Statement("drop-partition", "DROP PARTITION", ActionType.DROP_TABLE_PARTITION),
    Statement("truncate-partition", "TRUNCATE PARTITION", ActionType.TRUNCATE_TABLE_PARTITION),
    Statement("create-view", "CREATE VIEW", ActionType.CREATE_VIEW, always=True),
    Statement("drop-view", "DROP VIEW", ActionType.DROP_VIEW, always=True),
    Statement(
        "alter-table-charset",
        "ALTER TABLE CHARACTER SET",
        ActionType.MODIFY_TABLE_CHARSET_AND_COLLATE,
    ),
    Statement("recover-table", "RECOVER TABLE", ActionType.RECOVER_TABLE),
    Statement("rebase-auto-id", "ALTER TABLE AUTO_INCREMENT", ActionType.REBASE_AUTO_ID),
    Statement("index-visibility", "ALTER INDEX VISIBILITY", ActionType.ALTER_INDEX_VISIBILITY),
    Statement("exchange-partition", "EXCHANGE PARTITION", ActionType.EXCHANGE_TABLE_PARTITION),
    Statement("reorganize-partition", "REORGANIZE PARTITION", ActionType.REORGANIZE_PARTITION),
    Statement("alter-ttl", "ALTER TABLE TTL", ActionType.ALTER_TTL_INFO),
    Statement("remove-ttl", "ALTER TABLE REMOVE TTL", ActionType.ALTER_TTL_REMOVE),
    Statement("add-foreign-key", "ADD FOREIGN KEY", ActionType.ADD_FOREIGN_KEY),
    Statement("drop-foreign-key", "DROP FOREIGN KEY", ActionType.DROP_FOREIGN_KEY),
    Statement(
        "multi-schema-change", "ALTER TABLE of several changes", ActionType.MULTI_SCHEMA_CHANGE
    ),
    Statement(
        "alter-partitioning", "ALTER TABLE PARTITION BY", ActionType.ALTER_TABLE_PARTITIONING
    ),
    Statement("remove-partitioning", "REMOVE PARTITIONING", ActionType.REMOVE_PARTITIONING),
)
# Actions of the allow list that no row is about, and why.
WITHOUT_ROW = {
    ActionType.CREATE_TABLES: "TiDB makes several tables at once only for a restore",
    ActionType.RENAME_TABLES: "the clauses below `changefeed.rename` are about it",
    ActionType.ADD_COLUMNS: "TiDB before 6.2 alone makes such jobs",
    ActionType.DROP_COLUMNS: "TiDB before 6.2 alone makes such jobs",
}


def keyless(table: Table | None) -> bool:
    """Tell whether a table is there and has no valid index."""
    return table is not None and not eligible(table, force_replicate=False)


def _left_out(row: Statement) -> WrongProducer:
    """Leave a statement out whose table has a valid index."""

    def judge(job: DdlJob, decision: Decision) -> Decision:
        left_out = decision.sent and row.covers(job) and not keyless(job.after)
        return LEFT_OUT if left_out else decision

    which = "" if row.always else " of a table with a valid index"
    return WrongProducer(
        f"feed-leaves-out-{row.words}",
        f"changefeed.ddl.{row.words}",
        f"It does not send `{row.statement}`{which}.",
        judged(judge),
    )


def _sent_without_index(row: Statement) -> WrongProducer:
    def judge(job: DdlJob, decision: Decision) -> Decision:
        left_out = "no valid index" in decision.reason
        return REPLICATE if left_out and row.covers(job) else decision

    return WrongProducer(
        f"feed-sends-{row.words}-without-index",
        f"changefeed.ddl.{row.words}",
        f"It sends `{row.statement}` of a table without a valid index.",
        judged(judge),
    )


def _if_forced(change: Judge) -> Patch:
    """Return the patch that changes what is decided of each DDL job under `force-replicate`."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def judge(puller: Any, jobs: Sequence[DdlJob], start: int = 0) -> Any:  # noqa: ANN401
            found = original(puller, jobs, start)
            if not puller._force:  # noqa: SLF001
                return found
            return [(job, change(job, decision)) for job, decision in found]

        return judge

    return patch(f"{PULLER_CLASS}.judge", changed)


def _left_out_though_forced(row: Statement) -> WrongProducer:
    def judge(job: DdlJob, decision: Decision) -> Decision:
        sent = decision.sent and keyless(job.after) and row.covers(job)
        return LEFT_OUT if sent else decision

    return WrongProducer(
        f"feed-leaves-out-{row.words}-though-forced",
        f"changefeed.ddl.{row.words}",
        f"It does not send `{row.statement}` of a table without a valid index under"
        " `force-replicate`.",
        _if_forced(judge),
    )


def _sent_though_last(row: Statement) -> WrongProducer:
    def judge(job: DdlJob, decision: Decision) -> Decision:
        return REPLICATE if decision.code and row.covers(job) and keyless(job.after) else decision

    return WrongProducer(
        f"feed-sends-{row.words}-of-the-last-index",
        f"changefeed.ddl.{row.words}",
        f"It sends `{row.statement}` where no valid index is left.",
        judged(judge),
        also="changefeed.ddl.last-index",
    )


def _rows() -> Iterator[WrongProducer]:
    for row in STATEMENTS:
        yield _left_out(row)
        if row.always:
            continue
        if not row.of_key:
            yield _sent_without_index(row)
        if row.action is not ActionType.ADD_PRIMARY_KEY:
            yield _left_out_though_forced(row)
        if row.action in (ActionType.DROP_INDEX, ActionType.DROP_PRIMARY_KEY):
            yield _sent_though_last(row)


def _drop_of_keyless(job: DdlJob, decision: Decision) -> Decision:
    dropped = job.action is ActionType.DROP_TABLE and keyless(job.before)
    return LEFT_OUT if dropped and decision.sent else decision


def _added_beside_another(job: DdlJob, decision: Decision) -> Decision:
    added = job.action is ActionType.ADD_PRIMARY_KEY and not keyless(job.before)
    return LEFT_OUT if added and decision.sent else decision


def _index_left_out(row: Statement, *, first: bool) -> WrongProducer:
    """Leave out an index that is its table's first valid one, or one beside a valid one."""

    def judge(job: DdlJob, decision: Decision) -> Decision:
        added = row.covers(job) and not keyless(job.after) and keyless(job.before) is first
        return LEFT_OUT if added and decision.sent else decision

    where, which = "-beside-another", "of a table that has a valid index already"
    if first:
        where, which = "-that-is-the-first", "that gives its table the first valid index"
    return WrongProducer(
        f"feed-leaves-out-{row.words}{where}",
        f"changefeed.ddl.{row.words}",
        f"It does not send `{row.statement}` {which}.",
        judged(judge),
        also="changefeed.ddl.makes-eligible" if first else "",
    )


def _sent_when_gone(action: ActionType, words: str, also: str = "") -> WrongProducer:
    """Send DDL of a table without a valid index that goes, where nothing else is asked."""

    def judge(job: DdlJob, decision: Decision) -> Decision:
        gone = job.after is None or job.schema != job.old_schema
        left_out = gone and job.action is action and "no valid index" in decision.reason
        return REPLICATE if left_out else decision

    return WrongProducer(
        f"feed-sends-{words}-anew",
        "changefeed.ddl.gone-anew",
        f"It sends `{action.display_name}` of a table without a valid index that goes.",
        judged(judge),
        also=also,
    )


def _away_without_index(job: DdlJob, decision: Decision) -> Decision:
    away = job.action is ActionType.RENAME_TABLE and job.schema != job.old_schema
    return LEFT_OUT if away and decision.sent and keyless(job.before) else decision


ROWS: tuple[WrongProducer, ...] = (
    *_rows(),
    WrongProducer(
        "feed-leaves-out-drop-table-without-index",
        "changefeed.ddl.drop-table",
        "It does not send `DROP TABLE` of a table without a valid index.",
        judged(_drop_of_keyless),
        also="changefeed.ddl.both-sides",
    ),
    *(
        _index_left_out(row, first=first)
        for row in STATEMENTS
        if row.action is ActionType.ADD_INDEX
        for first in (True, False)
    ),
    *(
        _index_left_out(row, first=True)
        for row in STATEMENTS
        if row.action is ActionType.ADD_PRIMARY_KEY
    ),
    WrongProducer(
        "feed-leaves-out-primary-key-beside-another",
        "changefeed.ddl.add-primary-key",
        "It does not send `ADD PRIMARY KEY` of a table that had a valid index before.",
        judged(_added_beside_another),
    ),
    WrongProducer(
        "feed-leaves-out-rename-away-without-index",
        "changefeed.ddl.rename-away",
        "It does not send the rename of a table without a valid index to an unknown database.",
        judged(_away_without_index),
    ),
    _sent_when_gone(ActionType.DROP_TABLE, "drops-without-index", "changefeed.ddl.drop-table"),
    _sent_when_gone(ActionType.RENAME_TABLE, "renames-away-without-index"),
)
