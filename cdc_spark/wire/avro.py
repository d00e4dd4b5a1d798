"""Bodies of Avro, read by the library; schemas made fit for it first.

A body has one datum of its writer's schema and nothing behind it. Logical types are left
aside, so that a value stays what its bytes say; records get names of their own, because Avro's Java
library lets a namespace be anything and this one does not.

Source: Apache Avro 1.12, §Schema Declaration, §Binary Encoding.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import fastavro
from fastavro.schema import SchemaParseException

from cdc_spark.errors import DecodingError
from cdc_spark.wire import avro_reader

DEEPEST = 32
Read = Callable[[io.BytesIO, Any, None], object]
_READ = cast("Read", fastavro.schemaless_reader)  # pyright: ignore[reportUnknownMemberType]
# What the library says of bytes that do not fit the schema.
_MISFITS = (
    ArithmeticError,
    EOFError,
    LookupError,
    MemoryError,
    StopIteration,
    TypeError,
    ValueError,
)
# What it, or our own walk, says of a schema that is none.
_UNFIT = (
    AttributeError,
    KeyError,
    RecursionError,
    SchemaParseException,
    TypeError,
    ValueError,
)


class Prepared(NamedTuple):
    """A schema as the library reads by it, and a quicker reader where there is one."""

    schema: Any
    reader: avro_reader.Reader | None


def prepared(document: object) -> Prepared:
    """Return what reads by a schema; raises DecodingError for what is none."""
    try:
        schema: Any = fastavro.parse_schema(_plain(document, {}, "", DEEPEST))
        return Prepared(schema, avro_reader.reader(schema))
    except _UNFIT as error:
        raise DecodingError(f"the registry's schema cannot be read: {error}") from error


def read(by: Prepared, body: bytes, schema_id: int) -> dict[str, Any]:
    """Return a body's record; raises DecodingError for bytes that do not fit."""
    if by.reader is not None:
        row = avro_reader.read(by.reader, body)
        if row is not None:
            return row
    stream = io.BytesIO(body)
    try:
        found = _READ(stream, by.schema, None)
    except _MISFITS as error:
        raise DecodingError(
            f"{len(body)} bytes do not fit schema {schema_id}: {type(error).__name__} {error}"
        ) from error
    rest = len(body) - stream.tell()
    if rest:
        raise DecodingError(f"{rest} bytes stand behind the body of schema {schema_id}")
    if not isinstance(found, dict):
        raise DecodingError(f"schema {schema_id} is not of a record")
    return cast("dict[str, Any]", found)


def _plain(schema: object, names: dict[str, str], space: str, depth: int) -> Any:  # noqa: ANN401
    """Return a schema of the same bytes, without logical types, its records renamed."""
    if not depth:
        raise DecodingError("a schema that is nested too deeply")
    if isinstance(schema, list):
        return [_plain(branch, names, space, depth - 1) for branch in cast("list[object]", schema)]
    if isinstance(schema, str):
        return names.get(schema) or names.get(f"{space}.{schema}") or schema
    described = cast("Mapping[str, Any]", schema)
    kind = described["type"]
    if kind == "record":
        return _record(described, names, space, depth)
    if kind in ("array", "map"):
        inside = "items" if kind == "array" else "values"
        return {"type": kind, inside: _plain(described[inside], names, space, depth - 1)}
    if isinstance(kind, dict | list) or kind in names:
        return _plain(cast("object", kind), names, space, depth - 1)
    if kind in ("enum", "fixed"):
        raise DecodingError(f"a schema with a type {kind}, which no connector writes")
    return kind


def _record(
    described: Mapping[str, Any], names: dict[str, str], space: str, depth: int
) -> dict[str, Any]:
    own = described.get("namespace", space)
    full = described["name"] if "." in described["name"] else f"{own}.{described['name']}"
    names[full] = name = f"r{len(names)}"
    inner = full.rpartition(".")[0]
    fields = [
        {"name": field["name"], "type": _plain(field["type"], names, inner, depth - 1)}
        for field in described["fields"]
    ]
    return {"type": "record", "name": name, "fields": fields}
