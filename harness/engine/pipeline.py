"""The pipeline on one screen: plan, services, produce, consume, judge.

Services come up while the cases are planned. A consumer is blamed only while the services live:
when one dies, what was not answered by then is begun again with new ones; when that happens again
and again, the run ends as an environment error, whatever the consumer did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from harness.engine.catalogue.plans import lacking, plans
from harness.engine.catalogue.workspace import Workspace
from harness.engine.plan.case import Plan
from harness.engine.plan.levels import level_text
from harness.engine.run.attached.run import refuse_unreachable, refuse_unstarted
from harness.engine.run.consume import consume
from harness.engine.run.context import RunContext
from harness.engine.run.decode import decode, judged_decoded
from harness.engine.run.headline import RunResult, concluded, now
from harness.engine.run.judging import CaseAnswer, CaseAnswers, finished, judged, unread
from harness.engine.run.preflight import undeclared
from harness.engine.run.services import services_for, with_services
from harness.engine.sink.sink import sink_of
from harness.errors import ExitCode, UsageError, plural
from harness.model.events import CaseFinished, RunStarted
from harness.model.finding import FINDINGS, Verdict
from harness.model.level import Level
from harness.scenario.expand import Case
from harness.services import Services


class CaseSource(Protocol):
    """Where the cases of a run come from, and how each comes to its verdict."""

    @property
    def ids(self) -> Sequence[str]:
        """Return the ids of the cases, in the order of the report."""
        ...

    @property
    def level(self) -> str:
        """Return what reports call the level that is certified."""
        ...

    def finished(self, context: RunContext) -> Iterator[CaseFinished]:
        """Run the cases; yield each as it is judged. HarnessError when the run cannot go on."""
        ...


def certify(cases: CaseSource, context: RunContext) -> RunResult:
    """Run all cases and return their verdicts; raises HarnessError when the run cannot go on."""
    bus, identity = context.bus, context.identity
    name, level = context.consumer.name, cases.level
    numbers = (len(cases.ids), identity.versions, now(), level)
    bus.publish(RunStarted(identity.name, name, *numbers, identity.conditions))
    verdicts: dict[str, Verdict] = {}
    with bus.said_when_aborted():
        for event in cases.finished(context):
            verdicts[event.case] = event.verdict
            bus.publish(event)
    ordered = tuple(verdicts[case] for case in cases.ids if case in verdicts)
    end = concluded(ordered, bus.seconds, level, context.scope)
    bus.publish(end)
    return RunResult(ordered, ExitCode(end.exit_code))


@dataclass(frozen=True, slots=True)
class CatalogueCases:
    """Cases of scenarios. `certified` is the level, None for materialise and stream together.

    `planned` are plans of (at least) the applicable cases, when they were made before; `services`
    run already, and are left running.
    """

    space: Workspace
    cases: Sequence[Case]
    certified: Level | None = None
    planned: Sequence[Plan] | None = None
    services: Services | None = None

    @property
    def ids(self) -> Sequence[str]:
        """Return the ids of the cases, in their order."""
        return [case.id for case in self.cases]

    @property
    def level(self) -> str:
        """Return what reports call the level."""
        return level_text(self.certified)

    def finished(self, context: RunContext) -> Iterator[CaseFinished]:
        """Run the cases; yield each as it is judged."""
        consumer, roots = context.consumer, self.space.options()
        applicable = [case for case in self.cases if consumer.supports(case.protocol)]
        if not applicable:
            declared = ", ".join(sorted(consumer.protocols or ()))
            of = ", ".join(sorted({case.protocol for case in self.cases}))
            raise UsageError(
                f"nothing is applicable: {consumer.name} declares {declared}, "
                f"the cases are of {of}",
                expected="at least one case of a protocol that the consumer declares",
                hint="`matrix.protocol` of a scenario takes more than one, and so does `protocols`"
                " of a manifest; `harness list` shows all cases",
            )
        decoding = self.certified is Level.DECODE
        planned, answers = (self._decoded if decoding else self._consumed)(context, applicable)
        judge_case = judged_decoded if decoding else partial(judged, consumer=consumer)
        with context.bus.phase("judge"):
            for plan in planned:
                if plan.case.id not in answers:  # the run stopped at the first finding
                    continue
                event = finished(context, plan, answers[plan.case.id], judge_case, roots)
                yield event
                if context.fail_fast and event.verdict.judgement in FINDINGS:
                    return
        for case in self.cases:
            if not consumer.supports(case.protocol):
                yield unread(context, case, undeclared(consumer, case), roots)

    def _decoded(
        self, context: RunContext, cases: Sequence[Case]
    ) -> tuple[Sequence[Plan], CaseAnswers]:
        """Return the answers at level decode, where the consumer is all that runs."""
        refuse_unstarted(context.consumer)
        with context.bus.phase("plan", f"{plural(len(cases), 'case')}"):
            planned = self._plans(cases)
        return planned, decode(context, planned)

    def _consumed(
        self, context: RunContext, cases: Sequence[Case]
    ) -> tuple[Sequence[Plan], CaseAnswers]:
        """Return the answers to topics that are filled, or to messages as they are sent."""
        wanted = services_for(cases, context.consumer)
        if self.services is None:
            refuse_unreachable(context.consumer, context.source, wanted)
        if self.planned is None and lacking(self.space, cases):
            self._plans(cases)  # refused with every problem, before anything is started
        answers: dict[str, CaseAnswer] = {}
        with ThreadPoolExecutor(1) as pool:
            planning = pool.submit(self._plans, cases)

            def read(context: RunContext, services: Services) -> Sequence[Plan]:
                with context.bus.phase("plan", f"{plural(len(cases), 'case')}"):
                    planned = planning.result()
                with sink_of(services, context.consumer, context.identity.name) as sink:
                    consume(context, services, sink, planned, answers)
                return planned

            return with_services(context, self.services, wanted, read), answers

    def _plans(self, cases: Sequence[Case]) -> tuple[Plan, ...]:
        if self.planned is None:
            return plans(self.space, cases)
        wanted = {case.id for case in cases}
        return tuple(plan for plan in self.planned if plan.case.id in wanted)
