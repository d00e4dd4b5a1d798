"""Messages of TiCDC Avro built by hand: schemas as text, bodies by the library."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import fastavro

Column = tuple[str, str, str]  # name, Avro type, tidb_type
ID: Column = ("id", "int", "INT")
PLAIN_EXTENSION = (
    {"name": "_tidb_op", "type": "string", "default": ""},
    {"name": "_tidb_commit_ts", "type": "long", "default": 0},
    {"name": "_tidb_commit_physical_time", "type": "long", "default": 0},
)


def column(one: Column, **more: object) -> dict[str, Any]:
    """Return a field of a column; `more` goes into its type."""
    name, avro, tidb = one
    kind = {"type": avro, "connect.parameters": {"tidb_type": tidb}, **more}
    return {"name": name, "type": kind}


def nullable(one: Column, **more: object) -> dict[str, Any]:
    """Return a field of a nullable column."""
    plain = column(one, **more)
    return {**plain, "type": ["null", plain["type"]], "default": None}


@dataclass
class Publisher:
    """A registry in memory and the messages that name its schemas."""

    texts: dict[int, str] = field(default_factory=dict[int, str])
    asked: list[int] = field(default_factory=list[int])
    trouble: int = 0  # the status that it answers with, over HTTP, while it is not well

    def schema(self, schema_id: int) -> str:
        """Return a schema's text, and remember that it was asked for."""
        self.asked.append(schema_id)
        return self.texts[schema_id]

    def register(self, *fields: Mapping[str, Any], table: str = "t", schema: str = "shop") -> int:
        """Return the id of a table's schema, the same for the same text."""
        record = {"type": "record", "name": table, "namespace": f"default.{schema}"}
        text = json.dumps({**record, "fields": fields})
        for known, registered in self.texts.items():
            if registered == text:
                return known
        self.texts[len(self.texts) + 1] = text
        return len(self.texts)

    def part(self, schema_id: int, row: Mapping[str, Any]) -> bytes:
        """Return a key or a value in Confluent's frame."""
        body = io.BytesIO()
        document = json.loads(self.texts[schema_id])
        for one in document["fields"]:
            _unlogical(one)
        fastavro.schemaless_writer(body, fastavro.parse_schema(document), cast("Any", row))
        return b"\0" + schema_id.to_bytes(4, "big") + body.getvalue()

    def key(self, number: int, table: str = "t") -> bytes:
        """Return the key of a row by its number."""
        return self.part(self.register(column(ID), table=table), {"id": number})

    def put(
        self, ts: int, row: Mapping[str, Any], *fields: Mapping[str, Any]
    ) -> tuple[bytes, bytes]:
        """Return a dated message of a row whose columns beside `id` are `fields`."""
        schema_id = self.register(column(ID), *fields, *PLAIN_EXTENSION)
        extension = {"_tidb_op": "c", "_tidb_commit_ts": ts, "_tidb_commit_physical_time": 0}
        return self.key(row["id"]), self.part(schema_id, {**row, **extension})


def _unlogical(one: dict[str, Any]) -> None:
    branches = one["type"] if isinstance(one["type"], list) else [one["type"]]
    for branch in branches:
        if isinstance(branch, dict):
            cast("dict[str, Any]", branch).pop("logicalType", None)
    one.pop("default", None)
