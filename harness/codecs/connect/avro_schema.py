"""A Connect schema as the Avro schema that a Connect Avro converter registers.

What decides the text, in the converter's own order of doing things:

* optional is a union: `["null", T]` with default null, or `[T, "null"]` where the schema has a
  default, which is then the field's too;
* structs are records; name and namespace are split at the last dot; a struct that occurred before
  is meant by its name, by the name alone even where its fields differ;
* what Avro cannot say is kept in properties: `connect.doc`, `connect.version`,
  `connect.parameters`, `connect.default`, `connect.name`, `connect.type` (int8 and int16), then
  `logicalType`; a Decimal has `scale` and `precision` (64 without a parameter) before them all;
* names are checked when a record or a field is made, namespaces never.

The vectors come from Apicurio's fork of Confluent's `AvroData`; on all that a Debezium Vitess
record can hold both do the same (a Decimal's properties come in the order of both 2.x of Apicurio
and Confluent).

Source: `AvroData.fromConnectSchema` (Confluent schema-registry, Apicurio 2.6.13.Final); Avro 1.11
`Schema.toString`, `Schema.validateName`; vectors with `avro`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, cast

from harness.codecs.connect.errors import (
    DATA_EXCEPTION,
    SCHEMA_PARSE_EXCEPTION,
    stopped,
)
from harness.codecs.connect.json_text import JsonFormat, json_string, json_value
from harness.codecs.connect.logical import (
    DATE,
    DECIMAL,
    TIME,
    TIMESTAMP,
    scale_of,
    unscaled_bytes,
)
from harness.codecs.connect.schema import Schema, SchemaType, Unset

_NAMESPACE: Final = "io.confluent.connect.avro"
_DEFAULT_NAME: Final = "ConnectDefault"
_PRECISION: Final = "connect.decimal.precision"
_DEFAULT_PRECISION: Final = 64
_PRIMITIVE: Final[Mapping[SchemaType, str]] = {
    SchemaType.BOOLEAN: "boolean",
    SchemaType.INT8: "int",
    SchemaType.INT16: "int",
    SchemaType.INT32: "int",
    SchemaType.INT64: "long",
    SchemaType.FLOAT32: "float",
    SchemaType.FLOAT64: "double",
    SchemaType.STRING: "string",
    SchemaType.BYTES: "bytes",
}
_CONNECT_TYPE: Final[Mapping[SchemaType, str]] = {
    SchemaType.INT8: "int8",
    SchemaType.INT16: "int16",
}
_LOGICAL: Final[Mapping[str, str]] = {
    DECIMAL: "decimal",
    DATE: "date",
    TIME: "time-millis",
    TIMESTAMP: "timestamp-millis",
}
_PLAIN: Final = JsonFormat()


@dataclass(frozen=True, slots=True)
class AvroSchema:
    """A schema's text; `records` holds, by full name, the Connect struct that a record stands for.

    A struct met again under a known name is written by the first one's fields.
    """

    text: str
    records: Mapping[str, Schema]


@dataclass(slots=True)
class _Context:
    records: dict[str, Schema] = field(default_factory=dict[str, Schema])
    unnamed: int = 0


def avro_schema(schema: Schema) -> AvroSchema:
    """Return the Avro schema of a Connect schema.

    Raises SourceStopped with Avro's SchemaParseException for names that Avro refuses.
    """
    context = _Context()
    return AvroSchema(_typed(schema, context, None), context.records)


def default_of(schema: Schema) -> object:
    """Return a schema's default, None where it has none."""
    return None if isinstance(schema.default, Unset) else schema.default


def split_name(full: str) -> tuple[str | None, str]:
    """Return namespace and name: what stands before and behind the last dot."""
    namespace, dot, name = full.rpartition(".")
    return (namespace if dot else None), name


def checked_name(name: str) -> str:
    """Return a name that Avro accepts: a letter of any script or `_`, then digits too."""
    if not name:
        raise stopped(SCHEMA_PARSE_EXCEPTION, "Empty name")
    if not (name[0].isalpha() or name[0] == "_"):
        raise stopped(SCHEMA_PARSE_EXCEPTION, f"Illegal initial character: {name}")
    if not all(char.isalpha() or char.isdecimal() or char == "_" for char in name):
        raise stopped(SCHEMA_PARSE_EXCEPTION, f"Illegal character in: {name}")
    return name


def _typed(schema: Schema, context: _Context, space: str | None) -> str:
    base = _base(schema, context, space)
    if not schema.optional:
        return base
    return f'[{base},"null"]' if default_of(schema) is not None else f'["null",{base}]'


def _base(schema: Schema, context: _Context, space: str | None) -> str:
    if schema.kind is SchemaType.STRUCT:
        return _record(schema, context, space)
    properties = list(_properties(schema))
    match schema.kind:
        case SchemaType.ARRAY | SchemaType.MAP:
            if schema.items is None:
                raise stopped(DATA_EXCEPTION, "the schema of an array or map has no items")
            word, of = ("array", "items") if schema.kind is SchemaType.ARRAY else ("map", "values")
            head = f'"type":"{word}","{of}":{_typed(schema.items, context, space)}'
            return _braced([head, *properties])
        case _:
            word = f'"{_PRIMITIVE[schema.kind]}"'
            return _braced([f'"type":{word}', *properties]) if properties else word


def _record(schema: Schema, context: _Context, space: str | None) -> str:
    if schema.name is None:
        context.unnamed += 1
        count = context.unnamed if context.unnamed > 1 else ""
        names: tuple[str | None, str] = (_NAMESPACE, f"{_DEFAULT_NAME}{count}")
    else:
        names = split_name(schema.name)
    namespace, name = names
    full = f"{namespace}.{name}" if namespace else name
    if full in context.records:
        return json_string(name if namespace in {None, space} else full)
    checked_name(name)
    context.records[full] = schema
    parts = ['"type":"record"', f'"name":{json_string(name)}']
    if namespace is not None and namespace != space:
        parts.append(f'"namespace":{json_string(namespace)}')
    elif namespace is None and space is not None:
        parts.append('"namespace":""')
    parts.append(f'"fields":[{",".join(_fields(schema, context, namespace))}]')
    return _braced([*parts, *_properties(schema)])


def _fields(schema: Schema, context: _Context, space: str | None) -> Iterator[str]:
    for member in schema.fields:
        typed = _typed(member.schema, context, space)
        parts = [f'"name":{json_string(checked_name(member.name))}', f'"type":{typed}']
        default = default_of(member.schema)
        if member.schema.doc is not None:
            parts.append(f'"doc":{json_string(member.schema.doc)}')
        if default is not None:
            parts.append(f'"default":{_default(member.schema, default)}')
        elif member.schema.optional:
            parts.append('"default":null')
        yield _braced(parts)


def _properties(schema: Schema) -> Iterator[str]:
    parameters = dict(schema.parameters)
    if schema.name == DECIMAL:
        yield f'"scale":{scale_of(schema)}'
        yield f'"precision":{int(parameters.get(_PRECISION, _DEFAULT_PRECISION))}'
    if schema.doc is not None:
        yield f'"connect.doc":{json_string(schema.doc)}'
    if schema.version is not None:
        yield f'"connect.version":{schema.version}'
    if parameters:
        pairs = (f"{json_string(key)}:{json_string(text)}" for key, text in schema.parameters)
        yield f'"connect.parameters":{_braced(pairs)}'
    default = default_of(schema)
    if default is not None:
        yield f'"connect.default":{_default(schema, default)}'
    if schema.name is not None:
        yield f'"connect.name":{json_string(schema.name)}'
    if schema.kind in _CONNECT_TYPE:
        yield f'"connect.type":"{_CONNECT_TYPE[schema.kind]}"'
    if schema.name is not None and schema.name in _LOGICAL:
        yield f'"logicalType":"{_LOGICAL[schema.name]}"'


def _default(schema: Schema, value: object) -> str:
    """Return a default's JSON: as JsonConverter's, but bytes are a text of their values."""
    if schema.kind is SchemaType.BYTES:
        raw = (
            unscaled_bytes(schema, cast("Decimal", value))
            if schema.name == DECIMAL
            else cast("bytes", value)
        )
        return json_string(raw.decode("latin-1"))
    if schema.kind is SchemaType.STRUCT:
        struct = cast("Mapping[str, Any]", value)
        pairs = (
            f"{json_string(member.name)}:{_member_default(member.schema, struct.get(member.name))}"
            for member in schema.fields
        )
        return _braced(pairs)
    return json_value(schema, value, _PLAIN)


def _braced(members: Iterable[str]) -> str:
    return "{" + ",".join(members) + "}"


def _member_default(schema: Schema, value: object) -> str:
    found = default_of(schema) if value is None else value
    return "null" if found is None else _default(schema, found)
