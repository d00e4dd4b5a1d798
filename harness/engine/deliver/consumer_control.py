"""When something happens to a consumer, and how to see that the moment is there.

A consumer that declares a crash point kills itself there, exactly. Any other is killed from
outside: it is sent no more than the messages that it may have read by then, and the kill comes when
it has been connected to the broker for a while; or, after some commits, when it has committed its
position so often. Nothing depends on that while: a kill may come at any moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from harness.engine.deliver.progress import Progress
from harness.faults.actions import (
    AfterCommits,
    AfterRecords,
    AtCrashPoint,
    ConsumerAction,
    Instances,
    Join,
    Kill,
    Pause,
    Reached,
)
from harness.model.observed import Observed
from harness.runner.manifest import Consumer, CrashPoint
from harness.runner.supervised import KILLED, SupervisedConsumer

LOOK_AROUND_S = 0.05
SETTLED_S = 1.5  # connected for so long, a consumer is taken to be at work


def crash_point(when: Reached, consumer: Consumer) -> str:
    """Return what HARNESS_CRASHPOINT holds for a moment, "" for none."""
    match when:
        case AtCrashPoint(name, hit):
            point, count = name, hit
        case AfterRecords(count):
            point = CrashPoint.RECORD
        case AfterCommits(count):
            point = CrashPoint.COMMIT
    return f"{point}:{count}" if point in consumer.crash_points else ""


@dataclass(slots=True)
class ConsumerControl:
    """Controls the consumer of a live delivery: starts it, and does to it what is due."""

    consumer: Consumer
    supervised: SupervisedConsumer
    progress: Progress
    settle: Callable[[], None]
    total: int
    restarting: Callable[[], None] = lambda: None
    instances: int = 1
    crashes: list[str] = field(default_factory=list[str])
    outside: list[Kill | Pause | Join] = field(default_factory=list[Kill | Pause | Join])
    messages: int = 0
    begun: bool = False

    def arm(self, action: ConsumerAction) -> None:
        """Take what is to be done at its moment."""
        match action:
            case Instances(count):
                self.instances = count
            # A crash point is every instance's: one of several is killed for good from outside.
            case Kill(when, resume=True) if point := crash_point(when, self.consumer):
                self.crashes.append(point)
            case Kill() | Pause() | Join():
                self.outside.append(action)

    def begin(self) -> None:
        """Start the consumer; what was to happen by now happens."""
        self.begun = True
        self.supervised.begin(self.crashes[0] if self.crashes else "", self.instances)
        self.readable(0)

    def readable(self, messages: int) -> None:
        """Count messages that can be read, and act where that makes a moment."""
        self.messages += messages
        if not self.begun:
            return
        for action in list(self.outside):
            if self._is_due(action):
                self.outside.remove(action)
                self._act(action)

    def wait_until_working(self) -> None:
        """Return once the consumer is at work, or has ended."""
        if self.begun:
            asked = time.monotonic()
            self._until(lambda: self._is_at_work(asked))

    def answer(self) -> tuple[Mapping[str, Observed], str]:
        """Return the consumer's answers once it ended, and what moment never came."""
        while True:
            code = self.supervised.wait()
            if code not in KILLED or not self.crashes:
                break
            del self.crashes[0]
            self.restarting()
            back = self.supervised.killed
            self.supervised.begin(self.crashes[0] if self.crashes else "", back)
        unreached = [*self.crashes, *(str(action.when) for action in self.outside)]
        return self.supervised.answer(code), ", ".join(unreached)

    def _is_due(self, action: Kill | Pause | Join) -> bool:
        match action.when:
            case AfterRecords(count):
                return self.messages >= count and self._read()
            case AfterCommits(count):
                return self._committed(count)
            case AtCrashPoint():
                return False

    def _read(self) -> bool:
        self.settle()
        asked = time.monotonic()
        return self._until(lambda: self._is_at_work(asked))

    def _is_at_work(self, asked: float) -> bool:
        since = self.progress.connected_at(self.supervised.pids)
        return since is not None and time.monotonic() - max(since, asked) >= SETTLED_S

    def _committed(self, count: int) -> bool:
        """Send in portions, each committed before the next, so that there are as many commits."""
        portion, before = max(1, self.total // (count + 1)), self.progress.commits
        if self.messages >= self.total:
            before = count - 1  # nothing more is sent: all commits that there will be are to come
        elif not self.messages or self.messages % portion:
            return False
        self.settle()
        self._until(lambda: self.progress.look() > before)
        return self.progress.commits >= count

    def _until(self, reached: Callable[[], bool]) -> bool:
        """Wait for what the consumer does; return False when it ended, or ran late, without."""
        while not reached():
            self.supervised.look()
            if not self.supervised.pids or self.supervised.is_late:
                return False
            time.sleep(LOOK_AROUND_S)
        return True

    def _act(self, action: Kill | Pause | Join) -> None:
        match action:
            case Kill(resume=resume):
                self.supervised.kill()
                self.restarting()
                self.supervised.begin(instances=int(resume))
            case Join(_, count):
                self.supervised.begin(instances=count)
                joined = time.monotonic()  # what is sent next finds the newcomers started
                self._until(lambda: time.monotonic() - joined >= SETTLED_S)
            case Pause(_, milliseconds):
                self.supervised.pause(milliseconds / 1000)
