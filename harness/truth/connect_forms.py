"""A Connect record in every form that the vectors print, under the vectors' own names.

`harness truth` and the tests compare these with what Kafka's own converters wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.codecs.connect.avro_schema import avro_schema
from harness.codecs.connect.avro_writer import avro_body
from harness.codecs.connect.errors import java_text
from harness.codecs.connect.header_text import header_bytes
from harness.codecs.connect.json_converter import JsonConverter
from harness.codecs.connect.json_text import JsonFormat
from harness.codecs.connect.schema import ConnectRecord, Header, Schema
from harness.errors import SourceStopped

_WITH: Final = JsonConverter()
_WITHOUT: Final = JsonConverter(schemas_enable=False)
_NUMERIC: Final = JsonConverter(schemas_enable=False, form=JsonFormat(decimal_numeric=True))


def text_forms(record: ConnectRecord) -> Mapping[str, str | None]:
    """Return `key_text`, `value_text` and, where they differ, their `*_decimal_numeric`."""
    found: dict[str, str | None] = {}
    for part, schema, value in _parts(record):
        text = _text(_WITHOUT.text(schema, value))
        numeric = _text(_NUMERIC.text(schema, value))
        found[f"{part}_text"] = text
        if numeric != text:
            found[f"{part}_text_decimal_numeric"] = numeric
    return found


def envelope_forms(record: ConnectRecord) -> Mapping[str, str | None]:
    """Return key and value as JsonConverter with schemas writes them."""
    return {part: _text(_WITH.text(schema, value)) for part, schema, value in _parts(record)}


def avro_forms(record: ConnectRecord) -> Mapping[str, Mapping[str, Any] | None]:
    """Return key and value as Avro: schema text and body in hex, or the error; None for null."""
    return {part: _avro(schema, value) for part, schema, value in _parts(record)}


def header_forms(header: Header) -> Mapping[str, str | None]:
    """Return a header in the three converters' forms."""
    return {
        "bytes_json_schemas_true": _text(_WITH.text(header.schema, header.value)),
        "bytes_json_schemas_false": _text(_WITHOUT.text(header.schema, header.value)),
        "bytes_simple_header_converter": _text(header_bytes(header.schema, header.value)),
    }


def _parts(record: ConnectRecord) -> tuple[tuple[str, Schema | None, Any], ...]:
    return (
        ("key", record.key_schema, record.key),
        ("value", record.value_schema, record.value),
    )


def _avro(schema: Schema | None, value: object) -> Mapping[str, Any] | None:
    if schema is None or value is None:
        return None
    try:
        made = avro_schema(schema)
        return {"schema": made.text, "hex": avro_body(schema, value).hex()}
    except SourceStopped as stop:
        return {"error": java_text(stop)}


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode()
