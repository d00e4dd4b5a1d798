"""What a clause is: one normative statement of a source document, with a permanent name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Level(StrEnum):
    """How binding a clause is, in the sense of RFC 2119."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a clause is written down."""

    document: str
    section: str
    url: str


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement that a stream keeps and that a consumer may rely on or must cope with.

    `protocol` is the protocol whose streams it governs, or a layer that several protocols share
    (`kafka`, `changefeed`, `connect`, `registry`); `text` is our own wording; `versions` says
    which releases it holds for ("all", "current", "from 4.0.5", "up to 4.0.4").
    """

    id: str
    level: Level
    protocol: str
    text: str
    source: Source
    versions: str = "all"


# Id, level, text; a fourth part names the versions when the clause does not hold for all of them.
Row = tuple[str, Level, str] | tuple[str, Level, str, str]


def must(identifier: str, text: str, versions: str = "all") -> Row:
    """Return the row of a clause that always holds."""
    return identifier, Level.MUST, text, versions


def should(identifier: str, text: str, versions: str = "all") -> Row:
    """Return the row of a clause that holds unless there is a reason."""
    return identifier, Level.SHOULD, text, versions


def may(identifier: str, text: str, versions: str = "all") -> Row:
    """Return the row of a clause that allows: what a producer may do, a consumer copes with."""
    return identifier, Level.MAY, text, versions


def clauses(protocol: str, tables: Mapping[Source, Iterable[Row]]) -> Mapping[str, Clause]:
    """Return the clauses of some tables by id, in table order."""
    found: dict[str, Clause] = {}
    for source, rows in tables.items():
        for identifier, level, text, *versions in rows:
            found[identifier] = Clause(
                identifier, level, protocol, text, source, versions[0] if versions else "all"
            )
    return MappingProxyType(found)
