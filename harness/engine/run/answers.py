"""Answers as they arrive: each is judged when its status is there, and published.

Such a verdict is a first one: what a whole start came to, and what a case comes to alone, may
change it. It is kept, so that an answer that did not change is not judged again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.engine.plan.case import Plan
from harness.engine.run.context import RunContext
from harness.engine.run.declared import settled, subject_of
from harness.engine.run.judging import judged, placed
from harness.model.events import CaseAnswered
from harness.model.finding import FINDINGS, Verdict
from harness.model.observed import Observed
from harness.runner.contract import results
from harness.runner.contract.reading import DEFAULT_LIMITS

SAID_LENGTH = 200
LOOK_S = 0.5  # how often files are looked at


class EnoughError(Exception):
    """A finding is there, and the run was to stop at the first."""


@dataclass
class Answers:
    """The answers of some cases so far; `in_files` says whether their tables are in files."""

    context: RunContext
    plans: Mapping[str, Plan]
    folders: Mapping[str, Path] = field(default_factory=dict[str, Path])
    in_files: bool = True
    observed: dict[str, Observed] = field(default_factory=dict[str, Observed])
    _verdicts: dict[str, Verdict] = field(default_factory=dict[str, Verdict])
    _findings: int = 0
    _count: int = 0
    _began: float = field(default_factory=time.monotonic)
    _next: float = 0.0
    _looking: threading.Lock = field(default_factory=threading.Lock)
    _seen: set[str] = field(default_factory=set[str])

    def look(self, *, last: bool = False) -> None:
        """Take the answers whose status is there, unless somebody looked just now.

        EnoughError at the first finding of a run that stops there.
        """
        if (not last and time.monotonic() < self._next) or not self._looking.acquire(blocking=last):
            return
        try:
            for case, folder in self.folders.items():
                there = case not in self._seen and (folder / results.STATUS).exists()
                if there and not results.status_problem(folder):
                    self._seen.add(case)
                    self._take(case, folder)
            self._next = time.monotonic() + LOOK_S
        finally:
            self._looking.release()

    def _take(self, case: str, folder: Path) -> None:
        """Judge an answer; tables that are in a database are read later, and only counted."""
        if not self.in_files:
            self.add(case, None)
            return
        limits = replace(DEFAULT_LIMITS, seconds=self.context.limits.deadline_s)
        observed = results.read(folder, limits)
        self.observed[case] = observed
        self._verdicts[case] = judged(self.plans[case], observed, self.context.consumer)
        self.add(case, self._verdicts[case])

    def add(self, case: str, verdict: Verdict | None) -> None:
        """Publish that a case is answered, with its first verdict where there is one."""
        context, plan = self.context, self.plans[case]
        if verdict is not None:
            verdict = settled(subject_of(plan), verdict, context.declared)
            verdict = placed(plan.case, verdict, counts_beyond=context.counts_beyond)
        found = verdict is not None and verdict.judgement in FINDINGS
        self._count += 1
        self._findings += found
        of = len(self.plans)
        left_s = (time.monotonic() - self._began) / self._count * (of - self._count)
        event = CaseAnswered(
            case,
            "" if verdict is None else verdict.judgement.value,
            _said(verdict) if found and verdict is not None else "",
            self._count,
            of,
            self._findings,
            round(left_s, 1),
        )
        context.bus.publish(event)
        if found and context.fail_fast:
            raise EnoughError

    def verdict(self, case: str, observed: Observed) -> Verdict:
        """Return the verdict on the whole answer: the first one, where nothing changed."""
        first = self.observed.get(case)
        if first is not None and first == replace(observed, log=first.log):
            return self._verdicts[case]
        return judged(self.plans[case], observed, self.context.consumer)


def _said(verdict: Verdict) -> str:
    """Return the first finding in one line."""
    texts: Sequence[str] = [f"{one.kind.value}: {one.message}" for one in verdict.findings]
    return " ".join((texts or [verdict.detail])[0].split())[:SAID_LENGTH]
