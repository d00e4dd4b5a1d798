"""The tables that are left: their columns in Spark's types, and values as text on the way there.

A text is the value, exactly; Spark's own cast makes the type of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from harness.load.encoding import settings_told
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
            str(told.id),
            {column.name: spark_type(column) for column in told.columns},
            tuple(mounted.table.columns[ordinal].name for ordinal in mounted.handle),
        )
        for mounted, told in told_tables(spec)
    )


def told_tables(spec: Spec) -> list[tuple[SourceTable, Table]]:
    """Return the last version of each table that is ever told, and what is told of it."""
    told_of = PROTOCOLS[spec.protocol].projection(settings_told(spec))
    found: list[tuple[SourceTable, Table]] = []
    for mounted in tables(spec).last():
        row: Row = tuple(_SAMPLES.get(column.kind, "0") for column in mounted.table.columns)
        event = RowEvent(Op.INSERT, mounted, None, row, 0, "", 0, Origin(0, 0, 0, "load"))
        told = told_of(event)
        if told is not None:
            found.append((mounted, told.table.table))
    return found


def teller(spec: Spec) -> Callable[[tuple[int, Row]], tuple[str, list[str | None]] | None]:
    """Return what makes of a row its table and its values as the wire tells them."""
    last = tables(spec).last()
    told_of = PROTOCOLS[spec.protocol].projection(settings_told(spec))
    events = [
        RowEvent(Op.INSERT, table, None, None, 0, "", 0, Origin(0, 0, 0, "load")) for table in last
    ]

    def tell(found: tuple[int, Row]) -> tuple[str, list[str | None]] | None:
        number, row = found
        event = events[number]
        short = len(event.table.table.columns) - len(row)
        told = told_of(replace(event, after=(*row, *(None,) * short) if short else row))
        if told is None or told.after is None:
            return None
        return str(told.table.table.id), texts(told.after)

    return tell


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
