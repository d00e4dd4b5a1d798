"""What lies in a topic after everything: offsets with gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.errors import UsageError
from harness.faults.actions import (
    Aborted,
    AddPartitions,
    Clean,
    Committed,
    Compact,
    DeleteBefore,
    Instances,
    LeftOpen,
    RestartBroker,
    Step,
)
from harness.faults.choose import Place, place
from harness.faults.log import Log, LogEntry, TopicLogs, simulate_log
from harness.model.record import Origin, Record

ORIGIN = Origin(1, 0, 0, "insert", "t1", "s.t", "id=1", 1)
HERE = ("t", 0)


def record(key: str, value: str | None = "v", partition: int = 0) -> Record:
    """Return a message."""
    written = None if value is None else value.encode()
    return Record("t", partition, key.encode(), written, (ORIGIN,))


A, B, C = record("a"), record("b"), record("c")
GONE = record("a", None)
OTHER = record("o", partition=1)


def shown(steps: list[Step], there: Place = HERE) -> str:
    """Return a partition as keys with offsets, between its first and its end offset."""
    log = simulate_log(steps)[there]
    read = " ".join(f"{(one.record.key or b'').decode()}{one.offset}" for one in log.read)
    return f"{log.start}: {read} :{log.end}"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([A, B, A], "0: a0 b1 a2 :3"),
        ([A, Aborted((B, B)), C], "0: a0 c4 :5"),
        ([A, Aborted((B,))], "0: a0 :3"),
        ([A, LeftOpen((B,))], "0: a0 :1"),
        ([Committed((A, B)), C], "0: a0 b1 c3 :4"),
        ([A, Committed((OTHER,)), B], "0: a0 b1 :2"),
        ([A, Committed((OTHER, B)), C], "0: a0 b1 c3 :4"),
        ([A, B, DeleteBefore("t", 0, 1), C], "1: b1 c2 :3"),
        ([A, DeleteBefore("t", 1, 1)], "0: a0 :1"),
        ([A, B, A, C, Compact("t")], "0: b1 a2 c3 :4"),
        ([A, B, A, Compact("t"), A], "0: b1 a2 a3 :4"),
        ([A, A, Compact("u")], "0: a0 a1 :2"),
        ([A, B, GONE, Compact("t")], "0: b1 a2 :3"),
        ([A, B, A, Clean("t", (A,))], "0: b1 a2 :5"),
        ([A, B, GONE, Compact("t", tombstones=False)], "0: b1 :3"),
        ([A, RestartBroker(), Instances(2), B], "0: a0 b1 :2"),
    ],
)
def test_offsets(steps: list[Step], expected: str) -> None:
    """Markers and aborted messages take offsets; what is removed leaves its offset empty."""
    assert shown(steps) == expected


def _renumber(entries: list[LogEntry]) -> list[LogEntry]:
    return [replace(entry, offset=number) for number, entry in enumerate(entries)]


def _swap_records(entries: list[LogEntry]) -> list[LogEntry]:
    swapped = [entry.record for entry in reversed(entries)]
    return [replace(one, record=two) for one, two in zip(entries, swapped, strict=True)]


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (list, "0: b1 a2 c3 :4"),
        (_renumber, "0: b0 a1 c2 :4"),
        (lambda entries: entries[::-1], "0: c3 a2 b1 :4"),
        (_swap_records, "0: c1 a2 b3 :4"),
    ],
    ids=["right", "renumbers", "reorders", "moves-records"],
)
def test_wrong_compactions_are_noticed(
    change: Callable[[list[LogEntry]], list[LogEntry]],
    seen: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compaction keeps order and offsets: one that changes either is told from the right one."""
    right = TopicLogs.compact

    def compact(topics: TopicLogs, topic: str, *, tombstones: bool) -> None:
        right(topics, topic, tombstones=tombstones)
        partition = topics._partitions[HERE]
        partition.read = change(partition.read)

    steps: list[Step] = [A, B, A, C, Compact("t")]
    before = [(one.offset, one.record) for one in simulate_log(steps[:-1])[HERE].read]
    monkeypatch.setattr(TopicLogs, "compact", compact)
    after = [(one.offset, one.record) for one in simulate_log(steps)[HERE].read]
    kept = [one for one in before if one in after]
    assert shown(steps) == seen
    assert (after == kept) is (change is list)


@pytest.mark.parametrize(
    ("apply", "seen"),
    [
        (LeftOpen.apply, "0: a0 :1"),
        (lambda step, topics: _read_on(step.records, topics), "0: a0 b1 :2"),
        (lambda step, topics: topics.skip(map(place, step.records)), "0: a0 :2"),
    ],
    ids=["right", "reads-on", "passes-over"],
)
def test_who_reads_beyond_an_open_transaction_is_noticed(
    apply: Callable[[LeftOpen, TopicLogs], None], seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log ends where a transaction is open: its messages are neither read nor passed over."""
    right = simulate_log([A, LeftOpen((B,))])[HERE]
    monkeypatch.setattr(LeftOpen, "apply", apply)
    assert shown([A, LeftOpen((B,))]) == seen
    assert (simulate_log([A, LeftOpen((B,))])[HERE] == right) is (apply is _OPEN)


def _read_on(records: tuple[Record, ...], topics: TopicLogs) -> None:
    for one in records:
        topics.append(one)


_OPEN = LeftOpen.apply


def test_added_partitions_are_there_and_empty() -> None:
    """A partition that nothing is sent to exists all the same."""
    assert simulate_log([A, AddPartitions("t", 3)])["t", 2] == Log()
    assert shown([A, AddPartitions("t", 3)]) == "0: a0 :1"


@pytest.mark.parametrize("step", [B, Committed((B,)), Aborted((B,))])
def test_nothing_follows_an_open_transaction(step: Step) -> None:
    """What would come behind an open transaction could not be read, so it is refused."""
    with pytest.raises(UsageError, match="follows the open transaction in t/0"):
        simulate_log([A, LeftOpen((C,)), step])
