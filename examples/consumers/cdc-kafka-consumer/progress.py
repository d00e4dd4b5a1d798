"""When the consumer has done all: each partition's last resolved event is committed.

It commits a resolved event after it has written every row at or below the smallest watermark,
and never a message with rows (cmd/kafka-consumer/writer.go, WriteMessage): nothing else shows its
end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from adapter import Json
from confluent_kafka import Consumer, TopicPartition

DDL, RESOLVED = 2, 3  # the type of an event in a key of the Open Protocol
AVRO_WATERMARK = b"\x02"  # pkg/sink/codec/avro/avro.go: checkpointByte
TIMEOUT_S = 30.0
KEY_STARTS = 16  # eight bytes of version, eight of the first key's length

Message = tuple[int, int, bytes | None, bytes | None]  # partition, offset, key, value


def is_resolved(protocol: str, key: bytes | None, value: bytes | None) -> bool:
    """Return whether a message is a resolved event."""
    if protocol == "avro":
        return bool(value) and value[:1] == AVRO_WATERMARK
    return _type(key) == RESOLVED


def has_vectors(messages: Iterable[Message]) -> bool:
    """Return whether a DDL event of the Open Protocol names the type."""
    return any(_type(key) == DDL and b"VECTOR" in (value or b"") for _, _, key, value in messages)


def _type(key: bytes | None) -> object:
    """Return the type that a key's first event has; None for what is no key."""
    if not key or len(key) < KEY_STARTS:
        return None
    end = KEY_STARTS + int.from_bytes(key[8:KEY_STARTS], "big")
    try:
        return json.loads(key[KEY_STARTS:end]).get("t")
    except (ValueError, AttributeError):
        return None  # the consumer says itself that it cannot read it


def last_resolved(protocol: str, messages: Iterable[Message]) -> dict[int, int]:
    """Return the offset of the last resolved event of each partition that has one."""
    found: dict[int, int] = {}
    for partition, offset, key, value in messages:
        if is_resolved(protocol, key, value):
            found[partition] = max(offset, found.get(partition, offset))
    return found


def is_complete(last: Mapping[int, int], committed: Mapping[int, int]) -> bool:
    """Return whether the next offset to read is behind each last resolved event."""
    return all(committed.get(partition, -1) > offset for partition, offset in last.items())


class Look:
    """A client that reads a changefeed's topic, and what a group has committed."""

    def __init__(self, order: Json, feed: Json, group: str) -> None:
        """Take the job's client properties; the group is the consumer's own."""
        self._topic = feed["topics"][0]
        properties = order["kafka"]["librdkafka"]
        own = {"enable.auto.commit": False, "enable.auto.offset.store": False}
        self._group = Consumer(properties | own | {"group.id": group})
        self._reader = Consumer(properties | own | {"group.id": f"{group}-look"})

    def messages(self) -> list[Message]:
        """Return the topic's messages between the job's offsets."""
        spans = enumerate(
            zip(self._topic["start_offsets"], self._topic["end_offsets"], strict=True)
        )
        found: list[Message] = []
        for number, (start, end) in spans:
            if start < end:
                self._reader.assign([TopicPartition(self._topic["name"], number, start)])
                found += self._partition(number, end)
        return found

    def _partition(self, number: int, end: int) -> list[Message]:
        found: list[Message] = []
        place = TopicPartition(self._topic["name"], number)
        while True:
            message = self._reader.poll(0.2)
            if message is None:
                (position,) = self._reader.position([place])
                if position.offset >= end:
                    return found
            elif not message.error() and message.offset() < end:
                found.append((number, message.offset(), message.key(), message.value()))
                if message.offset() == end - 1:
                    return found

    def begin(self) -> None:
        """Commit the start offsets where they are not 0; what is committed already stays."""
        starts = enumerate(self._topic["start_offsets"])
        name = self._topic["name"]
        there = self.committed()
        todo = [TopicPartition(name, n, at) for n, at in starts if at and n not in there]
        if todo:
            self._group.commit(offsets=todo, asynchronous=False)

    def committed(self) -> dict[int, int]:
        """Return the committed offset of each partition that has one."""
        name, count = self._topic["name"], self._topic["partitions"]
        asked = [TopicPartition(name, number) for number in range(count)]
        answered = self._group.committed(asked, timeout=TIMEOUT_S)
        return {one.partition: one.offset for one in answered if one.offset >= 0}

    def close(self) -> None:
        """Close both clients."""
        self._group.close()
        self._reader.close()
