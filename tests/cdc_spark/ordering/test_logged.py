"""Promises of Debezium's rows in buckets: what one task does row by row, several do by columns."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdc_spark.errors import UsageError
from cdc_spark.events import Event, Kind
from cdc_spark.ordering.hold import Source
from cdc_spark.ordering.operators import Timeline
from tests.cdc_spark.ordering.bucket_lab import BucketLab, Placed, order_of

pytestmark = pytest.mark.spark  # rows in buckets are pandas'

SOURCES = (Source(0, 0), Source(0, 1), Source(1, 0))
TOPICS = {"t": 2, "u": 1}
MANY = 3
HUGE = 10**30


def timeline(protocol: str = "vitess", **more: Any) -> Timeline:
    """Return the timeline of a connector without boundaries of transactions."""
    given_ = {"inclusive": True, "by_record": True, "assembled": False, "lenient": True}
    return Timeline(protocol, SOURCES, **{**given_, **more})


def event(kind: Kind, number: int, table: str = "t", **block: Any) -> Event:
    """Return a row's event; a block says where in the log it stands."""
    key = json.dumps({"before": {"id": number}, "after": None, "key": ["id"], "rid": None})
    if kind is Kind.TOMBSTONE:
        return Event(kind, payload=key)
    who = json.dumps(["s", table, number], separators=(",", ":")) if number else ""
    text = json.dumps(block) if block else ""
    return Event(kind, block.get("ts", 5), "s", table, who, key, text)


def row(number: int, at: int, offset: int, kind: Kind = Kind.UPSERT) -> Placed:
    """Return a row of Vitess's with a rank."""
    block = {"id": "", "n": 1, "shard": "0", "epoch": 1, "rank": str(at)}
    return Placed(event(kind, number, **block), SOURCES[number % 2], offset)


def effects(lab: BucketLab, *batches: list[Placed]) -> list[tuple[Any, ...]]:
    """Return what takes effect in micro-batches, each in the order of effect."""
    found: list[tuple[Any, ...]] = []
    for batch in batches:
        for one in sorted(lab.step(batch), key=order_of):
            place = (one["topic"], one["partition"], one["offset"])
            found.append((one["kind"], one["schema"], one["table"], one["payload"], *place))
    return found


def both(protocol: str = "vitess", **more: Any) -> tuple[BucketLab, BucketLab]:
    """Return a changefeed in one bucket, and in several."""
    one, some = (BucketLab(timeline(protocol, **more), size, {}) for size in (1, MANY))
    return one, some


@st.composite
def deliveries(draw: st.DrawFn) -> list[list[Placed]]:
    """Return micro-batches: rows with places or without, deletes, tombstones, repeats, poison."""
    chance = Random(draw(st.integers()))
    words = st.sampled_from(["put", "put", "gone", "tombstone", "keyless", "poison"])
    steps = draw(st.lists(st.tuples(words, st.integers(1, 4)), max_size=30))
    placed = draw(st.sampled_from(["", "ranks", "gtids", "files"]))
    sent: list[tuple[Event, Source]] = []
    for at, (word, number) in enumerate(steps, start=1):
        source, table = SOURCES[number % 3], ("t", "t.1")[chance.random() < 0.2]
        block: dict[str, Any] = {}
        if placed == "ranks":
            rank = str(HUGE * (at % 2) + at)
            block = {"id": "", "n": at % 3, "shard": "0", "epoch": at // 9, "rank": rank}
        elif placed:
            gtid = f"0-1-{at // 2}" if placed == "gtids" else None
            block = {"file": "b.000001", "pos": at, "row": 0, "server_id": 1, "gtid": gtid}
            block |= {"snapshot": "true" if chance.random() < 0.1 else "false", "ts": 1000 + at}
        if word == "poison":
            if chance.random() < 0.2:
                sent.append((Event(Kind.ERROR, payload="bad"), source))
            continue
        kind = {"gone": Kind.DELETE, "tombstone": Kind.TOMBSTONE}.get(word, Kind.UPSERT)
        sent.append((event(kind, 0 if word == "keyless" else number, table, **block), source))
    for _ in range(draw(st.integers(0, 2))):  # the connector goes on from an earlier place
        start = chance.randint(0, len(sent))
        sent += sent[start : start + 9]
    numbered = [Placed(one, source, at) for at, (one, source) in enumerate(sent)]
    batches: list[list[Placed]] = []
    while numbered:
        size = chance.randint(1, len(numbered))
        batches.append(numbered[:size])
        numbered = numbered[size:]
    return batches


@settings(deadline=None)
@given(
    batches=deliveries(),
    lenient=st.booleans(),
    protocol=st.sampled_from(["vitess", "debezium-mysql"]),
)
def test_several_buckets_do_what_one_does(
    *, batches: list[list[Placed]], lenient: bool, protocol: str
) -> None:
    """To the last byte, in whatever micro-batches, repeats and poison included."""
    one, some = both(protocol, lenient=lenient)
    assert [effects(some, batch) for batch in batches] == [effects(one, batch) for batch in batches]


def test_an_older_row_changes_nothing_in_its_bucket() -> None:
    """By rank, of any size, within a micro-batch and across; what is known is in the state."""
    for lab in both():
        first = [row(1, HUGE, 0), row(1, 7, 1), row(2, 7, 0)]
        assert [one[-1] for one in effects(lab, first)] == [0, 0]
        assert effects(lab, [row(1, HUGE - 1, 2)]) == []
        assert len(effects(lab, [row(1, HUGE + 1, 3)])) == 1


def test_a_tombstone_finds_its_table_in_every_bucket() -> None:
    """Its bucket may have no row of its topic: all are told which tables that has."""
    for number in range(2, 9):
        lab = BucketLab(timeline(), MANY, TOPICS)
        stone = Placed(event(Kind.TOMBSTONE, number), SOURCES[0], 9)
        found = effects(lab, [Placed(event(Kind.UPSERT, 1), SOURCES[0], 0)], [stone])
        assert [one[0] for one in found] == [Kind.UPSERT, Kind.DELETE]
        assert found[1][1:3] == ("s", "t")


def test_a_tombstone_behind_its_delete_adds_nothing() -> None:
    """In its micro-batch, in the next one, and twice."""
    for lab in both():
        stone = Placed(event(Kind.TOMBSTONE, 1), SOURCES[1], 2)
        assert len(effects(lab, [row(1, 1, 0), row(1, 2, 1, Kind.DELETE)], [stone], [stone])) == 2


def test_netted_the_last_row_of_a_key_leaves() -> None:
    """With its number for the newest columns; rows without a key all leave."""
    lab = BucketLab(timeline("debezium-mysql", net=True), MANY, TOPICS)
    block = {"file": "b.000001", "row": 0, "server_id": 1, "gtid": None, "snapshot": "false"}
    rows = [event(Kind.UPSERT, 1, pos=at, ts=2000, **block) for at in (7, 8)]
    rows += [event(Kind.UPSERT, 0, pos=at, ts=2000, **block) for at in (9, 10)]
    found = effects(lab, [Placed(one, SOURCES[0], at) for at, one in enumerate(rows)])
    assert [json.loads(one[3])["since"] - (2 << 31) for one in found] == [8, 9, 10]


def test_a_truncate_that_nobody_expected_ends_the_query() -> None:
    """Several tasks cannot do it, and none of them may pass it over."""
    lab = BucketLab(timeline("debezium-mysql"), MANY, TOPICS)
    payload = json.dumps({"q": "TRUNCATE TABLE `t`", "t": 11})
    statement = Placed(Event(Kind.DDL, 5, "s", "t", payload, payload), SOURCES[0], 4)
    with pytest.raises(UsageError, match="offset 4 is a TRUNCATE"):
        lab.step([statement])
    (found,) = effects(BucketLab(timeline("debezium-mysql"), MANY, {}), [statement])
    assert found[0] == Kind.ERROR


HOUR = 3_600_000


def others(at: int) -> list[Placed]:
    """Return rows of other keys, in all buckets, that were written at a time."""
    return [
        Placed(event(Kind.UPSERT, number, ts=at, id="", n=1), SOURCES[0], at * 100 + number)
        for number in range(10, 40)
    ]


def test_keys_are_forgotten_when_their_retention_is_over() -> None:
    """By the stream's times, in each bucket: until then an older row is known for what it is."""
    for lab in both(retention_ms=HOUR):
        block = {"id": "", "n": 1, "shard": "0", "epoch": 1}
        newer, older = (event(Kind.UPSERT, 1, ts=5, rank=rank, **block) for rank in ("8", "7"))
        assert len(effects(lab, [Placed(newer, SOURCES[0], 0), *others(HOUR + 5)])) == 31
        assert effects(lab, [Placed(older, SOURCES[0], 1)]) == []
        lab.step(others(HOUR + 6))
        assert len(effects(lab, [Placed(older, SOURCES[0], 2)])) == 1


def test_a_tombstone_is_remembered_from_the_newest_time_on() -> None:
    """It has no time of its own; behind a deletion that is known it adds nothing."""
    for lab in both(retention_ms=HOUR):
        stone = Placed(event(Kind.TOMBSTONE, 1), SOURCES[0], 9)
        lab.step([Placed(event(Kind.UPSERT, 1, ts=5, id="", n=1), SOURCES[0], 0)])
        assert [one[0] for one in effects(lab, others(HOUR), [stone])][-1:] == [Kind.DELETE]
        assert effects(lab, others(2 * HOUR), [stone])[30:] == []
        lab.step(others(4 * HOUR))
        assert [one[0] for one in effects(lab, [stone])] == [Kind.DELETE]


def test_with_a_retention_the_state_of_buckets_is_as_large_as_what_changes_in_it() -> None:
    """Without one every key that has a place is known for ever."""
    sizes: list[int] = []
    for retention_ms in (HOUR, 0):
        lab = BucketLab(timeline(retention_ms=retention_ms), MANY, {})
        for at in range(40):
            block = {"ts": at * HOUR, "id": "", "n": 1, "shard": "0", "epoch": 1, "rank": f"{at}"}
            keys = range(at * 30 + 1, at * 30 + 31)
            rows = [event(Kind.UPSERT, number, **block) for number in keys]
            lab.step(Placed(one, SOURCES[0], at * 30 + nth) for nth, one in enumerate(rows))
        sizes.append(sum(lab.sizes()))
    assert sizes[0] * 10 < sizes[1]
