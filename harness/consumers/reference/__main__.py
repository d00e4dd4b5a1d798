"""`python -m harness.consumers.reference`: the contract's command, for any number of changefeeds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import orjson
from confluent_kafka import Consumer, KafkaException, TopicPartition

from harness.consumers.reference.answer import Changefeed

BATCH = 5000
POLL_S = 1.0


def main() -> int:
    """Read the job, consume every partition up to its end offset, answer; return the exit code."""
    job: dict[str, Any] = orjson.loads(Path(os.environ["HARNESS_JOB"]).read_bytes())
    feeds = {feed["id"]: Changefeed(feed) for feed in job["changefeeds"]}
    by_topic = {t["name"]: feeds[f["id"]] for f in job["changefeeds"] for t in f["topics"]}
    try:
        _consume(job, by_topic)
    except KafkaException as error:
        print(f"reference consumer: Kafka said {error}", file=sys.stderr)
        return 1
    for feed in job["changefeeds"]:
        feeds[feed["id"]].answer(Path(job["out_dir"]) / feed["dir"])
    return 0


def _consume(job: dict[str, Any], by_topic: dict[str, Changefeed]) -> None:
    """Read by position: a partition is done when the next offset is at or past its end."""
    ends: dict[tuple[str, int], int] = {}
    start: list[TopicPartition] = []
    for feed in job["changefeeds"]:
        for topic in feed["topics"]:
            for partition, end in enumerate(topic["end_offsets"]):
                first = topic["start_offsets"][partition]
                if first < end:
                    ends[topic["name"], partition] = end
                    start.append(TopicPartition(topic["name"], partition, first))
    settings = {
        **job["kafka"]["librdkafka"],
        "group.id": job["kafka"]["group_id"],
        "enable.auto.commit": False,
        "enable.partition.eof": False,
        # Many tiny topics: do not let the broker wait for more bytes to gather.
        "fetch.wait.max.ms": 10,
    }
    consumer = Consumer(settings)
    try:
        consumer.assign(start)
        while ends:
            for message in consumer.consume(BATCH, POLL_S):
                failure = message.error()
                if failure is not None:
                    raise KafkaException(failure)
                topic, partition, offset = message.topic(), message.partition(), message.offset()
                if (topic, partition) not in ends:
                    continue
                pair = (message.key(), message.value())
                by_topic[topic].take(topic, partition, offset, pair)
                if offset + 1 >= ends[topic, partition]:
                    del ends[topic, partition]
            # Aborted transactions and compaction leave gaps at the end: ask for the position too.
            for place in consumer.position([TopicPartition(*p) for p in ends]):
                if place.offset >= ends.get((place.topic, place.partition), 1 << 63):
                    del ends[place.topic, place.partition]
    finally:
        consumer.close()


if __name__ == "__main__":
    sys.exit(main())
