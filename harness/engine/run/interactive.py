"""Cases whose consumer runs while their messages are sent: one after the other, each by itself."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from harness.engine.deliver import topics
from harness.engine.deliver.consumer_control import ConsumerControl
from harness.engine.deliver.large_messages import laid_out
from harness.engine.deliver.perform import perform
from harness.engine.deliver.produce import (
    fault_context,
    filled_topics,
    topic_settings,
    verify,
    wanted_topics,
)
from harness.engine.deliver.producer import DeliveryProducer
from harness.engine.deliver.progress import Progress
from harness.engine.plan.case import Plan
from harness.engine.plan.timing import first_live, happening
from harness.engine.run import jobs
from harness.engine.run.answers import Answers, EnoughError
from harness.engine.run.context import NamedPlan, RunContext
from harness.engine.run.judging import CaseAnswer, judged
from harness.engine.run.services import registry_for
from harness.engine.run.watch import Watch
from harness.engine.sink.shapes import shapes_of
from harness.engine.sink.sink import Sink
from harness.errors import plural
from harness.faults.actions import ConsumerAction, ForgetSchema, TroubleRegistry, sent
from harness.model.observed import Outcome
from harness.runner.contract.job import Job
from harness.runner.run import GRACE_S, Start
from harness.runner.supervised import SupervisedConsumer
from harness.services import HttpRegistry, Registry, RegistryFront, Services, fronted


@dataclass(frozen=True, slots=True)
class InteractiveRun:
    """Runs cases one by one; `sink` is there for a consumer that writes into a database.

    `replicas` are the brokers that have all partitions, where that is not Kafka's choice.
    """

    context: RunContext
    services: Services
    watch: Watch
    sink: Sink | None = None
    replicas: tuple[int, ...] = ()

    def run(self, named: Sequence[NamedPlan], answers: dict[str, CaseAnswer]) -> None:
        """Run the cases one after the other; add each answer by its case's id.

        Cases to which the same happens are a phase of the run, so that reports have its time.
        """
        groups: dict[str, list[NamedPlan]] = {}
        for one in named:
            groups.setdefault(happening(one[1].delivery.steps), []).append(one)
        so_far = Answers(self.context, {plan.case.id: plan for _, plan, _ in named})
        for fault, group in groups.items():
            with self.context.bus.phase(f"alone under {fault}", plural(len(group), "case")):
                for index, plan, prefix in group:
                    answer = self.run_one(plan, prefix, index)
                    answers[plan.case.id] = answer
                    verdict = judged(plan, answer.observed, self.context.consumer)
                    try:
                        so_far.add(plan.case.id, verdict)
                    except EnoughError:
                        return

    def run_one(self, plan: Plan, prefix: str, index: int) -> CaseAnswer:
        """Perform one delivery under a consumer that reads it; return what it answered.

        What it answered counts only if everything happened that was to happen to it.
        """
        with _way_to(registry_for(self.services, [plan.case]), plan) as (reached, front):
            start = self._start(plan, prefix, index, reached)
            return self._performed(plan, prefix, start, front)

    def _performed(
        self, plan: Plan, prefix: str, start: Start, front: RegistryFront | None
    ) -> CaseAnswer:
        kafka = self.services.kafka
        named = registry_for(self.services, [plan.case])
        registry = None if named is None else HttpRegistry(named)
        steps = plan.delivery.filling
        begin = first_live(steps)
        producer = DeliveryProducer(kafka.client, prefix)
        context = fault_context(kafka.client, plan, prefix, producer, registry)
        context.services = self.services
        wanted = wanted_topics([(plan, prefix)])
        with (
            topics.created(
                kafka,
                wanted,
                replace(self.context.topics, replicas=self.replicas),
                topic_settings([(plan, prefix)]),
            ),
            SupervisedConsumer(
                self.context.consumer,
                start,
                self.context.environment,
                GRACE_S,
                self.services.check,
            ) as supervised,
        ):
            filled = filled_topics(plan, prefix)
            places = [(t.name, n) for t in filled for n in range(len(t.end_offsets))]
            # The consumer's connections lead to where its job says, which may stand before Kafka.
            progress = Progress(self.watch.kafka.client, prefix, places)
            control = ConsumerControl(
                self.context.consumer,
                supervised,
                progress,
                producer.settle,
                len(sent(steps)),
                self.watch.restarting,
            )
            context.consumer, context.registry_front = control, front
            # What is to happen to the consumer is known before it starts, wherever it was written.
            armed = [step for step in steps if isinstance(step, ConsumerAction)]
            perform(context, armed)
            perform(context, [step for step in steps[:begin] if step not in armed])
            control.begin()
            perform(context, [step for step in steps[begin:] if step not in armed])
            verify(context, filled)
            context.renew()
            observed, unreached = control.answer()
            if self.sink is not None:
                observed = self.sink.answer(start.job.changefeeds[0], observed)
            unread = self.watch.unread([(plan, prefix)], {plan.case.id: observed})
            resumed = self.watch.resumption(plan, prefix)
        if unreached and observed.outcome is Outcome.DONE:
            what = f"it ended before the moment came at which something was to happen: {unreached}"
            observed = replace(observed, outcome=Outcome.UNTRIED, detail=what)
        seen = start.job.changefeeds[0].seen_as
        why = unread.get(plan.case.id, "")
        return CaseAnswer(observed, unread=why, changefeed=seen, resumed=resumed)

    def _start(self, plan: Plan, prefix: str, index: int, registry: Registry | None) -> Start:
        directory = self.context.directory.absolute() / f"{index:06}"
        large = laid_out(plan, directory / "large")
        sink = self.sink
        databases: Mapping[str, str] = {}
        if sink is not None:
            databases = sink.databases(shapes_of(plan), index)
        topics_filled = filled_topics(plan, prefix)
        job = Job(
            work_dir=directory / "work",
            out_dir=directory / "out",
            kafka=jobs.kafka_job(self.watch.kafka, prefix),
            changefeeds=(jobs.changefeed(plan, index, topics_filled, large, databases),),
            deadline_s=self.context.limits.deadline_s,
            sink=None if sink is None else sink.job,
            registry=None if registry is None else jobs.registry_job(registry),
        )
        return Start(directory, job)


@contextmanager
def _way_to(
    registry: Registry | None, plan: Plan
) -> Generator[tuple[Registry | None, RegistryFront | None]]:
    """Yield the registry as the consumer reaches it, and the front that may be between."""
    troubled = any(
        isinstance(step, TroubleRegistry | ForgetSchema) for step in plan.delivery.filling
    )
    if registry is None or not troubled:
        yield registry, None
        return
    with fronted(registry) as front:
        yield front.address, front
