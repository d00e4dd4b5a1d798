"""One Connect record beside the vector's: in every form that the vector prints, under its names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.codecs.connect.avro_schema import avro_schema
from harness.codecs.connect.avro_writer import avro_body
from harness.codecs.connect.errors import java_text
from harness.codecs.connect.header_text import header_bytes
from harness.codecs.connect.json_converter import JsonConverter
from harness.codecs.connect.json_text import JsonFormat
from harness.codecs.connect.schema import ConnectRecord, Header, Schema
from harness.errors import SourceStopped
from harness.truth.result import Difference, Vector
from harness.truth.vitess_clock import like_theirs

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


_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_TEXTS: Final = (
    "key_text",
    "value_text",
    "key_text_decimal_numeric",
    "value_text_decimal_numeric",
)
_HEADERS: Final = (
    "bytes_json_schemas_true",
    "bytes_json_schemas_false",
    "bytes_simple_header_converter",
)


def compact(document: object) -> str | None:
    """Return a document's text in its own order, None for none."""
    return None if document is None else json.dumps(document, separators=(",", ":"))


def compare_record(
    where: str, ours: ConnectRecord, theirs: Vector
) -> tuple[list[Difference], tuple[str, ...]]:
    """Compare a record; return the differences and what was excused."""
    settled, excused = like_theirs(ours, theirs)
    found = [
        Difference(f"{where}.{name}", str(mine), str(recorded))
        for name, mine, recorded in _differences(settled, theirs)
        if mine != recorded
    ]
    return found, excused


def _differences(ours: ConnectRecord, theirs: Vector) -> Iterator[tuple[str, object, object]]:
    yield "topic", ours.topic, theirs["topic"]
    yield "partition", ours.partition, theirs["partition"]
    yield "timestamp", None, theirs.get("timestamp")
    yield "source_partition", dict(ours.source_partition), theirs["source_partition"]
    yield "source_offset", dict(ours.source_offset), theirs["source_offset"]
    texts = text_forms(ours)
    for name in _TEXTS:
        yield name, texts.get(name), theirs.get(name)
    for part, text in envelope_forms(ours).items():
        yield part, text, _envelope(theirs, part)
    yield from _header_differences(ours, theirs)
    if "avro" in theirs:
        yield from _avro_differences(avro_forms(ours), theirs["avro"])


def _envelope(record: Vector, part: str) -> str | None:
    """Return JsonConverter's text with schemas: the schema in its order, the payload exact."""
    document = record[part]
    if document is None:
        return None
    schema = json.dumps(document["schema"], separators=(",", ":"), ensure_ascii=False)
    # The converter's writer escapes what is past the first plane, names as well as texts.
    schema = _ASTRAL.sub(lambda found: json.dumps(found[0])[1:-1].upper().replace("U", "u"), schema)
    return f'{{"schema":{schema},"payload":{record[f"{part}_text"]}}}'


def _header_differences(
    ours: ConnectRecord, theirs: Vector
) -> Iterator[tuple[str, object, object]]:
    recorded = theirs.get("headers") or ()
    yield "headers", [h.key for h in ours.headers], [h["key"] for h in recorded]
    for header, other in zip(ours.headers, recorded, strict=False):
        made = header_forms(header)
        for name in _HEADERS:
            yield f"headers.{header.key}.{name}", made[name], other[name]


def _avro_differences(
    ours: Mapping[str, Mapping[str, Any] | None], theirs: Vector
) -> Iterator[tuple[str, object, object]]:
    for part, recorded in theirs.items():
        made = ours[part]
        if recorded is None or made is None:
            yield f"avro.{part}", made, recorded
        elif "error" in recorded:
            yield f"avro.{part}.error", made.get("error"), recorded["error"][-1]
        else:
            schema = made.get("schema")
            mine = None if schema is None else compact(json.loads(schema))
            yield f"avro.{part}.schema", mine, compact(recorded["schema"])
            yield f"avro.{part}.hex", made.get("hex"), recorded["hex"]
