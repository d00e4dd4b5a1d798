"""Debezium Vitess beside its floor: the bare library writing an equal, prepared payload.

The floor writes keys and values, of Avro values alone. The converters' loads start at the
connector's records, as they do where a transform asks for structs, and write keys and values; the
whole way's start at VStream rows and end at the producer's records: values out of cells, source
blocks, headers, partitions and origins come on top, and JSON goes the way of prepared rows. A
transaction has as many rows as the other protocols' loads give one commit ts, and the row has the
kinds of the Open Protocol's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

import fastavro
import orjson

from harness.bench.encode.bound import bound_pass
from harness.bench.encode.load import Load
from harness.codecs.connect.settings import converter_settings
from harness.codecs.connect.worker import Worker
from harness.codecs.debezium_vitess.codec import BoundVitess, bind, bound_to
from harness.codecs.debezium_vitess.encode import Connector, ConnectorEnvironment
from harness.codecs.debezium_vitess.tasks import VitessCluster
from harness.errors import HarnessBug
from harness.model.record import Origin
from harness.model.vstream import (
    Begin,
    Cells,
    Commit,
    FieldEvent,
    FieldFlag,
    FieldInfo,
    RowChange,
    ShardGtid,
    VEvent,
    Vgtid,
    VRowEvent,
    VStreamResponse,
)
from harness.wire.confluent import HEADER_SIZE
from harness.wire.registry import MemoryRegistry

EVENTS = 20_000
ROWS = 16
GOAL = 0.6
AVRO = "io.confluent.connect.avro.AvroConverter"
CONNECTOR: Mapping[str, Any] = {
    "topic.prefix": "bench",
    "vitess.keyspace": "bench",
    "vitess.shard": "0",
    "snapshot.mode": "never",
}
BARE: Mapping[str, Any] = {
    "key.converter.schemas.enable": False,
    "value.converter.schemas.enable": False,
}
WITH_AVRO: Mapping[str, Any] = {"key.converter": AVRO, "value.converter": AVRO}
FIELDS = (
    FieldInfo("id", "INT64", "bigint", FieldFlag.NOT_NULL | FieldFlag.PRIMARY_KEY),
    FieldInfo("user_id", "UINT64", "bigint unsigned", FieldFlag.NOT_NULL),
    FieldInfo("status", "INT8", "tinyint"),
    FieldInfo("buyer", "VARCHAR", "varchar(40)"),
    FieldInfo("email", "VARCHAR", "varchar(80)"),
    FieldInfo("price", "DECIMAL", "decimal(12,2)"),
    FieldInfo("score", "FLOAT64", "double"),
    FieldInfo("made", "DATETIME", "datetime(6)", decimals=6),
    FieldInfo("day", "DATE", "date"),
    FieldInfo("note", "TEXT", "text"),
)
# When the connector handles the changes, in nanoseconds.
NOW = 1_900_000_000_863_497_147
ORIGIN = Origin(1, 0, 0, "insert")
Pass = Callable[[], int]
# Without the library's own types, which are not all known.
READ: Callable[[BytesIO, Any, None], Any] = vars(fastavro)["schemaless_reader"]
WRITE: Callable[[BytesIO, Any, Any], None] = vars(fastavro)["schemaless_writer"]
Way = Callable[[Mapping[str, Any], Sequence[VStreamResponse]], Pass]


def loads() -> tuple[Load, ...]:
    """Return the loads, inserts of ten columns: the converters alone, then the whole way."""
    stream = _stream()
    ways: tuple[tuple[str, Way], ...] = (("converters", _converted), ("from VStream", _whole))
    return tuple(
        load
        for title, way in ways
        for load in (
            _json_load(f"vitess: JSON, {title}", BARE, stream, way),
            _json_load(f"vitess: JSON with schemas, {title}", {}, stream, way),
            _avro_load(f"vitess: Avro, {title}", stream, way),
        )
    )


def _converted(converters: Mapping[str, Any], stream: Sequence[VStreamResponse]) -> Pass:
    """Return a pass from Connect records to bytes."""
    bound = bound_to({**CONNECTOR, **converters}, "current")
    connector = Connector(
        bound.connector, lambda: NOW, ConnectorEnvironment(cluster=VitessCluster(("0",)))
    )
    records = list(connector.run(stream))
    settings = converter_settings(converters)

    def run() -> int:
        worker = Worker(settings, MemoryRegistry())
        return sum(
            len(key or b"") + len(value or b"") for key, value in map(worker.written, records)
        )

    return run


def _whole(converters: Mapping[str, Any], stream: Sequence[VStreamResponse]) -> Pass:
    """Return a pass from VStream to the producer's records."""

    def run() -> int:
        return sum(len(record.value or b"") for record in _wire(converters).encode(stream))

    return run


def _json_load(
    name: str, converters: Mapping[str, Any], stream: Sequence[VStreamResponse], way: Way
) -> Load:
    records = [(r.key or b"", r.value or b"") for r in _wire(converters).encode(stream)]
    prepared: list[Any] = [(json.loads(key), json.loads(value)) for key, value in records]

    if [(orjson.dumps(key), orjson.dumps(value)) for key, value in prepared] != records:
        raise HarnessBug("the floor of the Vitess bench does not write what the encoder writes")

    def run() -> int:
        return sum(len(orjson.dumps(key)) + len(orjson.dumps(value)) for key, value in prepared)

    floor = "orjson.dumps of key and of value"
    keys, values = zip(*records, strict=True)
    # Of events with their schemas the text is nearly all constant, and the goal is reached.
    bound = bound_pass(keys, values) if converters else None
    return Load(name, floor, EVENTS, run, way(converters, stream), GOAL, bound_pass=bound)


def _avro_load(name: str, stream: Sequence[VStreamResponse], way: Way) -> Load:
    records = list(_wire(WITH_AVRO).encode(stream))
    use = records[0].value_schema
    if use is None:
        raise HarnessBug("an Avro record without a schema")
    parsed: Any = fastavro.parse_schema(json.loads(use.schema))
    bodies = [(record.value or b"")[HEADER_SIZE:] for record in records]
    prepared = [READ(BytesIO(body), parsed, None) for body in bodies]

    def run() -> int:
        written = 0
        for value in prepared:
            out = BytesIO()
            WRITE(out, parsed, value)
            written += out.tell()
        return written

    if run() != sum(map(len, bodies)):
        raise HarnessBug("the floor of the Vitess bench does not write what the encoder writes")
    floor = "fastavro.schemaless_writer of the value"
    return Load(name, floor, EVENTS, run, way(WITH_AVRO, stream), GOAL)


def _wire(converters: Mapping[str, Any]) -> BoundVitess:
    return bind({**CONNECTOR, **converters}, "current")


def _stream() -> list[VStreamResponse]:
    responses: list[VStreamResponse] = []
    for first in range(0, EVENTS, ROWS):
        at = 1_800_000_000 + first // ROWS
        gtid = f"MySQL56/aaaaaaaa-0000-11ec-8e20-0242ac110004:1-{first // ROWS + 5}"
        events: list[VEvent] = [Begin(at, "bench", "0", ORIGIN)]
        if not first:
            events.append(FieldEvent("bench.t", FIELDS, at, "bench", "0", origin=ORIGIN))
        changes = tuple(RowChange(None, _row(n), ORIGIN) for n in range(first, first + ROWS))
        events += [
            VRowEvent("bench.t", changes, at, "bench", "0", ORIGIN),
            Vgtid((ShardGtid("bench", "0", gtid),), at, "bench", "0", ORIGIN),
            Commit(at, "bench", "0", ORIGIN),
        ]
        responses.append(VStreamResponse(tuple(events)))
    return responses


def _row(n: int) -> Cells:
    return (
        b"%d" % (1_000_000_007 + n),
        b"%d" % (n % 5000),
        b"%d" % (n % 4),
        b"Ada Lovelace %d" % (n % 1000),
        b"ada.lovelace.%d@example.org" % n,
        b"%d.%02d" % (n, n % 100),
        repr(n / 8).encode(),
        b"2026-08-20 12:%02d:%02d.%06d" % (n // 60 % 60, n % 60, n),
        b"2026-08-%02d" % (n % 28 + 1),
        b"a note of some forty characters, or more",
    )
