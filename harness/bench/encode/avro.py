"""TiCDC Avro beside its floor: the bare library writing equal, prepared values.

The floor writes values alone; keys, frames, records and their origins are ours alone. The row is as
long as the one that TiCDC's encoder was measured on (about 155 bytes an event).

Source of Go's figures: TiCDC codec notes §9, one core of a 2-core machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from io import BytesIO
from typing import Any

from fastavro import (
    parse_schema,
    schemaless_writer,  # pyright: ignore[reportUnknownVariableType]
)

from harness.bench.encode.load import Load
from harness.codecs.avro.encode import AvroEncoder
from harness.codecs.avro.schema import value_schema
from harness.codecs.avro.settings import AvroSettings, settings
from harness.ddl import Catalogue
from harness.errors import HarnessBug
from harness.model.change import Op
from harness.model.record import Origin
from harness.model.source_events import RowEvent
from harness.model.values import Row
from harness.sources.tidb.mounter import source_table
from harness.wire.confluent import HEADER_SIZE
from harness.wire.registry import MemoryRegistry

EVENTS = 20_000
GOAL = 1.0
MEMBERS = ("new", "paid", "sent")
TABLE = """
CREATE TABLE bench.t (
    id BIGINT PRIMARY KEY, name VARCHAR(64), qty INT NOT NULL, price DECIMAL(12, 2),
    ratio DOUBLE, state ENUM('new', 'paid', 'sent'), at DATETIME(3), note TEXT, raw VARBINARY(32),
    big BIGINT UNSIGNED
)
"""
EXTENSION = {"enable-tidb-extension": True}


def loads() -> tuple[Load, ...]:
    """Return the loads: inserts of ten columns, without and with the extension."""
    return (
        _load("avro: inserts", {}, (149_000, 157_000)),
        _load("avro: inserts with the extension", EXTENSION, (149_000, 153_000)),
    )


def _load(name: str, values: dict[str, bool], go: tuple[int, int]) -> Load:
    bound = settings(values, "current")
    rows = _rows()
    schema = value_schema(rows[0].table.table, rows[0].table.emitted, bound)
    parsed: Any = parse_schema(json.loads(schema.text))
    names = [field.column.name for field in schema.fields]
    prepared = [_prepared(dict(zip(names, row.after or (), strict=True)), row) for row in rows]
    records = AvroEncoder(bound, MemoryRegistry()).encode(rows)
    for value, record in zip(prepared, records, strict=True):
        if _written(parsed, value) != (record.value or b"")[HEADER_SIZE:]:
            raise HarnessBug("the floor of the Avro bench does not write what the encoder writes")
    floor = "fastavro.schemaless_writer of the value"
    return Load(name, floor, EVENTS, _floor(prepared, parsed), _ours(rows, bound), GOAL, go)


def _written(parsed: Any, value: dict[str, Any]) -> bytes:  # noqa: ANN401  (the library's own)
    out = BytesIO()
    schemaless_writer(out, parsed, value)
    return out.getvalue()


def _rows() -> list[RowEvent]:
    catalogue = Catalogue.with_schemas("bench").apply(TABLE).catalogue
    found = catalogue.find("bench", "t")
    assert found is not None
    table = source_table(found)
    origin = Origin(1, 0, 0, "insert")
    return [
        RowEvent(Op.INSERT, table, None, _row(n), 415508856908021767 + n // 16, "t", 0, origin, n)
        for n in range(EVENTS)
    ]


def _row(n: int) -> Row:
    return (
        1_000_000 + n,
        f"customer number {n}",
        n % 500,
        f"{n}.{n % 100:02}",
        n / 7,
        n % 3 + 1,
        f"2026-08-20 12:{n // 60 % 60:02}:{n % 60:02}.{n % 1000:03}",
        "a note of some forty characters, or more",
        n.to_bytes(16, "big"),
        2**40 + n,
    )


def _ours(rows: list[RowEvent], bound: AvroSettings) -> Callable[[], int]:
    def run() -> int:
        encoder = AvroEncoder(bound, MemoryRegistry())
        return sum(len(record.value or b"") for record in encoder.encode(rows))

    return run


def _floor(values: list[dict[str, Any]], parsed: Any) -> Callable[[], int]:  # noqa: ANN401
    def run() -> int:
        return sum(len(_written(parsed, value)) for value in values)

    return run


def _prepared(values: dict[str, Any], row: RowEvent) -> dict[str, Any]:
    """Return what the library takes: names of members and decimals as numbers, made beforehand."""
    values["price"] = Decimal(values["price"])
    values["state"] = MEMBERS[values["state"] - 1]
    extension = {
        "_tidb_op": "c",
        "_tidb_commit_ts": row.commit_ts,
        "_tidb_commit_physical_time": row.commit_ts >> 18,
    }
    return values | extension
