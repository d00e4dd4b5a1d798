"""The clauses of the source documents: what a stream promises, each with a permanent id.

Law: a clause says one thing, in our own words, and names the place where the document says it. Ids
are cited by scenarios, verdicts and lists of known failures, so an id is never reused or renamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.model.columns import ColumnKind
from harness.spec.changefeed import CHANGEFEED_CLAUSES
from harness.spec.clause import Clause, Level, Source
from harness.spec.kafka import KAFKA_CLAUSES
from harness.spec.open_codes import CODE_CLAUSES, TYPE_CLAUSES
from harness.spec.open_protocol import OPEN_CLAUSES

__all__ = [
    "CLAUSES",
    "DUTY_CLAUSES",
    "TYPE_CLAUSES",
    "Clause",
    "Level",
    "Source",
    "duty_clause",
    "governs",
    "type_clause",
]

CLAUSES: Mapping[str, Clause] = MappingProxyType(
    {**KAFKA_CLAUSES, **OPEN_CLAUSES, **CODE_CLAUSES, **CHANGEFEED_CLAUSES}
)

_TYPES_BY_PROTOCOL: Mapping[str, Mapping[ColumnKind, str]] = MappingProxyType(
    {"open": TYPE_CLAUSES}
)

# What a consumer got wrong -> the clause that it broke. `stale` is an older version that won over a
# newer one, `early` is what no resolved mark completes, `repeated` is a repetition taken for news.
DUTY_CLAUSES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "open": MappingProxyType(
            {
                "insert": "open.row.insert",
                "update": "open.row.update",
                "delete": "open.row.delete",
                "repeated": "open.delivery.at-least-once",
                "stale": "open.order.per-table-ts",
                "early": "open.resolved.complete",
                "ddl": "open.ddl.once",
            }
        )
    }
)


def duty_clause(protocol: str, duty: str) -> str:
    """Return the id of the clause behind a consumer's duty; empty when the protocol has none."""
    return DUTY_CLAUSES.get(protocol, {}).get(duty, "")


def type_clause(protocol: str, kind: ColumnKind) -> str:
    """Return the clause id of a column type's values; KeyError for an unknown protocol."""
    return _TYPES_BY_PROTOCOL[protocol][kind]


def governs(clause: Clause, protocol: str) -> bool:
    """Tell whether a clause speaks of a protocol's streams."""
    return clause.protocol in (protocol, "kafka")
