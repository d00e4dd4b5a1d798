"""Who demands what a verdict rests on: a document, the vendor's program, or nobody.

A clause has the standing of its source, a fault that of its permission in a protocol; a case has
the weakest of what it relies on, a finding the weaker of its clause's and its delivery's.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Standing(StrEnum):
    """The strongest first; the value is what reports print."""

    DOCUMENT = "document"
    PROGRAM = "program"
    BEYOND = "beyond"


MEANING = {
    Standing.DOCUMENT: "a document demands it",
    Standing.PROGRAM: "the vendor's program does it, and no document says so",
    Standing.BEYOND: "nobody promises it, but it was seen",
}

_ORDER = tuple(Standing)


def weakest(standings: Iterable[Standing]) -> Standing:
    """Return the weakest of some standings, of which there is at least one."""
    return max(standings, key=_ORDER.index)


def strongest(standings: Iterable[Standing]) -> Standing:
    """Return the strongest of some standings, of which there is at least one."""
    return min(standings, key=_ORDER.index)
