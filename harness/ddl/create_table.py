"""CREATE TABLE in all its forms.

Source: TiDB pkg/parser/parser.y, `CreateTableStmt`; pkg/ddl/create_table.go,
`BuildTableInfoWithStmt`, `BuildTableInfo`, `BuildTableInfoWithLike`; MariaDB's CREATE OR REPLACE.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType

from harness.ddl.change import Change, StatementForms
from harness.ddl.charsets import Charset
from harness.ddl.definitions.columns import ColumnDef, parse_column
from harness.ddl.definitions.dependencies import refuse_broken
from harness.ddl.definitions.keys import (
    Clustering,
    Constraint,
    ConstraintKind,
    parse_constraint,
    sees_constraint,
)
from harness.ddl.definitions.options import (
    TableOption,
    last_text,
    parse_table_options,
    restore_options,
    sent_options,
    table_charset,
)
from harness.ddl.definitions.partitioning import Partitioning, parse_partitioning
from harness.ddl.definitions.stored_columns import build_column
from harness.ddl.definitions.stored_keys import (
    IGNORED,
    add_foreign_key,
    add_integer_handle,
    add_key,
    inline_constraints,
    is_integer_handle,
    named,
)
from harness.ddl.definitions.stored_partitions import expanded, with_partitions
from harness.ddl.drop_table import DropTables
from harness.ddl.errors import Refused, duplicate_column, table_exists
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.queries import Select, parse_select
from harness.ddl.sql.tree import TableRef
from harness.model.table import Table, TableId

_IN_FIELDS = frozenset({"CHARSET", "COLLATE", "COMMENT"})


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE; `temporary` is empty, GLOBAL TEMPORARY or TEMPORARY."""

    table: TableRef
    columns: tuple[ColumnDef, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    options: tuple[TableOption, ...] = ()
    partitioning: Partitioning | None = None
    like: TableRef | None = None
    select: Select | None = None
    on_duplicate: str = ""
    if_not_exists: bool = False
    temporary: str = ""
    on_commit_delete: bool = False
    or_replace: bool = False

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        words = ["CREATE", "OR REPLACE" if self.or_replace else "", self.temporary, "TABLE"]
        text = " ".join(word for word in words if word)
        text += " IF NOT EXISTS" if self.if_not_exists else ""
        text += f" {self.table.restore()}"
        text += f" LIKE {self.like.restore()}" if self.like is not None else ""
        elements = [column.restore() for column in self.columns]
        elements += [constraint.restore() for constraint in self.constraints]
        text += f" ({','.join(elements)})" if elements else ""
        text += restore_options(sent_options(self.options))
        text += f" {self.partitioning.restore()}" if self.partitioning is not None else ""
        if self.select is not None:
            handling = f" {self.on_duplicate}" if self.on_duplicate else ""
            text += f"{handling} AS {self.select.expr.restore()}"
        if self.temporary == "GLOBAL TEMPORARY":
            text += f" ON COMMIT {'DELETE' if self.on_commit_delete else 'PRESERVE'} ROWS"
        return text

    def apply(self, change: Change) -> None:
        """Add the table; one that is local to its session makes no job."""
        table_id = change.resolve(self.table)
        if self.temporary == "TEMPORARY":
            return
        if change.find(table_id) is not None:
            if self.if_not_exists:
                return
            if not self.or_replace:
                hint = "IF NOT EXISTS makes this a no-op"
                raise table_exists(self.table.at, self.table.name, hint)
            DropTables((self.table,)).apply(change)
        if self.select is not None:
            raise Refused(
                self.table.at,
                "'CREATE TABLE ... SELECT' is not implemented",
                hint="TiDB refuses it; create the table first, then INSERT ... SELECT",
            )
        partitioning = expanded(self.partitioning) if self.partitioning is not None else None
        sent = replace(self, or_replace=False, partitioning=partitioning)
        table = change.with_new_ids(_new_table(change, sent, table_id))
        change.put(table)
        change.add_job(ActionType.CREATE_TABLE, table_id, sent.restore(), after=table)


# ---- reading -------------------------------------------------------------------------------------


def parse_elements(cursor: Cursor) -> tuple[tuple[ColumnDef, ...], tuple[Constraint, ...]]:
    """Return the columns and constraints of a list in parentheses that must stand here."""
    columns: list[ColumnDef] = []
    constraints: list[Constraint] = []

    def element() -> None:
        if sees_constraint(cursor):
            constraints.append(parse_constraint(cursor))
        else:
            columns.append(parse_column(cursor))

    cursor.parenthesised(element)
    return tuple(columns), tuple(constraints)


def _create(cursor: Cursor) -> CreateTable:
    temporary = cursor.temporary()
    if_not_exists = cursor.expect("TABLE").if_not_exists()
    table = cursor.table()
    statement = CreateTable(table, if_not_exists=if_not_exists, temporary=temporary)
    if cursor.take("LIKE"):
        statement = replace(statement, like=cursor.table())
    elif cursor.sees("(", "LIKE"):
        like = cursor.enclosed(lambda each: each.expect("LIKE").table())
        statement = replace(statement, like=like)
    else:
        statement = _body(cursor, statement)
    return _on_commit(cursor, statement)


def _body(cursor: Cursor, statement: CreateTable) -> CreateTable:
    if cursor.sees("(") and not cursor.sees_subquery():
        columns, constraints = parse_elements(cursor)
        statement = replace(statement, columns=columns, constraints=constraints)
    statement = replace(statement, options=parse_table_options(cursor))
    if cursor.sees("PARTITION", "BY"):
        statement = replace(statement, partitioning=parse_partitioning(cursor))
    on_duplicate = cursor.take_any("IGNORE", "REPLACE")
    cursor.take("AS")
    if cursor.sees_query() or cursor.sees_subquery():
        select = parse_select(cursor)
        statement = replace(statement, select=select, on_duplicate=on_duplicate)
    elif not statement.columns:
        raise cursor.fail("a list of columns in parentheses, LIKE or a SELECT")
    return statement


def _on_commit(cursor: Cursor, statement: CreateTable) -> CreateTable:
    at = cursor.offset
    found = cursor.take("ON", "COMMIT")
    if found != (statement.temporary == "GLOBAL TEMPORARY"):
        raise cursor.fail("GLOBAL TEMPORARY and ON COMMIT DELETE or PRESERVE ROWS together", at=at)
    if not found:
        return statement
    delete = cursor.expect_any("DELETE", "PRESERVE") == "DELETE"
    cursor.expect("ROWS")
    return replace(statement, on_commit_delete=delete)


FORMS: StatementForms = {
    ("CREATE", "TABLE"): _create,
    ("CREATE", "TEMPORARY"): _create,
    ("CREATE", "GLOBAL"): _create,
}


# ---- the new table -------------------------------------------------------------------------------


def _new_table(change: Change, statement: CreateTable, table_id: TableId) -> Table:
    if statement.like is not None:
        model = change.existing(statement.like)
        if model.is_view or model.is_sequence:
            raise Refused(statement.like.at, f"'{model.id}' is not BASE TABLE")
        return replace(model, id=table_id, version=1, foreign_keys=())
    table = _build_table(statement, table_id, change.databases[table_id.schema])
    if statement.partitioning is not None:
        table = with_partitions(table, statement.partitioning)
    return table


def _build_table(statement: CreateTable, table_id: TableId, inherited: Charset) -> Table:
    """Return the table without physical ids and partitions, in a database of that character set."""
    charset = table_charset(statement.options, inherited)
    options = {
        option.kind: option.text or str(option.number)
        for option in statement.options
        if option.kind not in _IN_FIELDS
    }
    table = Table(
        id=table_id,
        columns=(),
        charset=charset.name,
        collation=charset.collation,
        comment=last_text(statement.options, "COMMENT"),
        options=MappingProxyType(options),
    )
    for definition in statement.columns:
        if table.find_column(definition.name) is not None:
            raise duplicate_column(definition.at, definition.name)
        column = build_column(definition, table.max_column_id + 1, charset)
        table = replace(table, columns=(*table.columns, column), max_column_id=column.id)
    inline = (key for definition in statement.columns for key in inline_constraints(definition))
    table = _with_keys(table, (*statement.constraints, *inline))
    _check_auto_columns(table, statement)
    places = {key.name.lower(): key.at for key in statement.constraints}
    places |= {column.name.lower(): column.at for column in statement.columns}
    refuse_broken(None, table, places)
    return table


def _with_keys(table: Table, constraints: Iterable[Constraint]) -> Table:
    constraints = named(tuple(c for c in constraints if c.kind not in IGNORED))
    primaries = [c for c in constraints if c.kind is ConstraintKind.PRIMARY]
    if len(primaries) > 1:
        raise Refused(primaries[1].at, "Multiple primary key defined")
    for constraint in constraints:
        if constraint.kind is ConstraintKind.PRIMARY:
            table = _with_primary_key(table, constraint)
        elif constraint.kind not in (ConstraintKind.FOREIGN, ConstraintKind.CHECK):
            table = add_key(table, constraint)
    for constraint in constraints:
        if constraint.kind is ConstraintKind.FOREIGN:
            table = add_foreign_key(table, constraint, table.id.schema, flags=False)
    return table


def _with_primary_key(table: Table, key: Constraint) -> Table:
    """TiDB clusters a primary key unless it is off (tidb_enable_clustered_index=ON)."""
    if key.option.clustering is Clustering.NONCLUSTERED:
        return add_key(table, key)
    if is_integer_handle(table, key):
        return add_integer_handle(table, key)
    return replace(add_key(table, key), clustered=True)


def _check_auto_columns(table: Table, statement: CreateTable) -> None:
    automatic = [column for column in table.columns if column.auto_increment]
    first_parts = {index.parts[0].column for index in table.indexes}
    if len(automatic) > 1 or any(column.name not in first_parts for column in automatic):
        raise Refused(
            statement.table.at,
            "Incorrect table definition; there can be only one auto column and it must be defined"
            " as a key",
        )
