"""Kafka's ids of topics and their partitions, in the same words whoever is asked.

Java's client is there wherever Spark is ours. Spark Connect keeps Java to itself, so librdkafka
asks from where this process is.

Source: Apache Kafka 4.1, KIP-516 (topic identifiers); its `Uuid` is written as base64 for URLs.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from cdc_spark.conformance import remote
from cdc_spark.conformance.job import Job
from cdc_spark.errors import SetupError
from cdc_spark.untyped import Session

ANSWER_S = 60.0
_UNKNOWN = "UnknownTopicOrPartition"
_MASK = (1 << 64) - 1


class Topic(NamedTuple):
    """A topic as it is now: its id, and how many partitions it has."""

    id: str
    partitions: int


def of(spark: Session, job: Job, names: Sequence[str]) -> dict[str, Topic]:
    """Return what topics are now; raises SetupError for one that is not there."""
    if not names:
        return {}
    if remote.address():
        return _by_librdkafka(job.librdkafka, names)
    return _by_java(spark, job.kafka, names)


def _by_java(
    spark: Session, properties: Mapping[str, str], names: Sequence[str]
) -> dict[str, Topic]:
    jvm = spark._jvm  # noqa: SLF001 - PySpark has no public way to a Java class
    given = jvm.java.util.HashMap()
    for name, value in properties.items():
        given.put(name, value)
    admin = jvm.org.apache.kafka.clients.admin.Admin.create(given)
    try:
        asked = jvm.java.util.ArrayList()
        for name in names:
            asked.add(name)
        futures: Any = admin.describeTopics(asked).topicNameValues()
        return {name: _described(name, futures.get(name)) for name in names}
    finally:
        admin.close()


def _described(name: str, future: Any) -> Topic:  # noqa: ANN401 - Java's
    try:
        described = future.get()
        return Topic(str(described.topicId().toString()), int(described.partitions().size()))
    except Py4JJavaError as error:
        if _UNKNOWN not in str(error):
            raise
        raise _absent(name) from error


def _by_librdkafka(properties: Mapping[str, str], names: Sequence[str]) -> dict[str, Topic]:
    import confluent_kafka as kafka  # noqa: PLC0415 - only where Java is out of reach

    futures: Mapping[str, Any] = _admin(tuple(sorted(properties.items()))).describe_topics(
        kafka.TopicCollection(list(names)), request_timeout=ANSWER_S
    )
    found: dict[str, Topic] = {}
    for name, future in futures.items():
        try:
            described = future.result(ANSWER_S)
        except kafka.KafkaException as error:
            reason: Any = error.args[0]
            if reason.code() == kafka.KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise _absent(name) from error
            raise SetupError(
                f"Kafka does not give the id of topic {name}: {reason.str()}",
                expected="the brokers of kafka.librdkafka in the job, within reach of this process",
            ) from error
        words = (
            described.topic_id.get_most_significant_bits(),
            described.topic_id.get_least_significant_bits(),
        )
        found[name] = Topic(_text(*words), len(described.partitions))
    return found


@cache
def _admin(properties: tuple[tuple[str, str], ...]) -> Any:  # noqa: ANN401 - librdkafka's
    """Return a client of the brokers, which is kept.

    It is the only connection to Kafka of a process whose Spark is elsewhere, and the sign by which
    those who watch the process see that it is at work.
    """
    from confluent_kafka.admin import AdminClient  # noqa: PLC0415 - only where Java is out of reach

    # The job's properties are a consumer's; what no other client has would be complained of.
    return AdminClient({name: value for name, value in properties if name != "isolation.level"})


def _text(most: int, least: int) -> str:
    raw = ((most & _MASK) << 64 | (least & _MASK)).to_bytes(16, "big")
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _absent(name: str) -> SetupError:
    return SetupError(f"topic {name} of the job does not exist", hint="fill the topics first")
