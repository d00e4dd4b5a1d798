"""A plan as the consumer contract's job sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import SystemRandom

from harness.engine.deliver.produce import FilledTopic
from harness.engine.plan.case import Plan
from harness.runner.contract.job import NOTHING, ChangefeedJob
from harness.runner.contract.job_file import Complete, KafkaJob, RegistryJob, TopicJob
from harness.services import Kafka, Registry, java_properties


def kafka_job(kafka: Kafka, group: str) -> KafkaJob:
    """Return the Kafka part of job.json; aborted transactions are never a consumer's business.

    Raises SetupError when a file that the properties name (a key, say) cannot be read.
    """
    client = {**kafka.client, "isolation.level": "read_committed"}
    return KafkaJob(group_id=group, librdkafka=client, java=java_properties(client))


def registry_job(registry: Registry) -> RegistryJob:
    """Return the registry's part of job.json, the account under Confluent's names for it."""
    properties: dict[str, str] = {}
    if registry.user:
        properties["basic.auth.credentials.source"] = "USER_INFO"
        properties["basic.auth.user.info"] = f"{registry.user}:{registry.password}"
    if registry.ca:
        properties["schema.registry.ssl.truststore.type"] = "PEM"
        properties["schema.registry.ssl.truststore.location"] = registry.ca
    return RegistryJob(registry.url, properties)


def opaque(count: int) -> Sequence[int]:
    """Return numbers for cases that say nothing of them, and are others in each run.

    They are all of a case that a consumer is given: in the names of its changefeed, its topics, its
    directories and its databases.
    """
    return SystemRandom().sample(range(100_000, 1_000_000), count)


def seen(changefeeds: Sequence[ChangefeedJob]) -> dict[str, str]:
    """Return by case the id that a consumer knew it by."""
    return {feed.id: feed.seen_as for feed in changefeeds}


def changefeed(
    plan: Plan,
    index: int,
    topics: Sequence[FilledTopic],
    large: Path | None = None,
    databases: Mapping[str, str] = NOTHING,
) -> ChangefeedJob:
    """Return one changefeed of job.json; `index` names it and its result directory there.

    `large` is the directory of what its messages are too small for, if there is one; `databases`
    are the sink's, by the upstream's schemas.
    """
    return ChangefeedJob(
        id=plan.case.id,
        alias=f"c{index:06d}",
        dir=f"{index:04d}",
        protocol=plan.case.protocol,
        dialect=plan.case.dialect,
        complete=None if plan.wire.complete is None else Complete(plan.wire.complete),
        settings=dict(plan.settings),
        topics=tuple(
            TopicJob(
                name=topic.name,
                canonical=topic.canonical,
                start_offsets=topic.start_offsets,
                end_offsets=topic.end_offsets,
            )
            for topic in topics
        ),
        large_messages=large,
        databases=databases,
    )
