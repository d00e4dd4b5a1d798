"""Debezium's connectors with their JSON converter: rows by the key of their message.

All events of a key come in one partition, in order, so rows are applied as they arrive. A read that
ends at given offsets needs no boundaries of transactions: the rows of one that is cut in two there
are the rows of its first part. Whoever shows tables while they change has to wait for END.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tables import Declined, Name, Row, Table, in_shape, text_of
from values import kind_of, value_of

# Protocol -> its dialects, and what its source block calls a schema.
DIALECTS = {
    "vitess": ("current", "2.7", "3.0", "3.1", "3.2", "3.4", "documented"),
    "debezium-mysql": ("current", "mysql"),
}
SCHEMAS = {"vitess": "keyspace", "debezium-mysql": "db"}
JSON = "org.apache.kafka.connect.json.JsonConverter"
Schema = dict[str, Any]
# What a value without a row has: boundaries of transactions, DDL for information, heartbeats and
# notifications. None of them says what became of rows.
OTHERS = ({"status", "id"}, {"ddl"}, {"vgtid"}, {"aggregate_type"})
HEARTBEAT = {"ts_ms"}
PUTS = ("c", "r", "u")


def lacking(feed: dict[str, Any]) -> str:
    """Name what the changefeed asks for and this program does not do; "" for nothing."""
    if feed["protocol"] not in DIALECTS:
        return f"protocol:{feed['protocol']}"
    if feed["dialect"] not in DIALECTS[feed["protocol"]]:
        return f"dialect:{feed['dialect']}"
    for side in ("key", "value"):
        converter = feed["settings"].get(f"{side}.converter", JSON)
        if converter != JSON:
            return f"converter:{converter.rpartition('.')[2]}"
    return ""


def readers(job: dict[str, Any]) -> Callable[[dict[str, Any]], Reader]:
    """Return what makes the reader of each changefeed."""
    del job
    return lambda feed: Reader(SCHEMAS[feed["protocol"]])


class Reader:
    """The messages of one changefeed."""

    def __init__(self, schema: str) -> None:
        self._schema = schema
        self.tables: dict[Name, Table] = {}
        self.ddl = None  # the stream says nothing that could be executed
        # What the last row of each message key was: its table, and whether it was deleted.
        self._last: dict[tuple[str, str], tuple[Name, bool]] = {}

    def take(self, place: tuple[str, int], key: bytes | None, value: bytes | None) -> None:
        """Apply one message; raises ValueError or LookupError for one that cannot be read."""
        key_row = None if key is None else keyed(*parted(key))
        document, schema = (None, None) if value is None else parted(value)
        if document is not None and "before" not in document and "after" not in document:
            is_other = any(members <= document.keys() for members in OTHERS)
            if not is_other and document.keys() != HEARTBEAT:
                raise ValueError(f"a value with {sorted(document)[:8]} is no change")
            return
        who = (place[0], text_of(key_row or {}))
        if document is not None:
            name, is_delete = self._change(key_row or {}, document, schema)
            self._last[who] = (name, is_delete)
        elif key_row is not None and who in self._last:
            # Behind a delete comes a tombstone. Compaction may leave it alone: then it deletes.
            name, is_gone = self._last[who]
            if not is_gone:
                self.tables[name].remove(key_row, {})
                self._last[who] = (name, True)

    def _change(self, key: Row, document: dict[str, Any], schema: Schema) -> tuple[Name, bool]:
        """Apply a row's event; return its table, and whether the row is gone."""
        source = document["source"]
        name = (source[self._schema], source["table"])
        before, shape = image(document.get("before"), schema.get("before"))
        after, new_shape = image(document.get("after"), schema.get("after"))
        op = document.get("op") or ("d" if after is None else "c")
        if op == "t":
            raise Declined("operation:t")  # partitions do not say which rows it came before
        if not (after is not None if op in PUTS else op == "d" and before is not None):
            raise ValueError(f"op {op!r} without the row that it needs")
        table = self.tables.setdefault(name, Table())
        ts = source.get("ts_ms") or 0
        if before is not None and (op == "d" or not key):
            table.remove(key, in_the_shape_of(table, before, shape))
        if op != "d" and after is not None:
            table.put(key, table.fitted(after, new_shape, ts))
        return name, op == "d"


def parted(data: bytes) -> tuple[dict[str, Any] | None, Schema]:
    """Return a key or a value, and the schemas of its fields, none where no schema travels."""
    document = json.loads(data)
    if not isinstance(document, dict):
        raise ValueError(f"{document!r:.60} is no object")
    if document.keys() != {"schema", "payload"}:
        return document, {}
    payload, schema = document["payload"], document["schema"] or {}
    if payload is not None and not isinstance(payload, dict):
        raise ValueError(f"a payload of {payload!r:.60}")
    return payload, {field["field"]: field for field in schema.get("fields", ())}


def keyed(document: dict[str, Any] | None, schema: Schema) -> Row | None:
    """Return a key's values by column."""
    if document is None:
        return None
    return {name: value_of(schema.get(name), value) for name, value in document.items()}


def image(
    told: dict[str, Any] | None, schema: Schema | None
) -> tuple[Row | None, dict[str, tuple[str, Any]]]:
    """Return a row, and its shape; a new column's default is not told."""
    if told is None:
        return None, {}
    fields = {field["field"]: field for field in (schema or {}).get("fields", ())}
    row = {name: value_of(fields.get(name), value) for name, value in told.items()}
    return row, {name: (kind_of(fields.get(name)), None) for name in row}


def in_the_shape_of(table: Table, row: Row, shape: dict[str, tuple[str, Any]]) -> Row:
    """Return what a row without a key looks like in its table by now."""
    return in_shape(row, shape, table.shape or shape)
