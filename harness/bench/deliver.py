"""From changes to the broker: everything that we do, beside librdkafka sending the same bytes.

The floor is the bare producer, given keys and values that were made beforehand; ours is given the
changes. Both send to the same embedded Kafka with the same properties, in turn. Memory is that of a
process of its own that streams, at one and at four times the events.
"""

from __future__ import annotations

import gc
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from confluent_kafka import Producer

from harness.bench.change_log import DATABASE, change_log
from harness.bench.command import watched
from harness.bench.figure import Figure
from harness.engine.deliver.sending import ALONE, FLUSH_S, FULL_S, Sender
from harness.engine.deliver.topics import TopicOptions, created
from harness.engine.plan.streaming import Course, streamed
from harness.errors import SetupError, plural
from harness.model.change import Change
from harness.model.record import Record
from harness.scenario.document import DeliveryStep
from harness.services import start
from harness.sources.source import SourceConfig

EVENTS = 100_000
PASSES = 3
PARTITIONS = 4
GOAL = ">= 0.5 of the bare producer"
THOUSAND = 1000
MICRO = 1_000_000
BY_KEY = {"sink.dispatchers": [{"matcher": ["*.*"], "partition": "index-value"}]}
BARE = {
    "key.converter.schemas.enable": False,
    "value.converter.schemas.enable": False,
    "snapshot.mode": "never",
}
MERGED = DeliveryStep("interleave", {"across": "partitions"}, 1)
AGAIN = DeliveryStep("resend", {"events": "resolved"}, 2)
TRACED = DeliveryStep("headers", {}, 2)


@dataclass(frozen=True, slots=True)
class Load:
    """One figure's stream: a name, and what it passes; it has topics of its own."""

    name: str
    course: Course

    def topic(self, canonical: str) -> str:
        """Return what a topic is called on the bench's broker."""
        return f"{re.sub('[^a-z0-9]+', '-', self.name)}.{canonical}"


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of the clock and of the processor, librdkafka's threads included."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Spent:
        """Return what both show."""
        return cls(time.perf_counter(), time.process_time())

    def since(self) -> Spent:
        """Return what passed since then."""
        now = Spent.now()
        return Spent(now.wall - self.wall, now.cpu - self.cpu)


def _load(name: str, protocol: str, settings: Mapping[str, Any], *delivery: DeliveryStep) -> Load:
    stage = SourceConfig(settings, (DATABASE,), PARTITIONS)
    return Load(name, Course(protocol, stage, delivery=delivery))


LOADS: Mapping[str, Load] = {
    load.name: load
    for load in (
        _load("open, 1 a message", "open", {**BY_KEY, "max-batch-size": 1}, MERGED, AGAIN),
        _load("open, 16 a message", "open", {**BY_KEY, "max-batch-size": 16}, MERGED, AGAIN),
        _load("avro", "avro", {**BY_KEY, "enable-tidb-extension": True}, MERGED),
        _load("vitess", "vitess", BARE, TRACED),
    )
}


def measure() -> Iterator[Figure]:
    """Yield each protocol's speed and memory."""
    with tempfile.TemporaryDirectory() as directory:
        run_dir = Path(directory) / "run"
        with start(["kafka"], run_dir=run_dir, on_event=lambda _: None) as services:
            kafka = services.kafka
            for load in LOADS.values():
                records = list(streamed(load.course, change_log(EVENTS)))
                topics = [
                    (topic, PARTITIONS) for topic in sorted({load.topic(r.topic) for r in records})
                ]
                with created(kafka, topics, TopicOptions("", keep=True, replication=-1)):
                    yield from _speed(load, records, kafka.client)
                del records
                yield from _memory(load, kafka.bootstrap)


def send(load: Load, changes: Iterable[Change], client: Mapping[str, str]) -> int:
    """Stream changes to the broker; return how many records that made."""
    sender = Sender({**client, **ALONE}, load.topic, offsets=False)
    sender.send(streamed(load.course, changes))
    sender.finish()
    return sender.sent


def _speed(load: Load, records: Sequence[Record], client: Mapping[str, str]) -> Iterator[Figure]:
    # By position, headers only where there are any: the cheapest call.
    messages = [
        (
            (load.topic(one.topic), one.value, one.key, one.partition),
            {"headers": list(one.headers)} if one.headers else {},
        )
        for one in records
    ]
    changes = list(change_log(EVENTS))
    floor: list[Spent] = []
    ours: list[Spent] = []
    gc.collect()
    gc.freeze()  # what was prepared for the floor is none of our garbage
    try:
        for _ in range(PASSES):
            began = Spent.now()
            _bare(messages, client)
            floor.append(began.since())
            began = Spent.now()
            sent = send(load, changes, client)
            ours.append(began.since())
            if sent != len(messages):
                raise SetupError(
                    f"the bench sent {plural(sent, 'record')}, and {len(messages)} before",
                    hint="run it again, and report it if it stays",
                )
    finally:
        gc.unfreeze()
    wall = [median(one.wall for one in spent) for spent in (ours, floor)]
    speed = [EVENTS / seconds / THOUSAND for seconds in wall]
    yield Figure(f"deliver.{load.name}", speed[0], "k/s", speed[1], GOAL)
    cpu = [median(one.cpu for one in spent) * MICRO / EVENTS for spent in (ours, floor)]
    yield Figure(
        f"deliver.{load.name}: processor", cpu[0], "us", cpu[1], "an event; holds on a busy machine"
    )


def _bare(messages: Sequence[tuple[Any, ...]], client: Mapping[str, str]) -> None:
    producer: Any = Producer({**client, **ALONE, "delivery.report.only.error": True})
    produce = producer.produce
    for number, (message, headers) in enumerate(messages):
        while True:
            try:
                produce(*message, **headers)
                break
            except BufferError:
                producer.poll(FULL_S)
        if number % 1000 == 0:
            producer.poll(0)
    if producer.flush(FLUSH_S):
        raise SetupError(
            "the broker of the bench did not take everything",
            hint="free memory and disk, run again",
        )


def _memory(load: Load, bootstrap: str) -> Iterator[Figure]:
    once, four = (
        watched([sys.executable, "-m", __name__, load.name, str(events), bootstrap], {})
        for events in (EVENTS, 4 * EVENTS)
    )
    name = f"deliver.{load.name}: memory"
    yield Figure(f"{name}, {EVENTS // THOUSAND} k events", once.peak_mb["harness"], "MB")
    # The floor of four times the events is the memory of one: a ratio of 1 is flat.
    yield Figure(
        f"{name}, {4 * EVENTS // THOUSAND} k events",
        four.peak_mb["harness"],
        "MB",
        once.peak_mb["harness"],
        "flat: ratio about 1",
    )


if __name__ == "__main__":
    NAME, COUNT, BOOTSTRAP = sys.argv[1:]
    send(LOADS[NAME], change_log(int(COUNT)), {"bootstrap.servers": BOOTSTRAP})
