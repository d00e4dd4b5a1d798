"""Cases whose consumer runs while their messages are sent: one after the other, each by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.engine.deliver import topics
from harness.engine.deliver.consumer_control import ConsumerControl
from harness.engine.deliver.large_messages import laid_out
from harness.engine.deliver.perform import perform
from harness.engine.deliver.produce import fault_context, filled_topics, verify, wanted_topics
from harness.engine.deliver.producer import DeliveryProducer
from harness.engine.deliver.progress import Progress
from harness.engine.plan.case import Plan
from harness.engine.plan.timing import first_live, happening, is_live, restarts
from harness.engine.run import jobs
from harness.engine.run.requirements import registry_for, unmet, unsurvivable
from harness.engine.sink.shapes import shapes_of
from harness.engine.sink.sink import Sink
from harness.faults.actions import ConsumerAction, sent
from harness.model.observed import Observed, Outcome
from harness.runner.contract.job import Job
from harness.runner.manifest import Consumer
from harness.runner.run import GRACE_S, Start
from harness.runner.supervised import SupervisedConsumer
from harness.services import HttpRegistry, Services, Settings


@dataclass(frozen=True, slots=True)
class Live:
    """Where live cases are run: the services of the moment, and what every consumer gets."""

    services: Services
    wishes: topics.TopicOptions
    consumer: Consumer
    run_dir: Path
    environment: Mapping[str, str]
    deadline_s: float
    sink: Sink | None = None

    def run(self, plan: Plan, prefix: str, index: int) -> Observed:
        """Enact one delivery under a consumer that reads it; return what it answered.

        What it answered counts only if everything happened that was to happen to it.
        """
        kafka = self.services.kafka
        named = registry_for(self.services, [plan.case])
        registry = None if named is None else HttpRegistry(named)
        steps = plan.delivery.filling
        begin = first_live(steps)
        start = self._start(plan, prefix, index)
        producer = DeliveryProducer(kafka.client, prefix)
        context = fault_context(kafka.client, plan, prefix, producer, registry)
        context.services = self.services
        wanted = wanted_topics([(plan, prefix)])
        with (
            topics.created(kafka, wanted, self.wishes),
            SupervisedConsumer(
                self.consumer, start, self.environment, GRACE_S, self.services.check
            ) as supervised,
        ):
            filled = filled_topics(plan, prefix)
            places = [(t.name, n) for t in filled for n in range(len(t.end_offsets))]
            progress = Progress(kafka.client, prefix, places)
            control = ConsumerControl(
                self.consumer, supervised, progress, producer.settle, len(sent(steps))
            )
            context.consumer = control
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
        if unreached and observed.outcome is Outcome.DONE:
            what = f"it ended before the moment came at which something was to happen: {unreached}"
            return replace(observed, outcome=Outcome.UNTRIED, detail=what)
        return observed

    def _start(self, plan: Plan, prefix: str, index: int) -> Start:
        directory = self.run_dir.absolute() / f"live-{index:04}"
        registry = registry_for(self.services, [plan.case])
        large = laid_out(plan, directory / "large")
        sink = self.sink
        databases: Mapping[str, str] = {}
        if sink is not None:
            databases = sink.databases(shapes_of(plan), index)
        topics_filled = filled_topics(plan, prefix)
        job = Job(
            work_dir=directory / "work",
            out_dir=directory / "out",
            kafka=jobs.kafka_job(self.services.kafka, prefix),
            changefeeds=(jobs.changefeed(plan, index, topics_filled, large, databases),),
            deadline_s=self.deadline_s,
            sink=None if sink is None else sink.job,
            registry=None if registry is None else jobs.registry_job(registry),
        )
        return Start(directory, job)


Phase = Callable[[str, str], AbstractContextManager[None]]
# A plan with its number in the run and what precedes the names of its topics.
Named = tuple[int, Plan, str]


@dataclass(frozen=True, slots=True)
class SortedOut:
    """Cases by how they are read: together, each by itself, on services that restart, not at all.

    `refused` are those that the consumer or the services lack something for.
    """

    packed: tuple[Named, ...]
    live: tuple[Named, ...]
    restarting: tuple[Named, ...]
    refused: Mapping[str, Observed]


def sort_out(
    planned: Sequence[Plan], consumer: Consumer, settings: Settings, group: str
) -> SortedOut:
    """Return how each case is to be read."""
    found: dict[str, list[Named]] = {"packed": [], "live": [], "restarting": []}
    refused: dict[str, Observed] = {}
    for index, plan in enumerate(planned):
        steps = plan.delivery.steps
        lacking = unsurvivable(plan.case, consumer) or unmet(steps, consumer, settings)
        if lacking:
            refused[plan.case.id] = Observed(Outcome.NOT_APPLICABLE, f"needs {lacking}")
            continue
        way = "restarting" if restarts(steps) else "live" if is_live(steps) else "packed"
        found[way].append((index, plan, f"{group}-{index:04d}"))
    packed, live, restarting = (tuple(named) for named in found.values())
    return SortedOut(packed, live, restarting, refused)


def run_all(live: Live, named: Sequence[Named], phase: Phase) -> dict[str, Observed]:
    """Run live cases one after the other; return the answers by the cases' ids.

    Cases to which the same happens are a phase of the run, so that each fault's time is told.
    """
    groups: dict[str, list[Named]] = {}
    for one in named:
        groups.setdefault(happening(one[1].delivery.steps), []).append(one)
    observed: dict[str, Observed] = {}
    for fault, group in groups.items():
        with phase(f"alone under {fault}", _cases(len(group))):
            for index, plan, prefix in group:
                observed[plan.case.id] = live.run(plan, prefix, index)
    return observed


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"
