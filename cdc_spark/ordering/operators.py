"""What runs on the executors: messages -> events, and events of one changefeed -> what is applied.

Plain functions with their settings in them; Spark brings the rows and keeps the state. What is
wrong with a message becomes an event of its own changefeed, never an exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cdc_spark import rows
from cdc_spark.events import Event, Kind
from cdc_spark.gc_pause import gc_paused
from cdc_spark.ordering.arrivals import Arrivals
from cdc_spark.ordering.hold import Applied, Arrival, Hold, Source
from cdc_spark.ordering.transactions import Transactions
from cdc_spark.ordering.undated import Undated
from cdc_spark.protocols import Language, Reader
from cdc_spark.untyped import ArrowBatch, Column, PandasFrame, State, np, pa
from cdc_spark.vectorised import blocks
from cdc_spark.vectorised.reader import Numbers

Room = Hold | Undated | Arrivals | Transactions


@dataclass(frozen=True, slots=True)
class Route:
    """Where a topic's messages belong: changefeed and topic by ordinal, and its end offsets.

    `language` says how to read them.
    """

    feed: int
    topic: int
    language: Language
    end_offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Decoder:
    """Kafka messages (topic, partition, offset, key, value) -> rows of shape `EVENT`."""

    routes: Mapping[str, Route]

    def decode(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Decode Arrow batches, up to the end offsets."""
        readers: dict[str, Reader] = {}
        for batch in batches:
            with gc_paused():
                decoded = self._decoded(readers, batch)
            yield decoded

    def _decoded(self, readers: dict[str, Reader], batch: ArrowBatch) -> ArrowBatch:
        found = [rows.batch_of(rows.EVENT, ())]
        for topic, numbers in _by_topic(batch["topic"]):
            route = self.routes[topic]
            some = pa.array(numbers)
            partitions, offsets = (
                batch[name].take(some).to_numpy() for name in ("partition", "offset")
            )
            wanted = numbers[offsets < np.array(route.end_offsets)[partitions]]
            reader = readers.get(topic)
            if reader is None:
                reader = readers[topic] = Reader.of(route.language, payloads=True)
            found.append(_event_rows(route, batch, reader.read(batch, wanted)))
        return pa.concat_batches(found)


def _by_topic(topics: Column) -> Iterator[tuple[str, Numbers]]:
    """Yield each topic with the numbers of its messages."""
    if not len(topics):
        return
    named = topics.dictionary_encode()
    which = named.indices.to_numpy()
    numbers = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(named.dictionary)))
    yield from zip(named.dictionary.to_pylist(), np.split(numbers, ends[:-1]), strict=True)


def _event_rows(route: Route, messages: ArrowBatch, block: ArrowBatch) -> ArrowBatch:
    """Return events as rows of shape `EVENT`."""
    numbers, slots = blocks.places(block)
    columns = {
        "feed": pa.repeat(pa.scalar(route.feed, pa.int32()), len(numbers)),
        "topic": pa.repeat(pa.scalar(route.topic, pa.int32()), len(numbers)),
        "partition": messages["partition"].take(numbers),
        "offset": messages["offset"].take(numbers),
        "slot": slots,
        **{name: block[name] for name in ("kind", "schema", "table", "identity", "payload")},
        "ts": block["ts"].cast(pa.string()),
        "transaction": block["transaction"],
    }
    return pa.RecordBatch.from_arrays(
        [columns[name] for name in rows.EVENT], names=list(rows.EVENT)
    )


@dataclass(frozen=True, slots=True)
class Timeline:
    """What one changefeed's waiting room starts from."""

    protocol: str
    sources: tuple[Source, ...]
    inclusive: bool
    by_record: bool
    assembled: bool
    lenient: bool

    def room(self) -> Room:
        """Return an empty waiting room, of the kind that the changefeed's events allow."""
        if not self.by_record:
            hold = Hold(self.sources, self.inclusive, lenient=self.lenient)
            if self.protocol != "avro":
                return hold
            hold.by_place = True
            return Undated(hold)
        if self.protocol == "vitess":
            return Transactions(assembled=self.assembled, lenient=self.lenient)
        return Arrivals(lenient=self.lenient)


@dataclass(frozen=True, slots=True)
class Holder:
    """Events of one changefeed and micro-batch -> rows of shape `APPLIED`; the rest is state."""

    timelines: Mapping[int, Timeline]

    def step(
        self, key: tuple[Any, ...], frames: Iterator[PandasFrame], state: State
    ) -> Iterator[PandasFrame]:
        """Step the changefeed's waiting room."""
        feed = int(key[0])
        with gc_paused():
            frame = self._stepped(feed, frames, state)
        if frame is not None:
            yield frame

    def _stepped(
        self, feed: int, frames: Iterator[PandasFrame], state: State
    ) -> PandasFrame | None:
        hold = self.timelines[feed].room()
        if state.exists:
            hold.load(state.get[0])
        columns = list(rows.EVENT)[1:]
        arrivals = [
            row
            for frame in frames
            for row in zip(*(frame[name].tolist() for name in columns), strict=True)
        ]
        arrivals.sort(key=_position)
        applied = hold.step(_arrival(row) for row in arrivals)
        state.update((hold.dump(),))
        return (
            rows.pandas_of(rows.APPLIED, [_row(feed, one) for one in applied]) if applied else None
        )


def _position(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return topic, partition, offset and slot."""
    return row[:4]


def _arrival(row: tuple[Any, ...]) -> Arrival:
    topic, partition, offset, _, kind, ts, schema, table, identity, payload, transaction = row
    event = Event(Kind(kind), int(ts), schema, table, identity, payload, transaction)
    return Arrival(event, Source(topic, partition), offset)


def _row(feed: int, applied: Applied) -> tuple[Any, ...]:
    event, place, offset = applied.arrival
    return (
        feed,
        applied.seq,
        int(event.kind),
        str(event.ts),
        event.schema,
        event.table,
        event.payload,
        place.topic,
        place.partition,
        offset,
    )
