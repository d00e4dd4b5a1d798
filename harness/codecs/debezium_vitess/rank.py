"""The rank of a transaction: the sum, over a GTID's hosts, of the last number of each.

Source: V:pipeline/txmetadata/GtidSet.java, VitessRankProvider.java; vectors rank.*.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from harness.codecs.connect.errors import NUMBER_FORMAT, OUT_OF_BOUNDS, JavaError
from harness.codecs.connect.java import split
from harness.codecs.debezium.errors import DEBEZIUM_EXCEPTION

_DIGITS: Final = re.compile(r"\+?\d+\Z")


@dataclass(frozen=True, slots=True)
class GtidSet:
    """A GTID set: its hosts as they are spelled, and the number that each has come to."""

    hosts: frozenset[str]
    sequences: tuple[str, ...]


def parse(gtid: str) -> GtidSet:
    """Read a GTID set; only the first interval behind a host counts.

    Raises JavaError for a host without an interval, such as MariaDB's (vector rank.mariadb).
    """
    hosts: list[str] = []
    sequences: list[str] = []
    _, slash, rest = gtid.partition("/")
    for entry in split(rest if slash else gtid, ","):
        parts = split(entry, ":")
        try:
            host = _at(parts, 0)
            numbers = split(_at(parts, 1), "-")
            last = _at(numbers, len(numbers) - 1)
        except JavaError as cause:
            raise JavaError(DEBEZIUM_EXCEPTION, f"Error parsing GTID: {gtid}", cause) from cause
        hosts.append(host)
        sequences.append(last)
    return GtidSet(frozenset(hosts), tuple(sequences))


def _at(parts: list[str], index: int) -> str:
    if not 0 <= index < len(parts):
        raise JavaError(OUT_OF_BOUNDS, f"Index {index} out of bounds for length {len(parts)}")
    return parts[index]


def rank(gtid: str) -> Decimal:
    """Return the rank that a GTID set stands for."""
    total = 0
    for sequence in parse(gtid).sequences:
        if not _DIGITS.match(sequence):
            raise JavaError(
                NUMBER_FORMAT,
                f"Character {sequence[:1]} is neither a decimal digit number, decimal point, "
                'nor "e" notation exponential mark.',
            )
        total += int(sequence)
    return Decimal(total)
