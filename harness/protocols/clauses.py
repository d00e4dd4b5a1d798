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


def duty_clause(protocol: str, duty: str) -> str:
    """Return the id of the clause behind a consumer's duty; empty when the protocol has none."""
    return PROTOCOLS[protocol].description.duties.get(duty, "")


def type_clause(protocol: str, kind: ColumnKind) -> str:
    """Return the clause id of a column type's values; KeyError for an unknown protocol."""
    return PROTOCOLS[protocol].type_clauses[kind]


def governs(clause: Clause, protocol: str) -> bool:
    """Return whether a clause speaks of a protocol's streams."""
    return clause.protocol in (protocol, *PROTOCOLS[protocol].description.layers)
