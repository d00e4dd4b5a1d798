"""Promises of rows that are netted where they are decoded: what takes effect is the same."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdc_spark import rows
from cdc_spark.conformance.in_memory import row_of
from cdc_spark.events import Kind
from cdc_spark.ordering.netting import netted
from cdc_spark.ordering.operators import Timeline
from cdc_spark.untyped import ArrowBatch
from tests.cdc_spark.ordering.bucket_lab import BucketLab, Placed
from tests.cdc_spark.ordering.test_logged import (
    HUGE,
    MANY,
    TOPICS,
    deliveries,
    effects,
    row,
    timeline,
)

pytestmark = pytest.mark.spark  # rows in buckets are pandas'

SHAPE = {name: kind for name, kind in rows.EVENT.items() if name != "bucket"}


def left(events: list[Placed]) -> list[Placed]:
    """Return the events of a batch that netting leaves."""
    batch: ArrowBatch = rows.batch_of(SHAPE, [row_of(*one) for one in events])
    places = {tuple(one[1:4]) for one in rows.tuples(netted(batch))}
    return [one for one in events if (*one.source, one.offset) in places]


def cut(events: list[Placed], chance: Random) -> list[list[Placed]]:
    """Return the batches in which a micro-batch is decoded."""
    events = sorted(events, key=lambda one: (*one.source, one.offset))
    ends = sorted(chance.choices(range(len(events) + 1), k=2))
    return [events[: ends[0]], events[ends[0] : ends[1]], events[ends[1] :]]


@settings(deadline=None)
@given(
    batches=deliveries(),
    lenient=st.booleans(),
    protocol=st.sampled_from(["vitess", "debezium-mysql", "avro"]),
    shapes=st.sampled_from(["", "a", "aaab"]),
    chance=st.randoms(use_true_random=False),
)
def test_what_takes_effect_is_the_same(
    *, batches: list[list[Placed]], lenient: bool, protocol: str, shapes: str, chance: Random
) -> None:
    """To the last byte, wherever batches are cut, with repeats, deletions, tombstones, poison."""
    if shapes:
        batches = [[shaped(one, chance.choice(shapes)) for one in batch] for batch in batches]
    if protocol == "avro":
        batches = [[dated(one, chance) for one in batch] for batch in batches]
    early, late = (BucketLab(own(protocol, lenient=lenient), MANY, {}) for _ in range(2))
    for batch in batches:
        sent = [one for some in cut(batch, chance) if some for one in left(some)]
        assert effects(early, sent) == effects(late, batch)


def own(protocol: str, *, lenient: bool) -> Timeline:
    """Return the timeline of a stream that may be netted where it is decoded."""
    found = timeline(protocol, lenient=lenient, net=True)
    assert found.nets_early
    return found


def dated(one: Placed, chance: Random) -> Placed:
    """Return a row of Avro's, which has a commit ts or none."""
    kind = Kind.DELETE if one.event.kind is Kind.TOMBSTONE else one.event.kind
    ts = chance.choice([0, *range(1, 9)])
    return one._replace(event=one.event._replace(kind=kind, ts=ts, transaction=""))


def shaped(one: Placed, name: str) -> Placed:
    """Return a row that brings its table's shape along; a delete has none."""
    if one.event.kind is not Kind.UPSERT:
        return one
    payload = f'{one.event.payload[:-1]},"shape":[["{name}","int"]]}}'
    return one._replace(event=one.event._replace(payload=payload))


def test_only_what_is_sure_to_be_replaced_stays_behind() -> None:
    """By a row that is not older; a lower rank replaces nothing, of whatever size ranks are."""
    risen = [row(1, 7, 0), row(1, HUGE, 1), row(2, 3, 0), row(1, HUGE + 1, 2, Kind.DELETE)]
    assert left(risen) == risen[2:]
    fallen = [row(1, HUGE, 0), row(1, 7, 1)]
    assert left(fallen) == fallen
    lab = BucketLab(own("vitess", lenient=True), MANY, TOPICS)
    assert len(effects(lab, left(risen))) == 2
