"""Offsets and brokers are read out of Kafka's answers in each version that clients speak."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest

from harness.services.kafka_frames import (
    DESCRIBE_CLUSTER,
    FETCH,
    FIND_COORDINATOR,
    FLEXIBLE,
    METADATA,
    TOPIC_IDS,
    asked_for,
    handed_out,
    ports,
)

IDENTITY = bytes(range(16))
PORT = 9092


def batch(base: int, count: int) -> bytes:
    """Return a record batch: a header, and a body that nobody reads."""
    body = struct.pack(">ibIhi", 0, 2, 0, 0, count - 1) + b"x" * 40
    return struct.pack(">qi", base, len(body)) + body


class Writer:
    """Writes an answer in the old or the flexible form."""

    def __init__(self, *, flexible: bool, header: bool) -> None:
        """Begin with the correlation id, and with tags where there is a header of them."""
        self.flexible = flexible
        self.out = bytearray(struct.pack(">i", 7)) + (b"\0" if header else b"")

    def number(self, size: int, value: int = 0) -> Writer:
        """Write a number of so many bytes."""
        self.out += value.to_bytes(size, "big", signed=True)
        return self

    def length(self, count: int, size: int = 4) -> Writer:
        """Write a length; -1 is null."""
        if not self.flexible:
            return self.number(size, count)
        count += 1
        while count > 0x7F:
            self.out.append(count & 0x7F | 0x80)
            count >>= 7
        self.out.append(count)
        return self

    def text(self, value: bytes | None, size: int = 2) -> Writer:
        """Write bytes behind their length."""
        self.length(-1 if value is None else len(value), size)
        self.out += value or b""
        return self

    def tags(self) -> Writer:
        """Write the tags that end a structure, where there are any."""
        if self.flexible:
            self.out += b"\x01\x05\x03abc"  # one tag, which is passed over
        return self


def fetched(version: int, partitions: Sequence[tuple[int, bytes | None]]) -> bytes:
    """Return a Fetch response of one topic."""
    flexible = version >= 12
    out = Writer(flexible=flexible, header=flexible).number(4)
    if version >= 7:
        out.number(2).number(4)
    out.length(1)
    if version >= TOPIC_IDS:
        out.out += IDENTITY
    else:
        out.text(b"shop")
    out.length(len(partitions))
    for number, records in partitions:
        out.number(4, number).number(2).number(8, 99).number(8, 99)
        if version >= 5:
            out.number(8)
        out.length(1).number(8, 5).number(8, 6).tags()
        if version >= 11:
            out.number(4, -1)
        out.text(records, 4).tags()
    return bytes(out.tags().tags().out)


@pytest.mark.parametrize("version", range(4, 19))
def test_what_is_handed_out_is_the_last_offset_of_whole_batches(version: int) -> None:
    """Batches cut short count for nothing, nor does a partition without records."""
    full = batch(10, 5) + batch(20, 3)
    parts = [(0, full), (1, full[:-1]), (2, b""), (3, None), (4, batch(0, 1)[:30])]
    topic = IDENTITY if version >= TOPIC_IDS else "shop"
    found = list(handed_out(version, fetched(version, parts)))
    assert found == [(topic, 0, 23), (topic, 1, 15)]


@pytest.mark.parametrize("version", range(18))
def test_what_is_asked_for_is_read_in_every_version(version: int) -> None:
    """Of a Fetch request each partition's offset is read, whatever stands between."""
    flexible = version >= FLEXIBLE[FETCH]
    out = Writer(flexible=flexible, header=False)
    out.out = bytearray(struct.pack(">hhih", FETCH, version, 7, 4)) + b"java"
    out.tags()
    for value in (-1, 500, 1)[version >= 15 :]:  # the replica has become a tag
        out.number(4, value)
    if version >= 3:
        out.number(4, 1 << 20)
    if version >= 4:
        out.number(1, 1)
    if version >= 7:
        out.number(4, 5).number(4, 6)
    out.length(1)
    if version >= TOPIC_IDS:
        out.out += IDENTITY
    else:
        out.text(b"shop")
    out.length(2)
    for number, offset in ((0, 41), (3, 1 << 40)):
        out.number(4, number)
        if version >= 9:
            out.number(4, 2)
        out.number(8, offset)
        if version >= 12:
            out.number(4, -1)
        if version >= 5:
            out.number(8, -1)
        out.number(4, 1 << 20).tags()
    out.tags()
    topic = IDENTITY if version >= TOPIC_IDS else "shop"
    assert list(asked_for(version, bytes(out.out))) == [(topic, 0, 41), (topic, 3, 1 << 40)]


def address(out: Writer) -> Writer:
    """Write node id, host and port."""
    return out.number(4, 1).text(b"127.0.0.1").number(4, PORT)


def metadata(version: int) -> Writer:
    """Write the beginning of a Metadata response with two brokers."""
    out = Writer(flexible=version >= 9, header=version >= 9)
    if version >= 3:
        out.number(4)
    out.length(2)
    for _ in range(2):
        address(out)
        if version >= 1:
            out.text(None)
        out.tags()
    return out


def coordinator(version: int) -> Writer:
    """Write a FindCoordinator response with one broker, two where several may be asked for."""
    out = Writer(flexible=version >= 3, header=version >= 3)
    if version >= 1:
        out.number(4)
    if version >= 4:
        out.length(2)
        for key in (b"a", b"b"):
            address(out.text(key)).number(2).text(None).tags()
        return out
    out.number(2)
    if version >= 1:
        out.text(None)
    return address(out).tags()


def cluster(version: int) -> Writer:
    """Write a DescribeCluster response with one broker."""
    out = Writer(flexible=True, header=True).number(4).number(2).text(None)
    if version >= 1:
        out.number(1, 1)
    out.text(b"cluster").number(4, 1).length(1)
    address(out).text(b"rack")
    if version >= 2:
        out.number(1)
    return out.tags()


@pytest.mark.parametrize(
    ("api", "version", "count"),
    [
        *((METADATA, version, 2) for version in range(14)),
        *((FIND_COORDINATOR, version, 1 if version < 4 else 2) for version in range(7)),
        *((DESCRIBE_CLUSTER, version, 1) for version in range(3)),
    ],
)
def test_the_ports_of_brokers_are_found(api: int, version: int, count: int) -> None:
    """Each answer that names a broker has its port where it is said to be."""
    write = {METADATA: metadata, FIND_COORDINATOR: coordinator, DESCRIBE_CLUSTER: cluster}[api]
    frame = write(version).out
    found = ports(api, version, frame)
    assert [int.from_bytes(frame[at : at + 4], "big") for at in found] == [PORT] * count


def test_no_other_answer_is_read() -> None:
    """Fetch names no brokers that a client would turn to."""
    with pytest.raises(KeyError):
        ports(FETCH, 12, bytearray())
