"""The written form of tables, columns and rows in a lock: JSON that a person can review.

A row is an object from column name to value (`model.written`). Reading goes through `canonical`, so
that a value that does not fit its column never enters a change log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.model.canonical import canonical
from harness.model.columns import Column, ColumnKind, Default
from harness.model.table import Index, IndexPart, Table, TableId
from harness.model.values import Row, Value
from harness.model.written import written_value


@dataclass(frozen=True, slots=True)
class LockedTable:
    """What reading rows needs of a table: its name, and columns as far as values depend on them."""

    id: TableId
    columns: tuple[Column, ...]


def table_id(text: str) -> TableId:
    """Return the id of `database.table`; a database's name has no dots."""
    schema, _, name = text.partition(".")
    return TableId(schema, name)


def written_table(table: Table | None) -> dict[str, Any] | None:
    """Return a table's schema as JSON data, None for none."""
    if table is None:
        return None
    written: dict[str, Any] = {
        "table": str(table.id),
        "columns": [written_column(column) for column in table.columns],
        "indexes": [_index(index) for index in table.indexes],
    }
    if table.primary_key is not None:
        written["clustered"] = table.clustered
    return written


def read_table(data: Mapping[str, Any]) -> LockedTable:
    """Return what `written_table` wrote; KeyError, TypeError or ValueError for anything else."""
    columns = tuple(_read_column(column) for column in data["columns"])
    return LockedTable(table_id(data["table"]), columns)


def written_column(column: Column) -> dict[str, Any]:
    """Return a column as JSON data, without what is unsaid or false."""
    written = {
        "name": column.name,
        "type": column.kind.value,
        "length": column.length,
        "scale": column.scale,
        "members": list(column.members) or None,
        "unsigned": column.unsigned or None,
        "charset": column.charset,
        "collation": column.collation,
        "nullable": column.nullable,
        "default": _default(column.default),
        "origin_default": _default(column.origin_default),
        "generated": column.generated and column.generated.expression,
        "stored": column.generated and column.generated.stored,
        "on_update": column.on_update,
        "auto_increment": column.auto_increment or None,
    }
    return {key: value for key, value in written.items() if value is not None}


def _read_column(data: Mapping[str, Any]) -> Column:
    return Column(
        id=0,  # nothing about a value depends on it
        name=data["name"],
        kind=ColumnKind(data["type"]),
        length=data.get("length"),
        scale=data.get("scale"),
        members=tuple(data.get("members", ())),
        unsigned=data.get("unsigned", False),
    )


def _default(default: Default | None) -> dict[str, Any] | None:
    if default is None:
        return None
    kind = "expression" if default.is_expression else "hex" if default.is_binary else "text"
    return {kind: default.text}


def _index(index: Index) -> dict[str, Any]:
    written: dict[str, Any] = {"name": index.name, "parts": [_part(part) for part in index.parts]}
    if index.unique:
        written["unique"] = True
    return written


def _part(part: IndexPart) -> str:
    if part.column is None:
        return f"({part.expression})"
    return f"{part.column}({part.length})" if part.length else part.column


def written_row(columns: Sequence[Column], row: Row) -> dict[str, Any]:
    """Return a row as an object from column name to value."""
    return {c.name: written_value(c, value) for c, value in zip(columns, row, strict=True)}


def read_row(columns: Sequence[Column], data: Mapping[str, Any]) -> Row:
    """Return the row of a written (or, in an `emit:` step, stated) object.

    Raises ValueError, naming the column, when one is missing, unknown, or its value does not fit.
    """
    names = [column.name for column in columns]
    missing = [name for name in names if name not in data]
    unknown = [name for name in data if name not in names]
    if missing or unknown:
        raise ValueError(
            "; ".join(
                f"{what} {', '.join(f'`{name}`' for name in odd)}"
                for what, odd in (("it lacks", missing), ("there is no column", unknown))
                if odd
            )
        )
    return tuple(_read_value(column, data[column.name]) for column in columns)


def _read_value(column: Column, raw: object) -> Value:
    try:
        return canonical(column, raw)
    except ValueError as error:
        raise ValueError(f"column `{column.name}`: {error}") from error
