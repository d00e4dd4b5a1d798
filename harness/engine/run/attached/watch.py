"""When the result of a running system is final, for a system that says nothing about it.

| what was seen | the answer | what decided |
| --- | --- | --- |
| it is right, and has been for `settle` | the tables | the result |
| the group is at every end, nothing has changed for `settle` | the tables | the position |
| at the deadline: it came, and has been the same for `settle` | the tables | the deadline |
| at the deadline: nothing came, or it still changes | timeout | |
| at the deadline: it cannot be read | invalid | |

A result that is wrong is separated from one that is late, and the report says what decided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.engine.plan.case import Plan
from harness.model.finding import Judgement, Verdict
from harness.model.observed import Observed, Outcome


class Watch:
    """One case's result over time; times are seconds since the topics were full."""

    def __init__(
        self,
        plan: Plan,
        first: Observed,
        settle_s: float,
        judge: Callable[[Plan, Observed], Verdict],
    ) -> None:
        """Take what was there before anything was sent, and who tells whether a result is right."""
        self._judge = judge
        self.plan = plan
        self._settle_s = settle_s
        self._last = first
        self._state = _state(first)
        self._changed: float | None = None
        self._right: float | None = None
        self._read: float | None = None
        self._seen: list[str] = []
        self.answer: Observed | None = None

    def look(self, observed: Observed, now: float, *, has_read: bool) -> None:
        """Take the result of this moment; `has_read` says whether the group is at every end."""
        state = _state(observed)
        if state != self._state:
            self._state, self._changed = state, now
        self._last = observed
        self._right = self._since(self._right, now, "is right", holds=self._is_right())
        self._read = self._since(self._read, now, "all is read", holds=has_read)
        quiet = now - (self._changed or 0.0)
        right_s = 0.0 if self._right is None else now - self._right
        read_s = 0.0 if self._read is None else now - self._read
        if self._right is not None and min(right_s, quiet) >= self._settle_s:
            self._decide(f"the result is right, and has stayed so for {self._settle_s:g} s", now)
        elif self._read is not None and min(read_s, quiet) >= self._settle_s:
            self._decide("the group has committed the end of every partition", now)

    def give_up(self, now: float) -> None:
        """Answer with what there is at the deadline."""
        quiet = now - (self._changed or 0.0)
        if self._last.outcome is Outcome.INVALID:
            self.answer = replace(self._last, log=self._log())
        elif self._changed is None:
            what = f"nothing had come when its deadline of {now:.0f} s was over"
            self.answer = Observed(Outcome.TIMEOUT, what, log=self._log())
        elif quiet < self._settle_s:
            what = f"its result still changed when its deadline of {now:.0f} s was over"
            self.answer = Observed(Outcome.TIMEOUT, what, log=self._log())
        else:
            self._decide(f"the deadline; the result had stayed as it is for {quiet:.0f} s", now)

    def _is_right(self) -> bool:
        if self._last.outcome is not Outcome.DONE:
            return False
        return self._judge(self.plan, self._last).judgement is Judgement.PASS

    def _since(self, before: float | None, now: float, what: str, *, holds: bool) -> float | None:
        """Return since when something holds, and keep for the log that it began or ended."""
        if holds == (before is not None):
            return before
        self._seen.append(f"{now:.1f} s: {what if holds else f'no more: {what}'}")
        return now if holds else None

    def _decide(self, what: str, now: float) -> None:
        if self._last.outcome is Outcome.INVALID:
            self.answer = replace(self._last, log=self._log())
            return
        self._seen.append(f"{now:.1f} s: taken as final")
        self.answer = replace(self._last, detail=f"end of stream: {what}", log=self._log())

    def _log(self) -> str:
        return "".join(f"{line}\n" for line in self._seen)


def rows_of(observed: Observed) -> int:
    """Return how many rows there are in all tables."""
    return sum(len(rows) for rows in (observed.tables or {}).values())


def _state(observed: Observed) -> str:
    """Return what two looks have in common when nothing has changed, in whatever order of rows."""
    tables = {
        str(table): sorted(repr(sorted(row.items())) for row in rows)
        for table, rows in (observed.tables or {}).items()
    }
    lacking = {str(table): columns for table, columns in (observed.lacking or {}).items()}
    return repr(
        (observed.outcome, observed.detail, sorted(tables.items()), sorted(lacking.items()))
    )
