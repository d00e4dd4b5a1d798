"""my-consumer: materialises tables from TiCDC's Avro messages, and writes them as JSON lines.

The harness starts it with $HARNESS_JOB, the path of job.json. It keeps nothing between starts: one
that was killed reads everything again from the start offsets. What one changefeed does wrong ends
that changefeed and leaves the others untouched.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from registry import Registry
from tables import Tables

Place = tuple[str, int]
DIALECTS = ("current", "6")


class Changefeed:
    """One changefeed: its tables so far, or why there are none."""

    def __init__(self, feed: dict[str, Any], mode: str, registry: Registry) -> None:
        self.feed = feed
        self.needs = lacking(feed, mode)
        self.error = ""
        self.tables = Tables()
        self.registry = registry

    def take(self, place: str, key: bytes | None, value: bytes | None) -> None:
        """Apply one message; the first that cannot be read ends this changefeed."""
        if self.needs or self.error or not (key or value):
            return
        try:
            if key is None:
                raise ValueError("a row without a key")
            name, key_row, _ = self.registry.read(key)
            if value is None:
                self.tables.delete(name, key_row)
            else:
                value_name, row, schema = self.registry.read(value)
                if value_name != name:
                    raise ValueError(f"the key is of {name}, the value of {value_name}")
                self.tables.put(name, key_row, row, schema)
        except (ValueError, LookupError) as error:
            self.error = f"{place}: {error}"

    def answer(self, out: Path) -> None:
        """Write the result directory, status.json last."""
        index = {}
        for number, ((schema, name), rows) in enumerate(self.tables.rows()):
            file = f"{number}.jsonl"
            index[file] = {"schema": schema, "name": name}
            lines = (json.dumps(row) + "\n" for row in rows)
            (out / "tables" / file).write_text("".join(lines), encoding="utf-8")
        (out / "tables.json").write_text(json.dumps(index), encoding="utf-8")
        status = {"status": "done"}
        if self.needs:
            status = {"status": "not-applicable", "needs": self.needs}
        elif self.error:
            status = {"status": "error", "error": self.error}
        (out / "status.json").write_text(json.dumps(status), encoding="utf-8")


def lacking(feed: dict[str, Any], mode: str) -> str:
    """Name what the changefeed asks for and this program does not do; "" for nothing."""
    if mode != "bounded":
        return f"mode:{mode}"
    if feed["protocol"] != "avro":
        return f"protocol:{feed['protocol']}"
    if feed["dialect"] not in DIALECTS:
        return f"dialect:{feed['dialect']}"
    return "avro-enable-watermark" if feed["complete"] else ""


def spans(job: dict[str, Any]) -> dict[Place, tuple[int, int]]:
    """Return the first and the end offset of every partition that has something to read."""
    return {
        (topic["name"], number): (start, topic["end_offsets"][number])
        for feed in job["changefeeds"]
        for topic in feed["topics"]
        for number, start in enumerate(topic["start_offsets"])
        if start < topic["end_offsets"][number]
    }


def consume(job: dict[str, Any], feeds: dict[str, Changefeed]) -> None:
    """Read every partition up to its end offset; `feeds` by the name of the topic."""
    wanted = spans(job)
    ends = {place: end for place, (_, end) in wanted.items()}
    own = {
        "group.id": job["kafka"]["group_id"],
        "enable.auto.commit": False,
        "auto.offset.reset": "error",  # a start offset that is gone means that data are lost
        "fetch.wait.max.ms": 10,
    }
    consumer = Consumer(job["kafka"]["librdkafka"] | own)
    consumer.assign([TopicPartition(*place, start) for place, (start, _) in wanted.items()])
    while ends:
        for message in consumer.consume(1000, 0.05):
            place, error = (message.topic(), message.partition()), message.error()
            where = f"{place[0]}/{place[1]}@"
            if error and error.code() == KafkaError._AUTO_OFFSET_RESET:
                feed = feeds[place[0]]
                feed.error = feed.error or f"{where}{wanted[place][0]}: {error.str()}"
                ends.pop(place, None)
            elif error:
                raise KafkaException(error)
            elif message.offset() < ends.get(place, 0):
                where += str(message.offset())
                feeds[place[0]].take(where, message.key(), message.value())
        # Offsets have gaps: a partition's end is told by the position, never by the last message.
        for there in consumer.position([TopicPartition(*place) for place in ends]):
            if there.offset >= ends[there.topic, there.partition]:
                del ends[there.topic, there.partition]
    consumer.close()


def main() -> None:
    """Do the job that $HARNESS_JOB names."""
    job = json.loads(Path(os.environ["HARNESS_JOB"]).read_text(encoding="utf-8"))
    registry = Registry(job["registry"])
    feeds = [Changefeed(feed, job["mode"], registry) for feed in job["changefeeds"]]
    consume(job, {topic["name"]: feed for feed in feeds for topic in feed.feed["topics"]})
    for feed in feeds:
        feed.answer(Path(job["out_dir"], feed.feed["dir"]))


if __name__ == "__main__":
    main()
