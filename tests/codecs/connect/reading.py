"""Connect records out of the vectors, whose keys and values are JSON with schemas."""

from __future__ import annotations

import json
import os
from base64 import b64decode
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from harness.codecs.connect.logical import DECIMAL, scale_of
from harness.codecs.connect.schema import (
    UNSET,
    ConnectRecord,
    Field,
    Header,
    Schema,
    SchemaType,
)
from harness.model.record import Origin

Vector = Mapping[str, Any]
SUBSET = Path(__file__).parents[3] / "golden" / "truth" / "vitess"
ORIGIN = Origin(1, 0, 0, "row")


def truth() -> Path:
    """Return the directory of all Vitess vectors, or of the committed ones without it."""
    root = os.environ.get("CDC_TRUTH_DIR")
    return Path(root) / "vitess" if root else SUBSET


@cache
def vectors(path: Path) -> tuple[Vector, ...]:
    """Return a file's vectors."""
    return tuple(json.loads(line) for line in path.read_text().splitlines())


def records(vector: Vector) -> Iterator[Vector]:
    """Yield a vector's records, of every run and of every transform."""
    yield from vector.get("records") or ()
    for run in vector.get("runs") or ():
        yield from run.get("records") or ()
    for result in vector.get("smt_results") or ():
        for entry in result.get("records") or ():
            if "record" in entry:
                yield entry["record"]


@cache
def _schema(text: str) -> Schema:
    return schema_of(json.loads(text))


def schema_of(document: Mapping[str, Any]) -> Schema:
    """Return a schema from its JSON."""
    parameters: dict[str, str] = document.get("parameters") or {}
    bare = Schema(
        SchemaType(document["type"]),
        document["optional"],
        document.get("name"),
        document.get("version"),
        document.get("doc"),
        tuple(parameters.items()),
        UNSET,
        tuple(Field(of["field"], schema_of(of)) for of in document.get("fields", ())),
        schema_of(inner) if (inner := document.get("items") or document.get("values")) else None,
    )
    if "default" not in document:
        return bare
    return Schema(
        bare.kind, bare.optional, bare.name, bare.version, bare.doc, bare.parameters,
        value_of(bare, document["default"]), bare.fields, bare.items,
    )  # fmt: skip


def value_of(schema: Schema, payload: Any) -> Any:
    """Return a payload as Connect holds it."""
    if payload is None:
        return None
    match schema.kind:
        case SchemaType.STRUCT:
            return {of.name: value_of(of.schema, payload[of.name]) for of in schema.fields}
        case SchemaType.ARRAY:
            assert schema.items is not None
            return [value_of(schema.items, item) for item in payload]
        case SchemaType.BYTES if schema.name == DECIMAL:
            number = int.from_bytes(b64decode(payload), "big", signed=True)
            return Decimal(number).scaleb(-scale_of(schema))
        case SchemaType.BYTES:
            return b64decode(payload)
        case _:
            return float(payload) if schema.kind is SchemaType.FLOAT64 else payload


def part(record: Vector, name: str) -> tuple[Schema | None, Any]:
    """Return the schema and the value of a record's key or value.

    The value is read from the exact text: the parsed one has lost the sign of -0.0.
    """
    document = record[name]
    if document is None or document["schema"] is None:
        return None, None
    schema = _schema(json.dumps(document["schema"]))
    return schema, value_of(schema, json.loads(record[f"{name}_text"]))


def connect_record(record: Vector) -> ConnectRecord:
    """Return a vector's record as the connector gave it to the converters."""
    key_schema, key = part(record, "key")
    value_schema, value = part(record, "value")
    headers = tuple(
        Header(of["key"], schema_of(of["schema"]), value_of(schema_of(of["schema"]), of["value"]))
        for of in record["headers"]
    )
    return ConnectRecord(
        record["topic"], key_schema, key, value_schema, value, ORIGIN, headers, record["partition"]
    )
