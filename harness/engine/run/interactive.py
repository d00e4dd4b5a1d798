"""Cases whose consumer runs while their messages are sent: each by itself, some side by side.

Each has a consumer, topics and a producer of its own, so one needs to know nothing of another; what
happens to a service happens on services that no other case uses meanwhile.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from threading import Event

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
from harness.errors import SetupError, plural
from harness.faults.actions import ConsumerAction, sent
from harness.model.observed import Outcome
from harness.model.record import Record
from harness.runner.contract.job import Job
from harness.runner.run import GRACE_S, Start
from harness.runner.supervised import SupervisedConsumer
from harness.services import HttpRegistry, Registry, RegistryFront, Services, fronted


@dataclass(frozen=True, slots=True)
class CaseServices:
    """What one case at a time runs on; `watch` is its consumer's way to Kafka.

    `replicas` are the brokers that have all partitions, where that is not Kafka's choice.
    """

    services: Services
    watch: Watch
    replicas: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class InteractiveRun:
    """Runs as many cases at once as there are `places`, which may be the same services twice.

    `sink` is there for a consumer that writes into a database.
    """

    context: RunContext
    places: Sequence[CaseServices]
    sink: Sink | None = None

    def run(self, named: Sequence[NamedPlan], answers: dict[str, CaseAnswer]) -> None:
        """Run the cases; add each answer by its case's id, in the order of the cases.

        Cases to which the same happens are a phase of the run, so that reports have its time.
        """
        groups: dict[str, list[NamedPlan]] = {}
        for one in named:
            groups.setdefault(happening(one[1].delivery.steps), []).append(one)
        so_far = Answers(self.context, {plan.case.id: plan for _, plan, _ in named})
        for fault, group in groups.items():
            with (
                self.context.bus.phase(f"alone under {fault}", plural(len(group), "case")),
                closing(self._side_by_side(group)) as answered,
            ):
                for plan, answer in answered:
                    answers[plan.case.id] = answer
                    verdict = judged(plan, answer.observed, self.context.consumer)
                    try:
                        so_far.add(plan.case.id, verdict)
                    except EnoughError:
                        return

    def _side_by_side(
        self, group: Sequence[NamedPlan]
    ) -> Generator[tuple[Plan, CaseAnswer], None, None]:
        """Yield the answers in the order of the cases, whichever is there first.

        The first error ends the cases that still run, and so does who closes this.
        """
        free: SimpleQueue[CaseServices] = SimpleQueue()
        for place in self.places:
            free.put(place)
        halted = Event()

        def answered(one: NamedPlan) -> CaseAnswer:
            place = free.get()
            try:
                return _OneCase(self, place, halted).run(*one)
            finally:
                free.put(place)

        with ThreadPoolExecutor(len(self.places), thread_name_prefix="case") as pool:
            futures = [pool.submit(answered, one) for one in group]
            pending = set(futures)
            try:
                for (_, plan, _), future in zip(group, futures, strict=True):
                    while future in pending:
                        done, pending = wait(pending, return_when=FIRST_COMPLETED)
                        for one in done:
                            one.result()
                    yield plan, future.result()
            except BaseException:
                halted.set()
                pool.shutdown(cancel_futures=True)
                raise


@dataclass(frozen=True, slots=True)
class _OneCase:
    """One case on its place; `halted` says that nobody waits for it any more."""

    among: InteractiveRun
    place: CaseServices
    halted: Event

    def run(self, index: int, plan: Plan, prefix: str) -> CaseAnswer:
        """Perform one delivery under a consumer that reads it; return what it answered.

        What it answered counts only if everything happened that was to happen to it.
        """
        self._check()
        with _way_to(registry_for(self.place.services, [plan.case]), plan) as (reached, front):
            start = self._start(plan, prefix, index, reached)
            return self._performed(plan, prefix, start, front)

    def _check(self) -> None:
        if self.halted.is_set():
            raise SetupError("the run was given up")  # nobody hears it: another case's error wins
        self.place.services.check()

    def _performed(
        self, plan: Plan, prefix: str, start: Start, front: RegistryFront | None
    ) -> CaseAnswer:
        services, watch, sink = self.place.services, self.place.watch, self.among.sink
        run = self.among.context
        kafka = services.kafka
        named = registry_for(services, [plan.case])
        registry = None if named is None else HttpRegistry(named)
        steps = plan.delivery.filling
        begin = first_live(steps)
        producer = DeliveryProducer(kafka.client, prefix)
        context = fault_context(kafka.client, plan, prefix, producer, registry)
        context.services = services
        wanted = wanted_topics([(plan, prefix)])
        with (
            topics.created(
                kafka,
                wanted,
                replace(run.topics, replicas=self.place.replicas),
                topic_settings([(plan, prefix)]),
            ),
            SupervisedConsumer(
                run.consumer,
                start,
                run.environment,
                GRACE_S,
                self._check,
            ) as supervised,
        ):
            filled = filled_topics(plan, prefix)
            places = [(t.name, n) for t in filled for n in range(len(t.end_offsets))]
            # The consumer's connections lead to where its job says, which may stand before Kafka.
            progress = Progress(watch.kafka.client, prefix, places)
            control = ConsumerControl(
                run.consumer,
                supervised,
                progress,
                producer.settle,
                len(sent(steps)),
                partial(watch.restarting, plan, prefix),
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
            if sink is not None:
                observed = sink.answer(start.job.changefeeds[0], observed)
            unread = watch.unread([(plan, prefix)], {plan.case.id: observed})
            observed = watch.kept([(plan, prefix)], {plan.case.id: observed})[plan.case.id]
            resumed = watch.resumption(plan, prefix)
        if unreached and observed.outcome is Outcome.DONE:
            what = f"it ended before the moment came at which something was to happen: {unreached}"
            observed = replace(observed, outcome=Outcome.UNTRIED, detail=what)
        seen = start.job.changefeeds[0].seen_as
        why = unread.get(plan.case.id, "")
        return CaseAnswer(observed, unread=why, changefeed=seen, resumed=resumed)

    def _start(self, plan: Plan, prefix: str, index: int, registry: Registry | None) -> Start:
        context, sink = self.among.context, self.among.sink
        directory = context.directory.absolute() / f"{index:06}"
        large = laid_out(plan, directory / "large")
        databases: Mapping[str, str] = {}
        if sink is not None:
            databases = sink.databases(shapes_of(plan), index)
        topics_filled = filled_topics(plan, prefix)
        job = Job(
            work_dir=directory / "work",
            out_dir=directory / "out",
            kafka=jobs.kafka_job(self.place.watch.kafka, prefix),
            changefeeds=(jobs.changefeed(plan, index, topics_filled, large, databases),),
            deadline_s=context.limits.deadline_s,
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
        not isinstance(step, Record) and step.demand.fronted for step in plan.delivery.filling
    )
    if registry is None or not troubled:
        yield registry, None
        return
    with fronted(registry) as front:
        yield front.address, front
