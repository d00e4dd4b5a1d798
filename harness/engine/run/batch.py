"""Cases whose topics are full before a consumer starts: read in packs, some of them alone as well.

Law: what goes wrong in a pack is tried alone before it is reported (`verdict.packing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from harness.engine.deliver import topics
from harness.engine.deliver.large_messages import laid_out
from harness.engine.deliver.produce import FilledTopic, fill, wanted_topics
from harness.engine.plan.case import Plan
from harness.engine.run import jobs
from harness.engine.run.interactive import Named, Phase
from harness.engine.run.isolation import NOT_ISOLATED, Isolation, read_alone
from harness.engine.run.requirements import registry_for
from harness.engine.sink.shapes import shapes_of
from harness.engine.sink.sink import Sink
from harness.model.finding import Verdict
from harness.model.observed import Observed
from harness.runner.contract.job import KafkaJob
from harness.runner.manifest import Consumer
from harness.runner.run import RunPlan, regrouped
from harness.runner.run import run as run_consumer
from harness.services import HttpRegistry, Registry, Services
from harness.verdict.judge import judge


@dataclass(frozen=True, slots=True)
class Answers:
    """What a consumer answered in packs, how that was judged, and what it answered alone."""

    packed: Mapping[str, Observed]
    verdicts: Mapping[str, Verdict]
    alone: Mapping[str, Observed]


@dataclass(frozen=True, slots=True)
class Packed:
    """Where packed cases are run, and what the consumer gets; `phase` tells of each part."""

    services: Services
    wishes: topics.TopicOptions
    consumer: Consumer
    run_dir: Path
    environment: Mapping[str, str]
    deadline_s: float
    parallelism: int
    group: str
    phase: Phase
    isolation: Isolation = NOT_ISOLATED
    sink: Sink | None = None

    def run(self, packed: Sequence[Named]) -> Answers:
        """Fill the topics of all cases, let the consumer read them; return its answers.

        What went wrong is read again while its topics are there, and so are the cases drawn.
        """
        kafka = self.services.kafka
        named = [(plan, prefix) for _, plan, prefix in packed]
        records = sum(len(plan.delivered) for plan, _ in named)
        registry = registry_for(self.services, [plan.case for plan, _ in named])
        job = jobs.kafka_job(kafka, self.group)
        with ExitStack() as stack:
            with self.phase("produce", f"{records} records"):
                wanted = wanted_topics(named)
                stack.enter_context(topics.created(kafka, wanted, self.wishes))
                schemas = None if registry is None else HttpRegistry(registry)
                filled = fill(kafka.client, named, schemas)
                self.services.check()
            with self.phase("consume", self.consumer.name):
                plan = self._planned(packed, filled, job, registry)
                observed = self._answers(self.consumer, plan)
            verdicts = {
                one.case.id: judge(one.judged, one.expected, observed[one.case.id])
                for one, _ in named
            }
            return Answers(observed, verdicts, self._alone(packed, plan, verdicts))

    def _alone(
        self, packed: Sequence[Named], plan: RunPlan, verdicts: Mapping[str, Verdict]
    ) -> Mapping[str, Observed]:
        """Let the consumer read some changefeeds again, each in a job of its own."""
        if min(self.consumer.max_changefeeds, len(plan.changefeeds)) == 1:
            return {}  # each was alone
        chosen = frozenset(read_alone(verdicts, self.isolation))
        if not chosen:
            return {}
        again = tuple(
            replace(feed, databases=self._databases(one, index, "a"))
            for (index, one, _), feed in zip(packed, plan.changefeeds, strict=True)
            if feed.id in chosen
        )
        alone = replace(
            plan,
            changefeeds=again,
            kafka=regrouped(plan.kafka, "alone"),
            run_dir=plan.run_dir / "alone",
        )
        with self.phase("read alone", f"{len(chosen)} cases"):
            return self._answers(replace(self.consumer, max_changefeeds=1), alone)

    def _planned(
        self,
        packed: Sequence[Named],
        filled: Sequence[tuple[FilledTopic, ...]],
        job: KafkaJob,
        registry: Registry | None,
    ) -> RunPlan:
        directory = self.run_dir.absolute() / "large"
        changefeeds = tuple(
            jobs.changefeed(
                plan,
                index,
                found,
                laid_out(plan, directory / f"{index:04}"),
                self._databases(plan, index),
            )
            for (index, plan, _), found in zip(packed, filled, strict=True)
        )
        return RunPlan(
            changefeeds,
            job,
            self.run_dir,
            self.deadline_s,
            registry=None if registry is None else jobs.registry_job(registry),
            parallelism=self.parallelism,
            sink=None if self.sink is None else self.sink.job,
        )

    def _databases(self, plan: Plan, index: int, again: str = "") -> Mapping[str, str]:
        return {} if self.sink is None else self.sink.databases(shapes_of(plan), index, again)

    def _answers(self, consumer: Consumer, plan: RunPlan) -> Mapping[str, Observed]:
        observed = run_consumer(
            consumer, plan, environment=self.environment, should_abort=self.services.check
        )
        self.services.check()
        return observed if self.sink is None else self.sink.answers(plan.changefeeds, observed)
