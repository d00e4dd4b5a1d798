"""One run of the engine for many cases: files to plans, services, consumer, answers.

A scenario whose lock or goldens are wrong spoils its own cases only; a consumer that cannot run, or
services that cannot be had, stop everything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from harness.engine.catalogue.plans import plans_apart
from harness.engine.catalogue.workspace import Workspace, part_of_run, runs, workspace
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.plan.case import Plan, names_schemas
from harness.engine.run.claimed_levels import declined
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.run.in_sandbox import in_sandbox, refuse_outside
from harness.engine.run.judging import placed
from harness.engine.run.preflight import ready, versions
from harness.errors import Problem
from harness.model.events import CaseFinished, Event
from harness.model.finding import Verdict
from harness.pytest_plugin.answer import PROBLEM, Answer, Chosen
from harness.pytest_plugin.options import PluginOptions
from harness.pytest_plugin.shared import SharedServices, unheard
from harness.report.finding_text import case_lines
from harness.report.ndjson import Ndjson
from harness.runner import targets
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.services.hidden import Secrets


@dataclass(slots=True)
class Finished:
    """A listener that keeps what was said of each case, by its id."""

    cases: dict[str, CaseFinished] = field(default_factory=dict[str, CaseFinished])

    def handle(self, event: Event) -> None:
        """Keep a case's event."""
        if isinstance(event, CaseFinished):
            self.cases[event.case] = event


@dataclass(frozen=True, slots=True)
class Order:
    """What every run of a session has in common, and the consumer of this one."""

    options: PluginOptions
    services: SharedServices
    consumer: Consumer
    deadline_s: float
    counts_beyond: bool = False

    def run(
        self, space: Workspace, cases: Sequence[Case], planned: Sequence[Plan] | None = None
    ) -> dict[str, CaseFinished]:
        """Run the engine once; return what it said of each case. HarnessError when it cannot."""
        run, run_dir = part_of_run(self.options.directory)
        consumer = ready(self.consumer, unheard)
        if self.options.sandbox:
            own = runs(self.options.root)
            consumer = in_sandbox(consumer, space, self.services.source.settings, own)
        services = self.services.running(registry=any(map(names_schemas, cases)))
        finished = Finished()
        secrets = Secrets.of(os.environ, self.services.source.settings)
        with ExitStack() as stack:
            file = stack.enter_context((run_dir / "events.ndjson").open("wb"))
            context = RunContext(
                RunIdentity(run, run_dir, versions(consumer)),
                consumer,
                dict(os.environ),
                EventBus([finished, Ndjson(file)], secrets),
                self.services.source,
                Limits(self.deadline_s, self.options.parallelism),
                counts_beyond=self.counts_beyond,
            )
            certify(CatalogueCases(space, cases, planned=planned, services=services), context)
        return finished.cases

    def declined(self, case: Case) -> Verdict | None:
        """Return the verdict on a case that the consumer rules out itself, None to run it."""
        verdict = declined(self.consumer, case)
        return verdict and placed(case, verdict, counts_beyond=self.counts_beyond)


def consumer_of(options: PluginOptions, services: SharedServices) -> Consumer:
    """Return the consumer that the command line names; UsageError when it cannot run."""
    consumer = targets.parse(options.consumer, Whereabouts(options.here, dict(os.environ)))
    if options.sandbox:
        refuse_outside(consumer, services.source.settings)
    return consumer


def run_pack(
    options: PluginOptions, services: SharedServices, chosen: Sequence[Chosen]
) -> dict[str, Answer]:
    """Return the answers for all cases, by key; one run of the consumer a root."""
    consumer, beyond = consumer_of(options, services), options.counts_beyond
    order = Order(options, services, consumer, options.deadline_s, beyond)
    by_root: dict[Path, list[Chosen]] = {}
    for one in chosen:
        by_root.setdefault(one.root, []).append(one)
    answers: dict[str, Answer] = {}
    for root, together in by_root.items():
        by_id = _run_root(order, workspace(Path.cwd(), root), [one.case for one in together])
        answers |= {one.key: by_id[one.case.id] for one in together}
    return answers


def _run_root(order: Order, space: Workspace, cases: Sequence[Case]) -> dict[str, Answer]:
    """Return the answers for the cases of one root, by id."""
    declined_by_case = {case.id: order.declined(case) for case in cases}
    declared = [case for case in cases if declined_by_case[case.id] is None]
    answers = {name: _judged(one, "") for name, one in declined_by_case.items() if one is not None}
    with ThreadPoolExecutor(1) as pool:
        planning = pool.submit(plans_apart, space, declared)
        if declared:
            # They come up while the plans are made.
            order.services.running(registry=any(map(names_schemas, declared)))
        planned, problems = planning.result()
    answers |= dict(_problems(declared, problems))
    sound = [case for case in declared if case.scenario.id not in problems]
    if sound:
        finished = order.run(space, sound, planned)
        answers |= {
            name: _judged(event.verdict, "\n".join(case_lines(event)))
            for name, event in finished.items()
        }
    return answers


def _problems(
    cases: Sequence[Case], problems: Mapping[str, Sequence[Problem]]
) -> Iterator[tuple[str, Answer]]:
    """Yield the answers for the cases of bad scenarios: in full once, then by reference."""
    first: dict[str, str] = {}
    for case in cases:
        found = problems.get(case.scenario.id)
        if found:
            full = "\n".join(str(problem) for problem in found)
            line = full.splitlines()[0]
            reporter = first.setdefault(case.scenario.id, case.id)
            text = full if reporter == case.id else f"{line}\n    in full at {reporter}"
            yield case.id, Answer(PROBLEM, line, text)


def _judged(verdict: Verdict, text: str) -> Answer:
    first = verdict.findings[0].message if verdict.findings else ""
    more = f" (and {len(verdict.findings) - 1} more)" if len(verdict.findings) > 1 else ""
    headline = verdict.detail if not first else f"{first}{more}"
    if verdict.apart is not None:
        headline = ": ".join(part for part in (verdict.apart.value, headline) if part)
    apart = "" if verdict.apart is None else verdict.apart.value
    return Answer(verdict.judgement.value, " ".join(headline.split()), text, apart)
