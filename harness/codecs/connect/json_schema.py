"""A schema as JsonConverter prints it beside the payload.

Order: type, items or fields, optional, name, version, doc, parameters, default, field; an absent
property is left out.

Source: Kafka 4.1 connect-json `JsonConverter.asJsonSchema`.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.codecs.connect.json_text import JsonFormat, json_string, json_value
from harness.codecs.connect.schema import Schema, SchemaType, Unset


def json_schema(schema: Schema | None, form: JsonFormat) -> str:
    """Return a schema's JSON text."""
    return "null" if schema is None else _object(schema, form, None)


def _object(schema: Schema, form: JsonFormat, field: str | None) -> str:
    return f"{{{','.join(_members(schema, form, field))}}}"


def _members(schema: Schema, form: JsonFormat, field: str | None) -> Iterator[str]:
    yield f'"type":"{schema.kind.value}"'
    if schema.kind is SchemaType.ARRAY:
        yield f'"items":{json_schema(schema.items, form)}'
    elif schema.kind is SchemaType.MAP:
        yield f'"keys":{_object(Schema(SchemaType.STRING), form, None)}'
        yield f'"values":{json_schema(schema.items, form)}'
    elif schema.kind is SchemaType.STRUCT:
        yield f'"fields":[{",".join(_object(f.schema, form, f.name) for f in schema.fields)}]'
    yield f'"optional":{"true" if schema.optional else "false"}'
    if schema.name is not None:
        yield f'"name":{json_string(schema.name)}'
    if schema.version is not None:
        yield f'"version":{schema.version}'
    if schema.doc is not None:
        yield f'"doc":{json_string(schema.doc)}'
    if schema.parameters:
        pairs = (f"{json_string(key)}:{json_string(text)}" for key, text in schema.parameters)
        yield f'"parameters":{{{",".join(pairs)}}}'
    if not isinstance(schema.default, Unset) and schema.default is not None:
        yield f'"default":{json_value(schema, schema.default, form)}'
    if field is not None:
        yield f'"field":{json_string(field)}'
