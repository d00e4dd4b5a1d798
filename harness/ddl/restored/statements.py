"""Whole statements as TiDB writes them back.

Source: TiDB pkg/parser/ast/ddl.go, the `Restore` methods of its statements.
"""

from __future__ import annotations

from harness.ddl.alterations import AlterTable
from harness.ddl.expressions import quote_name, restore_expression
from harness.ddl.grammar.statements import Statement
from harness.ddl.restored.alter import IF_EXISTS, IF_NOT_EXISTS, alter_table
from harness.ddl.restored.columns import column, constraint, key_parts, options_after_key
from harness.ddl.restored.options import PLACEMENT, database_option, sent_options, table_option
from harness.ddl.restored.partitions import partitioning
from harness.ddl.syntax import (
    AlterDatabase,
    ConstraintKind,
    CreateDatabase,
    CreateIndex,
    CreateTable,
    CreateView,
    DropDatabase,
    DropIndexStatement,
    DropTables,
    PolicyStatement,
    RecoverTable,
    RenameTables,
    SequenceStatement,
    TruncateTable,
    table_text,
)


def restore(statement: Statement) -> str:  # noqa: C901, PLR0911 - one arm a statement
    """Return the statement's text as TiCDC would send it for one job of its own.

    Statements that become several jobs, and those that TiCDC rebuilds (DROP TABLE, RENAME of
    several tables, EXCHANGE PARTITION), get their `query` from `Catalogue.apply`. Statements about
    policies are never sent and come out empty.
    """
    match statement:
        case CreateDatabase() | AlterDatabase() | DropDatabase():
            return _database(statement)
        case CreateTable():
            return _create_table(statement)
        case AlterTable():
            return alter_table(statement)
        case DropTables():
            return _drop_tables(statement)
        case RenameTables(pairs=pairs):
            renames = (f"{table_text(old)} TO {table_text(new)}" for old, new in pairs)
            return f"RENAME TABLE {', '.join(renames)}"
        case TruncateTable(table=table):
            return f"TRUNCATE TABLE {table_text(table)}"
        case RecoverTable(verb=verb, table=table, count=count, new_name=name):
            text = f"{verb} TABLE {table_text(table)}"
            return (
                text + (f" {count}" if count else "") + (f" TO {quote_name(name)}" if name else "")
            )
        case CreateIndex() | DropIndexStatement():
            return _index(statement)
        case CreateView():
            return _create_view(statement)
        case SequenceStatement():
            return _sequence(statement)
        case PolicyStatement():
            return ""


def _database(statement: CreateDatabase | AlterDatabase | DropDatabase) -> str:
    if isinstance(statement, DropDatabase):
        guard = "IF EXISTS " if statement.if_exists else ""
        return f"DROP DATABASE {guard}{quote_name(statement.name)}"
    options = "".join(f" {database_option(option)}" for option in statement.options)
    if isinstance(statement, CreateDatabase):
        guard = "IF NOT EXISTS " if statement.if_not_exists else ""
        return f"CREATE DATABASE {guard}{quote_name(statement.name)}{options}"
    if all(option.kind == PLACEMENT for option in statement.options):
        return ""
    name = f" {quote_name(statement.name)}" if statement.name else ""
    return f"ALTER DATABASE{name}{options}"


def _create_table(statement: CreateTable) -> str:
    words = ["CREATE", "OR REPLACE" if statement.or_replace else "", statement.temporary, "TABLE"]
    text = " ".join(word for word in words if word)
    text += " IF NOT EXISTS" if statement.if_not_exists else ""
    text += f" {table_text(statement.table)}"
    if statement.like is not None:
        text += f" LIKE {table_text(statement.like)}"
    elements = [column(definition) for definition in statement.columns]
    elements += [constraint(written) for written in statement.constraints]
    text += f" ({','.join(elements)})" if elements else ""
    text += "".join(f" {table_option(option)}" for option in sent_options(statement.options))
    if statement.partitioning is not None:
        text += f" {partitioning(statement.partitioning)}"
    if statement.select is not None:
        handling = f" {statement.on_duplicate}" if statement.on_duplicate else ""
        text += f"{handling} AS {restore_expression(statement.select.expr)}"
    if statement.temporary == "GLOBAL TEMPORARY":
        rows = "DELETE" if statement.on_commit_delete else "PRESERVE"
        text += f" ON COMMIT {rows} ROWS"
    return text


def _drop_tables(statement: DropTables) -> str:
    words = "VIEW" if statement.is_view else f"{statement.temporary} TABLE".strip()
    guard = "IF EXISTS " if statement.if_exists else ""
    return f"DROP {words} {guard}{', '.join(table_text(table) for table in statement.tables)}"


_INDEX_WORDS = {
    ConstraintKind.INDEX: "",
    ConstraintKind.UNIQUE: "UNIQUE ",
    ConstraintKind.FULLTEXT: "FULLTEXT ",
    ConstraintKind.SPATIAL: "SPATIAL ",
    ConstraintKind.VECTOR: "VECTOR ",
    ConstraintKind.COLUMNAR: "COLUMNAR ",
}


def _index(statement: CreateIndex | DropIndexStatement) -> str:
    tail = " " + " ".join(statement.lock_and_algorithm) if statement.lock_and_algorithm else ""
    if isinstance(statement, DropIndexStatement):
        guard = IF_EXISTS if statement.if_exists else ""
        name = quote_name(statement.name)
        return f"DROP INDEX {guard}{name} ON {table_text(statement.table)}{tail}"
    key = statement.constraint
    guard = IF_NOT_EXISTS if key.if_not_exists else ""
    head = f"CREATE {_INDEX_WORDS[key.kind]}INDEX {guard}{quote_name(key.name)}"
    body = f"{key_parts(key.parts)}{options_after_key(key.option)}"
    return f"{head} ON {table_text(statement.table)} {body}{tail}"


def _create_view(statement: CreateView) -> str:
    replace_words = "OR REPLACE " if statement.or_replace else ""
    definer = "CURRENT_USER"
    if statement.definer is not None:
        user, host = statement.definer
        definer = quote_name(user) + (f"@{quote_name(host)}" if host else "")
    columns = ",".join(quote_name(name) for name in statement.columns)
    check = " WITH LOCAL CHECK OPTION" if statement.check == "LOCAL" else ""
    return (
        f"CREATE {replace_words}ALGORITHM = {statement.algorithm} DEFINER = {definer}"
        f" SQL SECURITY {statement.security} VIEW {table_text(statement.view)}"
        f"{f' ({columns})' if columns else ''}"
        f" AS {restore_expression(statement.select.expr)}{check}"
    )


def _sequence(statement: SequenceStatement) -> str:
    guard = "IF NOT EXISTS " if statement.verb == "CREATE" else "IF EXISTS "
    names = ", ".join(table_text(sequence) for sequence in statement.sequences)
    options = "".join(f" {option}" for option in statement.options)
    options += "".join(f" {table_option(option)}" for option in statement.table_options)
    return f"{statement.verb} SEQUENCE {guard if statement.guarded else ''}{names}{options}"
