"""`python -m harness.consumers.reference`: the contract's command, for many changefeeds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import orjson
from confluent_kafka import Consumer, KafkaException, TopicPartition

from harness.consumers.reference.answer import Changefeed

BATCH = 5000
POLL_S = 0.05  # `consume` waits this long for a full batch


def main() -> int:
    """Read the job, consume every partition up to its end offset, answer; return the exit code."""
    job: dict[str, Any] = orjson.loads(Path(os.environ["HARNESS_JOB"]).read_bytes())
    feeds = {feed["id"]: Changefeed(feed, job["mode"]) for feed in job["changefeeds"]}
    by_topic = {t["name"]: feeds[f["id"]] for f in job["changefeeds"] for t in f["topics"]}
    try:
        _consume(job, by_topic)
    except KafkaException as error:
        sys.stderr.write(f"reference consumer: Kafka said {error}\n")
        return 1
    for feed in job["changefeeds"]:
        feeds[feed["id"]].answer(Path(job["out_dir"]) / feed["dir"])
    return 0


def _consume(job: dict[str, Any], by_topic: dict[str, Changefeed]) -> None:
    """Read by position: a partition is done when the next offset is at or past its end."""
    spans = _spans(job)
    left = {place: end for place, (first, end) in spans.items() if first < end}
    consumer = Consumer(
        {
            **job["kafka"]["librdkafka"],
            "group.id": job["kafka"]["group_id"],
            "enable.auto.commit": False,
            # Many tiny topics: do not let the broker wait for more bytes to gather.
            "fetch.wait.max.ms": 10,
        }
    )
    try:
        consumer.assign([TopicPartition(*place, spans[place][0]) for place in left])
        while left:
            for message in consumer.consume(BATCH, POLL_S):
                failure = message.error()
                if failure is not None:
                    raise KafkaException(failure)
                place = (str(message.topic()), int(message.partition() or 0))
                if place not in left:
                    continue
                offset = int(message.offset() or 0)
                by_topic[place[0]].take(*place, offset, (message.key(), message.value()))
            # Offsets have gaps: the position tells the end, not the last record.
            for there in consumer.position([TopicPartition(*place) for place in left]):
                if there.offset >= left[there.topic, there.partition]:
                    del left[there.topic, there.partition]
    finally:
        consumer.close()


def _spans(job: dict[str, Any]) -> dict[tuple[str, int], tuple[int, int]]:
    """Return (first, end) offsets by (topic, partition)."""
    return {
        (topic["name"], partition): span
        for feed in job["changefeeds"]
        for topic in feed["topics"]
        for partition, span in enumerate(
            zip(topic["start_offsets"], topic["end_offsets"], strict=True)
        )
    }


if __name__ == "__main__":
    sys.exit(main())
