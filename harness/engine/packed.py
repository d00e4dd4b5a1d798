"""Cases whose topics are full before a consumer starts: all of them in one run of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from harness.consumers.contract.job import KafkaJob
from harness.consumers.manifest import Consumer
from harness.consumers.run import RunPlan
from harness.consumers.run import run as run_consumer
from harness.engine import jobs, topics
from harness.engine.large_messages import laid_out
from harness.engine.live import Named
from harness.engine.produce import FilledTopic, fill, wanted_topics
from harness.engine.wanted import registry_for
from harness.model.observed import Observed
from harness.services import HttpRegistry, Registry, Services

Phase = Callable[[str, str], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Packed:
    """Where packed cases are run, and what the consumer gets; `phase` tells of each part."""

    services: Services
    wishes: topics.TopicWishes
    consumer: Consumer
    run_dir: Path
    environment: Mapping[str, str]
    deadline_s: float
    parallelism: int
    group: str
    phase: Phase

    def run(self, packed: Sequence[Named]) -> Mapping[str, Observed]:
        """Fill the topics of all cases, let the consumer read them; return its answers by case."""
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
                return self._answers(packed, filled, job, registry)

    def _answers(
        self,
        packed: Sequence[Named],
        filled: Sequence[tuple[FilledTopic, ...]],
        job: KafkaJob,
        registry: Registry | None,
    ) -> Mapping[str, Observed]:
        directory = self.run_dir.absolute() / "large"
        changefeeds = tuple(
            jobs.changefeed(plan, index, found, laid_out(plan, directory / f"{index:04}"))
            for (index, plan, _), found in zip(packed, filled, strict=True)
        )
        observed = run_consumer(
            self.consumer,
            RunPlan(
                changefeeds,
                job,
                self.run_dir,
                self.deadline_s,
                registry=None if registry is None else jobs.registry_job(registry),
                parallelism=self.parallelism,
            ),
            environment=self.environment,
            should_abort=self.services.check,
        )
        self.services.check()
        return observed
