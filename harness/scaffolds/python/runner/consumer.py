"""my-consumer: materialises tables from Kafka, and writes them as JSON lines.

The harness starts it with $HARNESS_JOB, the path of job.json. It keeps nothing between starts: one
that was killed reads everything again from the start offsets. What one changefeed does wrong ends
that changefeed and leaves the others untouched. What its messages mean is in `reader`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from reader import Reader, lacking, readers
from tables import Declined

Place = tuple[str, int]


class Changefeed:
    """One changefeed: its tables so far, or why there are none."""

    def __init__(self, feed: dict[str, Any], mode: str, reader: Reader) -> None:
        self.feed = feed
        self.error = ""
        self.messages: list[dict[str, Any]] = []
        self.needs = lacking(feed)
        if mode != "bounded":
            self.needs = f"mode:{mode}"
        elif any(table["rows"] for table in feed["tables"]):
            self.needs = "rows-at-the-start"
        self.reader = reader

    def take(self, place: Place, offset: int, pair: tuple[bytes | None, bytes | None]) -> None:
        """Apply one message; the first that cannot be read ends this changefeed."""
        if self.needs or self.error or not any(pair):
            return
        try:
            self.reader.take(place, *pair)
        except Declined as lack:
            self.needs = str(lack)
        except Exception as error:  # noqa: BLE001
            # Whatever a malformed message leads to, it is no reason to end the other changefeeds.
            self.give_up(place, offset, repr(error))

    def give_up(self, place: Place, offset: int, why: str) -> None:
        """End this changefeed for what is wrong at a place."""
        if not self.error:
            self.error = f"{place[0]}/{place[1]}@{offset}: {why}"
            self.messages = [{"topic": place[0], "partition": place[1], "offset": offset}]

    def answer(self, out: Path) -> None:
        """Write the result directory, status.json last."""
        index = {}
        for number, ((schema, name), table) in enumerate(self.reader.tables.items()):
            file = f"{number}.jsonl"
            index[file] = {"schema": schema, "name": name}
            write(out / "tables" / file, table.all())
        (out / "tables.json").write_text(json.dumps(index), encoding="utf-8")
        if self.reader.ddl is not None:
            write(out / "ddl.jsonl", self.reader.ddl)
        status: dict[str, Any] = {"status": "done"}
        if self.needs:
            status = {"status": "not-applicable", "needs": self.needs}
        elif self.error:
            status = {"status": "error", "error": self.error, "messages": self.messages}
        (out / "status.json").write_text(json.dumps(status), encoding="utf-8")


def write(file: Path, lines: list[dict[str, Any]]) -> None:
    """Write objects as JSON lines."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


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
            if error and error.code() == KafkaError._AUTO_OFFSET_RESET:
                feeds[place[0]].give_up(place, wanted[place][0], error.str())
                ends.pop(place, None)
            elif error:
                raise KafkaException(error)
            elif message.offset() < ends.get(place, 0):
                pair = (message.key(), message.value())
                feeds[place[0]].take(place, message.offset(), pair)
        # Offsets have gaps: a partition's end is told by the position, never by the last message.
        for there in consumer.position([TopicPartition(*place) for place in ends]):
            if there.offset >= ends[there.topic, there.partition]:
                del ends[there.topic, there.partition]
    consumer.close()


def main() -> None:
    """Do the job that $HARNESS_JOB names."""
    job = json.loads(Path(os.environ["HARNESS_JOB"]).read_text(encoding="utf-8"))
    reader = readers(job)
    feeds = [Changefeed(feed, job["mode"], reader(feed)) for feed in job["changefeeds"]]
    consume(job, {topic["name"]: feed for feed in feeds for topic in feed.feed["topics"]})
    for feed in feeds:
        feed.answer(Path(job["out_dir"], feed.feed["dir"]))


if __name__ == "__main__":
    main()
