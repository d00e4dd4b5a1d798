"""The scenario clock: the only time there is.

A TiDB timestamp is `physical milliseconds << 18 | logical`. The clock starts at the timestamp of
the 2020 document's own listing and moves a fixed step with each tick, so that runs are
reproducible and numbers can be compared with the listing by eye.
"""

from __future__ import annotations

from harness.errors import UsageError

LOGICAL_BITS = 18
# TiCDC Open Protocol, 2020, §Example, log 1.
FIRST_TS = 415508856908021766
STEP_MS = 1000


class Clock:
    """A timestamp oracle that only ever moves forward."""

    def __init__(self, first: int = FIRST_TS, step_ms: int = STEP_MS) -> None:
        """Start so that the first tick returns `first`; `step_ms` is in milliseconds."""
        self._next = first
        self._step = step_ms << LOGICAL_BITS
        self._last_commit = 0

    def commit(self, pinned: int | None = None) -> int:
        """Return the commit ts of the next transaction or DDL; a pin moves the clock to it."""
        if pinned is not None and pinned <= self._last_commit:
            raise UsageError(
                f"commit ts {pinned} does not lie after the previous commit ts {self._last_commit}",
                expected="commit timestamps that rise from step to step",
                hint="raise the pinned ts, or leave it out and let the clock choose",
            )
        ts = self._next if pinned is None else pinned
        self._last_commit = ts
        self._next = max(self._next, ts) + self._step
        return ts

    def mark(self, pinned: int | None = None) -> int:
        """Return a resolved ts strictly above the last commit; a pinned one may lie anywhere."""
        if pinned is not None:
            self._next = max(self._next, pinned + self._step)
            return pinned
        ts = self._next
        self._next += self._step
        return ts
