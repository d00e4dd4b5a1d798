"""What a state says of its changefeed, for people: watermarks, what is held, what is remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import orjson

from cdc_spark.events import Kind
from cdc_spark.ordering.hold import arrival_of
from cdc_spark.ordering.topics_of_state import parts_of


class PartitionState(NamedTuple):
    """What a state has of a partition: its watermark, where there is one, and the rows it holds."""

    watermark: int | None
    held: int


class StateSummary(NamedTuple):
    """What a state has: how many changes took effect, the watermark, and what it keeps.

    `oldest` is the least commit ts that is held, `waiting` the number of open transactions,
    `remembered` that of keys whose greatest version is known.
    """

    seq: int
    watermark: int | None
    partitions: dict[tuple[str, int], PartitionState]
    oldest: int | None = None
    waiting: int = 0
    remembered: int = 0


def together(states: Sequence[StateSummary]) -> StateSummary:
    """Return what the states of all buckets say; all of them have the same watermarks."""
    first = states[0]
    places = {place: one.watermark for state in states for place, one in state.partitions.items()}
    held = Counter[tuple[str, int]]()
    for state in states:
        held.update({place: one.held for place, one in state.partitions.items()})
    return StateSummary(
        sum(state.seq for state in states),
        first.watermark,
        {place: PartitionState(mark, held[place]) for place, mark in places.items()},
        min((state.oldest for state in states if state.oldest is not None), default=None),
        sum(state.waiting for state in states),
        sum(state.remembered for state in states),
    )


def summary(stored: bytes) -> StateSummary:
    """Return what a state says that `topics_of_state.sealed` gave."""
    topics, _, state = parts_of(stored)
    names = [name for name, _ in topics]
    document: dict[str, Any] = orjson.loads(state.partition(b"\n")[0])
    held: list[Any] = []
    if "hold" in document:  # ordering.undated
        held = document["waiting"]
        document = orjson.loads(document["hold"])
    if "watermarks" in document:  # ordering.hold
        return _of_hold(document, held, topics)
    if "remembered" in document:  # ordering.logged
        return StateSummary(document["seq"], None, {}, remembered=document["remembered"])
    if "greatest" in document:  # ordering.arrivals
        return StateSummary(document["seq"], None, {}, remembered=document["greatest"])
    rows = [row for waiting, *_ in document["waiting"].values() for *_, row in waiting]
    by_place = _by_place(rows, names)
    return StateSummary(
        document["seq"],
        None,
        {place: PartitionState(None, number) for place, number in by_place.items()},
        waiting=len(document["waiting"]),
        remembered=len(document["ages"]) + len(document["done"]),
    )


def _of_hold(
    document: dict[str, Any], held: list[Any], topics: Sequence[tuple[str, int]]
) -> StateSummary:
    names = [name for name, _ in topics]
    columns: dict[str, list[Any]] = document["held"]
    # DDL is held in every bucket: it is no row.
    waiting: list[tuple[str, int, int]] = [
        (names[topic], number, ts)
        for topic, number, kind, ts in zip(
            *(columns[name] for name in ("topic", "partition", "kind", "ts")), strict=True
        )
        if kind != Kind.DDL
    ]
    numbers = _by_place(held, names)
    numbers.update((topic, number) for topic, number, _ in waiting)
    watermarks: list[tuple[int, int, int | None]] = document["watermarks"]
    marks = {(names[topic], number): mark for topic, number, mark in watermarks}
    places = [(name, number) for name, partitions in topics for number in range(partitions)]
    places += [place for place in marks if place not in places]  # those that joined
    times = [ts for *_, ts in waiting]
    applied: int = document["applied"]
    return StateSummary(
        document["seq"],
        applied if applied >= 0 else None,
        {place: PartitionState(marks.get(place), numbers[place]) for place in places},
        oldest=min(times, default=None),
    )


def _by_place(rows: Iterable[Any], names: Sequence[str]) -> Counter[tuple[str, int]]:
    """Return how many rows of each partition there are; their fields are `hold.fields_of`."""
    sources = (arrival_of(row).source for row in rows)
    return Counter((names[source.topic], source.partition) for source in sources)
