"""Several jobs in one start of a consumer that has the capability `jobs`.

Such a consumer finds the paths of its jobs in a file, one a line, and does them one after the
other, each as if it were the only one. What a start costs, a JVM that warms up, is paid once.

Each job has its own deadline, which begins when the one before it has its answers. When the command
ends in the middle of a job, that job has failed; the rest go to another start.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TypeVar

from harness.runner.contract import results
from harness.runner.contract.job import Job
from harness.runner.exit_status import Ending

JOBS = "HARNESS_JOBS"
LISTING = "jobs.txt"  # its file, beside the first job
MOST = 200  # jobs in one start
T = TypeVar("T")


def dealt(starts: Sequence[T], hands: int) -> list[list[T]]:
    """Return starts by who does them: as many groups as hands, unless they would be too large."""
    groups = max(1, min(hands, len(starts)), -(-len(starts) // MOST))
    return [list(starts[first::groups]) for first in range(groups) if starts[first::groups]]


def over(jobs: Sequence[Job], end: Ending) -> int:
    """Return how many jobs, from the first on, had been done when the command ended."""
    if end.outcome is None:
        return len(jobs)
    for number, job in enumerate(jobs):
        if any(results.status_problem(job.out_dir / feed.dir) for feed in job.changefeeds):
            return number
    return len(jobs) - 1


class Clock:
    """The time that is left for the job that is being done."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        """Start now, with the first job."""
        self._jobs = jobs
        self._current = 0
        self._until = time.monotonic() + jobs[0].deadline_s

    def left_s(self) -> float:
        """Return the seconds that are left for the job that is being done."""
        if self._until <= time.monotonic():
            self.look()
        return self._until - time.monotonic()

    def look(self) -> None:
        """Look whether the next job has begun; the deadline is then its own."""
        if self._current + 1 == len(self._jobs):
            return
        job = self._jobs[self._current]
        answered = all(
            os.path.exists(job.out_dir / feed.dir / results.STATUS)  # noqa: PTH110 - never raises
            for feed in reversed(job.changefeeds)
        )
        if answered:
            self._current += 1
            self._until = time.monotonic() + self._jobs[self._current].deadline_s
