"""Which events an item of an author's expectation means.

| item | means |
| --- | --- |
| `{insert: {col: value}}`, `update`, `delete` | a row event with these columns (of the new row) |
| `{ddl: action}` | a DDL by TiDB's action name; `partitions: all`: broadcast |
| `{resolved: true}` | one resolved event on every partition |
| `{tombstone: {col: value}}` | a record of this key without a value |
| `{begin: true}`, `{end: n}` | a transaction's begin; its end, with its number of events |
| `{any: true}` | every event |

Each of them may say more under `record`, of the message that carries the event (`record_pattern`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.documents import PlainObject
from harness.documents.scalars import flow
from harness.model.canonical import canonical
from harness.model.decoded import DecodedEvent, EventKind, settled
from harness.model.source_events import SourceTable
from harness.model.values import Value
from harness.model.written import written_value
from harness.verdict.record_pattern import Message, differences

SHOWN = 5
ROW_KINDS: Mapping[str, frozenset[EventKind]] = {
    "insert": frozenset({EventKind.INSERT, EventKind.UPSERT}),
    "update": frozenset({EventKind.UPDATE, EventKind.UPSERT}),
    "delete": frozenset({EventKind.DELETE}),
}

MARK_KINDS: Mapping[str, EventKind] = {
    "resolved": EventKind.RESOLVED,
    "tombstone": EventKind.TOMBSTONE,
    "begin": EventKind.BEGIN,
    "end": EventKind.END,
}


@dataclass(frozen=True, slots=True)
class SentEvent:
    """One event as it was sent: decoded, its table version, the partitions that carry it.

    `messages` are the records that carry it; of a broadcast there are several.
    """

    decoded: DecodedEvent
    table: SourceTable | None
    partitions: frozenset[int]
    action: str = ""
    messages: tuple[Message, ...] = ()


def matches(item: PlainObject, event: SentEvent, partitions: int) -> bool:
    """Return whether the item means this event, which was sent over so many partitions."""
    record = item.get("record")
    return _is_meant(item, event, partitions) and not (
        record is not None
        and any(any(differences(record, event.decoded, one)) for one in event.messages)
    )


def _is_meant(item: PlainObject, event: SentEvent, partitions: int) -> bool:
    if "any" in item:
        return True
    kind = event.decoded.kind
    mark = next((mark for mark in MARK_KINDS if mark in item), None)
    if mark is not None:
        return kind is MARK_KINDS[mark] and _is_such(item, event, partitions)
    if "ddl" in item:
        everywhere = item.get("partitions") != "all" or len(event.partitions) == partitions
        return kind is EventKind.DDL and event.action == item["ddl"] and everywhere
    name = next((op for op in ROW_KINDS if op in item), None)
    if name is None or kind not in ROW_KINDS[name]:
        return False
    table = item.get("table")
    if table is not None and f"{event.decoded.schema}.{event.decoded.table}" != table:
        return False
    return has_columns(item[name], event)


def _is_such(item: PlainObject, event: SentEvent, partitions: int) -> bool:
    """Return whether a mark of the item's kind says what the item says."""
    if "resolved" in item:
        return len(event.partitions) == partitions
    if "tombstone" in item:
        return has_columns(item["tombstone"], event)
    place = event.decoded.place
    return "begin" in item or (place is not None and place.event_count == item["end"])


def has_columns(wanted: PlainObject, event: SentEvent) -> bool:
    """Return whether the event's row has these values, whatever their spelling."""
    image = event.decoded.image
    if image is None or event.table is None:
        return False
    return all(
        name in image and _same(event.table, name, raw, image[name]) for name, raw in wanted.items()
    )


def _same(table: SourceTable, name: str, raw: object, value: Value) -> bool:
    try:
        column = table.table.column(name)
        return canonical(column, raw) == canonical(column, settled(column.kind, value))
    except (KeyError, ValueError):
        return False


def item_text(item: PlainObject) -> str:
    """Return an expectation for people."""
    return flow(item)


def event_text(event: SentEvent) -> str:
    """Return a sent event for people."""
    decoded = event.decoded
    if decoded.kind is EventKind.DDL:
        return f"DDL `{event.action}`: {decoded.query}"
    if decoded.kind is EventKind.RESOLVED:
        return f"resolved {decoded.commit_ts}"
    image = {name: _shown(event.table, name, v) for name, v in (decoded.image or {}).items()}
    return f"{decoded.kind.value} of {decoded.schema}.{decoded.table} {flow(image)}"


def _shown(table: SourceTable | None, name: str, value: Value) -> object:
    """Return a value of the wire as an author may write it."""
    try:
        column = table.table.column(name) if table else None
        if column is not None:
            return written_value(column, canonical(column, settled(column.kind, value)))
    except (KeyError, ValueError):
        pass  # the wire's own spelling then
    return value.hex() if isinstance(value, bytes) else value
