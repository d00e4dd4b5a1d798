"""Which partition a record goes to, as Kafka's Java producer chooses when nobody names one.

With a key: murmur2 of the serialised key, made positive, modulo the partitions. Without: the
producer stays with a partition until it has sent `batch.size` bytes there, then picks another at
random; here the pick is declared instead (`Keyless`), so that a plan can be repeated.

Source: Kafka 4.1 clients `BuiltInPartitioner.partitionForKey`, `Utils.murmur2`, `Utils.toPositive`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from struct import iter_unpack
from typing import Final

_SEED: Final = 0x9747B28C
_MIX: Final = 0x5BD1E995
_WORD: Final = 0xFFFFFFFF
# The producer's default `batch.size`.
_BATCH: Final = 16384
_KEYS_KEPT: Final = 8192


class Keyless(StrEnum):
    """Where records without a key go: one after the other, or in runs of one batch's size."""

    ROUND_ROBIN = "round-robin"
    STICKY = "sticky"


def murmur2(data: bytes) -> int:
    """Return Kafka's 32-bit hash of some bytes, signed as Java has it."""
    size = len(data)
    whole = size & ~3
    found = _SEED ^ size
    for (word,) in iter_unpack("<I", data[:whole]):
        mixed = word * _MIX & _WORD
        mixed = (mixed ^ mixed >> 24) * _MIX & _WORD
        found = found * _MIX & _WORD ^ mixed
    if size > whole:
        found = (found ^ int.from_bytes(data[whole:], "little")) * _MIX & _WORD
    found = (found ^ found >> 13) * _MIX & _WORD
    found ^= found >> 15
    return found - (1 << 32) if found >> 31 else found


@lru_cache(_KEYS_KEPT)
def partition_for(key: bytes, partitions: int) -> int:
    """Return the partition of a key; those of late are remembered, for rows change again."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


class KeylessPartitions:
    """Where the records of one topic without a key go."""

    def __init__(self, keyless: Keyless, partitions: int) -> None:
        """Start at partition 0."""
        self._sticky = keyless is Keyless.STICKY
        self._partitions = partitions
        self._next = 0
        self._sent = 0

    def place(self, size: int) -> int:
        """Return the partition of the next record; `size` is its value's."""
        found = self._next
        self._sent += size
        if not self._sticky or self._sent >= _BATCH:
            self._next = (found + 1) % self._partitions
            self._sent = 0
        return found
