"""The events that share a message.

A message is full when it holds `max-batch-size` events, or when one more would make it longer than
`max-message-bytes` with what Kafka adds. A DDL or resolved event is always alone.

Source: TiCDC codec notes §2.7; tiflow c7b2588 open_protocol_encoder.go:187, common/message.go:31
`MaxRecordOverhead`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, repeat

from harness.model.mounted import MountedRow
from harness.model.record import Origin, Record, bare_record
from harness.protocols.ticdc_open.settings import Settings
from harness.wire.framing import (
    VERSION_PREFIX,
    frame_each_key,
    frame_each_value,
    framed,
)

RECORD_OVERHEAD = 36
# Both lengths of an event; the first event also pays for the version.
EVENT_OVERHEAD = 16
SINGLE_OVERHEAD = RECORD_OVERHEAD + len(VERSION_PREFIX) + EVENT_OVERHEAD

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Written:
    """Rows as they go into messages: event keys, event values, and the bytes of both together."""

    rows: Sequence[MountedRow]
    keys: Sequence[bytes]
    values: Sequence[bytes]
    sizes: Sequence[int]
    origins: Sequence[Origin]

    def frames(self, begin: int, end: int) -> Frames:
        """Return some rows' keys and values behind their lengths, for batches to take."""
        return Frames(
            framed(self.keys[begin:end]),
            framed(self.values[begin:end]),
            self.sizes[begin:end],
            self.origins[begin:end],
        )

    def single_records(self, place: Place, begin: int, end: int) -> Iterator[Record]:
        """Return a message for each of these rows, which go to one place."""
        topic, partition = place
        return map(
            bare_record,
            repeat(topic),
            repeat(partition),
            frame_each_key(self.keys[begin:end]),
            frame_each_value(self.values[begin:end]),
            zip(self.origins[begin:end]),
        )

    def stretches(self) -> Iterator[tuple[Place, int, int]]:
        """Yield place, begin and end of rows in a row that go to one place."""
        count = len(self.rows)
        if not count:
            return
        first = self.rows[0]
        partitions = [row.partition for row in self.rows]
        topics = [row.topic for row in self.rows]
        if partitions.count(first.partition) == topics.count(first.topic) == count:
            yield (first.topic, first.partition), 0, count
            return
        begin = 0
        for place, stretch in groupby(zip(topics, partitions, strict=True)):
            end = begin + sum(1 for _ in stretch)
            yield place, begin, end
            begin = end


@dataclass(frozen=True, slots=True)
class Frames:
    """Rows as they are put into batches: row n has the parts 2n and 2n + 1 of keys and values."""

    keys: Sequence[bytes]
    values: Sequence[bytes]
    sizes: Sequence[int]
    origins: Sequence[Origin]


class Batch:
    """One message that is being filled."""

    __slots__ = ("_keys", "_length", "_origins", "_place", "_values")

    def __init__(self, place: Place) -> None:
        """Start empty, for a topic and a partition."""
        self._place = place
        self._keys: list[bytes] = [VERSION_PREFIX]
        self._values: list[bytes] = []
        self._origins: list[Origin] = []
        self._length = RECORD_OVERHEAD + len(VERSION_PREFIX)

    def take(self, frames: Frames, begin: int, end: int, settings: Settings) -> int:
        """Take as many of these rows as the message may hold; return where the rest begins.

        An empty message takes a row of any size: what is too large was dealt with before.
        """
        held = len(self._origins)
        end = min(end, begin + settings.max_batch_size - held)
        sizes, limit = frames.sizes, settings.max_message_bytes
        length = self._length + sum(sizes[begin:end]) + (end - begin) * EVENT_OVERHEAD
        while length > limit and end > begin + (held == 0):
            end -= 1
            length -= sizes[end] + EVENT_OVERHEAD
        self._keys += frames.keys[2 * begin : 2 * end]
        self._values += frames.values[2 * begin : 2 * end]
        self._origins += frames.origins[begin:end]
        self._length = length
        return end

    def record(self) -> Record:
        """Return the message."""
        topic, partition = self._place
        keys, values = b"".join(self._keys), b"".join(self._values)
        return bare_record(topic, partition, keys, values, tuple(self._origins))


def flush(batches: dict[Place, Batch], topic: str | None = None) -> Iterator[Record]:
    """Yield and forget the messages of a topic, or of all."""
    for place in sorted(batches):
        if topic is None or place[0] == topic:
            yield batches.pop(place).record()
