"""Every fault of the table keeps its invariants; new ones are held to them by being listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import StepError
from harness.faults import FAULTS, poison
from harness.faults.actions import Aborted, Committed, LeftOpen, Step
from harness.faults.fault import Claim, Invariant
from harness.faults.log import simulate_log
from harness.model.record import Record
from tests.faults.invariants import HOLDS
from tests.faults.samples import SHAPE_OF, STREAMS, T1, T2, streams

# Each is tried on a share of the profile's examples for each fault, protocol and set of options.
SHARE = settings(
    max_examples=max(4, settings().max_examples // 20),
    suppress_health_check=[HealthCheck.too_slow],
)
LINE = 12
T = {"transaction": "t1"}
ROW = {"key": {"id": 1}}
POISON = (T, {**T, **ROW, "place": "before"}, {**T, "place": "instead"})
MOMENTS = (
    {"after-records": 2},
    {"within-records": 3},
    {"after-commits": 1},
    {"at": "between", "hit": 2},
)

# Options under which each fault finds something to act on in the samples.
OPTIONS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "duplicate": ({**T, "times": 2}, {**T, **ROW}),
    "replay": ({"from": "t1"}, {"from": "t1", "to": "t2", "times": 2}),
    "replay-below-resolved": ({**T, "times": 2}, {**T, **ROW}),
    "resend": ({"events": "ddl", "times": 2}, {"events": "resolved"}),
    "resolved-back": ({}, {"partition": 1, "times": 2}),
    "resolved-first": ({}, {"from": "t1", "partition": 1}),
    "late-resolved": ({"partition": 0}, {"partition": 0, "by": 1}),
    "missing-resolved": ({"partition": 1},),
    "interleave": ({}, {"across": "partitions", "order": 3}),
    "ahead": ({"partition": 1}, {"topic": "shop*", "partition": 1}),
    "behind": ({"partition": 0}, {"topic": "shop*", "partition": 0}),
    "withhold": ({**T, **ROW},),
    "reorder": ({}, {"partition": 0}),
    "drop-tombstones": ({},),
    "drop-deletes": ({},),
    "tombstone-first": ({},),
    "zero-byte-tombstones": ({},),
    "empty-message": ({}, {"value": "null"}),
    "rebatch": ({"events": 2}, {"events": 5, "sizes": "random", "bytes": 500}),
    "old-schema-again": ({}, {"records": 3}),
    "headers": ({}, {"name": "a", "value": "b"}, {"null": True}),
    "timestamps": ({"order": "equal"}, {"order": "falling"}, {"order": "random"}),
    "aborted": ({"records": 2}, {**T, **ROW}),
    "uncommitted": (T, {**T, "end": "left-open"}),
    "transactional": ({"records": 2},),
    "compacted": ({}, {"tombstones": "expired"}, {"by": "cleaner"}),
    "expired": ({"records": 3},),
    "retention": ({"to": "t1"},),
    "grow": ({"from": "t2"}, {"from": "t2", "by": 2, "consumer": "stopped"}),
    "empty-partitions": ({"count": 2},),
    "broker-restart": ({"after": "t1"},),
    "leader-moves": ({"from": "t1", "to": "t1"}, {"from": "t1", "to": "t2"}),
    "kill": (*MOMENTS, {"after-records": 1, "resume": False}),
    "slow-consumer": (*MOMENTS, {"after-commits": 1, "milliseconds": 10}),
    "instances": ({"count": 3},),
    "join": (*MOMENTS[:3], {"after-commits": 1, "count": 2}),
    "registry-down": ({"from": "t2"}, {"from": "t1", "to": "t1"}),
    "registry-restart": ({"after": "t1"},),
    "registry-trouble": ({"errors": 3}, {"milliseconds": 50}),
    "registry-forgets": (T, {**T, **ROW}),
    **dict.fromkeys([fault.name for fault in poison.ROWS], POISON),
}
# Faults that need more than a protocol's plain stream -> the stream that has it.
STREAM_OF: Mapping[tuple[str, str], str] = {
    ("resend", "avro"): "avro-watermark",
    ("resolved-back", "avro"): "avro-watermark",
    ("resolved-first", "avro"): "avro-marked",
    ("resolved-first", "open"): "open-marked",
    ("wrong-magic", "vitess"): "vitess-avro",
    ("unknown-schema-id", "vitess"): "vitess-avro",
    ("huge-length", "vitess"): "vitess-avro",
    ("old-schema-again", "vitess"): "vitess-avro",
    ("registry-forgets", "vitess"): "vitess-avro",
}
TRIALS = [
    pytest.param(name, form, options, id=f"{name}-{form}-{number}")
    for name, fault in FAULTS.items()
    for shape in dict.fromkeys(SHAPE_OF.get(one, one) for one in fault.permissions)
    for form in [STREAM_OF.get((name, shape), shape)]
    for number, options in enumerate(OPTIONS[name])
]


def disturbed(
    name: str, records: Sequence[Record], options: Mapping[str, Any], seed: int = 0
) -> tuple[Step, ...]:
    """Return what a fault makes of a stream."""
    return FAULTS[name].act_on(records, options, LINE, Random(seed))


def read(steps: Sequence[Step]) -> list[Record]:
    """Return what a reader of committed messages sees, partition by partition."""
    return [one.record for log in simulate_log(steps).values() for one in log.read]


def test_every_fault_is_held_to_the_invariants() -> None:
    """Each fault has options here, each option of it is tried, and each invariant has its check."""
    assert set(OPTIONS) == set(FAULTS)
    assert set(HOLDS) == set(Invariant)
    for name, fault in FAULTS.items():
        tried = {option for options in OPTIONS[name] for option in options}
        assert tried == {option.name for option in fault.options}, name


@pytest.mark.parametrize(("name", "form", "options"), TRIALS)
@SHARE
@given(data=st.data(), seed=st.integers())
def test_a_fault_keeps_what_it_declares(
    name: str, form: str, options: Mapping[str, Any], data: st.DataObject, seed: int
) -> None:
    """What it declares is preserved, the seed alone decides, and no origin is made up."""
    records = data.draw(streams(form))
    steps = disturbed(name, records, options, seed)
    assert disturbed(name, records, options, seed) == steps
    after = read(steps)
    for kept in FAULTS[name].kept_with(options):
        assert HOLDS[kept](records, after), kept
    known = {origin for record in records for origin in record.origins}
    for record in messages(steps):
        assert record.origins
        assert known.issuperset(record.origins)


def messages(steps: Sequence[Step]) -> list[Record]:
    """Return every message of a delivery, those of aborted transactions included."""
    found: list[Record] = []
    for step in steps:
        if isinstance(step, Record):
            found.append(step)
        elif isinstance(step, Committed | Aborted | LeftOpen):
            found += step.records
    return found


@pytest.mark.parametrize(("name", "form", "options"), TRIALS)
def test_every_fault_changes_something(name: str, form: str, options: Mapping[str, Any]) -> None:
    """On the plain sample no fault leaves everything as it was, whatever the seed's luck."""
    records = STREAMS[form]([T1, T2])
    assert any(disturbed(name, records, options, seed) != records for seed in range(8))


NOTHING: Mapping[str, Mapping[str, Any]] = {
    name: {
        **options[0],
        **{
            option.name: "t9"
            for option in FAULTS[name].options
            if option.name in options[0] and option.takes.name == "TRANSACTION"
        },
    }
    for name, options in OPTIONS.items()
}


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "instances"])
def test_nothing_to_act_on(name: str) -> None:
    """A fault that would change nothing is the author's mistake, told with its line."""
    with pytest.raises(StepError) as refusal:
        disturbed(name, (), NOTHING[name])
    assert refusal.value.line == LINE


@pytest.mark.parametrize(
    ("name", "protocol", "options", "said"),
    [
        ("duplicate", "open", {"transaction": "t9"}, "no row of transaction 't9' is sent"),
        ("duplicate", "open", {**T, "key": {"id": 9}}, "with key id=9"),
        ("replay", "open", {"from": "t9"}, "no message carries a row of transaction 't9'"),
        ("replay", "open", {"from": "t1", "to": "t9"}, "no message carries a row"),
        ("replay", "open", {"from": "t2", "to": "t1"}, "replay from 't2' to 't1' is empty"),
        ("replay-below-resolved", "avro", T, "no resolved event follows"),
        ("resend", "avro", {"events": "ddl"}, "no DDL event is sent"),
        ("resolved-back", "avro", {}, "no partition has two resolved events"),
        ("resolved-first", "open", {}, "no resolved event has the ts of a DDL"),
        ("late-resolved", "open", {"partition": 7}, "come last already"),
        ("missing-resolved", "open", {"partition": 7}, "no two resolved events"),
        ("interleave", "open", {"across": "topics"}, "no two topics to interleave"),
        ("interleave", "open", {"order": 10**6}, "there are 792 orders of the messages"),
        ("ahead", "open", {"topic": "other"}, "none of the messages are there"),
        ("behind", "open", {"topic": "*"}, "all of the messages are there"),
        ("withhold", "open", T, "nothing stands between the rows and their resolved event"),
        ("drop-deletes", "avro", {}, "no delete event is followed by its tombstone"),
        ("zero-byte-tombstones", "open", {}, "no tombstone is sent"),
        ("rebatch", "open", {"events": 1}, "the messages have these sizes already"),
        ("rebatch", "open", {"bytes": 10}, "one event alone makes a message of"),
        ("rebatch", "avro", {"events": 2}, "cannot be cut into events"),
        ("old-schema-again", "open", {}, "no topic has two value schemas"),
        ("compacted", "avro", {"by": "cleaner", "tombstones": "expired"}, "in its own time"),
        ("leader-moves", "open", {"from": "t2", "to": "t1"}, "'t1' comes before 't2'"),
        ("registry-forgets", "open", T, "no chosen message names a schema"),
        ("wrong-magic", "open", T, "no chosen message has the form"),
        ("compacted", "open", {}, "no topic with keys has a key twice"),
        ("grow", "open", {"from": "t9"}, "no row of transaction 't9' is sent"),
        ("tombstone-first", "avro-watermark", {}, "no topic of row messages has a key in each"),
        ("empty-partitions", "avro-watermark", {}, "never complete over a partition that"),
        ("kill", "open", {"after-records": 999}, "what is sent is 12 messages"),
        ("kill", "open", {"within-records": 13}, "what is sent is 12 messages"),
        ("kill", "open", {"after-commits": 1, "hit": 2}, "and none is named"),
        ("registry-down", "avro", {"from": "t2", "to": "t1"}, "'t1' comes before 't2'"),
    ],
)
def test_what_does_not_apply(
    name: str, protocol: str, options: Mapping[str, Any], said: str
) -> None:
    """What is missing for a fault is said, with the line."""
    with pytest.raises(StepError, match=said) as refusal:
        disturbed(name, STREAMS[protocol]([T1, T2]), options)
    assert refusal.value.line == LINE


def test_hostile_faults_promise_little() -> None:
    """What is hostile in one protocol is so in all, and nothing hostile promises every event."""
    for fault in FAULTS.values():
        claims = {permission.claim for permission in fault.permissions.values()}
        if Claim.HOSTILE in claims:
            assert claims == {Claim.HOSTILE}
            assert fault.kept < set(Invariant)


SPOILED: Mapping[Invariant, Callable[[Sequence[Record]], Sequence[Record]]] = {
    Invariant.BYTES: lambda records: [*records, replace(records[0], value=b"?")],
    Invariant.EVENTS: lambda records: [r for r in records if r.origins[0].key != "id=3"],
    Invariant.ONCE: lambda records: [*records, records[2]],
    Invariant.ORDER: lambda records: [*records[:2], records[3], records[2], *records[4:]],
    Invariant.LAST_VALUE: lambda records: [*records, replace(records[2], value=b"?")],
    Invariant.PROMISE: lambda records: [*records[:3], records[5], *records[3:]],
    Invariant.RISING: lambda records: [*records, records[5]],
    Invariant.MARKS: lambda records: records[:-1],
}


@pytest.mark.parametrize("kept", Invariant)
def test_every_invariant_can_be_broken(kept: Invariant) -> None:
    """Each check refuses a delivery that breaks its invariant, and takes the undisturbed one."""
    records = STREAMS["open"]([T1, T2])
    assert HOLDS[kept](records, records)
    assert not HOLDS[kept](records, SPOILED[kept](records))
