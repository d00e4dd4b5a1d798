"""Cases whose topics are full before a consumer starts: read in batches, some alone as well.

What goes wrong in a batch is tried alone before it is reported (`verdict.packing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from harness.engine.deliver import topics
from harness.engine.deliver.large_messages import laid_out
from harness.engine.deliver.produce import FilledTopic, fill, topic_settings, wanted_topics
from harness.engine.plan.case import Plan
from harness.engine.run import jobs
from harness.engine.run.answers import Answers, EnoughError
from harness.engine.run.context import NamedPlan, RunContext
from harness.engine.run.isolation import read_alone
from harness.engine.run.judging import CaseAnswer, batched
from harness.engine.run.services import registry_for
from harness.engine.run.watch import Watch
from harness.engine.sink.shapes import shapes_of
from harness.engine.sink.sink import Sink
from harness.errors import plural
from harness.model.finding import Verdict
from harness.model.observed import Observed
from harness.runner.manifest import Consumer
from harness.runner.run import RunPlan, regrouped, result_folders
from harness.runner.run import run as run_consumer
from harness.services import HttpRegistry, Registry, Services


@dataclass(frozen=True, slots=True)
class BatchRun:
    """Reads cases in batches; `sink` is there for a consumer that writes into a database."""

    context: RunContext
    services: Services
    watch: Watch
    sink: Sink | None = None

    def run(self, named: Sequence[NamedPlan]) -> dict[str, CaseAnswer]:
        """Fill the topics of all cases, let the consumer read them; return its answers.

        What went wrong is read again while its topics are there, and so are the cases drawn.
        """
        kafka, phase = self.services.kafka, self.context.bus.phase
        placed = [(plan, prefix) for _, plan, prefix in named]
        records = sum(len(plan.delivered) for plan, _ in placed)
        registry = registry_for(self.services, [plan.case for plan, _ in placed])
        with ExitStack() as stack:
            with phase("produce", f"{plural(records, 'record')}"):
                stack.enter_context(
                    topics.created(
                        kafka, wanted_topics(placed), self.context.topics, topic_settings(placed)
                    )
                )
                schemas = None if registry is None else HttpRegistry(registry)
                filled = fill(kafka.client, placed, schemas)
                self.services.check()
            with phase("consume", self.context.consumer.name):
                asked = self._asked(named, filled, registry)
                answers = self._watched(named, asked)
                observed = self.watch.kept(placed, self._so_far(asked, answers))
                unread = self.watch.unread(placed, observed)
            verdicts = {case: answers.verdict(case, one) for case, one in observed.items()}
            alone = self.watch.kept(placed, self._alone(named, asked, verdicts))
            unread |= {case: why for case, why in self.watch.unread(placed, alone).items() if why}
            return batched(observed, verdicts, alone, unread, jobs.seen(asked.changefeeds))

    def _watched(self, named: Sequence[NamedPlan], asked: RunPlan) -> Answers:
        """Return what takes the answers as they arrive."""
        plans = {plan.case.id: plan for _, plan, _ in named}
        folders = result_folders(self.context.consumer, asked)
        return Answers(self.context, plans, folders, in_files=self.sink is None)

    def _so_far(self, asked: RunPlan, answers: Answers) -> Mapping[str, Observed]:
        """Return all answers, or those up to the first finding of a run that stops there."""
        try:
            observed = self._answers(self.context.consumer, asked, answers)
            answers.look(last=True)
        except EnoughError:
            return answers.observed
        return observed

    def _alone(
        self, named: Sequence[NamedPlan], asked: RunPlan, verdicts: Mapping[str, Verdict]
    ) -> Mapping[str, Observed]:
        """Let the consumer read some changefeeds again, each in a job of its own."""
        context = self.context
        chosen = read_alone(verdicts, context.isolation, context.consumer.max_changefeeds)
        if not chosen:
            return {}
        again = tuple(
            replace(feed, databases=self._databases(plan, index, "a"))
            for (index, plan, _), feed in zip(named, asked.changefeeds, strict=True)
            if feed.id in chosen
        )
        alone = replace(
            asked,
            changefeeds=again,
            kafka=regrouped(asked.kafka, "alone"),
            run_dir=asked.run_dir / "alone",
        )
        self.watch.again()
        with context.bus.phase("read alone", f"{plural(len(chosen), 'case')}"):
            return self._answers(replace(context.consumer, max_changefeeds=1), alone)

    def _asked(
        self,
        named: Sequence[NamedPlan],
        filled: Sequence[tuple[FilledTopic, ...]],
        registry: Registry | None,
    ) -> RunPlan:
        context = self.context
        directory = context.directory.absolute() / "large"
        changefeeds = tuple(
            jobs.changefeed(
                plan,
                index,
                found,
                laid_out(plan, directory / f"{index:04}"),
                self._databases(plan, index),
            )
            for (index, plan, _), found in zip(named, filled, strict=True)
        )
        return RunPlan(
            changefeeds,
            jobs.kafka_job(self.watch.kafka, context.group),
            context.directory,
            context.limits.deadline_s,
            registry=None if registry is None else jobs.registry_job(registry),
            parallelism=context.starts_at_once,
            sink=None if self.sink is None else self.sink.job,
        )

    def _databases(self, plan: Plan, index: int, again: str = "") -> Mapping[str, str]:
        return {} if self.sink is None else self.sink.databases(shapes_of(plan), index, again)

    def _answers(
        self, consumer: Consumer, asked: RunPlan, answers: Answers | None = None
    ) -> Mapping[str, Observed]:
        def look() -> None:
            self.services.check()
            if answers is not None:
                answers.look()

        observed = run_consumer(
            consumer,
            asked,
            environment=self.context.environment,
            should_abort=look,
        )
        self.services.check()
        return observed if self.sink is None else self.sink.answers(asked.changefeeds, observed)
