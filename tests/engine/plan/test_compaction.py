"""A topic that is filled with gaps reads as the compacted one does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engine.plan.compaction import as_gaps
from harness.faults.actions import Aborted, Committed, Compact, DeleteBefore, Step
from harness.faults.landed import landed
from harness.model.record import Origin, Record

ORIGINS = (Origin(1, 0, 0, "upsert"),)


def record(topic: str, key: bytes, value: bytes | None, partition: int = 0) -> Record:
    """Return a message."""
    return Record(topic, partition, key, value, ORIGINS)


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
    if ("a", 0) in landed(steps) and deleted <= landed(steps)["a", 0].end:
        steps.append(DeleteBefore("a", 0, deleted))
    steps += [Compact("a", tombstones), *after]
    filled = as_gaps(steps)
    assert not any(isinstance(step, Compact) for step in filled)
    wanted, found = landed(steps), landed(filled)
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
    log = landed(as_gaps(steps))["a", 0]
    assert (log.read, log.end) == ((), count)
