"""Topics for the bench: a table of ten columns, its changes encoded and sent.

For decoding, a block of distinct inserts is sent again and again, since nothing looks at who a row
is; to encode a million would take longer than to read them. For whole runs every event is its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from harness.bench.change_log import DATABASE, change_log
from harness.contracts import DEFAULT_DIALECT
from harness.engine.deliver.registered import Registered
from harness.engine.deliver.sending import ALONE, Sender
from harness.engine.deliver.topics import TopicOptions, created
from harness.engine.plan.streaming import Course, streamed
from harness.engine.run.jobs import kafka_job
from harness.model.record import Record
from harness.protocols import PROTOCOLS
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import Complete, KafkaJob, TopicJob
from harness.services import HttpRegistry, Services
from harness.sources.source import SourceConfig

PARTITIONS = 4
BLOCK = 20_000
BY_NAME = 100  # changes by which the names of topics are known
TOPIC_OPTIONS = TopicOptions("", keep=True, replication=-1)
BY_KEY = {"sink.dispatchers": [{"matcher": ["*.*"], "partition": "index-value"}]}
JSON_ALONE = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
# The protocols' most common settings: one row a message, the extension, no schema in each message.
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "open": {**BY_KEY, "max-batch-size": 1},
    "avro": {**BY_KEY, "enable-tidb-extension": True},
    "vitess": {**JSON_ALONE, "snapshot.mode": "never"},
    "debezium-mysql": {**JSON_ALONE, "decimal.handling.mode": "string"},
}


@dataclass(frozen=True, slots=True)
class Filled:
    """A changefeed whose topics are full."""

    changefeed: ChangefeedJob
    messages: int


class Filler:
    """Fills topics of one broker, each under a prefix of its own; they live as long as `topics`."""

    def __init__(self, services: Services, topics: ExitStack) -> None:
        """Take Kafka, and the registry that Avro needs."""
        self._topics = topics
        self._kafka = services.kafka
        self._registry = HttpRegistry(services.registry)

    def decoding(self, protocol: str, messages: int) -> Filled:
        """Return a changefeed of so many messages, most of them equal to one of a block."""
        block = [
            record
            for record in streamed(_course(protocol), change_log(BLOCK, rows=BLOCK))
            if record.key and record.value
        ]
        return self._filled(f"decode-{protocol}", protocol, islice(cycle(block), messages))

    def applying(self, protocol: str, events: int) -> Filled:
        """Return a changefeed of so many row changes on a table of bounded size."""
        records = streamed(_course(protocol), change_log(events))
        return self._filled(f"apply-{protocol}-{events}", protocol, records)

    def job(self, group: str) -> KafkaJob:
        """Return the Kafka part of a job."""
        return kafka_job(self._kafka, group)

    def _filled(self, name: str, protocol: str, records: Iterable[Record]) -> Filled:
        named = sorted({one.topic for one in streamed(_course(protocol), change_log(BY_NAME))})
        wanted = [(f"{name}.{topic}", PARTITIONS) for topic in named]
        self._topics.enter_context(created(self._kafka, wanted, TOPIC_OPTIONS))
        sender = Sender({**self._kafka.client, **ALONE}, lambda topic: f"{name}.{topic}")
        registered = Registered(self._registry, name)
        ends: Counter[tuple[str, int]] = Counter()
        sender.send(_counted(_real(registered, records), ends))
        sender.finish()
        topics = tuple(
            TopicJob(
                f"{name}.{topic}",
                topic,
                start_offsets=(0,) * PARTITIONS,
                end_offsets=tuple(ends[topic, number] for number in range(PARTITIONS)),
            )
            for topic in named
        )
        changefeed = ChangefeedJob(
            id=name,
            dir="0000",
            protocol=protocol,
            topics=topics,
            complete=_complete(protocol),
            settings=dict(SETTINGS[protocol]),
        )
        return Filled(changefeed, sender.sent)


def _course(protocol: str) -> Course:
    return Course(protocol, SourceConfig(SETTINGS[protocol], (DATABASE,), PARTITIONS))


def _complete(protocol: str) -> Complete | None:
    """Return what a resolved event of the protocol says, as a run tells its consumer."""
    row = PROTOCOLS[protocol]
    given = row.source.stream((), _course(protocol).stage)
    found = row.codec.bind(given.settings, DEFAULT_DIALECT).complete
    return None if found is None else Complete(found)


def _real(registered: Registered, records: Iterable[Record]) -> Iterator[Record]:
    for record in records:
        if record.key_schema is None and record.value_schema is None:
            yield record
        else:
            yield from registered.all((record,))


def _counted(records: Iterable[Record], ends: Counter[tuple[str, int]]) -> Iterator[Record]:
    for record in records:
        ends[record.topic, record.partition] += 1
        yield record
