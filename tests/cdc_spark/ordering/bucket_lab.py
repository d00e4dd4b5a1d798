"""A changefeed over buckets in memory: what Spark does between the functions of executors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cdc_spark.conformance.in_memory import Kept, Rooms, effect_of, row_of
from cdc_spark.events import Event
from cdc_spark.ordering.hold import Source
from cdc_spark.ordering.operators import Timeline

order_of = effect_of


class Placed(NamedTuple):
    """An event and where it stood."""

    event: Event
    source: Source
    offset: int
    slot: int = 0


@dataclass
class BucketLab:
    """One changefeed with its buckets."""

    timeline: Timeline
    buckets: int
    topics: dict[str, int]
    states: dict[int, Kept] = field(default_factory=dict[int, Kept])

    def step(self, events: Iterable[Placed]) -> list[dict[str, Any]]:
        """Do a micro-batch; return what is released, bucket by bucket."""
        rooms = Rooms(self.timeline, self.buckets, self.topics, self.states)
        return rooms.step(row_of(*one) for one in events)

    def sizes(self) -> list[int]:
        """Return the sizes of the buckets' states."""
        return [len(one.stored or b"") for one in self.states.values()]
