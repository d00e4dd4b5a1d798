"""Values, rows and decoded events as people read them."""

from __future__ import annotations

from harness.model.decoded import DecodedEvent, EventKind
from harness.model.source_events import SourceTable
from harness.model.values import Row, Value


def value_text(value: Value) -> str:
    """Return a value with its kind visible: NULL, 'text', x'bytes', number."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return repr(value)
    return str(value)


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
    """Return a decoded event on one line."""
    if event.kind is EventKind.RESOLVED:
        return "resolved"
    if event.kind is EventKind.DDL:
        return f"ddl {event.type}: {event.query}"
    if event.kind in (EventKind.BEGIN, EventKind.END, EventKind.HEARTBEAT):
        return f"{event.kind.value} {event.value_text}"
    images = [image for image in (event.before, event.after) if image is not None] or [
        event.key or {}
    ]
    cells = (
        "{" + ", ".join(f"{name}: {value_text(v)}" for name, v in image.items()) + "}"
        for image in images
    )
    name = f"{event.schema}.{event.table} " if event.table else ""
    return f"{event.kind.value} {name}{' → '.join(cells)}"
