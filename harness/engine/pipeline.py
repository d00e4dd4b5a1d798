"""The whole river on one screen: plan, services, produce, consume, judge.

Services come up while the cases are planned. A consumer is blamed only while the services live:
when one dies the run ends as an environment error, whatever the consumer did.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from harness.engine.catalogue.plans import plans
from harness.engine.catalogue.workspace import Workspace
from harness.engine.deliver import topics
from harness.engine.events import CaseFinished, Listener, RunStarted
from harness.engine.plan.case import Plan
from harness.engine.plan.evidence import evidence
from harness.engine.plan.levels import level_text
from harness.engine.run.attached.refuse import refuse_unreachable, refuse_unstarted
from harness.engine.run.attached.run import Attached
from harness.engine.run.batch import Answers, Packed
from harness.engine.run.declared import NOTHING_DECLARED, Declared, settled, subject_of
from harness.engine.run.decode import Decoding, judged_decoded
from harness.engine.run.event_bus import EventBus
from harness.engine.run.headline import RunResult, concluded
from harness.engine.run.interactive import Live, Named, run_all, sort_out
from harness.engine.run.isolation import NOT_ISOLATED, Isolation
from harness.engine.run.preflight import undeclared
from harness.engine.run.requirements import services_for
from harness.engine.sink.sink import Sink, sink_of
from harness.errors import ExitCode, UsageError
from harness.model.evidence import Evidence
from harness.model.finding import FINDINGS, Verdict
from harness.model.level import Level
from harness.model.observed import Observed
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.services import Services, Source
from harness.services.service import Up
from harness.verdict.judge import judge
from harness.verdict.packing import both


@dataclass(frozen=True, slots=True)
class Request:
    """What to run: cases over one consumer. `deadline_s` bounds each start of the consumer.

    `parallelism` starts of it run side by side, when it takes too few changefeeds for one.
    `planned` are plans of (at least) the applicable cases, when they were made before; `services`
    run already, and are left running; otherwise they come from `source`. `level` is what is
    certified, None for materialise and stream together. `options` are words that
    a command line needs besides to repeat a case. `isolation` says which packed cases are read
    alone as well.
    """

    space: Workspace
    consumer: Consumer
    cases: Sequence[Case]
    run: str
    run_dir: Path
    versions: Mapping[str, str]
    environment: Mapping[str, str]
    deadline_s: float = 300.0
    parallelism: int = 1
    planned: Sequence[Plan] | None = None
    services: Services | None = None
    source: Source = field(default_factory=Source)
    options: Sequence[str] = ()
    declared: Declared = NOTHING_DECLARED
    isolation: Isolation = NOT_ISOLATED
    level: Level | None = None


class Run:
    """One run in progress: knows its listeners, nothing else."""

    def __init__(self, request: Request, listeners: Sequence[Listener]) -> None:
        """Take the request and whoever listens."""
        self._request = request
        self._told = EventBus(listeners)

    def execute(self) -> RunResult:
        """Run all cases and return the outcome; raises HarnessError when the run cannot go on."""
        request = self._request
        name = request.consumer.name
        at = datetime.now(UTC).isoformat(timespec="seconds")
        level = level_text(request.level)
        self._told.tell(
            RunStarted(request.run, name, len(request.cases), request.versions, at, level)
        )
        applicable = [c for c in request.cases if request.consumer.supports(c.protocol)]
        if not applicable:
            raise UsageError(
                f"nothing is applicable: {request.consumer.name} declares none of the protocols",
                expected="at least one case with a protocol that the consumer declares",
                hint="`harness list` shows the cases and their protocols",
            )
        verdicts = self._verdicts(applicable)
        for case in request.cases:
            if case.id not in verdicts:
                verdict = undeclared(request.consumer, case)
                verdicts[case.id] = verdict
                self._finished(case, verdict, "")
        return self._finish(tuple(verdicts[case.id] for case in request.cases))

    def _decoded(self, cases: Sequence[Case]) -> dict[str, Verdict]:
        """Return the verdicts at level decode, where the consumer is all that runs."""
        request = self._request
        with self._told.phase("plan", f"{len(cases)} cases"):
            planned = self._planned(cases)
        directory = request.run_dir / "consumer"
        answers = Decoding(
            request.consumer,
            directory,
            request.environment,
            request.deadline_s,
            request.parallelism,
            self._told.phase,
            request.isolation,
        ).run(planned)
        with self._told.phase("judge"):
            return self._judge(planned, answers.packed, answers)

    def _verdicts(self, cases: Sequence[Case]) -> dict[str, Verdict]:
        if self._request.level is Level.DECODE:
            refuse_unstarted(self._request.consumer)
            return self._decoded(cases)
        wanted = services_for(cases, self._request.consumer)
        if self._request.services is None:
            refuse_unreachable(self._request.consumer, self._request.source, wanted)
        with ThreadPoolExecutor(1) as pool:
            planning = pool.submit(self._planned, cases)
            with self._services(wanted) as services:
                with self._told.phase("plan", f"{len(cases)} cases"):
                    planned = planning.result()
                with sink_of(services, self._request.consumer, self._request.run) as sink:
                    observed, pack = self._consume(planned, services, sink)
        with self._told.phase("judge"):
            return self._judge(planned, observed, pack)

    def _planned(self, cases: Sequence[Case]) -> tuple[Plan, ...]:
        if self._request.planned is None:
            return plans(self._request.space, cases)
        wanted = {case.id for case in cases}
        return tuple(plan for plan in self._request.planned if plan.case.id in wanted)

    def _consume(
        self, planned: Sequence[Plan], services: Services, sink: Sink | None
    ) -> tuple[Mapping[str, Observed], Answers]:
        """Return what the consumer answered, and how packs were judged and tried again."""
        request = self._request
        wishes = topics.TopicOptions.of(request.source.settings)
        directory = request.run_dir / "consumer"
        if request.consumer.attach is not None:
            attached = Attached(
                services,
                wishes,
                request.consumer,
                request.consumer.attach,
                request.run,
                directory,
                request.deadline_s,
                self._told.phase,
            )
            return attached.run(planned), Answers({}, {}, {})
        group = f"{wishes.prefix}{request.run}"
        sorted_out = sort_out(planned, request.consumer, request.source.settings, group)
        observed = dict(sorted_out.refused)
        answers = Answers({}, {}, {})
        if sorted_out.packed:
            pack = Packed(
                services,
                wishes,
                request.consumer,
                directory,
                request.environment,
                request.deadline_s,
                request.parallelism,
                group,
                self._told.phase,
                request.isolation,
                sink,
            )
            answers = pack.run(sorted_out.packed)
            observed |= answers.packed
        live = Live(
            services,
            wishes,
            request.consumer,
            directory,
            request.environment,
            request.deadline_s,
            sink,
        )
        if sorted_out.live:
            observed |= run_all(live, sorted_out.live, self._told.phase)
        if sorted_out.restarting:
            observed |= self._restarting(live, sorted_out.restarting)
        return observed, answers

    def _restarting(self, live: Live, named: Sequence[Named]) -> Mapping[str, Observed]:
        """Run what restarts services on services of its own, which nobody else uses."""
        wanted = services_for([plan.case for _, plan, _ in named])
        with self._own_services(wanted, "restarted", {}) as services:
            return run_all(replace(live, services=services), named, self._told.phase)

    def _judge(
        self, planned: Sequence[Plan], observed: Mapping[str, Observed], pack: Answers
    ) -> dict[str, Verdict]:
        verdicts: dict[str, Verdict] = {}
        for plan in planned:
            answer = observed[plan.case.id]
            verdict = pack.verdicts.get(plan.case.id)
            if verdict is None:
                verdict = self._judged(plan, answer)
            alone = pack.alone.get(plan.case.id)
            if alone is not None:
                again = self._judged(plan, alone)
                answer = answer if verdict.judgement in FINDINGS else alone
                verdict = both(plan.judged, verdict, again, len(pack.packed) - 1)
            verdict = replace(verdict, detail=verdict.detail or answer.detail)
            verdict = settled(subject_of(plan), verdict, self._request.declared)
            verdicts[plan.case.id] = verdict
            self._finished(plan.case, verdict, answer.log, evidence(plan, verdict, answer))
        return verdicts

    def _judged(self, plan: Plan, answer: Observed) -> Verdict:
        if self._request.level is Level.DECODE:
            return judged_decoded(plan, answer)
        return judge(plan.judged, plan.expected, answer)

    def _finished(
        self, case: Case, verdict: Verdict, log: str, shown: Evidence | None = None
    ) -> None:
        scenario = case.scenario
        consumer = self._request.consumer
        words = ["harness", "certify", consumer.target or consumer.name, "-k", case.id]
        repeat = shlex.join([*words, *self._request.options, *self._request.space.options()])
        self._told.tell(
            CaseFinished(
                case.id,
                case.protocol,
                scenario.file,
                scenario.title,
                verdict,
                repeat,
                log,
                scenario.clauses,
                shown,
            )
        )

    def _finish(self, verdicts: tuple[Verdict, ...]) -> RunResult:
        finished = concluded(verdicts, self._told.seconds, level_text(self._request.level))
        self._told.tell(finished)
        return RunResult(verdicts, ExitCode(finished.exit_code))

    @contextmanager
    def _services(self, wanted: Sequence[str]) -> Generator[Services]:
        given = self._request.services
        lacking = [name for name in wanted if given is None or not given.has(name)]
        if given is not None and not lacking:
            yield given
            return
        with self._own_services(lacking, "services", self._request.source.warm) as services:
            yield services if given is None else given.joined(services)

    @contextmanager
    def _own_services(
        self, wanted: Sequence[str], directory: str, warm: Mapping[str, Up]
    ) -> Generator[Services]:
        request = self._request
        source = replace(request.source, warm=warm)
        run_dir = request.run_dir / directory
        with self._told.services(wanted, source, run_dir, request.environment) as services:
            yield services
