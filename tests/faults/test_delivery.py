"""Steps one after the other: records first, then what is done to the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from harness.errors import StepError
from harness.faults.actions import (
    Aborted,
    AddPartitions,
    AfterCommits,
    AfterRecords,
    AtCrashPoint,
    Committed,
    Compact,
    DeleteBefore,
    Instances,
    Join,
    Kill,
    LeftOpen,
    Pause,
    RestartBroker,
    StartRegistry,
    Step,
    StopRegistry,
    sent,
)
from harness.faults.delivery import deliver
from harness.faults.log import simulate_log
from harness.model.record import Record
from tests.faults.samples import STREAMS, T1, T2

RECORDS = STREAMS["avro"]([T1, T2])
OPEN = STREAMS["open"]([T1, T2])


@dataclass(frozen=True)
class WantedStep:
    """A step as an author writes it."""

    fault: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    line: int = 3


def done(*wanted: WantedStep, records: tuple[Record, ...] = RECORDS) -> list[str]:
    """Return a delivery in words: numbers of records, and what is done."""
    steps = deliver(records, wanted, "case")
    return [_word(step, records) for step in steps]


def _word(step: Step, records: tuple[Record, ...]) -> str:
    match step:
        case Record():
            return str(records.index(step)) if step in records else f"p{step.partition}"
        case Committed(inner) | Aborted(inner) | LeftOpen(inner):
            name = type(step).__name__.lower()
            return f"{name} {' '.join(str(records.index(record)) for record in inner)}"
        case _:
            return type(step).__name__


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (WantedStep("aborted", {"transaction": "t2", "records": 2}), "0 1 2 aborted 3 4|3 4 5"),
        (WantedStep("aborted", {"records": 1}), "0 1 2 3 4 5|aborted 5|aborted 4"),
        (WantedStep("uncommitted", {"transaction": "t1"}), "aborted 0 1 2|3|4|5"),
        (
            WantedStep("uncommitted", {"transaction": "t1", "end": "left-open"}),
            "3|4|5|leftopen 0 1 2",
        ),
        (WantedStep("transactional", {"records": 4}), "committed 0 1 2 3|committed 4 5"),
        (WantedStep("broker-restart", {"after": "t1"}), "0 1 2 RestartBroker 3 4 5"),
        (
            WantedStep("leader-moves", {"from": "t1", "to": "t1"}),
            "EndLeader 0 1 2 ElectLeader 3 4 5",
        ),
        (WantedStep("registry-restart", {"after": "t2"}), "0 1 2 3 4 5 StopRegistry StartRegistry"),
        (
            WantedStep("registry-down", {"from": "t1", "to": "t1"}),
            "StopRegistry 0 1 2 StartRegistry 3 4 5",
        ),
        (WantedStep("registry-down", {"from": "t2"}), "0 1 2 StopRegistry 3 4 5 StartRegistry"),
        (WantedStep("registry-trouble", {"errors": 2}), "TroubleRegistry 0 1 2 3 4 5"),
        (WantedStep("compacted"), "0 1 2 3 4 5 Compact"),
        (WantedStep("compacted", {"by": "cleaner"}), "0 1 2 3 4 5 Clean"),
        (WantedStep("retention", {"to": "t1"}), "0 1 2 3 4 5 DeleteBefore DeleteBefore"),
        (WantedStep("expired"), "0 2 DeleteBefore DeleteBefore 0 1 2 3 4 5"),
        (WantedStep("empty-partitions"), "AddPartitions 0 1 2 3 4 5"),
        (WantedStep("grow", {"from": "t2"}), "0 1 2 AddPartitions 3 4 p2"),
        (WantedStep("kill", {"after-records": 2}), "Kill 0 1 2 3 4 5"),
        (WantedStep("instances"), "Instances 0 1 2 3 4 5"),
        (WantedStep("join", {"after-records": 2}), "Join 0 1 2 3 4 5"),
    ],
)
def test_actions_at_their_places(step: WantedStep, expected: str) -> None:
    """Each action stands where it happens."""
    assert done(step) == [word for part in expected.split("|") for word in _split(part)], expected


def _split(part: str) -> list[str]:
    """Split at blanks, but keep a transaction with its records in one piece."""
    for name in ("aborted", "committed", "leftopen"):
        head, found, tail = part.partition(name)
        if found:
            return [*head.split(), f"{name}{tail}"]
    return part.split()


@pytest.mark.parametrize(
    ("step", "action"),
    [
        (WantedStep("kill", {"after-records": 2}), Kill(AfterRecords(2))),
        (
            WantedStep("kill", {"after-commits": 1, "resume": False}),
            Kill(AfterCommits(1), resume=False),
        ),
        (WantedStep("kill", {"at": "between", "hit": 3}), Kill(AtCrashPoint("between", 3))),
        (WantedStep("slow-consumer", {"after-commits": 1}), Pause(AfterCommits(1), 2000)),
        (WantedStep("instances", {"count": 3}), Instances(3)),
        (WantedStep("join", {"after-records": 2, "count": 2}), Join(AfterRecords(2), 2)),
        (WantedStep("compacted"), Compact("shop")),
        (WantedStep("compacted", {"tombstones": "expired"}), Compact("shop", tombstones=False)),
        (WantedStep("empty-partitions", {"count": 2}), AddPartitions("shop", 4)),
        (WantedStep("retention", {"to": "t1"}), DeleteBefore("shop", 0, 2)),
        (WantedStep("expired", {"records": 4}), DeleteBefore("shop", 0, 4)),
        (
            WantedStep("grow", {"from": "t2", "by": 2, "consumer": "stopped"}),
            AddPartitions("shop", 4, stopped=True),
        ),
        (WantedStep("broker-restart", {"after": "t2"}), RestartBroker()),
        (WantedStep("registry-restart", {"after": "t2"}), StopRegistry()),
        (WantedStep("registry-down", {"from": "t2"}), StartRegistry()),
    ],
)
def test_actions_say_all(step: WantedStep, action: Step) -> None:
    """An action has all that whoever executes it needs."""
    assert action in deliver(RECORDS, [step], "case")


def test_a_moment_can_be_drawn() -> None:
    """A case's name draws the moment, from the first message to the one that is named."""
    step = WantedStep("kill", {"within-records": 3})
    drawn = {name: deliver(RECORDS, [step], name)[0] for name in map(str, range(40))}
    assert set(drawn.values()) == {Kill(AfterRecords(n)) for n in (1, 2, 3)}
    assert all(deliver(RECORDS, [step], name)[0] == kill for name, kill in drawn.items())


def test_records_come_before_the_run() -> None:
    """A step that changes records cannot stand behind one that is done to the run."""
    kill = WantedStep("kill", {"after-records": 2})
    again = WantedStep("replay", {"from": "t1"}, line=8)
    assert done(again, kill) == ["Kill", *"012345012345"]
    with pytest.raises(StepError, match="changes records after a step") as refusal:
        done(kill, again)
    assert refusal.value.line == 8


def test_each_step_has_a_seed_of_its_own() -> None:
    """A step in front does not change what the dice say behind it, and a case's name does."""
    mixed = WantedStep("interleave")
    headers = WantedStep("headers")
    second = [r.origins for r in sent(deliver(OPEN, [mixed, headers], "case"))]
    assert second == [r.origins for r in sent(deliver(OPEN, [mixed], "case"))]
    orders = {tuple(done(mixed, records=OPEN)) for _ in range(3)}
    assert len(orders) == 1
    assert len({deliver(OPEN, [mixed], f"case {n}") for n in range(5)}) > 1


def test_what_expired_lies_before_what_is_deleted_later() -> None:
    """Retention and earlier records add up: later offsets move by what was there before."""
    wanted = [WantedStep("retention", {"to": "t1"}), WantedStep("expired", {"records": 5})]
    logs = simulate_log(deliver(RECORDS, wanted, "case"))
    assert (logs["shop", 0].start, logs["shop", 0].end) == (7, 9)
    assert [RECORDS.index(one.record) for one in logs["shop", 0].read] == [3, 5]


def test_new_partitions_get_marks_and_ddl() -> None:
    """In the Open Protocol a partition that was added hears of everything from then on."""
    step = WantedStep("grow", {"from": "t2"})
    log = simulate_log(deliver(OPEN, [step], "case"))["shop", 2]
    assert [one.record.origins[0].kind for one in log.read] == ["insert", "resolved"]


def test_batched_rows_stay_together() -> None:
    """A message that carries a row seen before stays, and with it whatever shares a message."""
    wanted = [WantedStep("rebatch", {"events": 5}), WantedStep("grow", {"from": "t2"}, line=4)]
    with pytest.raises(StepError, match="no message from there on is about new rows only"):
        deliver(OPEN, wanted, "case")


def test_new_partitions_get_ddl_as_well() -> None:
    """A DDL event behind the growth is sent to the new partition too."""
    step = WantedStep("grow", {"from": "t2"})
    log = simulate_log(deliver((*OPEN, *OPEN[:2]), [step], "case"))["shop", 2]
    assert [one.record.origins[0].kind for one in log.read] == ["insert", "resolved", "ddl"]


def test_transactions_end_before_what_is_done_between_them() -> None:
    """A transaction is committed before the broker restarts, however short it is by then."""
    wanted = [
        WantedStep("broker-restart", {"after": "t1"}),
        WantedStep("transactional", {"records": 2}),
    ]
    assert done(*wanted) == [
        "committed 0 1",
        "committed 2",
        "RestartBroker",
        "committed 3 4",
        "committed 5",
    ]


def test_a_new_partition_has_no_past() -> None:
    """Earlier records expired from the partitions that were there; a new one begins at 0."""
    wanted = [WantedStep("grow", {"from": "t2"}), WantedStep("expired", {"records": 4})]
    logs = simulate_log(deliver(RECORDS, wanted, "case"))
    assert [log.start for log in logs.values()] == [4, 4, 0]


def test_topics_without_keys_are_not_compacted() -> None:
    """The broker takes no message without a key into a compacted topic, so there is none."""
    keyless = (*RECORDS[:-1], replace(RECORDS[-1], key=None))
    with pytest.raises(StepError, match="no topic with keys"):
        deliver(keyless, (WantedStep("compacted"),), "case")
