"""What runs on the executors: numbers of generator partitions in, Arrow batches out.

Memory is bounded by the window of each partition that a task has and by one batch, whatever
the number of events. A task that has several partitions moves them on together, so that what it
writes is of one time all over, and nobody who holds rows for the slowest partition waits long.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa

from harness.load.encoding import Encoding, Stream
from harness.load.spec import Spec
from harness.load.surviving_tables import row_projection
from harness.load.workload import Partition
from harness.model.record import Record
from harness.model.values import Row

RECORDS = 1000  # of a batch at most, and of a partition in a row
PACED_S = 0.25  # how much of a second's records go out at once under a pace
ROWS = 4000

MESSAGE = (
    "topic string, partition int, key binary, value binary, "
    "headers array<struct<key: string, value: binary>>"
)
LEFT = "table string, values array<string>"
_HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
_MESSAGE: Any = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", _HEADERS),
    ]
)
_LEFT: Any = pa.schema([("table", pa.string()), ("values", pa.list_(pa.string()))])
Batches = Iterator[Any]  # of pyarrow.RecordBatch, whose types are not known


@dataclass(frozen=True, slots=True)
class Writer:
    """Makes the messages of partitions; `rate` is events a second of one task, None unpaced."""

    encoding: Encoding
    rate: float | None = None

    def messages(self, batches: Batches) -> Batches:
        """Yield the messages of the partitions that a task was given."""
        numbers = _numbers(batches)
        streams = [self.encoding.stream(number) for number in numbers]
        most = RECORDS
        if self.rate is not None:
            most = max(1, min(RECORDS, int(self.rate * PACED_S)))
        pace = _Pace(self.rate, time.monotonic, time.sleep)
        running = [(stream, stream.records()) for stream in streams]
        while running:
            behind = min(running, key=_slice)
            records = list(islice(behind[1], most))
            if len(records) < most:
                running.remove(behind)
            pace.wait(sum(stream.events for stream in streams))
            if records:
                yield _messages(records)


@dataclass(frozen=True, slots=True)
class Leaver:
    """Makes the rows that survive the workload, as far as the wire carries them."""

    spec: Spec

    def rows(self, batches: Batches) -> Batches:
        """Yield table and values, as text, of each row that partitions leave."""
        for number in _numbers(batches):
            yield from self._of(number)

    def _of(self, number: int) -> Batches:
        found: list[tuple[int, Row]] = []
        project = row_projection(self.spec)

        def left(table: int, row: Row) -> None:
            found.append((table, row))

        for _ in Partition(self.spec, number, left).events():
            if len(found) >= ROWS:
                yield _left(map(project, found))
                found.clear()
        yield _left(map(project, found))


def _numbers(batches: Batches) -> list[int]:
    return [number for batch in batches for number in batch.column(0).to_pylist()]


def _slice(running: tuple[Stream, object]) -> int:
    return running[0].slice


def _messages(records: list[Record]) -> Any:  # noqa: ANN401
    return pa.RecordBatch.from_arrays(
        [
            pa.array([one.topic for one in records], pa.string()),
            pa.array([one.partition for one in records], pa.int32()),
            pa.array([one.key for one in records], pa.binary()),
            pa.array([one.value for one in records], pa.binary()),
            pa.array([one.headers or None for one in records], _HEADERS),
        ],
        schema=_MESSAGE,
    )


def _left(rows: Iterator[tuple[str, list[str | None]] | None]) -> Any:  # noqa: ANN401
    visible = [row for row in rows if row is not None]
    names, values = [row[0] for row in visible], [row[1] for row in visible]
    arrays = [pa.array(names, pa.string()), pa.array(values, pa.list_(pa.string()))]
    return pa.RecordBatch.from_arrays(arrays, schema=_LEFT)


class _Pace:
    """Lets no more events through than a rate allows, counted from the first."""

    def __init__(
        self, rate: float | None, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._sleep = sleep
        self._began = clock()

    def wait(self, events: int) -> None:
        if self._rate is None:
            return
        due = self._began + events / self._rate - self._clock()
        if due > 0:
            self._sleep(due)
