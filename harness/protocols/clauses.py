"""The clauses of all protocols, and which of them a consumer breaks by what it gets wrong."""

from __future__ import annotations

from collections.abc import Mapping

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


def cause_clause(protocol: str, cause: str) -> str:
    """Return the id of the clause that decides; empty where a protocol does not know the cause."""
    return PROTOCOLS[protocol].description.causes.get(cause, "") or _KAFKA.get(cause, "")


def type_clause(protocol: str, kind: ColumnKind) -> str:
    """Return the clause id of a column type's values; KeyError for an unknown protocol."""
    return PROTOCOLS[protocol].type_clauses[kind]


def governs(clause: Clause, protocol: str) -> bool:
    """Return whether a clause speaks of a protocol's streams."""
    return clause.protocol in (protocol, *PROTOCOLS[protocol].description.layers)
