"""A topic that is filled with gaps reads as the compacted one does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engine.plan.compaction import as_gaps, with_gaps
from harness.errors import HarnessBug
from harness.faults.actions import Aborted, Committed, Compact, DeleteBefore, Step
from harness.faults.log import Log, LogEntry, simulate_log
from harness.model.record import Origin, Record

ORIGINS = (Origin(1, 0, 0, "upsert"),)


def record(topic: str, key: bytes, value: bytes | None, partition: int = 0) -> Record:
    """Return a message."""
    return Record(topic, partition, key, value, ORIGINS)


A = record("t", b"a", b"v")
HERE = ("t", 0)
RECORDS = st.builds(
    record,
    st.sampled_from(["a", "b"]),
    st.sampled_from([b"1", b"2"]),
    st.sampled_from([b"x", b"y", None]),
    st.integers(0, 1),
)
GROUPS = st.lists(RECORDS, min_size=1, max_size=3).map(tuple)
STEPS = st.lists(st.one_of(RECORDS, GROUPS.map(Committed), GROUPS.map(Aborted)), max_size=9)


@given(before=STEPS, after=STEPS, tombstones=st.booleans(), deleted=st.integers(0, 2))
def test_reads_the_same(
    *, before: list[Step], after: list[Step], tombstones: bool, deleted: int
) -> None:
    """Whatever came before and comes after, no cleaner is needed for the same offsets."""
    steps: list[Step] = [*before]
    if ("a", 0) in simulate_log(steps) and deleted <= simulate_log(steps)["a", 0].end:
        steps.append(DeleteBefore("a", 0, deleted))
    steps += [Compact("a", tombstones), *after]
    filled = as_gaps(steps)
    assert not any(isinstance(step, Compact) for step in filled)
    wanted, found = simulate_log(steps), simulate_log(filled)
    assert {there: log.read for there, log in found.items()} == {
        there: log.read for there, log in wanted.items()
    }
    assert {there: log.end for there, log in found.items()} == {
        there: log.end for there, log in wanted.items()
    }


@pytest.mark.parametrize("count", [1, 2, 3])
def test_nothing_left(count: int) -> None:
    """A partition of expired tombstones ends where it did, and nobody reads anything there."""
    steps = [*[record("a", b"1", None)] * count, Compact("a", tombstones=False)]
    log = simulate_log(as_gaps(steps))["a", 0]
    assert (log.read, log.end) == ((), count)


@given(st.lists(st.integers(0, 4), max_size=6), st.integers(0, 4))
def test_gaps_can_be_produced(gaps: list[int], tail: int) -> None:
    """Whatever gaps a compacted partition has, transactions and deletion make the same ones."""
    read: list[LogEntry] = []
    end = 0
    for gap in gaps:
        read.append(LogEntry(A, end + gap))
        end += gap + 1
    log = Log(0, end + tail if read else 0, tuple(read))
    made = simulate_log(with_gaps(HERE, log)).get(HERE, Log())
    assert (made.read, made.end) == (log.read, log.end)
    assert made.start <= (made.read[0].offset if made.read else 0)


def test_a_log_without_messages_cannot_be_filled() -> None:
    """Gaps are made of messages that somebody sent."""
    with pytest.raises(HarnessBug):
        list(with_gaps(HERE, Log(0, 3, ())))
