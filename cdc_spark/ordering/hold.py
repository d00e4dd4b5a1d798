"""Holds events until the resolved events of all partitions have passed them.

Rule 1. A partition's watermark is the greatest ts of its resolved events, which may go backwards;
        the global watermark is the smallest of all. A partition without one keeps all waiting.
Rule 2. An event is complete when its commit ts is at or below the global watermark (or strictly
        below, when the changefeed says so). Complete events are applied in the order of commit ts,
        then kind (deletes, upserts, DDL), then place (rows) or arrival (DDL, of which each
        partition has a copy); all others wait, at the end of the input too.
Rule 3. An event that was complete under the global watermark applied so far is a replay, and is
        dropped. An event merely below something seen already is not: its first copy may still be
        missing.
Rule 4. Of held events with one (commit ts, kind, identity) the first counts. Rows without identity
        are replays up to their own partition's watermark; beyond it each copy counts.
Rule 5. A poisoned partition is not read past its poison, so its watermark stays where it is, and
        with it everything that might depend on what is missing. Other partitions are read on.
        Where poison is set aside (`lenient`), the partition is read on too.
Rule 6. Where a delete may have taken the ts of a row that it follows (`by_place`), rows of one
        commit ts keep the order of their partition.

Sources: TiCDC Open Protocol (2020), §Constraints; tiflow c7b2588 cmd/kafka-consumer/writer.go:469.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from cdc_spark.events import Event, Kind

NEVER = -1


class Source(NamedTuple):
    """A partition: the topic's ordinal within the changefeed, and the partition's number."""

    topic: int
    partition: int


class Arrival(NamedTuple):
    """An event and where it stood."""

    event: Event
    source: Source
    offset: int


class Applied(NamedTuple):
    """An event in its place in the changefeed's timeline; `seq` is dense from 0."""

    seq: int
    arrival: Arrival


@dataclass(slots=True)
class Hold:
    """The state of one changefeed between micro-batches."""

    sources: tuple[Source, ...]
    inclusive: bool
    watermarks: dict[Source, int] = field(default_factory=dict[Source, int])
    applied_watermark: int = NEVER
    next_seq: int = 0
    held: list[Arrival] = field(default_factory=list[Arrival])
    poisoned: set[Source] = field(default_factory=set[Source])
    lenient: bool = False
    by_place: bool = False
    first: bool = True

    def step(self, arrivals: Iterable[Arrival]) -> list[Applied]:
        """Take what arrived, in the order of its partition, and return what is now in its place.

        An ERROR event is returned at once, in the place where the changefeed stands then; of
        several that hold buckets of one changefeed, the `first` returns it.
        """
        errors: list[Arrival] = []
        known = {_identity(held.event) for held in self.held if held.event.identity}
        for arrival in arrivals:
            if arrival.source in self.poisoned:
                continue
            event, source = arrival.event, arrival.source
            if event.kind is Kind.ERROR:
                if not self.lenient:
                    self.poisoned.add(source)
                if self.first:
                    errors.append(arrival)
            elif event.kind is Kind.RESOLVED:
                self.watermarks[source] = max(event.ts, self.watermarks.get(source, NEVER))
            elif not self._is_replay(event, source) and _identity(event) not in known:
                self.held.append(arrival)
                if event.identity:
                    known.add(_identity(event))
        return [self._place(arrival) for arrival in [*self._release(), *errors]]

    def at(self, event: Event) -> int:
        """Return the time at which an event that `step` has just returned takes effect."""
        return max(self.applied_watermark, 0) if event.kind is Kind.ERROR else event.ts

    def dump(self) -> bytes:
        """Return the state as bytes; `load` is the way back."""
        return orjson.dumps(
            {
                "watermarks": [
                    [*source, watermark] for source, watermark in self.watermarks.items()
                ],
                "applied": self.applied_watermark,
                "seq": self.next_seq,
                "poisoned": sorted([*source] for source in self.poisoned),
                "held": [fields_of(held) for held in self.held],
            }
        )

    def load(self, state: bytes) -> None:
        """Take up the state that `dump` gave."""
        document: dict[str, Any] = orjson.loads(state)
        self.watermarks = {
            Source(topic, number): watermark for topic, number, watermark in document["watermarks"]
        }
        self.applied_watermark = document["applied"]
        self.next_seq = document["seq"]
        self.poisoned = {Source(*source) for source in document["poisoned"]}
        self.held = [arrival_of(held) for held in document["held"]]

    def _is_replay(self, event: Event, source: Source) -> bool:
        own_watermark = NEVER if event.identity else self.watermarks.get(source, NEVER)
        return self._complete(event, max(self.applied_watermark, own_watermark))

    def _complete(self, event: Event, watermark: int) -> bool:
        return event.ts <= watermark if self.inclusive else event.ts < watermark

    def _release(self) -> list[Arrival]:
        watermark = min(self.watermarks.get(source, NEVER) for source in self.sources)
        if watermark <= self.applied_watermark:
            return []
        self.applied_watermark = watermark
        ready = [held for held in self.held if self._complete(held.event, watermark)]
        self.held = [held for held in self.held if not self._complete(held.event, watermark)]
        return sorted(ready, key=self._order)

    def _order(self, arrival: Arrival) -> tuple[int, int, Source, int]:
        """Return what an event's place depends on, which never is the cut of the micro-batches."""
        event = arrival.event
        if event.kind is Kind.DDL:  # any partition's copy may be the first, but all have one order
            return event.ts, event.kind, Source(0, 0), 0
        rank = Kind.DELETE if self.by_place else event.kind
        return event.ts, rank, arrival.source, arrival.offset

    def _place(self, arrival: Arrival) -> Applied:
        seq = self.next_seq
        self.next_seq += 1
        return Applied(seq, arrival)


def _identity(event: Event) -> tuple[int, int, str]:
    return event.ts, event.kind, event.identity


def fields_of(arrival: Arrival) -> list[Any]:
    """Return an arrival as JSON has it; `arrival_of` is the way back."""
    event = arrival.event
    return [
        int(event.kind),
        event.ts,
        event.schema,
        event.table,
        event.identity,
        event.payload,
        event.transaction,
        *arrival.source,
        arrival.offset,
    ]


def arrival_of(fields: list[Any]) -> Arrival:
    """Return the arrival that `fields_of` gave."""
    kind, *rest, topic, number, offset = fields
    return Arrival(Event(Kind(kind), *rest), Source(topic, number), offset)
