"""A consumer that commits its position for each message, and writes down when it was started."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson
from confluent_kafka import Consumer, TopicPartition

from harness.reference_consumer.answer import Changefeed


def main() -> None:
    """Read everything anew at each start; the commits are for others to see."""
    job: dict[str, Any] = orjson.loads(Path(os.environ["HARNESS_JOB"]).read_bytes())
    with Path(job["work_dir"], "starts").open("a") as starts:
        starts.write("started\n")
    (feed,) = job["changefeeds"]
    changefeed = Changefeed(feed)
    consumer = Consumer({**job["kafka"]["librdkafka"], "group.id": job["kafka"]["group_id"]})
    ends = {(t["name"], n): e for t in feed["topics"] for n, e in enumerate(t["end_offsets"])}
    consumer.assign([TopicPartition(*there, 0) for there in ends])
    left = sum(ends.values())
    while left:
        message = consumer.poll(1.0)
        if message is None:
            continue
        place = (str(message.topic()), int(message.partition() or 0), int(message.offset() or 0))
        changefeed.take(*place, (message.key(), message.value()))
        consumer.commit(message=message, asynchronous=False)
        left -= 1
    consumer.close()
    changefeed.answer(Path(job["out_dir"]) / feed["dir"])


if __name__ == "__main__":
    main()
