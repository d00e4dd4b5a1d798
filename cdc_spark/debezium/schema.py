"""What a record's schema says of its fields, whichever converter wrote it.

A key or a value comes as JSON beside its schema, as JSON alone, or as Avro; the first bytes say
which. What remains of all three is a document and, where there is one, a Connect schema.

Source: Kafka 4.1 connect-json `JsonConverter`; Confluent's `AvroData` for the `connect.*`
properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

from cdc_spark.errors import DecodingError

DEEPEST = 32
_EMPTY: Mapping[str, Any] = MappingProxyType({})
_CONNECT_TYPES: Mapping[str, str] = {"int": "int32", "long": "int64", "record": "struct"}


@dataclass(frozen=True, slots=True)
class Schema:
    """One field's schema: Connect's type and name, parameters, and a struct's fields."""

    type: str
    name: str = ""
    parameters: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    fields: Mapping[str, Schema] = field(default_factory=lambda: _EMPTY)


def from_json(document: object, depth: int = DEEPEST) -> Schema:
    """Return a schema that stood beside a payload; raises DecodingError for what is none."""
    if not depth or not isinstance(document, dict):
        raise DecodingError("a schema that is nested too deeply, or is not an object")
    described = cast("dict[str, Any]", document)
    kind, name = described.get("type"), described.get("name") or ""
    parameters: object = described.get("parameters") or {}
    members: object = described.get("fields") or []
    shapes = isinstance(parameters, dict) and isinstance(members, list)
    if type(kind) is not str or type(name) is not str or not shapes:
        raise DecodingError(f"a schema of type {str(kind)[:60]!r} and name {str(name)[:60]!r}")
    fields: dict[str, Schema] = {}
    for member in cast("list[Any]", members):
        inner = from_json(member, depth - 1)
        label = member.get("field")
        if type(label) is not str:
            raise DecodingError(f"a schema with a field called {str(label)[:60]!r}")
        fields[label] = inner
    return Schema(kind, name, cast("dict[str, str]", parameters), fields)


def from_avro(document: object) -> Schema:
    """Return what a registered schema says; raises DecodingError for what it cannot be."""
    try:
        return _avro(document, {}, "", DEEPEST)
    except (KeyError, TypeError, AttributeError) as error:
        raise DecodingError(f"the registry's schema cannot be read: {error!r}") from error


def _avro(document: object, known: dict[str, Schema], space: str, depth: int) -> Schema:
    if not depth:
        raise DecodingError("a schema that is nested too deeply")
    if isinstance(document, list):
        branches = [one for one in cast("list[object]", document) if one != "null"]
        return _avro(branches[0], known, space, depth - 1) if branches else Schema("null")
    if isinstance(document, str):
        named = known.get(document) or known.get(f"{space}.{document}")
        return named or Schema(_CONNECT_TYPES.get(document, document))
    described = cast("dict[str, Any]", document)
    kind = described["type"]
    if isinstance(kind, dict | list):
        return _avro(cast("object", kind), known, space, depth - 1)
    full = ""
    if kind == "record":
        own = described.get("namespace", space)
        full = described["name"] if "." in described["name"] else f"{own}.{described['name']}"
        space = full.rpartition(".")[0]
    found = Schema(
        described.get("connect.type", _CONNECT_TYPES.get(kind, kind)),
        described.get("connect.name", ""),
        described.get("connect.parameters", _EMPTY),
        {
            member["name"]: _avro(member["type"], known, space, depth - 1)
            for member in described.get("fields", ())
        },
    )
    if full:
        known[full] = found
    return found
