"""The events that share a message.

A message is full when it holds `max-batch-size` events, or when one more would make it longer than
`max-message-bytes` with what Kafka adds. A DDL or resolved event is always alone.

Source: TiCDC codec notes §2.7; tiflow c7b2588 open_protocol_encoder.go:187, common/message.go:31
`MaxRecordOverhead`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Protocol

from harness.codecs.open.settings import OpenSettings
from harness.codecs.ticdc.settings import RECORD_OVERHEAD
from harness.model.record import Origin, Record, bare_record
from harness.model.source_events import RowEvent
from harness.wire.framing import (
    VERSION_PREFIX,
    frame_each_key,
    frame_each_value,
    framed,
)

# Both lengths of an event; the first event also pays for the version.
EVENT_OVERHEAD = 16
SINGLE_OVERHEAD = RECORD_OVERHEAD + len(VERSION_PREFIX) + EVENT_OVERHEAD

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Rows as they go into messages: event keys, event values, and the bytes of both together."""

    rows: Sequence[RowEvent]
    keys: Sequence[bytes]
    values: Sequence[bytes]
    sizes: Sequence[int]

    def at(self, order: Sequence[int]) -> EncodedRows:
        """Return the rows in another order."""
        return EncodedRows(
            [self.rows[n] for n in order],
            [self.keys[n] for n in order],
            [self.values[n] for n in order],
            [self.sizes[n] for n in order],
        )


class OpenMessages(Protocol):
    """The messages of a changefeed that may still grow, or wait as if they might."""

    def add(self, written: EncodedRows) -> Sequence[Record]:
        """Take rows; return the messages that they push out, in order."""
        ...

    def close(self, place: Place) -> Sequence[Record]:
        """Return and forget the message of a place, if there is one."""
        ...

    def flush(self, topic: str | None = None) -> Sequence[Record]:
        """Return and forget the messages of a topic, or of all, by place."""
        ...


class Singles:
    """A message for each row; it waits for the next, so that each batch size has the same order."""

    def __init__(self) -> None:
        """Start without a message."""
        self._waiting: dict[Place, Record] = {}

    def add(self, written: EncodedRows) -> Sequence[Record]:
        """Take rows; return the messages that they push out."""
        rows, waiting = written.rows, self._waiting
        topics = [row.topic for row in rows]
        partitions = [row.partition for row in rows]
        records = map(
            bare_record,
            topics,
            partitions,
            frame_each_key(written.keys),
            frame_each_value(written.values),
            zip([row.origin for row in rows]),
        )
        places = [*zip(topics, partitions, strict=True)]
        out: list[Record] = []
        if len(set(places)) == 1:
            # Each pushes out the one before it.
            out = [*self.close(places[0]), *records]
            waiting[places[0]] = out.pop()
            return out
        for place, record in zip(places, records, strict=True):
            if place in waiting:
                out.append(waiting[place])
            waiting[place] = record
        return out

    def close(self, place: Place) -> Sequence[Record]:
        """Return and forget the message of a place."""
        record = self._waiting.pop(place, None)
        return () if record is None else (record,)

    def flush(self, topic: str | None = None) -> Sequence[Record]:
        """Return and forget the messages of a topic, or of all."""
        places = sorted(place for place in self._waiting if topic in (None, place[0]))
        return [self._waiting.pop(place) for place in places]


class Batches:
    """Several rows to a message."""

    def __init__(self, settings: OpenSettings) -> None:
        """Take what limits a message."""
        self._settings = settings
        self._open: dict[Place, MessageBatch] = {}

    def add(self, written: EncodedRows) -> Sequence[Record]:
        """Take rows; return the messages that they push out.

        Rows are taken place by place, many at once; a message's turn is that of the row that finds
        it full.
        """
        rows = written.rows
        places = [(row.topic, row.partition) for row in rows]
        if len(set(places)) == 1:
            order: Sequence[int] = range(len(rows))
        else:
            order = sorted(range(len(rows)), key=places.__getitem__)
            written = written.at(order)
        frames = FramedRows(
            framed(written.keys),
            framed(written.values),
            written.sizes,
            [row.origin for row in written.rows],
        )
        full: list[tuple[int, Record]] = []
        begin = 0
        for place, stretch in groupby([places[n] for n in order]):
            end = begin + sum(1 for _ in stretch)
            for at, record in self._filled(place, frames, begin, end):
                full.append((order[at], record))
            begin = end
        full.sort(key=itemgetter(0))
        return [record for _, record in full]

    def _filled(
        self, place: Place, frames: FramedRows, begin: int, end: int
    ) -> Iterator[tuple[int, Record]]:
        """Yield the messages that these rows of a place fill, each with the first row too many."""
        batch = self._open.setdefault(place, MessageBatch(place))
        while (taken := batch.take(frames, begin, end, self._settings)) < end:
            yield taken, batch.record()
            batch = self._open[place] = MessageBatch(place)
            begin = taken

    def close(self, place: Place) -> Sequence[Record]:
        """Return and forget the message of a place."""
        batch = self._open.pop(place, None)
        return () if batch is None else (batch.record(),)

    def flush(self, topic: str | None = None) -> Sequence[Record]:
        """Return and forget the messages of a topic, or of all."""
        places = sorted(place for place in self._open if topic in (None, place[0]))
        return [self._open.pop(place).record() for place in places]


@dataclass(frozen=True, slots=True)
class FramedRows:
    """Rows as they are put into batches: row n has the parts 2n and 2n + 1 of keys and values."""

    keys: Sequence[bytes]
    values: Sequence[bytes]
    sizes: Sequence[int]
    origins: Sequence[Origin]


class MessageBatch:
    """One message that is being filled."""

    __slots__ = ("_keys", "_length", "_origins", "_place", "_values")

    def __init__(self, place: Place) -> None:
        """Start empty, for a topic and a partition."""
        self._place = place
        self._keys: list[bytes] = [VERSION_PREFIX]
        self._values: list[bytes] = []
        self._origins: list[Origin] = []
        self._length = RECORD_OVERHEAD + len(VERSION_PREFIX)

    def take(self, frames: FramedRows, begin: int, end: int, settings: OpenSettings) -> int:
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
