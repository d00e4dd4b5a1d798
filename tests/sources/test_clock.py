"""The scenario clock: fixed steps, pins that never go back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.sources.clock import FIRST_TS, LOGICAL_BITS, Clock

SECOND = 1000 << LOGICAL_BITS


def test_first_tick() -> None:
    """The first commit has the ts of the 2020 listing's first log; later ones follow by seconds."""
    clock = Clock()
    assert FIRST_TS == 415508856908021766
    assert [clock.commit(), clock.mark(), clock.commit()] == [
        FIRST_TS,
        FIRST_TS + SECOND,
        FIRST_TS + 2 * SECOND,
    ]


def test_own_pace() -> None:
    """Start and step are arguments; the step is in milliseconds."""
    clock = Clock(first=10, step_ms=1)
    assert [clock.commit(), clock.commit()] == [10, 10 + (1 << LOGICAL_BITS)]


def test_pinned_commit() -> None:
    """A pinned commit has just that timestamp, and the clock goes on behind it."""
    clock = Clock()
    assert clock.commit(FIRST_TS + 5 * SECOND) == FIRST_TS + 5 * SECOND
    assert clock.commit() == FIRST_TS + 6 * SECOND
    early = Clock()
    assert early.commit(7) == 7
    assert early.commit() == FIRST_TS + SECOND


@pytest.mark.parametrize("back", [0, 1, SECOND])
def test_pin_that_goes_back(back: int) -> None:
    """A pin at or before the last commit is the author's mistake."""
    clock = Clock()
    last = clock.commit()
    with pytest.raises(UsageError, match="does not lie after the previous commit ts"):
        clock.commit(last - back)


def test_pinned_mark() -> None:
    """A pinned mark may lie anywhere, even behind the last commit; the clock never goes back."""
    clock = Clock()
    last = clock.commit()
    assert clock.mark(last - 1) == last - 1
    assert clock.mark(last + 10 * SECOND) == last + 10 * SECOND
    assert clock.commit() == last + 11 * SECOND


@given(st.lists(st.tuples(st.booleans(), st.none() | st.integers(1, 2**62)), max_size=20))
def test_commits_rise(ticks: list[tuple[bool, int | None]]) -> None:
    """Whatever is pinned, commits rise, and an unpinned mark lies above every commit before it."""
    clock = Clock()
    commits = [0]
    for is_mark, pin in ticks:
        if is_mark:
            mark = clock.mark(pin)
            assert pin is not None or mark > commits[-1]
        elif pin is None or pin > commits[-1]:
            commits.append(clock.commit(pin))
    assert commits == sorted(set(commits))
