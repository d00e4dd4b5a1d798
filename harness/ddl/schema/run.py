"""One statement on one moment: the next moment and the jobs.

Source: TiDB pkg/ddl/executor.go; tiflow c7b2588 cdc/model/sink.go:1092.
"""

from __future__ import annotations

from dataclasses import replace

from harness.ddl.action import ActionType
from harness.ddl.alterations import AddConstraint, AlterTable, DropIndex
from harness.ddl.expressions import quote_name
from harness.ddl.grammar.statements import Statement
from harness.ddl.restored.statements import restore
from harness.ddl.schema.alter_table import alter_table
from harness.ddl.schema.columns import DEFAULT_CHARSET, Charset, resolve_charset
from harness.ddl.schema.create import build_table, like_table
from harness.ddl.schema.jobs import DdlJob
from harness.ddl.schema.partitions import expanded, with_partitions
from harness.ddl.schema.refusals import Refused, table_exists, unknown_database, unknown_table
from harness.ddl.schema.state import Moment, Ran
from harness.ddl.syntax import (
    AlterDatabase,
    CreateDatabase,
    CreateIndex,
    CreateTable,
    CreateView,
    DatabaseOption,
    DropDatabase,
    DropIndexStatement,
    DropTables,
    PolicyStatement,
    RecoverTable,
    RenameTables,
    SequenceStatement,
    TableRef,
    TruncateTable,
)
from harness.model.table import Table, TableId


def run(moment: Moment, statement: Statement, source: str, schema: str) -> Ran:  # noqa: C901, PLR0911, PLR0912 - one arm a statement
    """Apply a statement; Refused when the database would refuse it."""
    match statement:
        case CreateDatabase():
            return _create_database(moment, statement, source)
        case AlterDatabase():
            return _alter_database(moment, statement, source, schema)
        case DropDatabase():
            return _drop_database(moment, statement, source)
        case CreateTable():
            return _create_table(moment, statement, source, schema)
        case DropTables():
            return _drop_tables(moment, statement, source, schema)
        case RenameTables():
            return _rename_tables(moment, statement, source, schema)
        case TruncateTable():
            return _truncate_table(moment, statement, source, schema)
        case RecoverTable():
            return _recover_table(moment, statement, source, schema)
        case CreateIndex(table=table, constraint=constraint):
            altered = AlterTable(table, (AddConstraint(constraint),))
            return alter_table(moment, altered, (source, restore(statement)), schema)
        case DropIndexStatement(table=table, name=name, if_exists=guarded):
            altered = AlterTable(table, (DropIndex(name, guarded, table.at),))
            return alter_table(moment, altered, (source, restore(statement)), schema)
        case AlterTable():
            return alter_table(moment, statement, (source, restore(statement)), schema)
        case CreateView():
            return _create_view(moment, statement, source, schema)
        case SequenceStatement():
            return _sequence(moment, statement, source, schema)
        case PolicyStatement(action=action):
            return moment, (DdlJob(action, "", "", "", source),)


# ---- databases --------------------------------------------------------------------------------


def _database_charset(options: tuple[DatabaseOption, ...], inherited: Charset) -> Charset:
    texts = {option.kind: option.text for option in options}
    return resolve_charset(texts.get("CHARACTER SET", ""), texts.get("COLLATE", ""), inherited)


def _create_database(moment: Moment, statement: CreateDatabase, source: str) -> Ran:
    if moment.schema_name(statement.name) is not None:
        if statement.if_not_exists:
            return moment, ()
        raise Refused(statement.at, f"Can't create database '{statement.name}'; database exists")
    charset = _database_charset(statement.options, DEFAULT_CHARSET)
    moment, _ = moment.take_ids(2)
    job = DdlJob(ActionType.CREATE_SCHEMA, statement.name, "", restore(statement), source)
    return moment.with_schema(statement.name, charset), (job,)


def _alter_database(moment: Moment, statement: AlterDatabase, source: str, schema: str) -> Ran:
    name = moment.schema_name(statement.name or schema)
    if name is None:
        raise unknown_database(statement.at, statement.name or schema, moment.schemas())
    old = moment.databases[name]
    query = restore(statement)
    if any(option.kind == "PLACEMENT POLICY" for option in statement.options):
        action = ActionType.MODIFY_SCHEMA_DEFAULT_PLACEMENT
        return moment, (DdlJob(action, name, "", query, source),)
    # A character set alone takes its default collation along.
    charset = _database_charset(statement.options, old)
    if charset == old:
        return moment, ()
    moment, _ = moment.take_ids(1)
    job = DdlJob(ActionType.MODIFY_SCHEMA_CHARSET_AND_COLLATE, name, "", query, source)
    return moment.with_schema(name, charset), (job,)


def _drop_database(moment: Moment, statement: DropDatabase, source: str) -> Ran:
    name = moment.schema_name(statement.name)
    if name is None:
        if statement.if_exists:
            return moment, ()
        what = f"Can't drop database '{statement.name}'; database doesn't exist"
        raise Refused(statement.at, what)
    moment, _ = moment.take_ids(1)
    job = DdlJob(ActionType.DROP_SCHEMA, name, "", restore(statement), source)
    return moment.without_schema(name), (job,)


# ---- creating ---------------------------------------------------------------------------------


def _create_table(moment: Moment, statement: CreateTable, source: str, schema: str) -> Ran:
    table_id = moment.resolve(statement.table, schema)
    if statement.temporary == "TEMPORARY":
        # Local to its session: no job, and nobody else ever sees it.
        return moment, ()
    dropped: tuple[DdlJob, ...] = ()
    if moment.find(table_id.schema, table_id.name) is not None:
        if statement.if_not_exists:
            return moment, ()
        if not statement.or_replace:
            hint = "IF NOT EXISTS makes this a no-op"
            raise table_exists(statement.table.at, statement.table.name, hint)
        first = DropTables((statement.table,))
        moment, dropped = _drop_tables(moment, first, source, schema)
    if statement.select is not None:
        raise Refused(
            statement.table.at,
            "'CREATE TABLE ... SELECT' is not implemented",
            hint="TiDB refuses it; create the table first, then INSERT ... SELECT",
        )
    statement = replace(statement, or_replace=False)
    if statement.partitioning is not None:
        statement = replace(statement, partitioning=expanded(statement.partitioning))
    table = _new_table(moment, statement, table_id, schema)
    moment, table = with_physical_ids(moment, table)
    job = DdlJob(
        ActionType.CREATE_TABLE,
        table_id.schema,
        table_id.name,
        restore(statement),
        source,
        after=table,
    )
    return moment.with_table(table), (*dropped, job)


def _new_table(moment: Moment, statement: CreateTable, table_id: TableId, schema: str) -> Table:
    if statement.like is not None:
        model = moment.existing(statement.like, schema)
        if model.is_view or model.is_sequence:
            raise Refused(statement.like.at, f"'{model.id}' is not BASE TABLE")
        return like_table(model, table_id)
    table = build_table(statement, table_id, moment.databases[table_id.schema])
    if statement.partitioning is not None:
        table = with_partitions(table, statement.partitioning)
    return table


def with_physical_ids(moment: Moment, table: Table) -> tuple[Moment, Table]:
    """Give a table and its partitions new physical ids, and one id to the job."""
    moment, ids = moment.take_ids(2 + len(table.partitions))
    return moment, replace(table, physical_id=ids[0], partition_ids=ids[1:-1])


def _create_view(moment: Moment, statement: CreateView, source: str, schema: str) -> Ran:
    view_id = moment.resolve(statement.view, schema)
    old = moment.find(view_id.schema, view_id.name)
    if old is not None and not (statement.or_replace and old.is_view):
        raise table_exists(statement.view.at, statement.view.name)
    moment, view = with_physical_ids(moment, Table(view_id, (), is_view=True))
    job = DdlJob(
        ActionType.CREATE_VIEW, view_id.schema, view_id.name, restore(statement), source, old, view
    )
    return moment.with_table(view), (job,)


_SEQUENCE_ACTIONS = {
    "CREATE": ActionType.CREATE_SEQUENCE,
    "ALTER": ActionType.ALTER_SEQUENCE,
    "DROP": ActionType.DROP_SEQUENCE,
}


def _sequence(moment: Moment, statement: SequenceStatement, source: str, schema: str) -> Ran:
    jobs: list[DdlJob] = []
    for ref in statement.sequences:
        table_id = moment.resolve(ref, schema)
        before = moment.find(table_id.schema, table_id.name)
        if statement.verb == "CREATE":
            if before is not None and statement.guarded:
                continue
            if before is not None:
                raise table_exists(ref.at, ref.name)
        elif before is None or not before.is_sequence:
            if statement.guarded:
                continue
            raise unknown_table(ref.at, table_id.schema, table_id.name)
        after = Table(table_id, (), is_sequence=True) if statement.verb != "DROP" else None
        if after is not None:
            moment, after = with_physical_ids(moment, after)
        moment = moment.with_table(after) if after else moment.without_table(table_id)
        action = _SEQUENCE_ACTIONS[statement.verb]
        query = restore(statement)
        jobs.append(DdlJob(action, table_id.schema, ref.name, query, source, before, after))
    return moment, tuple(jobs)


# ---- dropping, truncating, renaming -----------------------------------------------------------


def _drop_tables(moment: Moment, statement: DropTables, source: str, schema: str) -> Ran:
    """Each table is a job of its own, and TiCDC writes its query anew from the full name."""
    action = ActionType.DROP_VIEW if statement.is_view else ActionType.DROP_TABLE
    word = "VIEW" if statement.is_view else "TABLE"
    jobs: list[DdlJob] = []
    for ref in statement.tables:
        found = _droppable(moment, statement, ref, schema)
        if found is None:
            continue
        moment, _ = moment.take_ids(1)
        moment = moment.without_table(found.id)
        moment = replace(moment, dropped=(*moment.dropped, found))
        query = f"DROP {word} {_full(found.id)}"
        jobs.append(DdlJob(action, found.id.schema, found.id.name, query, source, found))
    return moment, tuple(jobs)


def _droppable(moment: Moment, statement: DropTables, ref: TableRef, schema: str) -> Table | None:
    """Return the table to drop, None when there is none and IF EXISTS or TEMPORARY allows that."""
    lenient = statement.if_exists or statement.temporary == "TEMPORARY"
    if lenient and moment.schema_name(ref.schema or schema) is None:
        return None
    table_id = moment.resolve(ref, schema)
    found = moment.find(table_id.schema, table_id.name)
    if statement.temporary == "TEMPORARY":
        return None
    if found is not None and not found.is_sequence and found.is_view == statement.is_view:
        return found
    if lenient:
        return None
    kind = "VIEW" if statement.is_view else "BASE TABLE"
    if found is not None:
        raise Refused(ref.at, f"'{found.id}' is not {kind}")
    return moment.existing(ref, schema)


def _full(table_id: TableId) -> str:
    return f"{quote_name(table_id.schema)}.{quote_name(table_id.name)}"


def _truncate_table(moment: Moment, statement: TruncateTable, source: str, schema: str) -> Ran:
    before = moment.existing(statement.table, schema)
    if before.is_view or before.is_sequence:
        raise unknown_table(statement.table.at, before.id.schema, before.id.name)
    moment, after = with_physical_ids(moment, replace(before, version=before.version + 1))
    moment = replace(moment, dropped=(*moment.dropped, before))
    job = DdlJob(
        ActionType.TRUNCATE_TABLE,
        before.id.schema,
        before.id.name,
        restore(statement),
        source,
        before,
        after,
    )
    return moment.with_table(after), (job,)


def _recover_table(moment: Moment, statement: RecoverTable, source: str, schema: str) -> Ran:
    """RECOVER and FLASHBACK bring back the latest table of that name, ids and all."""
    wanted = moment.resolve(statement.table, schema)
    key = (wanted.schema.lower(), wanted.name.lower())
    gone = [t for t in moment.dropped if (t.id.schema.lower(), t.id.name.lower()) == key]
    if not gone:
        raise unknown_table(statement.table.at, wanted.schema, wanted.name)
    new_id = TableId(gone[-1].id.schema, statement.new_name or gone[-1].id.name)
    if moment.find(new_id.schema, new_id.name) is not None:
        raise table_exists(statement.table.at, new_id.name)
    after = replace(gone[-1], id=new_id, version=gone[-1].version + 1)
    moment, _ = moment.take_ids(1)
    left = tuple(table for table in moment.dropped if table is not gone[-1])
    moment = replace(moment.with_table(after), dropped=left)
    job = DdlJob(
        ActionType.RECOVER_TABLE,
        new_id.schema,
        new_id.name,
        restore(statement),
        source,
        after=after,
    )
    return moment, (job,)


def _rename_tables(moment: Moment, statement: RenameTables, source: str, schema: str) -> Ran:
    """One pair keeps the user's statement; several become one rebuilt query for each pair."""
    jobs: list[DdlJob] = []
    for old_ref, new_ref in statement.pairs:
        before = moment.existing(old_ref, schema)
        new_id = moment.resolve(new_ref, schema)
        if moment.find(new_id.schema, new_id.name) is not None:
            raise table_exists(new_ref.at, new_ref.name)
        after = replace(before, id=new_id, version=before.version + 1)
        moment = moment.without_table(before.id).with_table(after)
        query = restore(statement)
        if len(statement.pairs) > 1:
            query = f"RENAME TABLE {_full(before.id)} TO {_full(new_id)}"
        jobs.append(rename_job(before, after, query, source))
    moment, _ = moment.take_ids(1)
    return moment, tuple(jobs)


def rename_job(before: Table, after: Table, query: str, source: str) -> DdlJob:
    """Return the job of one renamed table."""
    return DdlJob(
        ActionType.RENAME_TABLE,
        after.id.schema,
        after.id.name,
        query,
        source,
        before,
        after,
        before.id.schema,
        before.id.name,
    )
