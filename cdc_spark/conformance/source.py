"""One Kafka source for the topics of all changefeeds.

Exactly the partitions that have something to read are assigned, each from its start offset.
Their number decides what a run costs, so many partitions share one task.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from cdc_spark.conformance.job import Job, TopicJob
from cdc_spark.untyped import Frame, Session

# Options of Spark's Kafka source and, under `kafka.`, of its clients.
OPTIONS: Mapping[str, str] = {
    # Data that is lost must fail the run: a hole would look like a wrong consumer.
    "failOnDataLoss": "true",
    # Every partition waits this long for its next message, one after the other. At the default of
    # 500 ms, 600 partitions took 160 s; at 1 ms, 6 s. It costs polling on an idle stream, and a
    # bounded run has none.
    "kafka.fetch.max.wait.ms": "1",
    # A client is made for each partition; without telemetry and JMX beans it is made faster.
    "kafka.enable.metrics.push": "false",
    "kafka.auto.include.jmx.reporter": "false",
    # Bounds a micro-batch, and with it the memory of a run over long topics.
    "maxOffsetsPerTrigger": "500000",
}


def wanted(job: Job) -> Iterator[tuple[int, TopicJob]]:
    """Yield the topics to read, with the ordinal of their changefeed."""
    for feed, changefeed in enumerate(job.changefeeds):
        if not changefeed.needs:
            for topic in changefeed.topics:
                yield feed, topic


def offsets(job: Job, present: Mapping[str, int] | None = None) -> dict[str, dict[str, int]]:
    """Return the start offset of every partition that has something to read, by topic.

    `present` are the topics' partitions now, where some may be added later.
    """
    found: dict[str, dict[str, int]] = {}
    for _, topic in wanted(job):
        pairs: Sequence[tuple[int, int]] = topic.ranges
        if present is not None:
            pairs = pairs[: present[topic.name]] if topic.name in present else []
        starts = {str(number): start for number, (start, end) in enumerate(pairs) if start < end}
        if starts:
            found[topic.name] = starts
    return found


def read(
    spark: Session, job: Job, present: Mapping[str, int], tasks: int, overrides: Mapping[str, str]
) -> Frame:
    """Return the stream of Kafka messages, in `tasks` tasks a micro-batch.

    Spark makes a task of each Kafka partition. Starting 1,200 of them took 100 s where reading the
    partitions one after the other in 2 takes 16 s, hence the coalesce.
    """
    starts = offsets(job, present)
    options = {
        **OPTIONS,
        **{f"kafka.{name}": value for name, value in job.kafka.items()},
        **overrides,
        "groupIdPrefix": job.group_id,
        "assign": json.dumps({name: [int(p) for p in parts] for name, parts in starts.items()}),
        "startingOffsets": json.dumps(starts),
    }
    stream = spark.readStream.format("kafka").options(**options).load()
    return stream.select("topic", "partition", "offset", "key", "value").coalesce(tasks)


def unread(job: Job, reached: Mapping[str, Mapping[str, int]]) -> dict[int, str]:
    """Return a place where the end offset was not reached, in words, by changefeed."""
    missing: dict[int, str] = {}
    for feed, topic in wanted(job):
        for number, (start, end) in enumerate(topic.ranges):
            at = reached.get(topic.name, {}).get(str(number), start)
            if at < end:
                place = f"topic {topic.name}, partition {number}, offset {at}"
                missing[feed] = f"nothing could be read from here to the end, {end} ({place})"
    return missing
