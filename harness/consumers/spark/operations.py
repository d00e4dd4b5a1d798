"""What runs on the executors: messages -> events, and events of one changefeed -> what is applied.

Law: plain functions with their settings in them; Spark brings the rows and keeps the state. What is
wrong with a message becomes an event of its own changefeed, never an exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.consumers.spark import rows
from harness.consumers.spark.apply.hold import Applied, Arrival, Hold, Source
from harness.consumers.spark.job import Changefeed, Job
from harness.consumers.spark.open_protocol.columns import DIALECTS
from harness.consumers.spark.open_protocol.events import Event, Kind, decode
from harness.consumers.spark.untyped import ArrowBatch, PandasFrame, State
from harness.errors import DecodingError


@dataclass(frozen=True, slots=True)
class Route:
    """Where a topic's messages belong: changefeed and topic by ordinal, dialect, end offsets."""

    feed: int
    topic: int
    dialect: str
    end_offsets: tuple[int, ...]


def routes(job: Job) -> dict[str, Route]:
    """Return the route of every topic that is read."""
    return {
        topic.name: Route(feed, ordinal, changefeed.dialect, topic.end_offsets)
        for feed, changefeed in enumerate(job.changefeeds)
        if not changefeed.needs
        for ordinal, topic in enumerate(changefeed.topics)
    }


@dataclass(frozen=True, slots=True)
class Decoder:
    """Kafka messages (topic, partition, offset, key, value) -> rows of shape `EVENT`."""

    routes: Mapping[str, Route]

    def decode(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Decode Arrow batches, up to the end offsets."""
        for batch in batches:
            yield rows.batch_of(
                rows.EVENT,
                (event for message in rows.tuples(batch) for event in self._events(*message)),
            )

    def _events(
        self, topic: str, partition: int, offset: int, key: bytes | None, value: bytes | None
    ) -> Iterator[tuple[Any, ...]]:
        route = self.routes[topic]
        if offset >= route.end_offsets[partition]:
            return
        try:
            events = decode(DIALECTS[route.dialect], key, value)
        except DecodingError as error:
            events = [Event(Kind.ERROR, payload=error.what)]
        except Exception as error:  # noqa: BLE001 - our defect here must not harm the neighbours
            events = [Event(Kind.ERROR, payload=f"a defect of the consumer: {error!r}")]
        for slot, event in enumerate(events):
            yield (
                route.feed,
                route.topic,
                partition,
                offset,
                slot,
                int(event.kind),
                str(event.ts),
                event.schema,
                event.table,
                event.identity,
                event.payload,
            )


@dataclass(frozen=True, slots=True)
class Timeline:
    """What one changefeed's `Hold` starts from."""

    sources: tuple[Source, ...]
    inclusive: bool


def timelines(job: Job) -> dict[int, Timeline]:
    """Return the timeline of every changefeed that is read."""
    return {
        feed: _timeline(changefeed)
        for feed, changefeed in enumerate(job.changefeeds)
        if not changefeed.needs
    }


def _timeline(changefeed: Changefeed) -> Timeline:
    return Timeline(
        sources=tuple(
            Source(ordinal, number)
            for ordinal, topic in enumerate(changefeed.topics)
            for number in range(len(topic.end_offsets))
        ),
        inclusive=changefeed.inclusive,
    )


@dataclass(frozen=True, slots=True)
class Holder:
    """Events of one changefeed and micro-batch -> rows of shape `APPLIED`; the rest is state."""

    timelines: Mapping[int, Timeline]

    def step(
        self, key: tuple[Any, ...], frames: Iterator[PandasFrame], state: State
    ) -> Iterator[PandasFrame]:
        """Step the changefeed's `Hold`."""
        feed = int(key[0])
        timeline = self.timelines[feed]
        hold = Hold(timeline.sources, timeline.inclusive)
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
        if applied:
            yield rows.pandas_of(rows.APPLIED, [_row(feed, one) for one in applied])


def _position(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return topic, partition, offset and slot."""
    return row[:4]


def _arrival(row: tuple[Any, ...]) -> Arrival:
    topic, partition, offset, _, kind, ts, schema, table, identity, payload = row
    event = Event(Kind(kind), int(ts), schema, table, identity, payload)
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
