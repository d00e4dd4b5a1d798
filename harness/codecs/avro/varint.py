"""Avro's integers: zigzag, then seven bits a byte, the lowest first.

Two bytes are taken at a time from tables: a 64-bit number is five steps at most.

Source: Apache Avro 1.12, §Binary encoding.
"""

from __future__ import annotations

from functools import cache

STEP = 14
READY = 1 << STEP
_MASK = READY - 1
# Fourteen bits that more follow, and fourteen bits that end a number.
_GOES_ON = tuple(bytes((low & 0x7F | 0x80, low >> 7 | 0x80)) for low in range(READY))
_ENDS = tuple(
    bytes((low,)) if low < 0x80 else bytes((low & 0x7F | 0x80, low >> 7)) for low in range(READY)
)


def varint(number: int) -> bytes:
    """Return a signed 64-bit number's bytes."""
    return zigzagged((number << 1) ^ (number >> 63))


def zigzagged(rest: int) -> bytes:
    """Return the bytes of a number that is zigzag already: 0, -1, 1, -2 as 0, 1, 2, 3."""
    found = b""
    while rest >= READY:
        found += _GOES_ON[rest & _MASK]
        rest >>= STEP
    return found + _ENDS[rest]


@cache
def ready(branch: bytes) -> tuple[bytes, ...]:
    """Return the numbers of up to fourteen bits, zigzag, as they stand after a union's branch."""
    return tuple(branch + end for end in _ENDS)


@cache
def lengths(branch: bytes) -> tuple[bytes, ...]:
    """Return the lengths below 8,192 as they stand after a union's branch."""
    return ready(branch)[::2]
