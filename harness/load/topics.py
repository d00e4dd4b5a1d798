"""The topics of a workload on a cluster: made where missing, refused where they do not fit.

A topic that holds records already is another stream's, and two streams in a topic are neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    OffsetSpec,  # pyright: ignore[reportPrivateImportUsage]
)
from confluent_kafka.cimpl import NewTopic

from harness.errors import REACH_KAFKA, SetupError, UsageError, plural
from harness.services import Kafka

TIMEOUT_S = 30.0
Ends = Mapping[str, tuple[int, ...]]  # the end offset of each partition, by topic


def prepare(kafka: Kafka, topics: Sequence[str], partitions: int) -> tuple[str, ...]:
    """Make the missing topics and return their names; UsageError for one that does not fit."""
    admin: Any = AdminClient({**kafka.client, "log_level": 0})
    there = _listed(admin, kafka)
    for name in topics:
        count = there.get(name)
        if count is not None and count != partitions:
            raise UsageError(
                f"the topic {name} has {plural(count, 'partition')}, the workload {partitions}",
                expected="as many, or a topic that is not there yet",
                hint="--partitions, or another --topic-prefix",
            )
    present = [name for name in topics if name in there]
    for name, ends in end_offsets(kafka, present, partitions).items():
        if any(ends):
            raise UsageError(
                f"the topic {name} has been written to",
                expected="topics of the workload's own",
                hint="another --topic-prefix, or delete the topic",
            )
    missing = [name for name in topics if name not in there]
    if not missing:
        return ()
    made: Any = admin.create_topics(
        [NewTopic(name, partitions, -1) for name in missing], request_timeout=TIMEOUT_S
    )
    for name, future in made.items():
        try:
            future.result()
        except KafkaException as error:
            raise SetupError(
                f"Kafka at {kafka} refused to create the topic {name}: {error}",
                hint="the broker's log says why",
            ) from error
    return tuple(missing)


def end_offsets(kafka: Kafka, topics: Sequence[str], partitions: int) -> Ends:
    """Return where each partition ends now."""
    if not topics:
        return {}
    admin: Any = AdminClient({**kafka.client, "log_level": 0})
    latest: Any = OffsetSpec.latest()
    asked: Any = {
        TopicPartition(name, number): latest for name in topics for number in range(partitions)
    }
    futures: Any = admin.list_offsets(asked, request_timeout=TIMEOUT_S)
    found: dict[tuple[str, int], int] = {}
    for place, future in futures.items():
        try:
            found[place.topic, place.partition] = future.result().offset
        except KafkaException as error:
            raise SetupError(
                f"Kafka at {kafka} did not report the end of {place.topic}: {error}",
                hint=REACH_KAFKA,
            ) from error
    return {name: tuple(found[name, n] for n in range(partitions)) for name in topics}


def _listed(admin: Any, kafka: Kafka) -> Mapping[str, int]:  # noqa: ANN401 - untyped
    try:
        topics: Any = admin.list_topics(timeout=TIMEOUT_S).topics
    except KafkaException as error:
        raise SetupError(
            f"Kafka at {kafka} does not answer: {error}", hint="check --bootstrap"
        ) from error
    return {name: len(topic.partitions) for name, topic in topics.items()}
