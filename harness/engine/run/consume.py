"""How each case is read: in batches, by itself, under services that restart, or from outside.

Before that, what a case requires of the consumer and of the services, and whether they lack it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from harness.engine.deliver.leaders import REPLICAS
from harness.engine.plan.case import Plan
from harness.engine.plan.levels import steps_of
from harness.engine.plan.timing import is_live, restarts, timing
from harness.engine.run.attached.run import AttachedRun
from harness.engine.run.batch import BatchRun
from harness.engine.run.context import NamedPlan, RunContext
from harness.engine.run.interactive import InteractiveRun
from harness.engine.run.jobs import opaque
from harness.engine.run.judging import CaseAnswer
from harness.engine.run.leftovers import taken_away
from harness.engine.run.one_start import CaseServices
from harness.engine.run.services import services_for, started_alone
from harness.engine.run.watch import Watch, watched
from harness.engine.sink.sink import Sink
from harness.faults import FAULTS
from harness.faults.actions import (
    AfterCommits,
    AtCrashPoint,
    EndLeader,
    Instances,
    Join,
    Kill,
    Pause,
    Step,
    Timing,
)
from harness.model.observed import Observed, Outcome
from harness.model.record import Record
from harness.runner.manifest import Capability, Consumer, CrashPoint
from harness.scenario.expand import Case
from harness.services import Services, Settings

OWN_AT_ONCE = 2  # services of one case alone: each set is up to three JVMs


def unmet(steps: Sequence[Step], consumer: Consumer, settings: Settings) -> str:
    """Say what the consumer or the services lack for these steps; "" when they lack nothing."""
    undeclared = next(_undeclared(steps, consumer), "")
    if undeclared:
        return f"{undeclared}, which {consumer.name} does not declare"
    for step in steps:
        if isinstance(step, Record):
            continue
        name, may = step.demand.service, "may restart"
        if step.demand.fronted:
            name, may = step.demand.fronted, "can put a front before"
        if name and settings.backend(name) != "embedded":
            return f"a {name} that the run {may}: this one is {settings.backend(name)}"
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
    if _nobody_is_left(steps):
        yield "an answer of a consumer that is killed for good"
    for number, step in enumerate(steps):
        if isinstance(step, Record):
            continue
        if isinstance(step, Kill | Pause | Join):
            yield from _for_moment(step, consumer)
        needed = step.demand.capability
        live = timing(steps, number, step) is Timing.WHILE_READING
        if needed and live and needed not in consumer.capabilities:
            yield needed


def _nobody_is_left(steps: Sequence[Step]) -> bool:
    """Return whether each instance is killed for good."""
    first = next((step.count for step in steps if isinstance(step, Instances)), 1)
    more = sum(step.count for step in steps if isinstance(step, Join))
    gone = sum(isinstance(step, Kill) and not step.resume for step in steps)
    return gone >= first + more


def _for_moment(action: Kill | Pause | Join, consumer: Consumer) -> Iterator[str]:
    """Yield what the consumer lacks for its moment to be known."""
    # At a crash point each instance kills itself: one of several is killed from outside.
    stops_itself = isinstance(action, Kill) and action.resume
    match action.when:
        case AtCrashPoint(name) if isinstance(action, Kill) and not action.resume:
            yield f"crash-point:{name} of one instance alone"
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


@dataclass(frozen=True, slots=True)
class ReadingModes:
    """Cases by how they are read; `refused` are those that something is lacking for.

    `restarting` have services of their own, `moving` two brokers of their own.
    """

    batched: tuple[NamedPlan, ...]
    interactive: tuple[NamedPlan, ...]
    restarting: tuple[NamedPlan, ...]
    moving: tuple[NamedPlan, ...]
    refused: Mapping[str, CaseAnswer]


def consume(
    context: RunContext,
    services: Services,
    sink: Sink | None,
    planned: Sequence[Plan],
    answers: dict[str, CaseAnswer],
) -> None:
    """Let the consumer read all cases that have no answer yet; add its answers by the cases' ids.

    Each is added once it is there, so that it outlasts the services.
    """
    left = [plan for plan in planned if plan.case.id not in answers]
    attach = context.consumer.attach
    if attach is not None:
        answers |= AttachedRun(context, services, attach).run(left)
        return
    modes = reading_modes(context, left)
    answers |= modes.refused
    with taken_away(context, services), watched(context, services) as watch:
        if modes.batched:
            answers |= BatchRun(context, services, watch, sink).run(modes.batched)
        if _lacks(answers, modes.batched):  # it stopped at a finding
            return
        places = [CaseServices(services, watch)] * context.starts_at_once
        InteractiveRun(context, places, sink).run(modes.interactive, answers)
    before = modes.interactive
    for named, moving in ((modes.restarting, False), (modes.moving, True)):
        if named and not _lacks(answers, before):
            _on_own_services(context, sink, named, answers, moving=moving)
        before = named


def _on_own_services(
    context: RunContext,
    sink: Sink | None,
    named: Sequence[NamedPlan],
    answers: dict[str, CaseAnswer],
    *,
    moving: bool,
) -> None:
    """Run cases whose services go away; `moving` are those whose leaders have a place to go."""
    wanted = services_for([plan.case for _, plan, _ in named])
    at_once = min(context.starts_at_once, len(named), OWN_AT_ONCE)
    places: list[CaseServices] = []
    with ExitStack() as stack:
        for number in range(1, at_once + 1):
            directory = f"{'moved' if moving else 'restarted'}-{number}"
            services = stack.enter_context(started_alone(context, wanted, directory))
            if moving:
                services = stack.enter_context(services.with_second_broker())
            # A broker that goes away is reached directly, so that a client sees just that.
            kafka = services.cluster
            replicas = REPLICAS if moving else ()
            places.append(CaseServices(services, Watch(kafka, kafka), replicas))
        InteractiveRun(context, places, sink).run(named, answers)


def _lacks(answers: Mapping[str, CaseAnswer], named: Sequence[NamedPlan]) -> bool:
    return any(plan.case.id not in answers for _, plan, _ in named)


def reading_modes(context: RunContext, planned: Sequence[Plan]) -> ReadingModes:
    """Return how each case is to be read."""
    found: dict[str, list[NamedPlan]] = {
        mode: [] for mode in ("batched", "interactive", "restarting", "moving")
    }
    refused: dict[str, CaseAnswer] = {}
    consumer, settings = context.consumer, context.source.settings
    for index, plan in zip(opaque(len(planned)), planned, strict=True):
        steps = plan.delivery.steps
        lacking = unsurvivable(plan.case, consumer) or unmet(steps, consumer, settings)
        if lacking:
            observed = Observed(Outcome.NOT_APPLICABLE, f"needs {lacking}")
            refused[plan.case.id] = CaseAnswer(observed)
            continue
        mode = "restarting" if restarts(steps) else "interactive" if is_live(steps) else "batched"
        mode = "moving" if any(isinstance(step, EndLeader) for step in steps) else mode
        found[mode].append((index, plan, f"{context.group}-{index:04d}"))
    batched, interactive, restarting, moving = (tuple(named) for named in found.values())
    return ReadingModes(batched, interactive, restarting, moving, refused)
