"""Records into real topics: one topic a changefeed and canonical name, in the plan's order.

Only the Kafka topic's name carries the case's prefix; what is inside the records keeps its
canonical names, so packed bytes equal the goldens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

from harness.engine.plan import Plan
from harness.errors import SetupError

TIMEOUT_S = 60.0
# Under this many queued messages librdkafka's queue never refuses; each poll drains deliveries.
POLL_EVERY = 10_000
PRODUCER_SETTINGS = {
    # Every record exactly once and in order: with one broker on this machine a retry would hide a
    # fault, and an idempotent producer waits a second for its id.
    "acks": "all",
    "retries": 0,
    "max.in.flight.requests.per.connection": 1,
    # Enough to batch, too little to be felt at the end of a small case.
    "linger.ms": 2,
    "queue.buffering.max.messages": 1_000_000,
}


@dataclass(frozen=True, slots=True)
class FilledTopic:
    """A topic that holds one canonical topic of one changefeed; one end offset a partition."""

    name: str
    canonical: str
    end_offsets: tuple[int, ...]


def topic_names(plan: Plan, prefix: str) -> dict[str, str]:
    """Return canonical name to Kafka name."""
    return {canonical: f"{prefix}.{canonical}" for canonical in plan.topics()}


def wanted_topics(plans: Sequence[tuple[Plan, str]]) -> list[tuple[str, int]]:
    """Return the topics that plans need under their prefixes: names and partitions."""
    return [
        (name, plan.case.partitions)
        for plan, prefix in plans
        for name in topic_names(plan, prefix).values()
    ]


def fill(
    kafka: dict[str, str],
    plans: Sequence[tuple[Plan, str]],
) -> list[tuple[FilledTopic, ...]]:
    """Produce every plan's delivered records under its prefix; return the filled topics, in order.

    The topics (`wanted_topics`) exist. Raises SetupError when the broker does not take a record.
    """
    failures: list[str] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            failures.append(f"{message.topic()}/{message.partition()}: {error}")

    producer = Producer({**kafka, **PRODUCER_SETTINGS})
    filled: list[tuple[FilledTopic, ...]] = []
    sent = 0
    for plan, prefix in plans:
        names = topic_names(plan, prefix)
        ends = {canonical: [0] * plan.case.partitions for canonical in names}
        for record in plan.delivered:
            options: dict[str, Any] = {"headers": list(record.headers)} if record.headers else {}
            producer.produce(
                names[record.topic],
                record.value,
                record.key,
                record.partition,
                on_delivery=delivered,
                **options,
            )
            ends[record.topic][record.partition] += 1
            sent += 1
            if sent % POLL_EVERY == 0:
                producer.poll(0)
        filled.append(
            tuple(FilledTopic(names[c], c, tuple(offsets)) for c, offsets in ends.items())
        )
    left = producer.flush(TIMEOUT_S)
    if left or failures:
        raise SetupError(
            f"Kafka at {kafka['bootstrap.servers']} did not take "
            f"{left or len(failures)} of {sent} records; first: {(failures or ['no answer'])[0]}",
            hint="the broker's log says why; look for it in the run's directory",
        )
    return filled
