"""Where two lines differ: long lines in which a single digit does are hard to compare by eye."""

from __future__ import annotations


def unshared(one: str, other: str) -> tuple[int, int]:
    """Return the extent within `one` of what it does not share with `other` at either end."""
    first = _shared(one, other)
    tail = _shared(one[first:][::-1], other[first:][::-1])
    return first, len(one) - tail


def _shared(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))
