"""The one printer of records: golden files and previews show the same lines.

A record is everything that a consumer can see of it: where it lies, a hash over all of its parts,
the schemas that its bytes name, timestamp, headers, and for each event what a decoder reads in it
above the text of the wire. Both are there because they differ: an unsigned long that overflows in
Avro, an enum's member, bytes.

```
vitess.shop.t/0@0 sha256=…
  schemas key 1, value 2
  header __debezium.context.connectorName 'vitess'
  read   1559033905000 insert shop.t {id: 1, v: 1}
  key    {"id":1}
  value  {"before":null,"after":{"id":1,"v":1},…}
```

A schema is printed where it is first used; those that Connect repeats in each JSON message are
numbers, `[s1]`, printed once at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from harness.contracts import BoundCodec, StoresOutside
from harness.engine.plan.delivery import decoded_or_refusal
from harness.model.decoded import DecodedEvent
from harness.model.record import Origin, Record, SchemaUse
from harness.verdict.text import event_text, value_text

_HEAD, _MIDDLE, _TAIL = '{"schema":', ',"payload":', "}"
_JSON = json.JSONDecoder()


def content_digest(record: Record) -> str:
    """Return the sha256 of key and value, each preceded by its length (-1 for null)."""
    return _digest((record.key, record.value))


def digest(record: Record) -> str:
    """Return the sha256 of all that a consumer can see of a record but its place.

    That is key, value, timestamp, the ids and subjects of its schemas, and its headers in order,
    each preceded by its length (-1 for what is not there).
    """
    parts: list[bytes | None] = [record.key, record.value]
    parts.append(None if record.timestamp is None else str(record.timestamp).encode())
    for use in (record.key_schema, record.value_schema):
        parts += [None, None] if use is None else [str(use.id).encode(), use.subject.encode()]
    for name, value in record.headers:
        parts += [name.encode(), value]
    return _digest(parts)


def _digest(parts: Sequence[bytes | None]) -> str:
    state = sha256()
    for part in parts:
        state.update((-1 if part is None else len(part)).to_bytes(8, "big", signed=True))
        state.update(part or b"")
    return state.hexdigest()


@dataclass(frozen=True, slots=True)
class ReadableRecord:
    """A record with what the decoder reads in it; `refusal` says why it reads nothing."""

    record: Record
    offset: int
    events: tuple[DecodedEvent, ...]
    refusal: str = ""

    def origin(self, number: int) -> Origin:
        """Return the origin of an event; a malformed message may have more events than origins."""
        return self.record.origins[min(number, len(self.record.origins) - 1)]


def readable(wire: BoundCodec, record: Record, offset: int) -> ReadableRecord:
    """Return a record as its protocol's decoder reads it."""
    found = decoded_or_refusal(wire, record)
    if isinstance(found, str):
        return ReadableRecord(record, offset, (), found)
    return ReadableRecord(record, offset, tuple(found))


class RecordPrinter:
    """Prints the records of one case; remembers which schemas were printed."""

    def __init__(self) -> None:
        """Begin with no schema printed."""
        self._registered: set[SchemaUse] = set()
        self._inline: dict[str, int] = {}

    def lines(
        self, one: ReadableRecord, *, lines_of_scenario: bool = False, show_bytes: bool = False
    ) -> Iterator[str]:
        """Yield a record's lines, and before it the schemas that it is the first to use.

        `lines_of_scenario` adds which line and transaction each event comes from.
        """
        record = one.record
        yield from self._new_schemas(record)
        yield f"{record.topic}/{record.partition}@{one.offset} sha256={digest(record)}"
        yield from self._envelope(record)
        if one.refusal:
            where = _whence(one.origin(0)) if lines_of_scenario else ""
            yield f"  cannot be read: {one.refusal}{where}"
        for number, event in enumerate(one.events):
            where = _whence(one.origin(number)) if lines_of_scenario else ""
            yield f"  read   {event.commit_ts} {event_text(event)}{where}"
            for name, text in wire_texts(record, event).items():
                yield f"  {name:6} {'null' if text is None else self.short(text)}"
        if show_bytes:
            for name, data in (("key", record.key), ("value", record.value)):
                yield f"  {name + ' hex':9} {'null' if data is None else data.hex()}"

    def _new_schemas(self, record: Record) -> Iterator[str]:
        for use in (record.key_schema, record.value_schema):
            if use is not None and use not in self._registered:
                self._registered.add(use)
                yield from (f"schema {use.id} of {use.subject}", f"  {use.schema}", "")

    def _envelope(self, record: Record) -> Iterator[str]:
        named = (("key", record.key_schema), ("value", record.value_schema))
        uses = [f"{part} {use.id}" for part, use in named if use is not None]
        if uses:
            yield f"  schemas {', '.join(uses)}"
        if record.timestamp is not None:
            yield f"  timestamp {record.timestamp}"
        for name, value in record.headers:
            yield f"  header {name} {self.short(header_text(value))}"

    def short(self, text: str) -> str:
        """Return a text of the wire with its schema, if it has one, as a number: `[s1] payload`."""
        if not text.startswith(_HEAD):
            return text
        _, end = _JSON.raw_decode(text, len(_HEAD))
        if not text.startswith(_MIDDLE, end):
            return text
        number = self._inline.setdefault(text[len(_HEAD) : end], len(self._inline) + 1)
        return f"[s{number}] {text[end + len(_MIDDLE) : -len(_TAIL)]}"

    def inline_schemas(self) -> Iterator[str]:
        """Yield what the numbers of `short` stand for."""
        for schema, number in self._inline.items():
            yield from ("", f"schema s{number}", f"  {schema}")


def wire_texts(record: Record, event: DecodedEvent) -> dict[str, str | None]:
    """Return an event's key and value as they stand on the wire; None for a null."""
    return {
        "key": None if record.key is None else event.key_text,
        "value": None if record.value is None else event.value_text,
    }


def header_text(value: bytes | None) -> str:
    """Return a header's value: NULL, JSON as it is, 'text', or x'bytes'."""
    if value is None:
        return value_text(None)
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return value_text(value)
    return text if text.startswith(_HEAD) else value_text(text)


def stored_lines(wire: BoundCodec) -> Iterator[str]:
    """Yield the files that records name instead of carrying their content."""
    if isinstance(wire, StoresOutside):
        for file in wire.claim_checks:
            digest_of_file = sha256(file.content).hexdigest()
            yield from ("", f"file {file.name} sha256={digest_of_file}")


def record_json(one: ReadableRecord, *, show_bytes: bool = False) -> dict[str, Any]:
    """Return the same as JSON data; timestamps are text, so that no reader rounds them."""
    record = one.record
    row: dict[str, Any] = {
        "offset": one.offset,
        "sha256": digest(record),
        "timestamp": None if record.timestamp is None else str(record.timestamp),
        "headers": [
            {"name": name, "value": header_text(value), "hex": _hex(value)}
            for name, value in record.headers
        ],
        "key_schema": _schema_json(record.key_schema),
        "value_schema": _schema_json(record.value_schema),
        "events": [
            {
                "kind": event.kind.value,
                "commit_ts": str(event.commit_ts),
                "row_id": None if event.row_id is None else str(event.row_id),
                "read": event_text(event),
                **wire_texts(record, event),
                "line": one.origin(number).line,
            }
            for number, event in enumerate(one.events)
        ],
    }
    if one.refusal:
        row["unreadable"] = one.refusal
    if show_bytes:
        row["key_hex"], row["value_hex"] = _hex(record.key), _hex(record.value)
    return row


def _schema_json(use: SchemaUse | None) -> dict[str, Any] | None:
    return None if use is None else {"id": use.id, "subject": use.subject, "schema": use.schema}


def _hex(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


def _whence(origin: Origin) -> str:
    return f"  (line {origin.line}{', ' + origin.transaction if origin.transaction else ''})"
