"""How each case is read: in batches, by itself, under services that restart, or from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.engine.plan.case import Plan
from harness.engine.plan.timing import is_live, restarts
from harness.engine.run.attached.run import AttachedRun
from harness.engine.run.batch import BatchRun
from harness.engine.run.context import NamedPlan, RunContext
from harness.engine.run.interactive import InteractiveRun
from harness.engine.run.jobs import opaque
from harness.engine.run.judging import CaseAnswer
from harness.engine.run.requirements import unmet, unsurvivable
from harness.engine.run.services import services_for, started_alone
from harness.engine.run.watch import Watch, watched
from harness.engine.sink.sink import Sink
from harness.model.observed import Observed, Outcome
from harness.services import Services


@dataclass(frozen=True, slots=True)
class ReadingModes:
    """Cases by how they are read; `refused` are those that something is lacking for."""

    batched: tuple[NamedPlan, ...]
    interactive: tuple[NamedPlan, ...]
    restarting: tuple[NamedPlan, ...]
    refused: Mapping[str, CaseAnswer]


def consume(
    context: RunContext, services: Services, sink: Sink | None, planned: Sequence[Plan]
) -> dict[str, CaseAnswer]:
    """Let the consumer read all cases; return its answers by the cases' ids."""
    attach = context.consumer.attach
    if attach is not None:
        return AttachedRun(context, services, attach).run(planned)
    modes = reading_modes(context, planned)
    answers = dict(modes.refused)
    with watched(context, services) as watch:
        if modes.batched:
            answers |= BatchRun(context, services, watch, sink).run(modes.batched)
        if len(answers) < len(modes.refused) + len(modes.batched):  # it stopped at a finding
            return answers
        answers |= InteractiveRun(context, services, watch, sink).run(modes.interactive)
    if len(answers) + len(modes.restarting) < len(planned):
        return answers
    if modes.restarting:
        wanted = services_for([plan.case for _, plan, _ in modes.restarting])
        with started_alone(context, wanted, "restarted") as own:
            # A broker that goes away is reached directly, so that a client sees just that.
            direct = Watch(own.kafka, own.kafka)
            answers |= InteractiveRun(context, own, direct, sink).run(modes.restarting)
    return answers


def reading_modes(context: RunContext, planned: Sequence[Plan]) -> ReadingModes:
    """Return how each case is to be read."""
    found: dict[str, list[NamedPlan]] = {"batched": [], "interactive": [], "restarting": []}
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
        found[mode].append((index, plan, f"{context.group}-{index:04d}"))
    batched, interactive, restarting = (tuple(named) for named in found.values())
    return ReadingModes(batched, interactive, restarting, refused)
