"""What becomes of records on their way: order, compaction, a connector's stored offsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from harness.codecs.connect.worker import Worker
from harness.faults.choose import first, last
from harness.faults.log import LogEntry, TopicLogs
from harness.faults.option import Options
from harness.model.record import Record
from harness.mutants.delivery import Lying, Message
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import instead, patch, result

LOGS: Final = "harness.faults.log:TopicLogs"
_WORKER: Final = "harness.codecs.connect.worker:Worker"


def _newest_first(there: Lying) -> Lying:
    """Return what lies there with each partition's messages turned round, at the same offsets."""
    turned: dict[tuple[str, int], list[Message]] = {}
    for message in there.messages:
        turned.setdefault(message.place, []).append(message)
    messages = tuple(
        replace(turned[message.place].pop(), offset=message.offset) for message in there.messages
    )
    return replace(there, messages=messages)


def _first_kept(_: object) -> Callable[..., None]:
    """Return a compaction that leaves the first message of each key."""

    def compact(topics: TopicLogs, topic: str, *, tombstones: bool) -> None:
        del tombstones
        partitions: Mapping[tuple[str, int], Any] = topics._partitions  # noqa: SLF001
        for there, partition in partitions.items():
            if there[0] != topic:
                continue
            kept: dict[bytes | None, LogEntry] = {}
            for one in partition.read:
                kept.setdefault(one.record.key, one)
            partition.read = [*kept.values()]

    return compact


def _tombstones_first(original: Callable[..., None]) -> Callable[..., None]:
    """Return a compaction that takes expired tombstones away before what they remove."""

    def compact(topics: TopicLogs, topic: str, *, tombstones: bool) -> None:
        if tombstones:
            original(topics, topic, tombstones=True)
            return
        partitions: Mapping[tuple[str, int], Any] = topics._partitions  # noqa: SLF001
        for there, partition in partitions.items():
            if there[0] == topic:
                partition.read = [one for one in partition.read if one.record.value is not None]
        original(topics, topic, tombstones=True)

    return compact


def _lost(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Return the records without the transaction whose offset was stored before it was sent."""
    del random
    name = options.text("from")
    begin, end = (find(records, name, options.line) for find in (first, last))
    return (*records[:begin], *records[end + 1 :])


def _by_turns(original: Callable[..., int]) -> Callable[..., int]:
    """Return a partitioner that gives the messages of a key to two partitions by turns."""
    sent: Counter[tuple[str, bytes]] = Counter()

    def partition(worker: Worker, topic: str, key: bytes | None, size: int) -> int:
        home = original(worker, topic, key, size)
        if key is None:
            return home
        turn = sent[topic, key]
        sent[topic, key] += 1
        return (home + turn % 2) % worker._count(topic)  # noqa: SLF001 - as the original does

    return partition


def _one_by_one(
    worker: Worker, topic: str, keys: Sequence[bytes | None], values: Sequence[bytes]
) -> list[int]:
    """Place each record by itself."""
    sizes = map(len, values)
    return [worker.partition(topic, key, size) for key, size in zip(keys, sizes, strict=True)]


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "kafka-newest-first",
        "kafka.order-within-partition",
        "It gives the messages of a partition from the newest to the oldest.",
        result("harness.mutants.delivery:lying", _newest_first),
        broker=True,
    ),
    WrongProducer(
        "kafka-compaction-keeps-the-first",
        "kafka.compaction.last-value",
        "It keeps the first message of each key in a compacted topic.",
        patch(f"{LOGS}.compact", _first_kept),
        broker=True,
    ),
    WrongProducer(
        "kafka-tombstone-gone-before-its-row",
        "kafka.compaction.tombstone",
        "It removes an expired tombstone while an earlier message of its key stays.",
        patch(f"{LOGS}.compact", _tombstones_first),
        broker=True,
    ),
    WrongProducer(
        "kafka-key-in-two-partitions",
        "kafka.same-key-same-partition",
        "It sends the messages of one key to two partitions by turns.",
        # Not the partitioner itself, which remembers where a key goes.
        replace(
            patch(f"{_WORKER}.partition", _by_turns),
            then=instead(f"{_WORKER}.places", _one_by_one),
        ),
        protocols=("vitess",),
    ),
    WrongProducer(
        "connect-offset-before-send",
        "connect.offset.after-send",
        "It stores the offset of a transaction before it sends it, and crashes between the two.",
        patch("harness.faults.repeat:replay", lambda _: _lost),
        broker=True,
    ),
)
