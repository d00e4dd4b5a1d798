"""CREATE TABLE, views and sequences to tables.

Source: TiDB pkg/ddl/create_table.go, `BuildTableInfoWithStmt`, `BuildTableInfo`,
`BuildTableInfoWithLike`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from harness.ddl.schema.columns import Charset, build_column, resolve_charset
from harness.ddl.schema.dependencies import refuse_broken
from harness.ddl.schema.keys import (
    IGNORED,
    add_foreign_key,
    add_integer_handle,
    add_key,
    inline_constraints,
    is_integer_handle,
    named,
)
from harness.ddl.schema.refusals import Refused, duplicate_column
from harness.ddl.syntax import (
    Clustering,
    Constraint,
    ConstraintKind,
    CreateTable,
    TableOption,
)
from harness.model.table import Table, TableId

_IN_FIELDS = frozenset({"CHARSET", "COLLATE", "COMMENT"})


def build_table(statement: CreateTable, table_id: TableId, inherited: Charset) -> Table:
    """Return the table that CREATE TABLE makes, without physical ids and partitions.

    `inherited` is the database's character set. Raises Refused.
    """
    charset = table_charset(statement.options, inherited)
    table = Table(
        id=table_id,
        columns=(),
        charset=charset.name,
        collation=charset.collation,
        comment=last_text(statement.options, "COMMENT"),
        options=MappingProxyType(option_values(statement.options)),
    )
    for definition in statement.columns:
        if any(c.name.lower() == definition.name.lower() for c in table.columns):
            raise duplicate_column(definition.at, definition.name)
        column = build_column(definition, table.max_column_id + 1, charset)
        table = replace(
            table, columns=(*table.columns, column), max_column_id=table.max_column_id + 1
        )
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
            table = add_foreign_key(table, constraint, table.id.schema)
    return table


def _with_primary_key(table: Table, key: Constraint) -> Table:
    """TiDB clusters a primary key unless told not to (tidb_enable_clustered_index=ON)."""
    if key.option.clustering is Clustering.NONCLUSTERED:
        return add_key(table, key)
    if is_integer_handle(table, key):
        return add_integer_handle(table, key)
    return replace(add_key(table, key), clustered=True)


def _check_auto_columns(table: Table, statement: CreateTable) -> None:
    automatic = [column for column in table.columns if column.auto_increment]
    if not automatic:
        return
    first_parts = {index.parts[0].column for index in table.indexes}
    if len(automatic) > 1 or automatic[0].name not in first_parts:
        raise Refused(
            statement.table.at,
            "Incorrect table definition; there can be only one auto column and it must be defined"
            " as a key",
        )


def table_charset(options: tuple[TableOption, ...], inherited: Charset) -> Charset:
    """Return the character set that table options (the last of each counts) ask for."""
    charset = last_text(options, "CHARSET")
    return resolve_charset(charset, last_text(options, "COLLATE"), inherited)


def last_text(options: tuple[TableOption, ...], kind: str) -> str:
    """Return the text of the last option of a kind, empty when there is none."""
    return next((option.text for option in reversed(options) if option.kind == kind), "")


def option_values(options: tuple[TableOption, ...]) -> dict[str, str]:
    """Return options as a mapping; what has a field of its own in `Table` is left out."""
    return {
        option.kind: option.text or str(option.number)
        for option in options
        if option.kind not in _IN_FIELDS
    }


def like_table(source: Table, table_id: TableId) -> Table:
    """Return the table that CREATE TABLE ... LIKE makes: the same, without foreign keys."""
    return replace(source, id=table_id, version=1, foreign_keys=())
