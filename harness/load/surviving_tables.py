"""The tables that are left: their columns in Spark's types, and values as text on the way there.

A text is the value, exactly; Spark's own cast makes the type of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from harness.load.encoding import source_settings
from harness.load.spec import Spec
from harness.load.tables import tables
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.protocols import PROTOCOLS

# Kind -> the type of a typed table. What is not here is text.
TYPES: Mapping[ColumnKind, str] = {
    ColumnKind.TINYINT: "int",
    ColumnKind.SMALLINT: "int",
    ColumnKind.MEDIUMINT: "int",
    ColumnKind.INT: "int",
    ColumnKind.BIGINT: "bigint",
    ColumnKind.FLOAT: "float",
    ColumnKind.DOUBLE: "double",
    ColumnKind.DATE: "date",
    ColumnKind.DATETIME: "timestamp_ntz",
}
UNSIGNED: Mapping[ColumnKind, str] = {
    ColumnKind.INT: "bigint",
    ColumnKind.BIGINT: "decimal(20,0)",
}


@dataclass(frozen=True, slots=True)
class LeftTable:
    """A table at the end: its name, its columns with Spark's types, its key."""

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]


def left_tables(spec: Spec) -> tuple[LeftTable, ...]:
    """Return the tables as a reader of the protocol knows them at the end."""
    return tuple(
        LeftTable(
            str(visible.id),
            {column.name: spark_type(column) for column in visible.columns},
            tuple(source_table.table.columns[ordinal].name for ordinal in source_table.handle),
        )
        for source_table, visible in visible_tables(spec)
    )


def visible_tables(spec: Spec) -> list[tuple[SourceTable, Table]]:
    """Return the last visible version of each table, and what of it is visible."""
    project_event = PROTOCOLS[spec.protocol].projection(source_settings(spec), spec.dialect)
    found: list[tuple[SourceTable, Table]] = []
    for source_table in tables(spec).last():
        row: Row = tuple(_SAMPLES.get(column.kind, "0") for column in source_table.table.columns)
        event = RowEvent(Op.INSERT, source_table, None, row, 0, "", 0, Origin(0, 0, 0, "load"))
        visible = project_event(event)
        if visible is not None:
            found.append((source_table, visible.table.table))
    return found


def row_projection(spec: Spec) -> Callable[[tuple[int, Row]], tuple[str, list[str | None]] | None]:
    """Return a function from a row to its table and its values as the wire carries them."""
    last = tables(spec).last()
    project_event = PROTOCOLS[spec.protocol].projection(source_settings(spec), spec.dialect)
    events = [
        RowEvent(Op.INSERT, table, None, None, 0, "", 0, Origin(0, 0, 0, "load")) for table in last
    ]

    def project(found: tuple[int, Row]) -> tuple[str, list[str | None]] | None:
        number, row = found
        event = events[number]
        short = len(event.table.table.columns) - len(row)
        visible = project_event(replace(event, after=(*row, *(None,) * short) if short else row))
        if visible is None or visible.after is None:
            return None
        return str(visible.table.table.id), texts(visible.after)

    return project


def spark_type(column: Column) -> str:
    """Return the type of a column in a typed table."""
    if column.kind is ColumnKind.DECIMAL:
        return f"decimal({column.length or 10},{column.scale or 0})"
    if column.unsigned and column.kind in UNSIGNED:
        return UNSIGNED[column.kind]
    return TYPES.get(column.kind, "string")


def texts(row: Row) -> list[str | None]:
    """Return a row's values as text."""
    return [None if value is None else _text(value) for value in row]


def _text(value: Value) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


_SAMPLES: Mapping[ColumnKind, Value] = {
    **dict.fromkeys((*TYPES, ColumnKind.YEAR, ColumnKind.BIT), 0),
    ColumnKind.DOUBLE: 0.0,
    ColumnKind.DATE: "2024-01-01",
    ColumnKind.DATETIME: "2024-01-01 00:00:00",
}
