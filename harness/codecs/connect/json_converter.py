"""`org.apache.kafka.connect.json.JsonConverter`, with and without schemas.

Source: Kafka 4.1 connect-json `JsonConverter.fromConnectData`; every vector's `key_text`,
`value_text`, `*_decimal_numeric`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from harness.codecs.connect.json_fast import NeedsExactText, Write, printer
from harness.codecs.connect.json_schema import json_schema
from harness.codecs.connect.json_text import JsonFormat, json_value
from harness.codecs.connect.schema import Schema, SchemaCache
from harness.model.record import SchemaUse

# A whole number beyond 64 bits, half a surrogate pair, a null out of place: the slow way prints it
# or says what is wrong.
_REFUSED: Final = (NeedsExactText, TypeError, KeyError, AttributeError)


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
        return self.text(schema, value), None

    def text(self, schema: Schema | None, value: object) -> bytes | None:
        """Return a value's JSON, in its envelope where schemas are enabled."""
        if schema is None:
            return self._unknown(value)
        printer = self._printers.of(schema)
        try:
            text = None if printer.write is None or value is None else printer.write(value)
        except _REFUSED:
            text = None
        if text is None:
            text = json_value(schema, value, self._form).encode()
        return printer.head + text + b"}" if self._envelope else text

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
