"""What a case requires of a consumer and of the services, and whether they lack it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.engine.plan.levels import steps_of
from harness.engine.plan.timing import timing
from harness.faults import FAULTS
from harness.faults.actions import AfterCommits, AtCrashPoint, Kill, Pause, Step, Timing
from harness.model.record import Record
from harness.runner.manifest import Capability, Consumer, CrashPoint
from harness.scenario.expand import Case
from harness.services import Settings


def unmet(steps: Sequence[Step], consumer: Consumer, settings: Settings) -> str:
    """Say what the consumer or the services lack for these steps; "" when they lack nothing."""
    undeclared = next(_undeclared(steps, consumer), "")
    if undeclared:
        return f"{undeclared}, which {consumer.name} does not declare"
    for step in steps:
        name = "" if isinstance(step, Record) else step.demand.service
        if name and settings.backend(name) != "embedded":
            return f"a {name} that the run may restart: this one is {settings.backend(name)}"
    return ""


def unsurvivable(case: Case, consumer: Consumer) -> str:
    """Say what the consumer lacks where messages of the job are taken away; "" for nothing.

    One that fails as a whole would take down the neighbours in its batch.
    """
    lost = any(FAULTS[step.fault].loses_data for step in steps_of(case))
    if lost and Capability.LOST_DATA not in consumer.capabilities:
        return f"{Capability.LOST_DATA}, which {consumer.name} does not declare"
    return ""


def _undeclared(steps: Sequence[Step], consumer: Consumer) -> Iterator[str]:
    """Yield what the consumer would have to declare, and does not."""
    for number, step in enumerate(steps):
        if isinstance(step, Record):
            continue
        if isinstance(step, Kill | Pause):
            yield from _for_moment(step, consumer)
        needed = step.demand.capability
        live = timing(steps, number, step) is Timing.WHILE_READING
        if needed and live and needed not in consumer.capabilities:
            yield needed


def _for_moment(action: Kill | Pause, consumer: Consumer) -> Iterator[str]:
    """Yield what the consumer lacks for its moment to be known."""
    stops_itself = isinstance(action, Kill)
    match action.when:
        case AtCrashPoint(name) if not stops_itself:
            yield f"pause-point:{name}"
        case AtCrashPoint(name) if name not in consumer.crash_points:
            yield f"crash-point:{name}"
        case AfterCommits() if stops_itself and CrashPoint.COMMIT in consumer.crash_points:
            pass
        case AfterCommits() if Capability.COMMITS not in consumer.capabilities:
            yield Capability.COMMITS
        case _:
            pass
    if isinstance(action, Kill) and not action.resume:
        yield "an answer of a consumer that is killed for good"
