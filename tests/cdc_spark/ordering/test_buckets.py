"""Promises of buckets: one timeline whatever their number, and a state that stays small."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark import Changefeed
from cdc_spark.errors import UsageError
from cdc_spark.events import Event, Kind
from cdc_spark.ordering.hold import Source
from cdc_spark.ordering.operators import Timeline
from tests.cdc_spark.ordering.bucket_lab import BucketLab, Placed, order_of

pytestmark = pytest.mark.spark

SOURCES = (Source(0, 0), Source(0, 1))
TOPICS = {"t": 2}
OPEN = Timeline("open", SOURCES, inclusive=True, by_record=False, assembled=False, lenient=True)
AVRO = Timeline("avro", SOURCES, inclusive=True, by_record=True, assembled=False, lenient=True)
# Partition, kind, how far the time goes on, and the number of the key; 0 has none.
STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([*[Kind.UPSERT] * 4, Kind.DELETE, Kind.RESOLVED, Kind.DDL, Kind.ERROR]),
        st.integers(0, 2),
        st.integers(0, 5),
    ),
    max_size=20,
)


def placed(steps: list[tuple[int, Kind, int, int]]) -> list[Placed]:
    """Return events of these steps; a message may come again, DDL stands in both partitions."""
    ts, offsets, found = 1, [0, 0], list[Placed]()
    for partition, kind, pause, number in steps:
        ts += pause
        who = f"k{number}" if number and kind in (Kind.UPSERT, Kind.DELETE) else ""
        event = Event(kind, ts, "s", "t", who, f"{kind.name} {who} {ts}")
        for one in (0, 1) if kind is Kind.DDL else (partition,):
            found.append(Placed(event, SOURCES[one], offsets[one]))
            offsets[one] += 1
    return found


def run(lab: BucketLab, events: list[Placed], cuts: list[int]) -> list[dict[str, Any]]:
    """Return what is released of events in micro-batches, in the order of effect."""
    found: list[dict[str, Any]] = []
    for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
        found += lab.step(events[start:end])
    return sorted(found, key=order_of)


def effect(released: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return of each change what it is and where it stood, but of DDL, whose copies are alike."""
    names = itemgetter("kind", "ts", "payload")
    return [
        (*names(one), () if one["kind"] == Kind.DDL else (one["partition"], one["offset"]))
        for one in released
    ]


@given(STEPS, st.integers(2, 3), st.integers())
def test_any_number_of_buckets_gives_the_timeline_of_one(
    steps: list[tuple[int, Kind, int, int]], number: int, seed: int
) -> None:
    """With repetitions, poison and DDL, cut anywhere; `seq` is dense in each bucket."""
    chance = Random(seed)
    events = placed(steps)
    events += [one._replace(offset=one.offset + 100) for one in events if chance.random() < 0.5]
    events += [Placed(Event(Kind.RESOLVED, 99), one, 999) for one in SOURCES]
    cuts = sorted(chance.randint(0, len(events)) for _ in range(3))
    lenient = chance.random() < 0.5
    for timeline in (replace(OPEN, lenient=lenient), replace(AVRO, lenient=lenient)):
        topics = TOPICS if lenient else {}  # what fails a query leaves no state behind
        one = run(BucketLab(timeline, 1, topics), events, cuts)
        many = run(BucketLab(timeline, number, topics), events, cuts)
        assert effect(many) == effect(one)
        by_bucket = sorted(many, key=itemgetter("bucket", "seq"))
        for _, own in groupby(by_bucket, key=itemgetter("bucket")):
            rows = list(own)
            assert [row["seq"] for row in rows] == list(range(len(rows)))
            if not timeline.by_record:  # else there is no order between partitions
                assert rows == sorted(rows, key=order_of)


@given(STEPS, st.integers(1, 3), st.integers())
def test_netting_leaves_out_what_nobody_can_see(
    steps: list[tuple[int, Kind, int, int]], number: int, seed: int
) -> None:
    """At each DDL and each end of a micro-batch every key is what all of its rows made of it."""
    chance = Random(seed)
    events = placed(steps)
    events += [Placed(Event(Kind.RESOLVED, 99), one, 999) for one in SOURCES]
    cuts = sorted(chance.randint(0, len(events)) for _ in range(2))
    for timeline in (OPEN, AVRO):
        full = BucketLab(timeline, number, TOPICS)
        netted = BucketLab(replace(timeline, net=True), number, TOPICS)
        states: list[dict[str, str]] = [{}, {}]
        for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
            found = [sorted(lab.step(events[start:end]), key=order_of) for lab in (full, netted)]
            seen = [snapshots(state, rows) for state, rows in zip(states, found, strict=True)]
            assert seen[0] == seen[1]
            keys = [
                [row["payload"] for row in part if " k" in row["payload"]]
                for part in between_ddl(found[1])
            ]
            assert all(len({one.split()[1] for one in part}) == len(part) for part in keys)


def between_ddl(released: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return changes in stretches without DDL."""
    found: list[list[dict[str, Any]]] = [[]]
    for row in released:
        if row["kind"] == Kind.DDL:
            found.append([])
        else:
            found[-1].append(row)
    return found


def snapshots(state: dict[str, str], released: list[dict[str, Any]]) -> list[Any]:
    """Apply changes to a table; return what it was at each DDL and at the end, and other rows."""
    found: list[Any] = []
    for row in released:
        kind, key, _ = row["payload"].split(" ")
        if row["kind"] == Kind.DDL:
            found.append(dict(state))
        elif not key or row["kind"] == Kind.ERROR:
            found.append(row["payload"])
        else:
            state[key] = kind if row["kind"] == Kind.DELETE else row["payload"]
    return [*found, dict(state)]


SHAPES = ("", '"shape":[["a","int"]]}', '"shape":[["a","int"],["b","int"]]}')


@given(st.lists(st.tuples(st.sampled_from(SHAPES), st.integers(1, 3)), max_size=12))
def test_netting_leaves_every_shape_in_its_place(rows: list[tuple[str, int]]) -> None:
    """A row is replaced by those before its table's next change of shape, a delete by deletes."""
    lab = BucketLab(replace(AVRO, net=True), 1, TOPICS)
    events = [
        Event(Kind.UPSERT if shape else Kind.DELETE, 0, "s", "t", f"k{key}", f"{at} {key} {shape}")
        for at, (shape, key) in enumerate(rows)
    ]
    released = lab.step(Placed(one, SOURCES[0], at) for at, one in enumerate(events))
    last: dict[tuple[str, Kind, int], str] = {}
    known, runs = "", 0
    for (shape, _), one in zip(rows, events, strict=True):
        runs += known not in ("", shape or known)
        known = shape or known
        last[one.identity, one.kind, runs] = one.payload
    assert {row["payload"] for row in released} == set(last.values())


ROOMS = {
    "hold": OPEN,
    "arrivals": AVRO,
    "undated": replace(OPEN, protocol="avro"),
    "transactions": replace(AVRO, protocol="vitess"),
}


@pytest.mark.parametrize("name", ROOMS)
def test_rows_of_every_room_are_numbered_across_batches(name: str) -> None:
    """A room goes on from its state; a delete without a time has one when it leaves."""
    lab = BucketLab(ROOMS[name], 1, TOPICS)
    marks = [Placed(Event(Kind.RESOLVED, 9), one, 90) for one in SOURCES]
    rows = [Event(Kind.UPSERT, 4, "s", "t", "k", "a"), Event(Kind.DELETE, 0, "s", "t", "k", "b")]
    if name == "hold":
        rows[1] = rows[1]._replace(ts=5)
    found = lab.step([Placed(rows[0], SOURCES[0], 0), *marks])
    later = [Placed(Event(Kind.RESOLVED, 19), one, 95) for one in SOURCES]
    found += lab.step([Placed(rows[1]._replace(ts=rows[1].ts and 15), SOURCES[0], 91), *later])
    assert [(one["seq"], one["payload"]) for one in found] == [(0, "a"), (1, "b")]
    assert found[1]["ts"] == {"hold": "15", "undated": "19"}.get(name, "0")


def test_the_state_stays_as_it_is_while_keys_come_and_go() -> None:
    """What is kept grows with the rows that wait, never with the keys that there were."""
    lab = BucketLab(OPEN, 4, TOPICS)
    sizes: list[int] = []
    for batch in range(60):
        first = 1_000 + batch * 10
        rows = [
            Placed(
                Event(Kind.UPSERT, first + at % 10, "s", "t", f"k{batch}-{at}", "x" * 50), one, at
            )
            for at in range(40)
            for one in SOURCES
        ]
        marks = [Placed(Event(Kind.RESOLVED, first + 4), one, 99) for one in SOURCES]
        lab.step([*rows, *marks])
        sizes.append(sum(lab.sizes()))
    assert max(sizes[1:]) < 1.1 * sizes[1]


def test_another_number_of_buckets_is_refused() -> None:
    """By bucket 0, which is part of every micro-batch, wherever rows go; the error names both."""
    lab = BucketLab(OPEN, 2, TOPICS)
    lab.step([Placed(Event(Kind.RESOLVED, 1), SOURCES[0], 0)])
    for number in (1, 3, 8):
        other = BucketLab(OPEN, number, TOPICS, lab.states)
        for key in range(8):
            row = Event(Kind.UPSERT, 5, "s", "t", f"k{key}", "a")
            with pytest.raises(
                UsageError, match=f"with 2 buckets, and the changefeed has {number}"
            ):
                other.step([Placed(row, SOURCES[0], 1)])


@pytest.mark.parametrize(
    "given",
    [
        {"protocol": "vitess", "assembled": True, "buckets": 2},
        {"protocol": "debezium-mysql", "settings": {"skipped.operations": "u"}, "buckets": 2},
        {"protocol": "avro", "watermarks": True, "buckets": 2},
        {"protocol": "open", "buckets": -1},
        {"protocol": "vitess", "assembled": True, "net": True},
        {"protocol": "vitess", "buckets": 1, "net": True},
        {"protocol": "open", "retention_h": 1},
        {"protocol": "avro", "watermarks": True, "retention_h": 1},
        {"protocol": "avro", "retention_h": -1},
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any]) -> None:
    """Where order is the whole changefeed's, a setting is not taken and then passed over."""
    with pytest.raises(UsageError, match=list(given)[-1]):
        Changefeed(topics=TOPICS, **given)
