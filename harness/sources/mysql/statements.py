"""What the connector's parser makes of one DDL statement of the log.

DROP TABLE and RENAME TABLE become a statement for each table. Statements that change no column
(CREATE INDEX, DROP INDEX) are handed on as they are logged, comments too, without a table; all
others without what stands before or behind them. TRUNCATE is no schema change.

Source: Debezium connector-mariadb 3.3.0.Final, antlr listeners; its records of the scenarios.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from harness.ddl import parse
from harness.ddl.alter.table import AlterTable
from harness.ddl.create_table import CreateTable
from harness.ddl.database import AlterDatabase, CreateDatabase, DropDatabase
from harness.ddl.definitions.keys import ConstraintKind
from harness.ddl.drop_table import DropTables, TruncateTable
from harness.ddl.index import CreateIndex
from harness.ddl.jobs import DdlJob
from harness.ddl.rename_table import RenameTables
from harness.ddl.sequence import SequenceStatement
from harness.ddl.sql.tree import TableRef, quote_name
from harness.ddl.view import CreateView
from harness.model.table import Table, TableId
from harness.sources.mysql.texts import code, logged, trimmed

Find = Callable[[TableId], Table]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement of the schema-change topic: its text, and `(type, id, table)` of its changes."""

    sql: str
    database: str
    tables: tuple[TableId, ...] | None
    changes: tuple[tuple[str, TableId, Table | None], ...]


def truncates(sql: str) -> bool:
    """Return whether a statement is TRUNCATE."""
    return isinstance(parse(sql), TruncateTable)


def unlogged(sql: str) -> bool:
    """Return whether the server logs nothing of a statement that changed nothing."""
    return isinstance(parse(sql), CreateTable)


def altered(sql: str, schema: str) -> TableId | None:
    """Return the table that a statement alters or adds an index to, None for other statements."""
    statement = parse(sql)
    if isinstance(statement, AlterTable | CreateIndex):
        return _named(statement.table, schema)
    return None


def parsed(
    sql: str, schema: str, jobs: tuple[DdlJob, ...], *, keyed: Collection[TableId], find: Find
) -> Iterator[Parsed]:
    """Yield what a statement becomes; `schema` is the current database.

    `keyed` are the tables that had a key: there a unique index is nothing more than another one.
    """
    statement = parse(sql)
    match statement:
        case CreateView() | DropTables(is_view=True):
            return
        case CreateDatabase() | DropDatabase():
            yield Parsed(trimmed(sql), statement.name, None, ())
        case AlterDatabase():
            yield Parsed(logged(sql), statement.name or schema, (), ())
        case DropTables():
            yield from _dropped(statement, schema)
        case RenameTables():
            yield from _renamed(sql, statement, jobs)
        case CreateTable():
            yield _whole(sql, "CREATE", jobs[-1].after)
        case AlterTable():
            yield _whole(sql, "ALTER", jobs[-1].after if jobs else find(_id(statement, schema)))
        case SequenceStatement(verb="DROP"):
            yield Parsed(_sequences_dropped(statement, schema), schema, (), ())
        case CreateIndex() if _may_make_a_key(statement, _id(statement, schema) in keyed):
            yield _whole(sql, "ALTER", find(_id(statement, schema)))
        case _:
            yield Parsed(logged(sql), schema, (), ())


def _named(ref: TableRef, schema: str) -> TableId:
    return TableId(ref.schema or schema, ref.name)


def _id(statement: AlterTable | CreateIndex, schema: str) -> TableId:
    return _named(statement.table, schema)


def _may_make_a_key(statement: CreateIndex, keyed: bool) -> bool:  # noqa: FBT001 - as it is asked
    """Return whether the connector looks at an index: a unique one of columns, without a key."""
    key = statement.constraint
    unique = key.kind is ConstraintKind.UNIQUE
    return unique and not keyed and all(part.expr is None for part in key.parts)


def _whole(sql: str, kind: str, table: Table | None) -> Parsed:
    assert table is not None
    return Parsed(trimmed(sql), table.id.schema, (table.id,), ((kind, table.id, table),))


def _dropped(statement: DropTables, schema: str) -> Iterator[Parsed]:
    """Yield the drop of each table, as the server writes it anew."""
    word = "DROP TABLE IF EXISTS" if statement.if_exists else "DROP TABLE"
    for one, listed in _runs([_named(ref, schema) for ref in statement.tables]):
        sql = f"{word} {quote_name(one.schema)}.{quote_name(one.name)}"
        yield Parsed(sql, one.schema, listed, (("DROP", one, None),))


def _sequences_dropped(statement: SequenceStatement, schema: str) -> str:
    """Return the drop of sequences as the server writes it anew, those of its database by name."""
    names = ",".join(
        quote_name(one.name)
        if (one.schema or schema) == schema
        else f"{quote_name(one.schema)}.{quote_name(one.name)}"
        for one in statement.sequences
    )
    words = "DROP SEQUENCE IF EXISTS" if statement.guarded else "DROP SEQUENCE"
    return f"{words} {names} /* generated by server */"


def _runs(tables: Sequence[TableId]) -> Iterator[tuple[TableId, tuple[TableId, ...]]]:
    """Yield each table with those that follow each other in its database."""
    for _, group in groupby(tables, key=lambda table: table.schema):
        run = tuple(group)
        yield from ((one, run) for one in run)


def _renamed(sql: str, statement: RenameTables, jobs: tuple[DdlJob, ...]) -> Iterator[Parsed]:
    """Yield each pair; a name that a later pair of the statement takes away again is not there."""
    texts = _pairs(sql, statement)
    for database, group in groupby(zip(jobs, texts, strict=True), key=lambda one: one[0].schema):
        pairs = tuple(group)
        tables = tuple(TableId(job.schema, job.table) for job, _ in pairs)
        gone = {(job.old_schema, job.old_table) for job in jobs}
        kept = {(job.schema, job.table) for job in jobs}
        for number, ((job, text), table) in enumerate(zip(pairs, tables, strict=True)):
            later = {(each.old_schema, each.old_table) for each, _ in pairs[number + 1 :]}
            lost = (job.schema, job.table) in later and (job.schema, job.table) in gone & kept
            changes = () if lost else (("ALTER", table, job.after),)
            yield Parsed(text, database, tables, changes)


def _pairs(sql: str, statement: RenameTables) -> list[str]:
    """Return the statement of each pair: what stands before the first, and then that pair."""
    begins = [old.at for old, _ in statement.pairs]
    head = sql[code(sql).upper().index("RENAME") : begins[0]]
    ends = (*begins[1:], len(sql))
    found = (sql[begin:end] for begin, end in zip(begins, ends, strict=True))
    return [head + trimmed(trimmed(one).removesuffix(",")) for one in found]
