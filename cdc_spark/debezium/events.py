"""One record of a Debezium connector -> its events; `connectors` says what each has of its own.

| value | events |
| --- | --- |
| `op` c, r, u | upsert, with the row before where the record has it |
| `op` d | delete |
| `op` t | DDL: all rows of the table go |
| none, with a key | tombstone: the delete came before it, unless compaction has taken it |
| none, without a key | none |
| `status` | begin or end of a transaction |
| `ddl` | DDL, for information: it does not say what became of rows |
| a heartbeat, a notification | none |

A row's `transaction` is JSON: `id`, `n` (its order in the transaction), `shard`, `epoch` and `rank`
where the record has them; an END's is `id` and `count`. Tombstones are not counted. A `position` is
JSON as well: the members of the source block that say where in the log a row stands.

Source: Debezium reference documentation 3.3, connectors for Vitess, MariaDB and MySQL, §Transaction
metadata, §Ordered transaction metadata, §Data change events; debezium-core 3.3.1 `Envelope`,
`pipeline/txmetadata`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from cdc_spark.debezium.connectors import Connector
from cdc_spark.debezium.parts import Part, Parts
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import InexactError, decimal
from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Images, Kind, json_text, payload_of

DIALECTS: Mapping[str, frozenset[str]] = {
    "vitess": frozenset({"current", "2.7", "3.0", "3.1", "3.2", "3.4", "documented"}),
    "debezium-mysql": frozenset({"current", "mariadb", "mysql"}),  # all read alike
}
_PUTS: Mapping[str, str] = {"c": "insert", "r": "insert", "u": "update"}
_DELETE, _TRUNCATE = "d", "t"
TRUNCATED = 11  # TiDB's number of TRUNCATE TABLE
_BOUNDARIES: Mapping[str, Kind] = {"BEGIN": Kind.BEGIN, "END": Kind.END}


class Decoder:
    """Reads the records of one connector, whatever converter wrote them."""

    def __init__(self, parts: Parts, rows: Rows, connector: Connector) -> None:
        """Take what reads bytes, what reads rows, and whose they are."""
        self._parts = parts
        self._rows = rows
        self._connector = connector

    def decode(self, key: bytes | None, value: bytes | None) -> list[Event]:
        """Return the events of one record; raises DecodingError."""
        try:
            return self._decoded(key, value, exact=False)
        except InexactError:
            return self._decoded(key, value, exact=True)

    def _decoded(self, key: bytes | None, value: bytes | None, *, exact: bool) -> list[Event]:
        found = None if value is None else self._parts.read(value, "value", exact=exact)
        if found is None:
            return [] if key is None else self._tombstone(key, exact=exact)
        document = found.document
        if "before" in document or "after" in document:
            return [self._change(key, found, exact=exact)]
        if "status" in document:
            return [_boundary(document)]
        if "ddl" in document:
            return [self._ddl(document)]
        if document.keys() == self._connector.heartbeat or "aggregate_type" in document:
            return []
        raise DecodingError(
            f"a value with {sorted(document)[:8]}",
            expected="a change, a transaction's boundary, a schema change or a heartbeat",
        )

    def _tombstone(self, key: bytes, *, exact: bool) -> list[Event]:
        """Return the key's end; the key's schema names its table, where there is one."""
        named = self._parts.read(key, "key", exact=exact)
        if named is None:
            return []
        values = self._rows.key(named)
        names = [] if named.schema is None else named.schema.name.split(".")[-3:]
        schema, table = names[:2] if len(names) == 3 and names[2] == "Key" else ("", "")
        images = Images(json_text(values), None, sorted(values))
        payload = payload_of(images, '"rid":null,"undated":true,"tombstone":true')
        return [Event(Kind.TOMBSTONE, 0, schema, table, payload=payload, images=images)]

    def _change(self, key: bytes | None, value: Part, *, exact: bool) -> Event:
        document = value.document
        source = _object(document.get("source"), "source")
        schema, table = _text(source, self._connector.schema), _text(source, "table")
        if document.get("op") == _TRUNCATE and self._connector.truncates:
            return self._truncated(document, source, table)
        kind = kind_of(document)
        images = self._rows.images(value, schema, table)
        named = None if key is None else self._parts.read(key, "key", exact=exact)
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
            self._position(source),
        )

    def _truncated(
        self, document: Mapping[str, Any], source: Mapping[str, Any], table: str
    ) -> Event:
        name = "`" + table.replace("`", "``") + "`"
        payload = json_text({"q": f"TRUNCATE TABLE {name}", "t": TRUNCATED})
        block = _transaction(document.get("transaction"), source)
        at, schema = self._position(source), _text(source, self._connector.schema)
        ts = _maybe_whole(source, "ts_ms")
        return Event(Kind.DDL, ts, schema, table, payload, payload, block, position=at)

    def _ddl(self, document: Mapping[str, Any]) -> Event:
        source = _object(document.get("source"), "source")
        payload = json_text({"q": _text(document, "ddl"), "t": 0})
        schema, table = document.get("databaseName") or "", source.get("table") or ""
        ts, at = _maybe_whole(source, "ts_ms"), self._position(source)
        return Event(Kind.DDL, ts, schema, table, payload, payload, position=at)

    def _position(self, source: Mapping[str, Any]) -> str:
        return position_of(self._connector, source)


def position_of(connector: Connector, source: Mapping[str, Any]) -> str:
    """Return where a row stands in the log as JSON, "" for a connector that does not say it."""
    if not connector.position:
        return ""
    return json_text({name: source.get(name) for name in connector.position})


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
    except InexactError:
        raise
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
