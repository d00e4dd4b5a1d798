"""One record of Debezium's Vitess connector -> its events.

| value | events |
| --- | --- |
| `op` c, r, u | upsert, with the row before where the record has it |
| `op` d | delete |
| none, with a key | tombstone: the delete came before it, unless compaction has taken it |
| none, without a key | none |
| `status` | begin or end of a transaction |
| `ddl` | DDL, for information: it does not say what became of rows |
| a heartbeat, a notification | none |

A row's `transaction` is JSON: `id`, `n` (its order in the transaction), `shard`, `epoch` and `rank`
where the record has them; an END's is `id` and `count`. Tombstones are not counted.

Source: Debezium Vitess connector, §Transaction metadata, §Ordered transaction metadata, §Data
change events; debezium-core 3.3.1 `Envelope`, `pipeline/txmetadata`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from cdc_spark.debezium_vitess.parts import Part, Parts
from cdc_spark.debezium_vitess.rows import Rows
from cdc_spark.debezium_vitess.values import decimal
from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Images, Kind, json_text, payload_of

DIALECTS = frozenset({"current", "2.7", "3.0", "3.1", "3.2", "3.4", "documented"})
_PUTS: Mapping[str, str] = {"c": "insert", "r": "insert", "u": "update"}
_DELETE = "d"
_BOUNDARIES: Mapping[str, Kind] = {"BEGIN": Kind.BEGIN, "END": Kind.END}


class Decoder:
    """Reads the records of one connector, whatever converter wrote them."""

    def __init__(self, parts: Parts, rows: Rows) -> None:
        """Take what reads bytes and what reads rows."""
        self._parts = parts
        self._rows = rows

    def decode(self, key: bytes | None, value: bytes | None) -> list[Event]:
        """Return the events of one record; raises DecodingError."""
        found = None if value is None else self._parts.read(value, "value")
        if found is None:
            return [] if key is None else self._tombstone(key)
        document = found.document
        if "before" in document or "after" in document:
            return [self._change(key, found)]
        if "status" in document:
            return [_boundary(document)]
        if "ddl" in document:
            return [_ddl(document)]
        if "vgtid" in document or "aggregate_type" in document:
            return []
        raise DecodingError(
            f"a value with {sorted(document)[:8]}",
            expected="a change, a transaction's boundary, a schema change or a heartbeat",
        )

    def _tombstone(self, key: bytes) -> list[Event]:
        """Return the key's end; the key's schema names its table, where there is one."""
        named = self._parts.read(key, "key")
        if named is None:
            return []
        values = self._rows.key(named)
        names = [] if named.schema is None else named.schema.name.split(".")[-3:]
        schema, table = names[:2] if len(names) == 3 and names[2] == "Key" else ("", "")
        images = Images(json_text(values), None, sorted(values))
        payload = payload_of(images, '"rid":null,"undated":true,"tombstone":true')
        return [Event(Kind.TOMBSTONE, 0, schema, table, payload=payload, images=images)]

    def _change(self, key: bytes | None, value: Part) -> Event:
        document = value.document
        source = _object(document.get("source"), "source")
        schema, table = _text(source, "keyspace"), _text(source, "table")
        kind = kind_of(document)
        images = self._rows.images(value, schema, table)
        named = None if key is None else self._parts.read(key, "key")
        newest = images["after"] if kind is Kind.UPSERT else images["before"]
        assert newest is not None
        handle = [] if named is None else sorted(n for n in named.document if n in newest)
        after = images["after"] if kind is Kind.UPSERT else None
        change = "" if after is None else change_of(document)
        written = Images(_written(images["before"]), _written(after), handle, change)
        return Event(
            kind,
            _maybe_whole(source, "ts_ms"),
            schema,
            table,
            json_text([schema, table, *[newest[name] for name in handle]]) if handle else "",
            payload_of(written, self._rows.rest(value, newest)),
            _transaction(document.get("transaction"), source),
            written,
        )


def _written(row: Mapping[str, Any] | None) -> str | None:
    return None if row is None else json_text(row)


def change_of(document: Mapping[str, Any]) -> str:
    """Return the word for an upsert, "" where the record has none that is known."""
    return _PUTS.get(document.get("op") or "c", "")


def kind_of(document: Mapping[str, Any]) -> Kind:
    """Return what a change is; without `op`, which a transform may remove, by its images."""
    before, after = document.get("before"), document.get("after")
    op = document.get("op") or ("c" if after is not None else _DELETE)
    if op in _PUTS and after is not None:
        return Kind.UPSERT
    if op == _DELETE and before is not None:
        return Kind.DELETE
    raise DecodingError(
        f"op {op!r:.40} with before {before is not None} and after {after is not None}",
        expected="c, r or u with the row after, d with the row before",
    )


def _transaction(block: object, source: Mapping[str, Any]) -> str:
    if block is None:
        return ""
    members = _object(block, "transaction")
    rank = members.get("transaction_rank")
    try:
        found = {
            "id": members.get("id") or "",
            "n": members.get("total_order") or 0,
            "shard": source.get("shard") or "",
            "epoch": members.get("transaction_epoch"),
            "rank": None if rank is None else decimal(rank, 0),
        }
    except ValueError as error:
        raise DecodingError(f"a transaction_rank: {error}") from error
    # A rank is a decimal number without bounds: as text it survives any JSON.
    if rank is not None:
        found["rank"] = str(found["rank"])
    return json_text(found)


def _boundary(document: Mapping[str, Any]) -> Event:
    kind = _BOUNDARIES.get(_text(document, "status"))
    if kind is None:
        raise DecodingError(f"status {document['status']!r:.40}", expected="BEGIN or END")
    boundary: dict[str, object] = {"id": _text(document, "id")}
    if kind is Kind.END:
        boundary["count"] = _maybe_whole(document, "event_count")
    return Event(kind, _maybe_whole(document, "ts_ms"), transaction=orjson.dumps(boundary).decode())


def _ddl(document: Mapping[str, Any]) -> Event:
    source = _object(document.get("source"), "source")
    payload = orjson.dumps({"q": _text(document, "ddl"), "t": 0}).decode()
    schema = document.get("databaseName") or ""
    table = source.get("table") or ""
    return Event(Kind.DDL, _maybe_whole(source, "ts_ms"), schema, table, payload, payload)


def _object(value: object, name: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value  # pyright: ignore[reportUnknownVariableType]
    raise DecodingError(f"`{name}` is {value!r:.40}", expected="an object")


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    if type(value) is str:
        return value
    raise DecodingError(f"`{name}` is {value!r:.40}", expected="text")


def _maybe_whole(document: Mapping[str, Any], name: str) -> int:
    value = document.get(name)
    if value is None:
        return 0
    if type(value) is int:
        return value
    raise DecodingError(f"`{name}` is {value!r:.40}", expected="a whole number")
