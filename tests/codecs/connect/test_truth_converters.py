"""Our converters beside Kafka's own: every record of the vectors, to the byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.truth.vitess_records import (
    avro_forms,
    compact,
    envelope_forms,
    header_forms,
    text_forms,
)
from tests.codecs.connect.reading import (
    Vector,
    connect_record,
    records,
    truth,
    vectors,
)

FILES = sorted(truth().glob("*.jsonl"))
NUMERIC = "key_text_decimal_numeric", "value_text_decimal_numeric"
FORMS = ("bytes_json_schemas_true", "bytes_json_schemas_false", "bytes_simple_header_converter")


def normal(text: str | None) -> str | None:
    """Return a text with its members in the order they have, escapes alike."""
    return None if text is None else compact(json.loads(text))


def envelope(record: Vector, name: str) -> str | None:
    """Return what JsonConverter wrote with schemas: schema in order, payload to the byte."""
    document = record[name]
    if document is None:
        return None
    schema = json.dumps(document["schema"], separators=(",", ":"), ensure_ascii=False)
    return f'{{"schema":{schema},"payload":{record[f"{name}_text"]}}}'


def differences(record: Vector) -> Iterator[tuple[str, object, object]]:
    """Yield what our converters write otherwise."""
    ours = connect_record(record)
    texts = text_forms(ours)
    for name in ("key_text", "value_text", *NUMERIC):
        if texts.get(name) != record.get(name):
            yield name, texts.get(name), record.get(name)
    for name, text in envelope_forms(ours).items():
        if text != envelope(record, name):
            yield name, text, record[name]
    for header, theirs in zip(ours.headers, record["headers"], strict=True):
        made = header_forms(header)
        yield from (
            (name, made[name], theirs[name]) for name in FORMS if made[name] != theirs[name]
        )
    if "avro" in record:
        yield from avro_differences(record, avro_forms(ours))


def avro_differences(record: Vector, ours: Vector) -> Iterator[tuple[str, object, object]]:
    """Yield what our Avro converter writes otherwise."""
    for name, theirs in record["avro"].items():
        made = ours[name]
        if theirs is None or made is None:
            if theirs is not made:
                yield name, made, theirs
        elif "error" in theirs:
            if made.get("error") != theirs["error"][-1]:
                yield name, made, theirs
        elif (
            normal(made.get("schema")) != compact(theirs["schema"]) or made["hex"] != theirs["hex"]
        ):
            yield name, made, theirs


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_converted(path: Path) -> None:
    """Every record's key, value and headers come out as Kafka's converters wrote them."""
    found = [
        (vector["id"], index, *difference)
        for vector in vectors(path)
        for index, record in enumerate(records(vector))
        for difference in differences(record)
    ]
    assert found == []
