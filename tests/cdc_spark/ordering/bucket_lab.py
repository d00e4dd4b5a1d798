"""A changefeed over buckets in memory: what Spark does between the functions of executors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32

from cdc_spark import rows
from cdc_spark.events import Event, Kind
from cdc_spark.ordering.buckets import dealt
from cdc_spark.ordering.hold import Source
from cdc_spark.ordering.operators import Holder, Timeline

NAMES = list(rows.EVENT)
OUT = list(rows.RELEASED)


class Placed(NamedTuple):
    """An event and where it stood."""

    event: Event
    source: Source
    offset: int
    slot: int = 0


@dataclass
class Memory:
    """The state of one group, as Spark gives it to a function."""

    stored: bytes | None = None

    @property
    def exists(self) -> bool:
        """Return whether there is one."""
        return self.stored is not None

    @property
    def get(self) -> tuple[bytes | None]:
        """Return it."""
        return (self.stored,)

    def update(self, state: tuple[bytes]) -> None:
        """Keep it."""
        (self.stored,) = state


@dataclass
class BucketLab:
    """One changefeed with its buckets; a row of a key is dealt by any hash of what names it."""

    timeline: Timeline
    buckets: int
    topics: dict[str, int]
    states: dict[int, Memory] = field(default_factory=dict[int, Memory])

    def step(self, events: Iterable[Placed]) -> list[dict[str, Any]]:
        """Do a micro-batch; return what is released, bucket by bucket."""
        import pandas as pd  # noqa: PLC0415 - only where Spark is

        block = rows.batch_of(dict(list(rows.EVENT.items())[:-1]), [row_of(one) for one in events])
        groups: dict[int, list[tuple[Any, ...]]] = {}
        for row in rows.tuples(dealt(block, self.buckets)):
            bucket = row[-1]
            if bucket is None:
                bucket = crc32(repr((*row[7:9], row[9] or row[10])).encode()) % self.buckets
            groups.setdefault(bucket, []).append(row)
        holder = Holder({0: self.timeline}, self.topics, self.buckets)
        found: list[dict[str, Any]] = []
        for bucket, some in sorted(groups.items()):
            frame = pd.DataFrame(some, columns=pd.Index(NAMES), dtype=object)
            state = self.states.setdefault(bucket, Memory())
            for each in holder.step((0, bucket), iter([frame]), state):
                found += [dict(zip(OUT, one, strict=True)) for one in tuples(each)]
        return found

    def sizes(self) -> list[int]:
        """Return the sizes of the buckets' states."""
        return [len(one.stored or b"") for one in self.states.values()]


def tuples(frame: Any) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a data frame."""
    return zip(*(frame[name].tolist() for name in OUT), strict=True)


def row_of(one: Placed) -> tuple[Any, ...]:
    """Return an event as a row of shape `EVENT`, without its bucket."""
    event, source, offset, slot = one
    names = (event.schema, event.table, event.identity, event.payload, event.transaction)
    return (0, *source, offset, slot, int(event.kind), event.ts - (1 << 63), *names)


def order_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what `buckets.ORDER` orders a row by."""
    place = (row["topic"], row["partition"], row["offset"])
    if row["at"] is None:
        return (0, 0, place, row["seq"])
    as_it_came = row["kind"] in (Kind.DDL, Kind.ERROR)
    return (row["at"], row["kind"], (0, 0, 0) if as_it_came else place, row["seq"])
