"""What the connector's parser makes of one DDL statement of the log.

DROP TABLE and RENAME TABLE become a statement for each table. Statements that change no column
(CREATE INDEX, DROP INDEX) are handed on without a database or a table. TRUNCATE is no schema
change.

Source: Debezium connector-mariadb 3.3.0.Final, antlr listeners; its records of the scenarios.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from harness.ddl import Statement, parse
from harness.ddl.alter.columns import AddColumns
from harness.ddl.alter.keys import AddConstraint
from harness.ddl.alter.modify_column import ModifyColumn
from harness.ddl.alter.table import AlterTable
from harness.ddl.create_table import CreateTable
from harness.ddl.definitions.columns import ColumnDef, OptionKind
from harness.ddl.definitions.keys import Constraint, ConstraintKind
from harness.ddl.jobs import ActionType, DdlJob
from harness.model.columns import Column
from harness.model.table import Table, TableId

_IF_EXISTS: Final = re.compile(r"\s*DROP\s+TABLE\s+IF\s+EXISTS\s+(.+)", re.IGNORECASE | re.DOTALL)
_INDEX: Final = re.compile(r"\s*(?:CREATE\s+INDEX|DROP\s+INDEX)\b", re.IGNORECASE)
_UNIQUE_INDEX: Final = re.compile(r"\s*CREATE\s+UNIQUE\s+INDEX\b", re.IGNORECASE)
_CREATE_TABLE: Final = re.compile(r"\s*CREATE\s+TABLE\b", re.IGNORECASE)
_VIEW: Final = re.compile(
    r"\s*(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:[^\s(]+\s+)*?(?:VIEW|SEQUENCE)\b",
    re.IGNORECASE,
)
_TRUNCATE: Final = re.compile(r"\s*TRUNCATE\b", re.IGNORECASE)
_DATABASE: Final = re.compile(
    r"\s*(CREATE|ALTER|DROP)\s+(?:DATABASE|SCHEMA)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?`?(\w+)`?",
    re.IGNORECASE,
)
_RENAME: Final = re.compile(r"\s*RENAME\s+TABLE\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement of the schema-change topic: its text, and `(type, id, table)` of its changes."""

    sql: str
    database: str
    tables: tuple[TableId, ...] | None
    changes: tuple[tuple[str, TableId, Table | None], ...]


def unique_columns(
    sql: str, after: Table, may_be_null: Callable[[Column], bool]
) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each UNIQUE that a statement adds and that may be a key, as it stands.

    One at its column may be, whatever the column; one of its own where its columns stand before it,
    and none may be NULL to the connector, which goes by the statement's text. A table that is not
    written out (SHOW CREATE TABLE of a copy, LIKE) has those of its indexes, and so has one of
    CREATE UNIQUE INDEX.
    """
    statement = parse(sql) if sql else None
    elements = [] if statement is None else sorted(_elements(statement), key=lambda one: one.at)
    later = {one.name.lower() for one in elements if isinstance(one, ColumnDef)}
    for one in elements:
        if isinstance(one, Constraint):
            names = tuple(part.column for part in one.parts)
            if later.isdisjoint(name.lower() for name in names):
                yield from _never_null(names, after, may_be_null)
            continue
        later.discard(one.name.lower())
        if any(option.kind is OptionKind.UNIQUE_KEY for option in one.options):
            yield (after.column(one.name).name,)
    for index in () if elements or isinstance(statement, AlterTable) else after.indexes:
        if index.unique:
            yield from _never_null(index.columns, after, may_be_null)


def original_of(sql: str, schema: str) -> TableId | None:
    """Return the table that CREATE TABLE names behind LIKE, None for any other statement.

    The connector copies what it knows of that one (CreateTableParserListener.java:68).
    """
    statement = parse(sql)
    if not isinstance(statement, CreateTable) or statement.like is None:
        return None
    return TableId(statement.like.schema or schema, statement.like.name)


def defined_columns(sql: str) -> frozenset[str]:
    """Return the columns that a statement defines, in lower case."""
    elements = _elements(parse(sql))
    return frozenset(one.name.lower() for one in elements if isinstance(one, ColumnDef))


def declared_null(sql: str) -> Mapping[str, bool | None]:
    """Return whether the columns that a statement defines may be NULL by its text alone.

    Names are in lower case; None says that CHANGE COLUMN has no word on it, and then the connector
    keeps what the column was, as the server does not.
    """
    statement = parse(sql)
    found: dict[str, bool | None] = {}
    for one in statement.specs if isinstance(statement, AlterTable) else (statement,):
        if isinstance(one, CreateTable | AddColumns):
            found |= {column.name.lower(): _said(column) is not False for column in one.columns}
            found |= _not_null(one.constraints)
        elif isinstance(one, ModifyColumn):
            said = _said(one.column)
            found[one.column.name.lower()] = said if one.old_name else said is not False
        elif isinstance(one, AddConstraint):
            found |= _not_null((one.constraint,))
    return found


def _said(column: ColumnDef) -> bool | None:
    """Return whether a definition says that its column may be NULL, None where it says nothing."""
    for option in column.options:
        if option.kind in {OptionKind.NOT_NULL, OptionKind.PRIMARY_KEY}:
            return False
        if option.kind is OptionKind.NULL:
            return True
    return None


def _not_null(constraints: Iterable[Constraint]) -> Mapping[str, bool]:
    return {
        part.column.lower(): False
        for key in constraints
        if key.kind is ConstraintKind.PRIMARY
        for part in key.parts
    }


def _never_null(
    names: Sequence[str], table: Table, may_be_null: Callable[[Column], bool]
) -> Iterator[tuple[str, ...]]:
    """Yield the columns of a key that holds no NULL and no expression."""
    columns = [column for name in names if (column := table.find_column(name))]
    if len(columns) == len(names) and not any(map(may_be_null, columns)):
        yield tuple(column.name for column in columns)


def _elements(statement: Statement) -> Iterator[ColumnDef | Constraint]:
    """Yield columns that a statement adds or defines anew, and unique keys that it adds."""
    specs = statement.specs if isinstance(statement, AlterTable) else (statement,)
    for one in specs:
        if isinstance(one, CreateTable | AddColumns):
            yield from one.columns
            yield from (key for key in one.constraints if key.kind is ConstraintKind.UNIQUE)
        elif isinstance(one, AddConstraint) and one.constraint.kind is ConstraintKind.UNIQUE:
            yield one.constraint
        elif isinstance(one, ModifyColumn):
            yield one.column


def truncates(sql: str) -> bool:
    """Return whether a statement is TRUNCATE."""
    return _TRUNCATE.match(sql) is not None


def unlogged(sql: str) -> bool:
    """Return whether the server logs nothing of a statement that changed nothing."""
    return _CREATE_TABLE.match(sql) is not None


def ignored(sql: str) -> bool:
    """Return whether the connector takes nothing from a statement but its text."""
    return _INDEX.match(sql) is not None


def parsed(sql: str, schema: str, jobs: tuple[DdlJob, ...], *, keyed: bool) -> Iterator[Parsed]:
    """Yield what a statement becomes; `schema` is the current database.

    `keyed` says that its table has a key: then a unique index is nothing more than another one.
    """
    text = sql.strip().rstrip(";").rstrip()
    if _VIEW.match(text):
        return
    database = _DATABASE.match(text)
    if database is not None:
        tables = () if database[1].upper() == "ALTER" else None
        yield Parsed(text, database[2], tables, ())
        return
    if _INDEX.match(text) or (keyed and _UNIQUE_INDEX.match(text)):
        yield Parsed(text, schema, (), ())
        return
    if _IF_EXISTS.match(text) or any(job.action is ActionType.DROP_TABLE for job in jobs):
        yield from _dropped(text, schema, jobs)
        return
    if _RENAME.match(text):
        yield from _renamed(jobs)
        return
    for job in jobs[-1:]:
        kind = "CREATE" if job.action is ActionType.CREATE_TABLE else "ALTER"
        table = TableId(job.schema, job.table)
        yield Parsed(text, job.schema, (table,), ((kind, table, job.after),))
    if not jobs:
        yield Parsed(text, schema, (), ())


def _dropped(text: str, schema: str, jobs: tuple[DdlJob, ...]) -> Iterator[Parsed]:
    guarded = _IF_EXISTS.match(text)
    if guarded:
        names = [part.strip().replace("`", "") for part in guarded[1].split(",")]
        tables = [
            TableId(*name.split(".")) if "." in name else TableId(schema, name) for name in names
        ]
    else:
        tables = [TableId(job.old_schema, job.old_table) for job in jobs]
    word = "DROP TABLE IF EXISTS" if guarded else "DROP TABLE"
    for one, listed in _runs(tables):
        sql = f"{word} `{one.schema}`.`{one.name}`"
        yield Parsed(sql, one.schema, listed, (("DROP", one, None),))


def _runs(tables: Sequence[TableId]) -> Iterator[tuple[TableId, tuple[TableId, ...]]]:
    """Yield each table with those that follow each other in its database."""
    for _, group in groupby(tables, key=lambda table: table.schema):
        run = tuple(group)
        yield from ((one, run) for one in run)


def _renamed(jobs: tuple[DdlJob, ...]) -> Iterator[Parsed]:
    """Yield each pair; a name that a later pair of the statement takes away again is not there."""
    for database, group in groupby(jobs, key=lambda job: job.schema):
        pairs = tuple(group)
        tables = tuple(TableId(job.schema, job.table) for job in pairs)
        gone = {(job.old_schema, job.old_table) for job in jobs}
        kept = {(job.schema, job.table) for job in jobs}
        for number, (job, table) in enumerate(zip(pairs, tables, strict=True)):
            later = {(each.old_schema, each.old_table) for each in pairs[number + 1 :]}
            sql = f"RENAME TABLE {job.old_schema}.{job.old_table} TO {job.schema}.{job.table}"
            lost = (job.schema, job.table) in later and (job.schema, job.table) in gone & kept
            changes = () if lost else (("ALTER", table, job.after),)
            yield Parsed(sql, database, tables, changes)
