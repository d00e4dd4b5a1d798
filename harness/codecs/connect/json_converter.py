"""`org.apache.kafka.connect.json.JsonConverter`, with and without schemas.

A schema's members are type, items or fields, optional, name, version, doc, parameters, default,
field, in this order; an absent one is left out.

Source: Kafka 4.1 connect-json `JsonConverter.fromConnectData`, `asJsonSchema`; every vector's
`key_text`, `value_text`, `*_decimal_numeric`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from harness.codecs.connect.json_fast import NeedsExactText, Write, printer
from harness.codecs.connect.json_text import JsonFormat, json_string, json_value
from harness.codecs.connect.schema import Schema, SchemaCache, SchemaType, Unset
from harness.errors import SourceStopped
from harness.model.record import SchemaUse


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


# A whole number beyond 64 bits, half a surrogate pair, a null out of place: the exact printer
# prints it or says what is wrong.
_REFUSED: Final = (NeedsExactText, SourceStopped, TypeError, KeyError, AttributeError)


@dataclass(frozen=True, slots=True)
class _SchemaPrinter:
    """What is made once of a schema: what prints its values, and its own text."""

    write: Write | None
    head: bytes


class JsonConverter:
    """A converter bound to its settings; one for keys, one for values, one for headers."""

    def __init__(self, *, schemas_enable: bool = True, form: JsonFormat | None = None) -> None:
        """Take the settings that decide the text."""
        self._envelope = schemas_enable
        self._form = form or JsonFormat()
        self._printers = SchemaCache(self._printer)

    def convert(
        self, topic: str, schema: Schema | None, value: object
    ) -> tuple[bytes | None, SchemaUse | None]:
        """Return a key's or a value's bytes; None for a null without a schema."""
        del topic
        if schema is None:
            return self._unknown(value), None
        # A call more for each key and value is felt in `harness bench encode`.
        printer = self._printers.made.get(id(schema)) or self._printers.of(schema)
        write = printer.write
        if write is None or value is None:
            text = json_value(schema, value, self._form).encode()
        else:
            try:
                text = write(value)
            except _REFUSED:
                text = json_value(schema, value, self._form).encode()
        return (printer.head + text + b"}" if self._envelope else text), None

    def text(self, schema: Schema | None, value: object) -> bytes | None:
        """Return a value's JSON, in its envelope where schemas are enabled."""
        return self.convert("", schema, value)[0]

    def around(self, schema: Schema) -> tuple[bytes, bytes]:
        """Return what stands before and behind each value of a schema."""
        return self._printers.of(schema).head, b"}" if self._envelope else b""

    def _unknown(self, value: object) -> bytes | None:
        if value is None:
            return None
        text = json_value(None, value, self._form).encode()
        return b'{"schema":null,"payload":%b}' % text if self._envelope else text

    def _printer(self, schema: Schema) -> _SchemaPrinter:
        head = b""
        if self._envelope:
            head = b'{"schema":%b,"payload":' % json_schema(schema, self._form).encode()
        return _SchemaPrinter(printer(schema, self._form), head)
