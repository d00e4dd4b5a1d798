"""What is read of Kafka's own protocol: offsets asked for and handed out, and names of brokers.

Source: https://kafka.apache.org/protocol.html, the messages Fetch, Metadata, FindCoordinator and
DescribeCluster; from the version in `FLEXIBLE` on, lengths are varints and structures end in tags.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

FETCH, LIST_OFFSETS, METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER = 1, 2, 3, 10, 60
FLEXIBLE: Mapping[int, int] = {FETCH: 12, METADATA: 9, FIND_COORDINATOR: 3, DESCRIBE_CLUSTER: 0}
TOPIC_IDS = 13  # from this version of Fetch on a topic is named by its id
BATCH = struct.Struct(">qiibihi")  # baseOffset … lastOffsetDelta
MAGIC = 2

# A topic's name, or the 16 bytes of its id.
Topic = str | bytes


@dataclass(slots=True)
class Reader:
    """Reads one response from its first byte behind the length on."""

    data: memoryview
    is_flexible: bool
    at: int = 0

    def number(self, size: int) -> int:
        """Read a signed number of so many bytes."""
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "big", signed=True)

    def varint(self) -> int:
        """Read an unsigned number of seven bits a byte."""
        found = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found
            shift += 7

    def length(self, size: int) -> int:
        """Read a length, -1 for null: a varint of one more, or a number of so many bytes."""
        return self.varint() - 1 if self.is_flexible else self.number(size)

    def take(self, count: int) -> memoryview:
        """Read so many bytes; none for null."""
        count = max(count, 0)
        self.at += count
        return self.data[self.at - count : self.at]

    def text(self) -> str:
        """Read a string; "" for null."""
        return str(self.take(self.length(2)), "utf-8")

    def tags(self) -> None:
        """Pass over the tags that end a structure of a flexible version."""
        for _ in range(self.varint() if self.is_flexible else 0):
            self.varint()
            self.take(self.varint())


def reader(api: int, version: int, frame: bytes | bytearray) -> Reader:
    """Return a reader at the body of a response; `frame` begins with the correlation id."""
    found = Reader(memoryview(frame), version >= FLEXIBLE[api])
    found.number(4)
    found.tags()
    return found


def asked_for(version: int, frame: bytes | bytearray) -> Iterator[tuple[Topic, int, int]]:
    """Yield of a Fetch request topic, partition and the offset from which records are asked for.

    A client that keeps sessions names all of its partitions first, and later those that changed.
    """
    read = Reader(memoryview(frame), version >= FLEXIBLE[FETCH])
    read.number(2 + 2 + 4)  # API, version, correlation id
    read.take(max(0, read.number(2)))  # the client's name
    read.tags()
    read.take(4 * (version < 15) + 4 + 4)  # replica, how long to wait, bytes at least
    read.take(4 * (version >= 3) + (version >= 4) + 8 * (version >= 7))  # most, isolation, session
    for _ in range(read.length(4)):
        topic: Topic = bytes(read.take(16)) if version >= TOPIC_IDS else read.text()
        for _ in range(read.length(4)):
            partition = read.number(4)
            read.take(4 * (version >= 9))  # leader epoch
            yield topic, partition, read.number(8)
            read.take(4 * (version >= 12) + 8 * (version >= 5) + 4)  # epoch, log start, bytes
            read.tags()
        read.tags()


def handed_out(version: int, frame: bytes | bytearray) -> Iterator[tuple[Topic, int, int]]:
    """Yield of a Fetch response topic, partition and the offset behind the last one handed out."""
    read = reader(FETCH, version, frame)
    read.number(4)  # throttle time
    if version >= 7:
        read.number(2)
        read.number(4)
    for _ in range(read.length(4)):
        topic: Topic = bytes(read.take(16)) if version >= TOPIC_IDS else read.text()
        for _ in range(read.length(4)):
            partition, end = _partition(read, version)
            if end:
                yield topic, partition, end
        read.tags()


def _partition(read: Reader, version: int) -> tuple[int, int]:
    """Read a partition of a Fetch response; return its number, and 0 where no record came."""
    number = read.number(4)
    read.take(2 + 8 + 8)  # error, high watermark, last stable offset
    if version >= 5:
        read.number(8)  # log start offset
    for _ in range(read.length(4)):  # aborted transactions
        read.take(16)
        read.tags()
    if version >= 11:
        read.number(4)  # preferred read replica
    records = read.take(read.length(4))
    read.tags()
    return number, _end(records)


def _end(records: memoryview) -> int:
    """Return the offset behind the last whole batch; the last one may be cut short."""
    at = end = 0
    while at + BATCH.size <= len(records):
        base, length, _, magic, _, _, last = BATCH.unpack_from(records, at)
        at += 12 + length
        if magic != MAGIC or at > len(records):
            break
        end = base + last + 1
    return end


def ports(api: int, version: int, frame: bytearray) -> list[int]:
    """Return where in a response the ports of brokers stand, four bytes each."""
    return PORTS[api](reader(api, version, frame), version)


def _metadata(read: Reader, version: int) -> list[int]:
    if version >= 3:
        read.number(4)  # throttle time
    return [_broker(read, has_rack=version >= 1) for _ in range(read.length(4))]


def _coordinator(read: Reader, version: int) -> list[int]:
    if version >= 1:
        read.number(4)  # throttle time
    if version >= 4:
        found: list[int] = []
        for _ in range(read.length(4)):
            read.text()
            found.append(_address(read))
            read.number(2)
            read.text()
            read.tags()
        return found
    read.number(2)
    if version >= 1:
        read.text()
    return [_address(read)]


def _cluster(read: Reader, version: int) -> list[int]:
    read.number(4)
    read.number(2)
    read.text()
    if version >= 1:
        read.number(1)  # the kind of endpoint
    read.text()
    read.number(4)
    found: list[int] = []
    for _ in range(read.length(4)):
        found.append(_address(read))
        read.text()
        if version >= 2:
            read.number(1)  # fenced
        read.tags()
    return found


def _address(read: Reader) -> int:
    """Read node id, host and port; return where the port stands."""
    read.number(4)
    read.text()
    read.number(4)
    return read.at - 4


def _broker(read: Reader, *, has_rack: bool) -> int:
    at = _address(read)
    if has_rack:
        read.text()
    read.tags()
    return at


PORTS: Mapping[int, Callable[[Reader, int], list[int]]] = {
    METADATA: _metadata,
    FIND_COORDINATOR: _coordinator,
    DESCRIBE_CLUSTER: _cluster,
}
