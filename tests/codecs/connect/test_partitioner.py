"""Partitions as Kafka's Java producer chooses them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect.partitioner import (
    Keyless,
    KeylessPartitions,
    murmur2,
    partition_for,
)

# Kafka clients UtilsTest.testMurmur2.
PUBLISHED = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


@pytest.mark.parametrize(("key", "expected"), PUBLISHED.items())
def test_published(key: bytes, expected: int) -> None:
    """The hash is the one that Kafka's own tests expect."""
    assert murmur2(key) == expected


def test_negative_hash_is_made_positive() -> None:
    """A negative hash loses its sign bit, it is not negated."""
    assert partition_for(b"21", 10) == (-973932308 & 0x7FFFFFFF) % 10


@given(st.binary(), st.integers(1, 1000))
def test_within_the_topic(key: bytes, partitions: int) -> None:
    """Every key has one partition, and the topic has it."""
    assert partition_for(key, partitions) in range(partitions)


def test_round_robin() -> None:
    """Records without a key go to one partition after the other."""
    spread = KeylessPartitions(Keyless.ROUND_ROBIN, 3)
    assert [spread.place(10) for _ in range(5)] == [0, 1, 2, 0, 1]


def test_sticky() -> None:
    """A sticky run ends when a batch's bytes are sent."""
    spread = KeylessPartitions(Keyless.STICKY, 2)
    assert Counter(spread.place(4096) for _ in range(8)) == {0: 4, 1: 4}
