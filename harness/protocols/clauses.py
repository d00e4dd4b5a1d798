"""The clauses of all protocols, and which of them a consumer breaks by what it gets wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from harness.model.columns import ColumnKind
from harness.protocols import PROTOCOLS
from harness.spec import SHARED, Clause, layer, load_clauses

# The layers that protocols share first, then each protocol's own.
CLAUSES: Mapping[str, Clause] = load_clauses(
    *map(layer, SHARED), *(place for row in PROTOCOLS.values() for place in row.clauses)
)


# What all protocols have from Kafka.
_KAFKA: Mapping[str, str] = {
    "partition": "kafka.partitions-grow",
    "gap": "kafka.offsets-have-gaps",
    "position": "kafka.position-is-next",
    "lost-at-stop": "kafka.at-most-once",
    "read-again": "kafka.at-least-once",
    "interleaved": "kafka.no-order-across-partitions",
}

_NUMBERS = re.compile(r"\d+(?:\.\d+)+")
# What a clause says of its releases -> the only dialect in which it holds.
DIALECT_OF: Mapping[str, str] = MappingProxyType(
    {
        "current": "current",
        "documented": "documented",
        "new architecture": "newarch",
        "4.0.0-rc": "4.0.4",
        "up to 4.0.4": "4.0.4",
        "up to 5.2.3 and 5.3.0": "4.0.4",
        "before 6.1.6, 6.5.2 and 7.0.0, and from 6.1.0": "6",
        "up to 6.5.11, 7.5.5 and 8.5.1": "6",
        "up to 6.5.2 and 7.1.0": "6",
        "up to 7.0": "6",
        "up to 7.2": "6",
        "up to 8.3": "6",
        "up to 2.7": "2.7",
        "up to 2.7.1": "2.7",
        "up to 3.0.4": "3.0",
        "up to 3.0.6": "3.0",
        "up to 3.1": "3.1",
        "3.2.0": "3.2",
        "from 3.4.0": "3.4",
        "MariaDB connector": "current",
        "MySQL connector": "mysql",
    }
)
# The release that a dialect is of, where that is not its name.
_RELEASES: Mapping[str, str] = MappingProxyType({"6": "6.5.0"})
_Release = tuple[int, ...]


def cause_clause(protocol: str, cause: str) -> str:
    """Return the id of the clause that decides; empty where a protocol does not know the cause."""
    return PROTOCOLS[protocol].description.causes.get(cause, "") or _KAFKA.get(cause, "")


def type_clause(protocol: str, kind: ColumnKind) -> str:
    """Return the clause id of a column type's values; KeyError for an unknown protocol."""
    return PROTOCOLS[protocol].type_clauses[kind]


def governs(clause: Clause, protocol: str) -> bool:
    """Return whether a clause speaks of a protocol's streams."""
    return clause.protocol in (protocol, *PROTOCOLS[protocol].description.layers)


def means(versions: str, dialect: str) -> bool:
    """Return whether a clause of these releases speaks of a dialect.

    `versions` names a dialect (`documented`), or releases: `from 6.5.5, 7.1.2 and 7.4.0` (in the
    branches 6.5 and 7.1 from then on, and from 7.4.0 on), `up to 3.1`, one alone. What it says
    otherwise, such as `newest`, leaves no dialect out.
    """
    if versions in DIALECT_OF and not versions.startswith("up to "):
        return DIALECT_OF[versions] == dialect
    said = re.split(r" \(|, but", versions)[0]
    named = [_release(number) for number in _NUMBERS.findall(said)]
    if (
        not named
        or " to " in said.removeprefix("up to ")
        or not versions.startswith(("from ", "up to ", *"0123456789"))
    ):
        return True
    number = _RELEASES.get(dialect, dialect)
    if not _NUMBERS.fullmatch(number):
        return versions.startswith("from ")
    own = _release(number)
    own += (0,) * (3 - len(own))
    if versions.startswith("from "):
        return own >= max(named) or any(own[:2] == one[:2] and own >= one for one in named)
    if versions.startswith("up to "):
        return own[: len(max(named))] <= max(named)
    return any(own[: len(one)] == one for one in named)


def _release(number: str) -> _Release:
    return tuple(map(int, number.split(".")))
