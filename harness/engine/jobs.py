"""A plan as the consumer contract's job sees it."""

from __future__ import annotations

from collections.abc import Sequence

from harness.consumers.contract.job import ChangefeedJob, Complete, KafkaJob, TopicJob
from harness.engine.plan import Plan
from harness.engine.produce import FilledTopic


def kafka_properties(bootstrap: str) -> dict[str, str]:
    """Return the client properties for an unprotected broker on this machine."""
    return {"bootstrap.servers": bootstrap, "security.protocol": "PLAINTEXT"}


def kafka_job(properties: dict[str, str], run: str) -> KafkaJob:
    """Return the Kafka part of job.json; aborted transactions are never a consumer's business."""
    everyone = {**properties, "isolation.level": "read_committed"}
    return KafkaJob(group_id=f"harness-{run}", librdkafka=everyone, java=everyone)


def changefeed(plan: Plan, index: int, topics: Sequence[FilledTopic]) -> ChangefeedJob:
    """Return one changefeed of job.json; `index` names its result directory."""
    return ChangefeedJob(
        id=plan.case.id,
        dir=f"{index:04d}",
        protocol=plan.case.protocol,
        dialect=plan.case.dialect,
        complete=Complete(plan.wire.complete),
        settings=dict(plan.settings),
        topics=tuple(
            TopicJob(
                name=topic.name,
                canonical=topic.canonical,
                start_offsets=(0,) * len(topic.end_offsets),
                end_offsets=topic.end_offsets,
            )
            for topic in topics
        ),
    )
