"""`org.apache.kafka.connect.json.JsonConverter`, with and without schemas.

Source: Kafka 4.1 connect-json `JsonConverter.fromConnectData`; every vector's `key_text`,
`value_text`, `*_decimal_numeric`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from harness.codecs.connect.json_fast import Unprepared, Write, printer
from harness.codecs.connect.json_schema import json_schema
from harness.codecs.connect.json_text import JsonForm, json_value
from harness.codecs.connect.schema import Schema
from harness.model.record import SchemaUse

# A whole number beyond 64 bits, half a surrogate pair, a null out of place: the slow way prints it
# or says what is wrong.
_REFUSED: Final = (Unprepared, TypeError, KeyError, AttributeError)
# `schemas.cache.size`.
_SCHEMAS_KEPT: Final = 1000


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is made once of a schema: what prints its values, and its own text."""

    schema: Schema
    write: Write | None
    head: bytes


class JsonConverter:
    """A converter bound to its settings; one for keys, one for values, one for headers."""

    def __init__(self, *, schemas_enable: bool = True, form: JsonForm | None = None) -> None:
        """Take the settings that decide the text."""
        self._envelope = schemas_enable
        self._form = form or JsonForm()
        # By the schema's identity; the plan keeps the schema, so that its identity stays its own.
        self._plans: dict[int, _Plan] = {}

    def convert(
        self, topic: str, schema: Schema | None, value: object
    ) -> tuple[bytes | None, SchemaUse | None]:
        """Return a key's or a value's bytes; None for a null without a schema."""
        del topic
        plan = self._plans.get(id(schema))
        if plan is None or plan.write is None or value is None:
            return self.text(schema, value), None
        try:
            text = plan.write(value)
        except _REFUSED:
            return self.text(schema, value), None
        return (plan.head + text + b"}" if self._envelope else text), None

    def text(self, schema: Schema | None, value: object) -> bytes | None:
        """Return a value's JSON, in its envelope where schemas are enabled."""
        if schema is None:
            return self._unknown(value)
        plan = self._plans.get(id(schema)) or self._planned(schema)
        write = plan.write
        try:
            text = json_value(schema, value, self._form).encode() if write is None else write(value)
        except _REFUSED:
            text = json_value(schema, value, self._form).encode()
        return plan.head + text + b"}" if self._envelope else text

    def around(self, schema: Schema) -> tuple[bytes, bytes]:
        """Return what stands before and behind each value of a schema."""
        head = (self._plans.get(id(schema)) or self._planned(schema)).head
        return head, b"}" if self._envelope else b""

    def _unknown(self, value: object) -> bytes | None:
        if value is None:
            return None
        text = json_value(None, value, self._form).encode()
        return b'{"schema":null,"payload":%b}' % text if self._envelope else text

    def _planned(self, schema: Schema) -> _Plan:
        if len(self._plans) >= _SCHEMAS_KEPT:
            self._plans.clear()
        head = b""
        if self._envelope:
            head = b'{"schema":%b,"payload":' % json_schema(schema, self._form).encode()
        plan = self._plans[id(schema)] = _Plan(schema, printer(schema, self._form), head)
        return plan
