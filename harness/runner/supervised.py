"""A consumer that is looked after while it runs: killed, stopped for a while, started again.

Every start has the same job and the same work directory; what an earlier start did is not held
against the consumer, only how the last one ended. Whatever happens, nothing is left running.
"""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable, Mapping
from itertools import count, islice
from types import TracebackType
from typing import Self

from harness.contracts import Child
from harness.errors import SetupError
from harness.model.observed import Observed
from harness.runner import exit_status
from harness.runner.contract.taken import moment
from harness.runner.manifest import Consumer
from harness.runner.output import Output
from harness.runner.run import (
    LOG_LENGTH,
    LOOK_AROUND_S,
    Start,
    launched,
    refuse_unusable,
    scoped_environment,
)

KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
CRASH_POINT = "HARNESS_CRASHPOINT"
INSTANCE = "HARNESS_INSTANCE"


class SupervisedConsumer:
    """One start's consumer over all its lives; use as a context manager."""

    def __init__(
        self,
        consumer: Consumer,
        start: Start,
        environment: Mapping[str, str],
        grace_s: float,
        should_abort: Callable[[], None],
    ) -> None:
        """Take what to start; `should_abort` raises when the run is to be given up."""
        self._consumer = consumer
        self._start = start
        self._environment = scoped_environment(consumer, start, environment)
        self._grace_s = grace_s
        self._should_abort = should_abort
        self._output = Output(start.log)
        self._processes: dict[int, Child] = {}
        self._deadline = 0.0
        self._go_on_at: float | None = None

    def __enter__(self) -> Self:
        """Prepare directories and job; nothing is started."""
        self._start.prepare()
        self._output.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End whatever runs, and keep the log."""
        try:
            for process in self._processes.values():
                process.stop(self._grace_s if error is None else 0)
        finally:
            self._output.__exit__(kind, error, trace)
            shutil.rmtree(self._start.tmp, ignore_errors=True)

    def begin(self, crash_point: str = "", instances: int = 1) -> None:
        """Start the command, as often as asked side by side; what runs is left running.

        Those that were killed are forgotten; how others ended by themselves still counts.
        """
        kept = {n: one for n, one in self._processes.items() if one.poll() not in KILLED}
        self._processes = kept
        free = (number for number in count(1) if number not in kept)
        for number in list(islice(free, instances)):
            env = {**self._environment, INSTANCE: str(number)}
            if crash_point:
                env[CRASH_POINT] = crash_point
            kept[number] = launched(self._consumer, self._start, env, self._output.pipe)
        self._deadline = time.monotonic() + self._start.job.deadline_s

    def kill(self) -> None:
        """Kill one instance with signal 9, and all that descends from it."""
        alive = [number for number, one in self._processes.items() if one.poll() is None]
        process = self._processes[min(alive or self._processes)]
        process.signal(signal.SIGKILL)
        process.stop(0)

    def pause(self, seconds: float) -> None:
        """Stop the consumer in its tracks; `look` lets it go on when the time has come."""
        self._signal(signal.SIGSTOP)
        self._go_on_at = time.monotonic() + seconds
        self._deadline += seconds

    def allow(self, seconds: float) -> None:
        """Put the deadline off: for so long the consumer had to wait for others."""
        self._deadline += seconds

    def look(self) -> None:
        """Do what is due; SetupError when the run is to be given up."""
        self._should_abort()
        if self._go_on_at is not None and time.monotonic() >= self._go_on_at:
            self._go_on_at = None
            self._signal(signal.SIGCONT)

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the process ids of the living instances."""
        return tuple(one.pid for one in self._processes.values() if one.poll() is None)

    @property
    def killed(self) -> int:
        """Return how many instances were killed, or killed themselves, since the last start."""
        return sum(one.poll() in KILLED for one in self._processes.values())

    @property
    def is_late(self) -> bool:
        """Return whether the deadline of the last start is over."""
        return time.monotonic() > self._deadline

    def wait(self) -> int | None:
        """Return the first bad exit status, or 0, once all have ended; None at the deadline."""
        while self.pids:
            if self.is_late:
                return None
            self.look()
            time.sleep(LOOK_AROUND_S)
        codes = [process.poll() for process in self._processes.values()]
        return next((code for code in codes if code), 0)

    def answer(self, code: int | None) -> Mapping[str, Observed]:
        """Return what the consumer answered, by changefeed id, having ended like that."""
        at_exit = moment(self._start.directory)
        for process in self._processes.values():
            process.stop(self._grace_s)
        taken = moment(self._start.directory) if code is None else at_exit
        self._should_abort()
        log = self._output.text(LOG_LENGTH)
        refuse_unusable(self._consumer, code, log)
        job = self._start.job
        return exit_status.observe(job, exit_status.ending(code, job.deadline_s), log, taken)

    def _signal(self, number: int) -> None:
        for process in self._processes.values():
            try:
                process.signal(number)
            except SetupError:
                continue
