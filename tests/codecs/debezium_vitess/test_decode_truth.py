"""The decoder reads what Kafka's converters wrote, in three formats: every vector's records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from harness.codecs.connect.settings import converter_settings
from harness.codecs.connect.worker import Worker
from harness.codecs.debezium_vitess.decode import vitess_decoder
from harness.errors import SourceStopped
from harness.model.decoded import DecodedEvent, EventKind
from tests.codecs.connect.reading import (
    Vector,
    connect_record,
    records,
    truth,
    vectors,
)

FILES = sorted(truth().glob("*.jsonl"))
AVRO = "io.confluent.connect.avro.AvroConverter"
FORMATS: Mapping[str, Mapping[str, Any]] = {
    "json": {},
    "bare": {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False},
    "avro": {"key.converter": AVRO, "value.converter": AVRO},
}
OPS = {"c": EventKind.INSERT, "u": EventKind.UPDATE, "d": EventKind.DELETE}
# What a Connect Avro converter refuses: names, and `before` with other fields than `after`.
REFUSED = {"org.apache.avro.SchemaParseException", "java.lang.NullPointerException"}


class Texts:
    """A registry that takes any text: the vectors' names are not all legal in every library."""

    def __init__(self) -> None:
        """Start empty."""
        self.texts: list[str] = []

    def register(self, subject: str, schema: str) -> int:
        """Return the text's place."""
        del subject
        if schema not in self.texts:
            self.texts.append(schema)
        return self.texts.index(schema)

    def schema(self, schema_id: int) -> str:
        """Return a text by its place."""
        return self.texts[schema_id]


def decoded(record: Vector, name: str) -> DecodedEvent:
    """Return the event that our decoder makes of the record in a format."""
    registry = Texts()
    worker = Worker(converter_settings(FORMATS[name]), registry)
    sent = worker.record(connect_record(record))
    (event,) = vitess_decoder(FORMATS[name], registry).decode(sent.key, sent.value, sent.headers)
    return event


def expected_kind(record: Vector) -> EventKind:
    """Return the kind that the record's own value tells."""
    if record["value"] is None:
        return EventKind.TOMBSTONE
    payload = record["value"]["payload"]
    if "op" in payload:
        return OPS[payload["op"]]
    if "status" in payload:
        return EventKind(payload["status"].lower())
    return EventKind.DDL if "ddl" in payload else EventKind.HEARTBEAT


def whole(of: object) -> object:
    """Return a row without half surrogate pairs, which Avro cannot carry."""
    if not isinstance(of, Mapping):
        return of
    return {
        name: text.encode("utf-8", "replace").decode() if isinstance(text, str) else text
        for name, text in cast("Mapping[str, object]", of).items()
    }


def wrong(record: Vector) -> Iterator[object]:
    """Yield what the decoder misses of a record."""
    with_schema, bare = decoded(record, "json"), decoded(record, "bare")
    if {with_schema.kind, bare.kind} != {expected_kind(record)}:
        yield with_schema.kind, bare.kind, expected_kind(record)
    if with_schema.place != bare.place:
        yield with_schema.place, bare.place
    try:
        avro = decoded(record, "avro")
    except SourceStopped as stop:
        if stop.code not in REFUSED:
            raise
        return
    for name in ("kind", "commit_ts", "schema", "table", "before", "after", "key", "place"):
        if whole(getattr(avro, name)) != whole(getattr(with_schema, name)):
            yield name, getattr(avro, name), getattr(with_schema, name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_decodes(path: Path) -> None:
    """Every record decodes in every format, to the same event."""
    found = [
        (vector["id"], index, difference)
        for vector in vectors(path)
        for index, record in enumerate(records(vector))
        if "additional_data" not in (record["value_text"] or "")
        for difference in wrong(record)
    ]
    assert found == []
