"""Topics that are there already: their partitions, first offsets and ends, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition

from harness.engine.run.external_topics.document import LiveFile, LiveTopic
from harness.errors import REACH_KAFKA, Location, Problem, ScenarioError, SetupError
from harness.runner.contract.job_file import TopicJob
from harness.services import retried

TIMEOUT_S = 30.0


def ends_now(client: Mapping[str, str], live: LiveFile) -> tuple[TopicJob, ...]:
    """Return the topics with their offsets of this moment.

    Raises ScenarioError for a topic that is not there, SetupError when the broker does not answer.
    """
    reader: Any = Consumer({**client, "group.id": "harness-live-offsets"})
    try:
        return tuple(_topic(reader, topic, live.shown) for topic in live.topics)
    except KafkaException as error:
        raise SetupError(
            f"Kafka did not report the topics' offsets: {error}", hint=REACH_KAFKA
        ) from error
    finally:
        reader.close()


def _topic(reader: Any, topic: LiveTopic, shown: str) -> TopicJob:  # noqa: ANN401 - no types
    found = reader.list_topics(topic.name, timeout=TIMEOUT_S).topics[topic.name]
    if found.error is not None or not found.partitions:
        where = Location(shown, topic.line)
        what = f"there is no topic {topic.name}"
        raise ScenarioError((Problem(where, what, "the topics that the producer has filled"),))
    marks = [
        retried(partial(reader.get_watermark_offsets, place, timeout=TIMEOUT_S), TIMEOUT_S)
        for place in (TopicPartition(topic.name, number) for number in sorted(found.partitions))
    ]
    starts, ends = zip(*marks, strict=True)
    return TopicJob(topic.name, topic.canonical, tuple(starts), tuple(ends), topic.role)
