"""Values, rows and decoded events as people read them."""

from __future__ import annotations

from harness.model.columns import Column, ColumnKind
from harness.model.debezium_place import DebeziumPlace
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.source_events import SourceTable
from harness.model.values import Row, Value
from harness.model.written import written_value

_LINE_ENDS = str.maketrans({"\n": "\\n", "\r": "\\r"})


def value_text(value: Value) -> str:
    """Return a value with its kind visible: NULL, 'text', x'bytes', number."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return repr(value)
    return str(value)


def cell_text(column: Column, value: Value) -> str:
    """Return a value of a column; behind the number of an ENUM or SET stand its members."""
    if column.kind not in (ColumnKind.ENUM, ColumnKind.SET):
        return value_text(value)
    text, written = value_text(value), written_value(column, value)
    return text if written == value else f"{text} ({value_text(written)})"


def row_text(table: SourceTable, row: Row) -> str:
    """Return a row as `{id: 1, val: 'a'}`, in table order, without columns that are never sent."""
    columns = table.table.columns
    cells = (f"{columns[i].name}: {value_text(row[i])}" for i in table.emitted)
    return "{" + ", ".join(cells) + "}"


def key_text(table: SourceTable, row: Row) -> str:
    """Return the handle key as `id=1`; the whole row when there is none."""
    columns = table.table.columns
    ordinals = table.handle or table.emitted
    return ",".join(f"{columns[i].name}={value_text(row[i])}" for i in ordinals)


def event_text(event: DecodedEvent) -> str:
    """Return a decoded event on one line, with the row id where the wire carries one."""
    if event.kind is EventKind.RESOLVED:
        return "resolved"
    if event.kind is EventKind.DDL:
        return f"ddl {event.type}: {event.query.translate(_LINE_ENDS)}"
    if event.kind in (EventKind.BEGIN, EventKind.END, EventKind.HEARTBEAT):
        place = event.place or DebeziumPlace()
        count = "" if place.event_count is None else f" of {place.event_count} events"
        return f"{event.kind.value} {place.transaction_id or place.vgtid}{count}"
    images = [image for image in (event.before, event.after) if image is not None] or [
        event.key or {}
    ]
    cells = (
        "{" + ", ".join(f"{name}: {value_text(v)}" for name, v in image.items()) + "}"
        for image in images
    )
    name = f"{event.schema}.{event.table} " if event.table else ""
    row_id = "" if event.row_id is None else f" rid {event.row_id}"
    return f"{event.kind.value} {name}{' → '.join(cells)}{row_id}"
