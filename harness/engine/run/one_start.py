"""One start of a consumer that reads while messages are sent, and what happens to it meanwhile."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from threading import Event

from harness.engine.deliver import topics
from harness.engine.deliver.consumer_control import ConsumerControl
from harness.engine.deliver.fault_context import FaultContext
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
from harness.engine.plan.timing import first_live
from harness.engine.plan.together import Turn, together
from harness.engine.run import jobs
from harness.engine.run.context import NamedPlan, RunContext
from harness.engine.run.judging import CaseAnswer
from harness.engine.run.services import registry_for
from harness.engine.run.watch import Named, Watch
from harness.engine.sink.shapes import shapes_of
from harness.engine.sink.sink import Sink
from harness.errors import SetupError
from harness.faults.actions import ConsumerAction, sent
from harness.model.observed import Observed, Outcome
from harness.model.record import Record
from harness.model.resumption import Resumption
from harness.runner.contract.job import NOTHING, ChangefeedJob, Job
from harness.runner.run import GRACE_S, Start
from harness.runner.supervised import SupervisedConsumer
from harness.services import HttpRegistry, Registry, RegistryFront, Services, fronted

Contexts = Sequence[FaultContext]


@dataclass(frozen=True, slots=True)
class CaseServices:
    """What one start at a time runs on; `watch` is its consumer's way to Kafka.

    `replicas` are the brokers that have all partitions, where that is not Kafka's choice.
    """

    services: Services
    watch: Watch
    replicas: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OneStart:
    """A start on its place, for one case or for several to which the same happens.

    `halted` says that nobody waits for it any more; `again` parts its directory from that of an
    earlier start for the same case.
    """

    context: RunContext
    sink: Sink | None
    place: CaseServices
    halted: Event
    again: str = ""

    def run(self, named: Sequence[NamedPlan]) -> Sequence[CaseAnswer]:
        """Perform the deliveries under a consumer that reads them; return what it answered.

        What it answered counts only if everything happened that was to happen to it.
        """
        self._check()
        registry = registry_for(self.place.services, [plan.case for _, plan, _ in named])
        with _way_to(registry, [plan for _, plan, _ in named]) as (reached, front):
            return self._performed(named, self._start(named, reached), front)

    def _check(self) -> None:
        if self.halted.is_set():
            raise SetupError("the run was given up")  # nobody hears it: another case's error wins
        self.place.services.check()

    def _performed(
        self, named: Sequence[NamedPlan], start: Start, front: RegistryFront | None
    ) -> Sequence[CaseAnswer]:
        run, kafka, watch = self.context, self.place.services.kafka, self.place.watch
        placed: list[Named] = [(plan, prefix) for _, plan, prefix in named]
        producer = DeliveryProducer(kafka.client, placed[0][1])
        contexts = self._contexts(placed, producer)
        options = replace(run.topics, replicas=self.place.replicas)
        with (
            topics.created(kafka, wanted_topics(placed), options, topic_settings(placed)),
            SupervisedConsumer(
                run.consumer, start, run.environment, GRACE_S, self._check
            ) as supervised,
        ):
            filled = [filled_topics(*one) for one in placed]
            places = [
                (t.name, n) for some in filled for t in some for n in range(len(t.end_offsets))
            ]
            # The consumer's connections lead to where its job says, which may stand before Kafka.
            progress = Progress(watch.kafka.client, placed[0][1], places)
            control = ConsumerControl(
                run.consumer,
                supervised,
                progress,
                producer.settle,
                sum(len(sent(plan.delivery.filling)) for plan, _ in placed),
                lambda: watch.restarting(placed),
            )
            for context in contexts:
                context.consumer, context.registry_front = control, front
            _perform(contexts, placed, control)
            for context, some in zip(contexts, filled, strict=False):
                verify(context, some)
                context.renew()
            observed, unreached = control.answer()
            observed = self._in_tables(start, observed)
            unread = watch.unread(placed, observed)
            observed = watch.kept(placed, observed)
            resumed = [watch.resumption(*one) for one in placed]
        return _answers(start.job, observed, unread, resumed, unreached)

    def _contexts(self, placed: Sequence[Named], producer: DeliveryProducer) -> Contexts:
        """Return where each delivery is performed, and behind them where all are as one."""
        services = self.place.services
        client = services.kafka.client
        found: list[FaultContext] = []
        for plan, prefix in placed:
            named = registry_for(services, [plan.case])
            registry = None if named is None else HttpRegistry(named)
            found.append(fault_context(client, plan, prefix, producer, registry))
        names = {name: name for one in found for name in one.names.values()}
        found.append(FaultContext(client, names, producer, lambda record: record))
        for context in found:
            context.services = services
        return found

    def _in_tables(self, start: Start, observed: Mapping[str, Observed]) -> Mapping[str, Observed]:
        if self.sink is None:
            return observed
        return self.sink.answers(start.job.changefeeds, observed)

    def _start(self, named: Sequence[NamedPlan], registry: Registry | None) -> Start:
        context, sink, root = self.context, self.sink, self.context.directory.absolute()
        first, _, prefix = named[0]
        directory = root / f"{first:06}{self.again}"
        feeds: list[ChangefeedJob] = []
        for index, plan, own in named:
            large = laid_out(plan, root / "large" / f"{index:06}{self.again}")
            databases = NOTHING if sink is None else sink.databases(shapes_of(plan), index)
            filled = filled_topics(plan, own)
            feeds.append(jobs.changefeed(plan, index, filled, large, databases))
        job = Job(
            work_dir=directory / "work",
            out_dir=directory / "out",
            kafka=jobs.kafka_job(self.place.watch.kafka, prefix),
            changefeeds=tuple(feeds),
            deadline_s=context.limits.deadline_s,
            sink=None if sink is None else sink.job,
            registry=None if registry is None else jobs.registry_job(registry),
        )
        return Start(directory, job)


def _perform(contexts: Contexts, placed: Sequence[Named], control: ConsumerControl) -> None:
    """Do all steps in their order; what is before the consumer's start is done by then."""
    deliveries = [plan.delivery.filling for plan, _ in placed]
    turns = list(together(deliveries))
    begin = first_live(deliveries[0])
    # What is to happen to the consumer is known before it starts, wherever it was written.
    armed = [turn for turn in turns if isinstance(turn.step, ConsumerAction)]
    _take(contexts, armed)
    _take(contexts, [turn for turn in turns[:begin] if turn not in armed])
    control.begin()
    _take(contexts, [turn for turn in turns[begin:] if turn not in armed])


def _take(contexts: Contexts, turns: Sequence[Turn]) -> None:
    for number, some in groupby(turns, key=lambda turn: turn.delivery):
        perform(contexts[-1 if number is None else number], [turn.step for turn in some])


def _answers(
    job: Job,
    observed: Mapping[str, Observed],
    unread: Mapping[str, str],
    resumed: Sequence[Resumption],
    unreached: str,
) -> Sequence[CaseAnswer]:
    what = f"it ended before the moment came at which something was to happen: {unreached}"
    found: list[CaseAnswer] = []
    for feed, again in zip(job.changefeeds, resumed, strict=True):
        one = observed[feed.id]
        if unreached and one.outcome is Outcome.DONE:
            one = replace(one, outcome=Outcome.UNTRIED, detail=what)
        why = unread.get(feed.id, "")
        found.append(CaseAnswer(one, unread=why, changefeed=feed.seen_as, resumed=again))
    return found


@contextmanager
def _way_to(
    registry: Registry | None, plans: Sequence[Plan]
) -> Generator[tuple[Registry | None, RegistryFront | None]]:
    """Yield the registry as the consumer reaches it, and the front that may be between."""
    troubled = any(
        not isinstance(step, Record) and step.demand.fronted
        for plan in plans
        for step in plan.delivery.filling
    )
    if registry is None or not troubled:
        yield registry, None
        return
    with fronted(registry) as front:
        yield front.address, front
