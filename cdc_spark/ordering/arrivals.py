"""Rows are applied as they arrive, where nothing promises that a time is over.

Rule 1. All changes of a key come in one partition, in order, so arrival is the order.
Rule 2. A stream that is sent again brings older versions back. Where rows carry their commit ts,
        one below the greatest that its key has seen is a replay and is dropped. A delete may carry
        none (TiCDC Avro's tombstone): it takes effect, and the greatest is kept across it.
Rule 3. A poisoned partition is not read past its poison, unless poison is set aside.
Rule 4. What is no row (DDL for information, resolved events) takes no effect.

Source: TiCDC Avro Protocol, §TiDB extension fields; Apache Kafka, §Main Concepts and Terminology.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from cdc_spark.events import Kind
from cdc_spark.ordering.hold import Applied, Arrival, Source

ROWS = frozenset({Kind.DELETE, Kind.UPSERT})


@dataclass(slots=True)
class Arrivals:
    """The state of one bucket of a changefeed between micro-batches: what its keys have seen.

    An ERROR event goes to all buckets; the `first` lets it take effect.
    """

    lenient: bool = False
    greatest: dict[str, int] = field(default_factory=dict[str, int])
    next_seq: int = 0
    poisoned: set[Source] = field(default_factory=set[Source])
    first: bool = True

    def step(self, arrivals: Iterable[Arrival]) -> list[Applied]:
        """Take what arrived, in the order of its partition, and return what takes effect."""
        applied: list[Applied] = []
        for arrival in arrivals:
            if self._takes_effect(arrival):
                applied.append(Applied(self.next_seq, arrival))
                self.next_seq += 1
        return applied

    def dump(self) -> bytes:
        """Return the state as bytes; `load` is the way back."""
        poisoned = sorted([*source] for source in self.poisoned)
        return orjson.dumps({"greatest": self.greatest, "seq": self.next_seq, "poisoned": poisoned})

    def load(self, state: bytes) -> None:
        """Take up the state that `dump` gave."""
        document: dict[str, Any] = orjson.loads(state)
        self.greatest = document["greatest"]
        self.next_seq = document["seq"]
        self.poisoned = {Source(*source) for source in document["poisoned"]}

    def _takes_effect(self, arrival: Arrival) -> bool:
        event = arrival.event
        if arrival.source in self.poisoned:
            return False
        if event.kind is Kind.ERROR:
            if not self.lenient:
                self.poisoned.add(arrival.source)
            return self.first
        if event.kind not in ROWS:
            return False
        if event.ts and event.identity:
            if event.ts < self.greatest.get(event.identity, 0):
                return False
            self.greatest[event.identity] = event.ts
        return True
