"""Confluent's frame and an Avro body, its schema from the registry.

The library's own logical types are left aside: a Date is its number, as in the other formats.

Source: Confluent, §Wire format; `AvroData.toConnectSchema` for the `connect.*` properties.
"""

from __future__ import annotations

import io
import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, cast

import fastavro
import orjson
from fastavro.schema import SchemaParseException
from fastavro.types import Schema as AvroSchema

from harness.codecs.connect.decode_document import ConnectDocument, Semantic
from harness.contracts import SchemaRegistry
from harness.errors import DecodingError
from harness.wire.confluent import confluent_unframe

Read = Callable[[io.BytesIO, AvroSchema, None], object]
_DEEPEST: Final = 32
_TYPES: Final[Mapping[str, str]] = {
    "int": "int32",
    "long": "int64",
    "record": "struct",
}


class AvroReader:
    """Reads what one registry knows; schemas are parsed once."""

    def __init__(self, registry: SchemaRegistry) -> None:
        """Take the registry that gives schemas by their ids."""
        self._registry = registry
        self._known: dict[int, tuple[AvroSchema, Semantic]] = {}

    def part(self, data: bytes) -> ConnectDocument:
        """Return a key or a value; DecodingError for anything malformed."""
        schema_id, body = confluent_unframe(data)
        if schema_id not in self._known:
            self._known[schema_id] = _parsed(self._registry.schema(schema_id))
        schema, semantic = self._known[schema_id]
        stream = io.BytesIO(body)
        read = cast("Read", vars(fastavro)["schemaless_reader"])
        try:
            document = read(stream, schema, None)
        except (
            ArithmeticError,
            EOFError,
            LookupError,
            MemoryError,
            StopIteration,
            TypeError,
            ValueError,
        ) as error:
            raise DecodingError(f"the body does not fit schema {schema_id}: {error}") from error
        rest = len(body) - stream.tell()
        if rest:
            raise DecodingError(f"{rest} bytes after the body of schema {schema_id}")
        if not isinstance(document, dict):
            raise DecodingError(f"schema {schema_id} is not of a record")
        found = cast("dict[str, Any]", document)
        return ConnectDocument(found, orjson.dumps(found, default=_spelled).decode(), semantic)


def _parsed(text: str) -> tuple[AvroSchema, Semantic]:
    try:
        document = _plain(json.loads(text), _DEEPEST)
        # Namespaces are the topic's name; Avro's Java library lets them be anything, this one not.
        return fastavro.parse_schema(document), _semantic(document, {}, _DEEPEST)
    except (ValueError, KeyError, TypeError, SchemaParseException) as error:
        raise DecodingError(f"the registry's schema cannot be read: {error}") from error


def _plain(schema: object, depth: int) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """Return a schema without logical types, its names freed of what only Java allows."""
    if not depth:
        raise DecodingError("a schema that is nested too deeply")
    if isinstance(schema, list):
        return [_plain(member, depth - 1) for member in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    found = {k: v for k, v in cast("dict[str, Any]", schema).items() if k != "logicalType"}
    for inside in ("type", "items", "values"):
        if isinstance(found.get(inside), dict | list):
            found[inside] = _plain(found[inside], depth - 1)
    if "fields" in found:
        found["fields"] = [_plain(member, depth - 1) for member in found["fields"]]
    return found


def _semantic(schema: object, named: dict[str, Semantic], depth: int) -> Semantic:
    if not depth:
        raise DecodingError("a schema that is nested too deeply")
    if isinstance(schema, list):
        branches = [branch for branch in cast("list[object]", schema) if branch != "null"]
        return _semantic(branches[0], named, depth - 1) if branches else Semantic("null")
    if isinstance(schema, str):
        return named.get(schema) or Semantic(_TYPES.get(schema, schema))
    fields = cast("dict[str, Any]", schema)
    word = fields["type"]
    if isinstance(word, dict | list):
        return _semantic(cast("object", word), named, depth - 1)
    inside = {
        member["name"]: _semantic(member["type"], named, depth - 1)
        for member in fields.get("fields", ())
    }
    found = Semantic(
        fields.get("connect.type", _TYPES.get(word, word)),
        fields.get("connect.name", ""),
        fields.get("connect.parameters", {}),
        inside,
    )
    if "name" in fields:
        named[fields["name"]] = found
        named[f"{fields.get('namespace', '')}.{fields['name']}"] = found
    return found


def _spelled(value: object) -> str:
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError
