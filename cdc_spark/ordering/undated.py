"""Deletes without a time, in a stream whose resolved events say that a time is over.

TiCDC Avro with the watermark sends resolved events, DDL and dated rows; only its tombstones carry
no commit ts. A partition is in the order of commit ts, so a tombstone is no later than the next
thing in its partition that says when it was. It waits for that and takes its ts: never applied too
early, and before a DDL that follows it. Rows of one commit ts stay in the order of their partition,
because a tombstone may have taken the ts of a row that it follows.

Source: TiCDC Avro Protocol, §Value data format (a delete has no value); tiflow c7b2588
pkg/sink/codec/avro/avro.go (watermark messages), cdc/processor/sinkmanager (order by commit ts).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import orjson

from cdc_spark.events import Kind
from cdc_spark.ordering.columns import Block
from cdc_spark.ordering.hold import (
    Applied,
    Arrival,
    Hold,
    Source,
    arrival_of,
    arrivals_of,
    block_of_arrivals,
    fields_of,
)


@dataclass(slots=True)
class Undated:
    """A `Hold`, and before it the deletes of each partition that wait for a time."""

    hold: Hold
    waiting: dict[Source, list[Arrival]] = field(default_factory=dict[Source, list[Arrival]])

    @property
    def next_seq(self) -> int:
        """Return the number of the next change."""
        return self.hold.next_seq

    def step(self, arrivals: Iterable[Arrival]) -> list[Applied]:
        """Take what arrived, in the order of its partition, and return what is now in its place."""
        return self.hold.step(self._dated(arrivals))

    def take(self, arrived: Block) -> Block:
        """Do the same with columns."""
        return self.hold.take(block_of_arrivals(self._dated(arrivals_of(arrived))))

    def dump(self) -> bytes:
        """Return the state as bytes; `load` is the way back."""
        waiting = [fields_of(one) for held in self.waiting.values() for one in held]
        return orjson.dumps({"hold": self.hold.dump().decode(), "waiting": waiting})

    def load(self, state: bytes) -> None:
        """Take up the state that `dump` gave."""
        document = orjson.loads(state)
        self.hold.load(document["hold"].encode())
        self.waiting = {}
        for one in map(arrival_of, document["waiting"]):
            self.waiting.setdefault(one.source, []).append(one)

    def _dated(self, arrivals: Iterable[Arrival]) -> Iterator[Arrival]:
        for arrival in arrivals:
            event = arrival.event
            if event.kind is Kind.DELETE and not event.ts:
                self.waiting.setdefault(arrival.source, []).append(arrival)
                continue
            if event.ts:
                for held in self.waiting.pop(arrival.source, ()):
                    yield held._replace(event=held.event._replace(ts=event.ts))
            yield arrival
