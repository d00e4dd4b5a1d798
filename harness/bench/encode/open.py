"""The Open Protocol encoder beside `orjson.dumps` over equal, prepared dictionaries.

The floor writes each event's key and value from dictionaries that hold just what the wire holds;
batches, records and their origins are ours alone. The row is as long as the one that TiCDC's
encoder was measured on (about 516 bytes an event).

Source of Go's figures: TiCDC codec notes §9, one core of a 2-core machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import orjson

from harness.bench.change_log import order
from harness.bench.encode.bound import bound_pass
from harness.bench.encode.load import Load
from harness.codecs.open.codec import BoundOpen, bind
from harness.ddl import Catalogue
from harness.errors import HarnessBug
from harness.model.change import Op
from harness.model.record import Origin
from harness.model.source_events import RowEvent
from harness.model.table import TableId
from harness.sources.tidb.mounter import source_table
from harness.wire.framing import unframe

EVENTS = 20_000
GOAL = 0.6
COMMIT_TS = 415508856908021766
TABLE = """
CREATE TABLE shop.orders (
  id BIGINT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, status TINYINT, buyer VARCHAR(40),
  email VARCHAR(80), price DECIMAL(12, 2), score DOUBLE, made DATETIME(6), day DATE, note TEXT
)
"""


def loads() -> Iterator[Load]:
    """Yield inserts one to a message, inserts in batches, and updates with the old row."""
    yield _load("one insert a message", rows_of(EVENTS), 1, (158_000, 203_000))
    yield _load("inserts, 16 a message", rows_of(EVENTS), 16, (167_000, 190_000))
    yield _load("updates with old row, 16 a message", updates(), 16, (102_000, 106_000))


def rows_of(count: int) -> Sequence[RowEvent]:
    """Return so many inserts into the table of the bench."""
    catalogue = Catalogue.with_schemas("shop").apply(TABLE).catalogue
    table = source_table(catalogue.table(TableId("shop", "orders")))
    return [
        RowEvent(
            op=Op.INSERT,
            table=table,
            before=None,
            after=order(number, number),
            commit_ts=COMMIT_TS + number // 4,
            topic="ticdc",
            partition=0,
            origin=Origin(1, 0, number, "insert"),
            row_id=1_000_000_007 + number,
        )
        for number in range(count)
    ]


def updates() -> Sequence[RowEvent]:
    """Return updates of two columns of the rows that `rows_of` makes."""
    return [
        RowEvent(
            op=Op.UPDATE,
            table=row.table,
            before=row.after,
            after=(*(row.after or ())[:2], 9, *(row.after or ())[3:9], "left at the door"),
            commit_ts=row.commit_ts,
            topic=row.topic,
            partition=row.partition,
            origin=row.origin,
            row_id=row.row_id,
        )
        for row in rows_of(EVENTS)
    ]


def _load(name: str, rows: Sequence[RowEvent], batch: int, go: tuple[int, int]) -> Load:
    wire = bind({"max-batch-size": batch}, "current")
    events = [
        part
        for record in wire.encode(rows)
        for pair in unframe(record.key or b"", record.value or b"")
        for part in pair
    ]
    documents: list[Any] = [orjson.loads(event) for event in events]
    if [orjson.dumps(document) for document in documents] != events:
        # Go and orjson differ in few things, none of which is in these rows.
        raise HarnessBug("the floor of the Open bench does not write what the encoder writes")
    floor = "orjson.dumps of key and of value"
    return Load(
        f"open: {name}",
        floor,
        len(rows),
        _floor(documents),
        _ours(wire, rows),
        GOAL,
        go,
        bound_pass(events[::2], events[1::2]),
    )


def _floor(documents: Sequence[Any]) -> Callable[[], int]:
    def write() -> int:
        return sum(len(orjson.dumps(document)) for document in documents)

    return write


def _ours(wire: BoundOpen, rows: Sequence[RowEvent]) -> Callable[[], int]:
    def write() -> int:
        return sum(
            len(record.key or b"") + len(record.value or b"") for record in wire.encode(rows)
        )

    return write
