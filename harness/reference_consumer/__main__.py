"""`python -m harness.reference_consumer`: the contract's command, for many changefeeds."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from harness.reference_consumer.answer import Changefeed
from harness.reference_consumer.decoding import decode
from harness.reference_consumer.schemas import JobRegistry


class CrashPoint:
    """Where this process is asked to die, by `HARNESS_CRASHPOINT=name:n`.

    `record`: it has read a message. `write`: between two files of an answer.
    """

    def __init__(self, wanted: str) -> None:
        """Take the variable's value, "" for a process that is to live."""
        name, _, hit = wanted.partition(":")
        self._name = name
        self._left = int(hit or 0)

    def passed(self, name: str) -> None:
        """Be at a point; the n-th time at the wanted one is the last."""
        if name != self._name:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


BATCH = 5000
GONE = KafkaError._AUTO_OFFSET_RESET  # noqa: SLF001 - the driver's public name for it
METADATA_S = 30.0
POLL_S = 0.05  # `consume` waits this long for a full batch


def main() -> int:
    """Read the job, consume every partition up to its end offset, answer; return the exit code.

    Of several instances one works, and the next one takes over should it die: whoever has the lock
    reads everything from the start.
    """
    job: dict[str, Any] = orjson.loads(Path(os.environ["HARNESS_JOB"]).read_bytes())
    out = Path(job["out_dir"])
    point = CrashPoint(os.environ.get("HARNESS_CRASHPOINT", ""))
    if job["mode"] == "decode":
        for feed in job["changefeeds"]:
            decode(feed, out / feed["dir"])
        return 0
    with (Path(job["work_dir"]) / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if all((out / feed["dir"] / "status.json").exists() for feed in job["changefeeds"]):
            return 0
        wait_s = job["deadline_s"]  # the bound that the contract names
        registry = JobRegistry(job["registry"], wait_s) if job["registry"] else None
        feeds = {feed["id"]: Changefeed(feed, job["mode"], registry) for feed in job["changefeeds"]}
        by_topic = {t["name"]: feeds[f["id"]] for f in job["changefeeds"] for t in f["topics"]}
        try:
            _consume(job, by_topic, point)
        except KafkaException as error:
            sys.stderr.write(f"reference consumer: Kafka said {error}\n")
            return 1
        for feed in job["changefeeds"]:
            feeds[feed["id"]].answer(out / feed["dir"], lambda: point.passed("write"))
    return 0


def _consume(job: dict[str, Any], by_topic: dict[str, Changefeed], point: CrashPoint) -> None:
    """Read by position: a partition is done when the next offset is at or past its end."""
    spans = _spans(job)
    left = {place: end for place, (first, end) in spans.items() if first < end}
    consumer = Consumer(
        {
            **job["kafka"]["librdkafka"],
            "group.id": job["kafka"]["group_id"],
            "enable.auto.commit": False,
            # A start offset that is gone means that data are lost: that is reported.
            "auto.offset.reset": "error",
            # Many tiny topics: do not let the broker wait for more bytes to gather.
            "fetch.wait.max.ms": 10,
        }
    )
    try:
        to_come = _assigned(consumer, {place: spans[place][0] for place in left})
        while left:
            if to_come:
                to_come = _assigned(consumer, to_come)
            for message in consumer.consume(BATCH, POLL_S):
                place = (str(message.topic()), int(message.partition() or 0))
                failure = message.error()
                if failure is not None and failure.code() != GONE:
                    raise KafkaException(failure)
                if place not in left:
                    continue
                if failure is not None:
                    by_topic[place[0]].give_up(*place, spans[place][0], failure.str())
                    del left[place]
                    continue
                offset = int(message.offset() or 0)
                if offset >= left[place]:  # a topic may hold more than the job asks for
                    continue
                by_topic[place[0]].take(*place, offset, (message.key(), message.value()))
                point.passed("record")
            # Offsets have gaps: the position marks the end, not the last record.
            assigned = [place for place in left if place not in to_come]
            for there in consumer.position([TopicPartition(*place) for place in assigned]):
                if there.offset >= left[there.topic, there.partition]:
                    del left[there.topic, there.partition]
    finally:
        consumer.close()


def _assigned(
    consumer: Consumer, wanted: Mapping[tuple[str, int], int]
) -> dict[tuple[str, int], int]:
    """Read the wanted partitions that are there, from these offsets; return the others."""
    known = consumer.list_topics(timeout=METADATA_S).topics.values()
    there = {(topic.topic, partition) for topic in known for partition in topic.partitions}
    ready = {place: first for place, first in wanted.items() if place in there}
    if ready:
        consumer.incremental_assign([TopicPartition(*p, first) for p, first in ready.items()])
    return {place: first for place, first in wanted.items() if place not in ready}


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
