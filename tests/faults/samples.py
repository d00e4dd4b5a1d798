"""Streams of records as the three protocols send them, small enough to be read by a person.

Each begins alike: transaction t1 inserts the rows 1, 2 and 3, then t2 changes row 1, deletes row 2
and inserts row 9; between and behind them is what was drawn. In the Open Protocol marks and DDL
events go to every partition, and the last mark completes everything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

from hypothesis import strategies as st

from harness.model.record import Origin, Record, SchemaUse
from harness.wire.framing import frame_keys, frame_values

TABLE = "shop.t"
TOPIC = "shop"
PARTITIONS = 2
Change = tuple[str, int]  # operation, row


@dataclass
class Stream:
    """The records so far, with a clock that ticks with every transaction."""

    records: list[Record] = field(default_factory=list[Record])
    events: count[int] = field(default_factory=count)
    ts: int = 100

    def origin(self, kind: str, name: str | None = None, row: int | None = None) -> Origin:
        """Return the origin of the next event."""
        number = next(self.events)
        key = None if row is None else f"id={row}"
        return Origin(number, number, number, kind, name, TABLE, key, self.ts)

    def send(self, *parts: Any, **more: Any) -> None:
        """Send a record."""
        self.records.append(Record(*parts, **more))


def home(row: int) -> int:
    """Return the partition of a row: 1, 3 and 9 in one, 2 in the other."""
    return (row + 1) % PARTITIONS


def open_stream(
    transactions: Sequence[tuple[str, Sequence[Change]]], *, marked: bool = False
) -> tuple[Record, ...]:
    """Return the transactions as Open sends them; if `marked`, a DDL and its mark follow."""
    stream = Stream()
    table = {"scm": "shop", "tbl": "t", "t": 2}
    _broadcast(stream, "ddl", table, b'{"q":"CREATE ...","t":3}')
    for name, changes in transactions:
        stream.ts += 10
        for operation, row in changes:
            key = {"ts": stream.ts, "scm": "shop", "tbl": "t", "rid": row, "t": 1}
            image = {"id": {"t": 3, "h": True, "f": 11, "v": row}, "n": {"t": 3, "v": stream.ts}}
            value = {"d" if operation == "delete" else "u": image}
            frames = frame_keys([_json(key)]), frame_values([_json(value)])
            stream.send(TOPIC, home(row), *frames, (stream.origin(operation, name, row),))
        _broadcast(stream, "resolved", {"t": 3}, b"")
    if marked:
        stream.ts += 10
        _broadcast(stream, "ddl", table, b'{"q":"ALTER ...","t":7}')
        _broadcast(stream, "resolved", {"t": 3}, b"")
    return tuple(stream.records)


def _broadcast(stream: Stream, kind: str, key: Mapping[str, Any], value: bytes) -> None:
    origin = stream.origin(kind)
    frames = frame_keys([_json({"ts": stream.ts, **key})]), frame_values([value])
    for partition in range(PARTITIONS):
        stream.send(TOPIC, partition, *frames, (origin,))


def avro_stream(transactions: Sequence[tuple[str, Sequence[Change]]]) -> tuple[Record, ...]:
    """Return the transactions as TiCDC Avro sends them; the schema changes with every one."""
    stream = Stream()
    key_schema = SchemaUse("shop-key", '"long"', 1)
    for number, (name, changes) in enumerate(transactions, 2):
        stream.ts += 10
        value_schema = SchemaUse("shop-value", json.dumps({"version": number}), number)
        for operation, row in changes:
            value = _framed(number, bytes([2 * row, stream.ts % 100, 0x0A]) + b"hello")
            gone = operation == "delete"
            stream.send(
                TOPIC,
                home(row),
                _framed(1, bytes([2 * row])),
                None if gone else value,
                (stream.origin(operation, name, row),),
                key_schema=key_schema,
                value_schema=None if gone else value_schema,
            )
    return tuple(stream.records)


def watermark_stream(
    transactions: Sequence[tuple[str, Sequence[Change]]], *, marked: bool = False
) -> tuple[Record, ...]:
    """Return the same as `avro_stream` with a DDL in front, marks, and perhaps a DDL behind."""
    rows = avro_stream(transactions)
    stream = Stream(events=count(1000))
    _everywhere(stream, "ddl", b"\x01" + _json({"query": "CREATE ...", "commitTs": stream.ts}))
    for position, row in enumerate(rows):
        stream.ts = row.origins[0].commit_ts
        stream.records.append(row)
        if [r.origins[0].commit_ts for r in rows[position + 1 : position + 2]] != [stream.ts]:
            _everywhere(stream, "resolved", b"\x02" + stream.ts.to_bytes(8, "big"))
    if marked:
        stream.ts += 10
        _everywhere(stream, "ddl", b"\x01" + _json({"query": "ALTER ...", "commitTs": stream.ts}))
        _everywhere(stream, "resolved", b"\x02" + stream.ts.to_bytes(8, "big"))
    return tuple(stream.records)


def _everywhere(stream: Stream, kind: str, value: bytes) -> None:
    origin = stream.origin(kind)
    for partition in range(PARTITIONS):
        stream.send(TOPIC, partition, None, value, (origin,))


def vitess_stream(transactions: Sequence[tuple[str, Sequence[Change]]]) -> tuple[Record, ...]:
    """Return the transactions as Debezium sends them in JSON, with their topic and tombstones."""
    stream = Stream()
    for name, changes in transactions:
        stream.ts += 10
        boundary = f"{TOPIC}.transaction", 0, _json({"id": name})
        stream.send(*boundary, _json({"status": "BEGIN"}), (stream.origin("begin", name),))
        for operation, row in changes:
            place = f"{TOPIC}.t", home(row), _json({"id": row})
            origins = (stream.origin(operation, name, row),)
            stream.send(*place, _json({"op": operation[0], "ts": stream.ts}), origins)
            if operation == "delete":
                stream.send(*place, None, origins)
        stream.send(*boundary, _json({"status": "END"}), (stream.origin("end", name),))
    return tuple(stream.records)


def connect_avro_stream(transactions: Sequence[tuple[str, Sequence[Change]]]) -> tuple[Record, ...]:
    """Return the same with the bytes of Connect's Avro converter."""
    versions = {name: number for number, (name, _) in enumerate(transactions, 2)}

    def converted(record: Record) -> Record:
        number = versions[str(record.origins[0].transaction)]
        schema = SchemaUse(f"{record.topic}-value", json.dumps({"version": number}), number)
        gone = record.value is None
        return replace(
            record,
            key=_framed(1, b"\x0e" + (record.key or b"")),
            value=None if gone else _framed(number, b"\x1a" + (record.value or b"")),
            key_schema=SchemaUse(f"{record.topic}-key", '"string"', 1),
            value_schema=None if gone else schema,
        )

    return tuple(converted(record) for record in vitess_stream(transactions))


def _json(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()


def _framed(schema_id: int, body: bytes) -> bytes:
    return b"\x00" + schema_id.to_bytes(4, "big") + body


STREAMS: Mapping[str, Callable[[Sequence[tuple[str, Sequence[Change]]]], tuple[Record, ...]]] = {
    "open": open_stream,
    "open-marked": partial(open_stream, marked=True),
    "avro": avro_stream,
    "avro-watermark": watermark_stream,
    "avro-marked": partial(watermark_stream, marked=True),
    "vitess": vitess_stream,
    "vitess-avro": connect_avro_stream,
}
# A protocol whose streams have the shape of another's: Debezium's, whichever database it follows.
SHAPE_OF: Mapping[str, str] = {"debezium-mysql": "vitess"}
T1: tuple[str, Sequence[Change]] = ("t1", [("insert", 1), ("insert", 3), ("insert", 2)])
T2: tuple[str, Sequence[Change]] = ("t2", [("update", 1), ("delete", 2), ("insert", 9)])
CHANGES = st.tuples(st.sampled_from(["insert", "update", "delete"]), st.integers(1, 4))


@st.composite
def streams(draw: st.DrawFn, form: str) -> tuple[Record, ...]:
    """Draw a stream: t1, t2, and others between and behind them."""
    others = [
        (f"x{number}", changes)
        for number, changes in enumerate(
            draw(st.lists(st.lists(CHANGES, min_size=1, max_size=3), max_size=3))
        )
    ]
    cut = draw(st.integers(0, len(others)))
    return STREAMS[form]([T1, *others[:cut], T2, *others[cut:]])
