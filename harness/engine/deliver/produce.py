"""Deliveries into real topics: one topic a changefeed and canonical name, in the plan's order.

Only the Kafka topic's name carries the case's prefix; what is inside the records keeps its
canonical names, so packed bytes equal the goldens. Where everything will lie is known before
anything is sent, and held against the broker where more than plain messages were sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from harness.contracts import SchemaRegistry
from harness.engine.deliver.fault_context import FaultContext
from harness.engine.deliver.perform import perform
from harness.engine.deliver.producer import DeliveryProducer
from harness.engine.deliver.registered import Registered
from harness.engine.plan.case import Plan
from harness.errors import HarnessBug
from harness.faults.actions import AddPartitions, Clean, Step, StopRegistry, sent
from harness.model.record import Record

# A topic's settings under which the cleaner compacts it at once, but for the newest segment.
CLEANED: Mapping[str, str] = MappingProxyType(
    {"cleanup.policy": "compact", "segment.ms": "1000", "min.cleanable.dirty.ratio": "0.0001"}
)


@dataclass(frozen=True, slots=True)
class FilledTopic:
    """A topic that holds one canonical topic of one changefeed; one offset a partition."""

    name: str
    canonical: str
    end_offsets: tuple[int, ...]
    start_offsets: tuple[int, ...]


def topic_names(plan: Plan, prefix: str) -> dict[str, str]:
    """Return canonical name to Kafka name; a point is between, unless the prefix brings its own."""
    before = joined(prefix)
    return {canonical: f"{before}{canonical}" for canonical in plan.topics()}


def joined(prefix: str) -> str:
    """Return a prefix with what parts it from a topic's name."""
    return prefix if prefix.endswith((".", "-", "_")) else f"{prefix}."


def wanted_topics(plans: Sequence[tuple[Plan, str]]) -> list[tuple[str, int]]:
    """Return the topics that plans need under their prefixes: names and partitions at first."""
    return [
        (name, first_partitions(plan, canonical))
        for plan, prefix in plans
        for canonical, name in topic_names(plan, prefix).items()
    ]


def topic_settings(plans: Sequence[tuple[Plan, str]]) -> Mapping[str, Mapping[str, str]]:
    """Return the settings that topics need from their creation on, by Kafka's names.

    Settings that come later reach one partition after the other.
    """
    return {
        topic_names(plan, prefix)[step.topic]: CLEANED
        for plan, prefix in plans
        for step in plan.delivery.steps
        if isinstance(step, Clean)
    }


def first_partitions(plan: Plan, topic: str) -> int:
    """Return how many partitions a topic has at first.

    As many as the case says, save where a delivery adds partitions below that number: the topic is
    as small then as what is sent before allows.
    """
    before: list[Step] = []
    for step in plan.delivery.steps:
        if isinstance(step, AddPartitions) and step.topic == topic:
            used = [record.partition for record in sent(before) if record.topic == topic]
            least = 1 + max(used, default=0)
            return least if step.total <= plan.case.partitions else plan.case.partitions
        before.append(step)
    return plan.case.partitions


def filled_topics(plan: Plan, prefix: str) -> tuple[FilledTopic, ...]:
    """Return the topics as they are when the delivery is done."""
    found: list[FilledTopic] = []
    for canonical, name in topic_names(plan, prefix).items():
        numbers = [n for topic, n in plan.delivery.logs if topic == canonical]
        count = max(first_partitions(plan, canonical), 1 + max(numbers, default=0))
        logs = [plan.delivery.logs.get((canonical, number)) for number in range(count)]
        starts = [plan.delivery.starts.get((canonical, number), 0) for number in range(count)]
        ends = [0 if log is None else log.end for log in logs]
        found.append(FilledTopic(name, canonical, tuple(ends), tuple(starts)))
    return tuple(found)


def fill(
    kafka: Mapping[str, str],
    plans: Sequence[tuple[Plan, str]],
    registry: SchemaRegistry | None = None,
) -> list[tuple[FilledTopic, ...]]:
    """Perform every plan's delivery under its prefix; return the filled topics, in order.

    The topics (`wanted_topics`) exist; nobody reads meanwhile. Without a registry no record may
    name a schema. Raises SetupError when the broker does not take a record, or the registry a
    schema.
    """
    producer = DeliveryProducer(kafka, plans[0][1] if plans else "")
    for plan, prefix in plans:
        context = fault_context(kafka, plan, prefix, producer, registry)
        steps = plan.delivery.steps
        if all(isinstance(step, Record) for step in steps):
            producer.send(context.named(step) for step in steps if isinstance(step, Record))
        else:
            perform(context, plan.delivery.filling)
            verify(context, filled_topics(plan, prefix))
    producer.settle()
    return [filled_topics(plan, prefix) for plan, prefix in plans]


def fault_context(
    kafka: Mapping[str, str],
    plan: Plan,
    prefix: str,
    producer: DeliveryProducer,
    registry: SchemaRegistry | None,
) -> FaultContext:
    """Return where a plan's delivery is performed; its schemas are with the registry by then."""
    return FaultContext(kafka, topic_names(plan, prefix), producer, _real(plan, prefix, registry))


def verify(context: FaultContext, topics: Sequence[FilledTopic]) -> None:
    """Hold the broker's end offsets against the plan's; HarnessBug when the model is wrong."""
    for topic in topics:
        for number, wanted in enumerate(topic.end_offsets):
            end = context.end_of(topic.name, number)
            if end != wanted:
                where = f"{topic.name}/{number}"
                raise HarnessBug(f"{where} ends at {end}, by the plan at {wanted}")


def _real(plan: Plan, prefix: str, registry: SchemaRegistry | None) -> Callable[[Record], Record]:
    if registry is None:
        return _same
    registered = Registered(registry, joined(prefix), "")
    if any(isinstance(step, StopRegistry) for step in plan.delivery.steps):
        for _ in registered.all(plan.delivered):
            pass  # posted now: the registry is away when they are sent
    return lambda record: next(registered.all((record,)))


def _same(record: Record) -> Record:
    return record
