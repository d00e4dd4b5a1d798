"""Which event a record is, and what it says.

The shape of the value decides: `source` and a row, `source` and `ddl`, `status`, or what the
connector's heartbeats have. A record without a value is a tombstone.

Source: Debezium reference documentation 3.3, "Data change events"; vitess NOTES §4, §5, §8, §10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from harness.codecs.connect.decode_document import (
    ConnectDocument,
    Document,
    inner,
    integer,
    maybe_inner,
    maybe_integer,
    maybe_text,
    shown,
    text,
)
from harness.codecs.debezium.decode_values import Columns, DecodeModes, decimal, row
from harness.errors import DecodingError
from harness.model.columns import Column
from harness.model.debezium_place import DebeziumPlace
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.values import Value

_OPS: Final[Mapping[str, EventKind]] = {
    "c": EventKind.INSERT,
    "r": EventKind.INSERT,
    "u": EventKind.UPDATE,
    "d": EventKind.DELETE,
}
_OPS_BY_IMAGES: Final[Mapping[frozenset[str], str]] = {
    frozenset({"after"}): "c",
    frozenset({"before", "after"}): "u",
    frozenset({"before"}): "d",
}
_TRUNCATE: Final = "t"
_TRUNCATE_TABLE: Final = 11  # TiDB's number of TRUNCATE TABLE
_NO_TRUNCATE: Final = "this connector sends no TRUNCATE; `skipped.operations` may not name none"
_STATUS: Final[Mapping[str, EventKind]] = {"BEGIN": EventKind.BEGIN, "END": EventKind.END}
_NO_COLUMNS: Final[Mapping[str, Column]] = {}


@dataclass(frozen=True, slots=True)
class SourceForm:
    """What a connector's records say in their own way.

    `schema` is the source block's field for what a table lies in. `position` reads the block's own
    place, and `heartbeat` a value that is nothing else: None if it is no heartbeat either.
    `truncates` says whether a TRUNCATE may be among the rows.
    """

    schema: str
    position: Callable[[Document], DebeziumPlace]
    heartbeat: Callable[[Document], DebeziumPlace | None]
    truncates: bool = False


@dataclass(frozen=True, slots=True)
class EventReader:
    """What the caller knows of the tables, and of the connector and its modes."""

    form: SourceForm
    columns: Columns | None
    modes: DecodeModes

    def known(self, schema: str, table: str) -> Mapping[str, Column]:
        """Return a table's columns, none where the caller knows nothing of it."""
        found = None if self.columns is None else self.columns(schema, table)
        return _NO_COLUMNS if found is None else found


def event(
    key: ConnectDocument | None, value: ConnectDocument | None, reader: EventReader
) -> DecodedEvent:
    """Return the event of a record; DecodingError for a shape that the connector never sends."""
    if value is None:
        return _keyed(DecodedEvent(EventKind.TOMBSTONE, 0), key, _NO_COLUMNS, reader)
    document = value.document
    if "status" in document:
        found = _boundary(value)
    elif "ddl" in document:
        found = _ddl(value, reader.form)
    elif "source" in document and ("before" in document or "after" in document):
        return _change(key, value, reader)
    elif (place := reader.form.heartbeat(document)) is not None:
        found = DecodedEvent(EventKind.HEARTBEAT, place.ts_ms, value_text=value.text, place=place)
    else:
        raise DecodingError(
            f"a value with {shown(sorted(document))}",
            expected="a change, a transaction's boundary, a schema change or a heartbeat",
        )
    return replace(found, key_text="" if key is None else key.text)


def _change(
    key: ConnectDocument | None, value: ConnectDocument, reader: EventReader
) -> DecodedEvent:
    document = value.document
    source = inner(document, "source")
    place = _place(document, source, reader.form)
    schema, table = text(source, reader.form.schema), text(source, "table")
    if place.op == _TRUNCATE and reader.form.truncates:
        return _truncated(schema, table, place, value)
    columns = reader.known(schema, table)
    images = {
        name: row(image, value.inside(name), columns, reader.modes)
        for name in ("before", "after")
        if (image := maybe_inner(document, name)) is not None
    }
    found = DecodedEvent(
        _kind(place.op, images),
        place.ts_ms,
        schema,
        table,
        before=images.get("before"),
        after=images.get("after"),
        value_text=value.text,
        place=place,
    )
    return _keyed(found, key, columns, reader)


def _truncated(
    schema: str, table: str, place: DebeziumPlace, value: ConnectDocument
) -> DecodedEvent:
    """Return that a table was emptied, as the statement that did it."""
    name = table.replace("`", "``")
    return DecodedEvent(
        EventKind.DDL,
        place.ts_ms,
        schema,
        table,
        query=f"TRUNCATE TABLE `{name}`",
        type=_TRUNCATE_TABLE,
        value_text=value.text,
        place=place,
    )


def _kind(op: str, images: Mapping[str, Mapping[str, Value]]) -> EventKind:
    """Return the kind of a change; without `op`, which a transform may remove, by its images."""
    if not op:
        op = _OPS_BY_IMAGES.get(frozenset(images), "")
    kind = _OPS.get(op)
    if kind is None:
        raise DecodingError(
            f"operation {shown(op)}",
            expected="c, u, d or r",
            hint=_NO_TRUNCATE if op == "t" else "",
        )
    needed = "before" if kind is EventKind.DELETE else "after"
    if needed not in images:
        raise DecodingError(f"operation {op!r} without `{needed}`")
    return kind


def _keyed(
    found: DecodedEvent,
    key: ConnectDocument | None,
    columns: Mapping[str, Column],
    reader: EventReader,
) -> DecodedEvent:
    if key is None:
        return found
    values = row(key.document, key.semantic, columns, reader.modes)
    image = found.before if found.after is None else found.after
    # A naming strategy may add a field to keys that is no column, and may be all that they have.
    handle = tuple(name for name in values if image is None or name in image)
    return replace(found, handle=handle, key=values, key_text=key.text)


def _place(document: Document, source: Document, form: SourceForm) -> DebeziumPlace:
    place = replace(
        form.position(source),
        ts_ms=maybe_integer(source, "ts_ms") or 0,
        op=maybe_text(document, "op"),
        snapshot=maybe_text(source, "snapshot"),
    )
    block = maybe_inner(document, "transaction")
    if block is None:
        return place
    rank = block.get("transaction_rank")
    return replace(
        place,
        transaction_id=maybe_text(block, "id"),
        total_order=maybe_integer(block, "total_order"),
        collection_order=maybe_integer(block, "data_collection_order"),
        epoch=maybe_integer(block, "transaction_epoch"),
        rank=None if rank is None else int(decimal(rank, 0)),
    )


def _boundary(value: ConnectDocument) -> DecodedEvent:
    document = value.document
    kind = _STATUS.get(text(document, "status"))
    if kind is None:
        raise DecodingError(f"status {shown(document['status'])}", expected="BEGIN or END")
    place = DebeziumPlace(
        vgtid=text(document, "id"),
        ts_ms=integer(document, "ts_ms"),
        transaction_id=text(document, "id"),
        event_count=maybe_integer(document, "event_count"),
        collections=_collections(document.get("data_collections")),
    )
    return DecodedEvent(kind, place.ts_ms, value_text=value.text, place=place)


def _collections(listed: object) -> Mapping[str, int]:
    if listed is None:
        return {}
    if not isinstance(listed, list):
        raise DecodingError(f"`data_collections` is {shown(listed)}, not a list")
    found: dict[str, int] = {}
    for entry in cast("list[object]", listed):
        if not isinstance(entry, dict):
            raise DecodingError(f"{shown(entry)} among the `data_collections`")
        of = cast("dict[str, Any]", entry)
        found[text(of, "data_collection")] = integer(of, "event_count")
    return found


def _ddl(value: ConnectDocument, form: SourceForm) -> DecodedEvent:
    document = value.document
    source = inner(document, "source")
    place = _place(document, source, form)
    return DecodedEvent(
        EventKind.DDL,
        place.ts_ms,
        maybe_text(document, "databaseName"),
        maybe_text(source, "table"),
        query=maybe_text(document, "ddl"),
        value_text=value.text,
        place=place,
    )
