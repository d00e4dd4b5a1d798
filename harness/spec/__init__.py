"""The clauses of the source documents: what a stream promises, each with a permanent id.

A clause says one thing, in our own words, and names the place where the document says it. They are
data: `clauses/` has one TOML file for each section of a document, and `clauses/README.md` describes
the format. Ids are cited by scenarios, verdicts and lists of known failures, so an id is never
reused or renamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from harness.model.columns import ColumnKind
from harness.spec.clause import Clause, Level, Proof, Source
from harness.spec.duties import DUTY_CLAUSES, TYPES_BY_PROTOCOL
from harness.spec.load import load_clauses

__all__ = [
    "CLAUSES",
    "DUTY_CLAUSES",
    "TYPES_BY_PROTOCOL",
    "Clause",
    "Level",
    "Proof",
    "Source",
    "duty_clause",
    "governs",
    "load_clauses",
    "type_clause",
]

# The directories of clauses, in the order in which a newcomer should meet them.
_LAYERS = ("kafka", "connect", "registry", "changefeed", "open", "avro", "vitess")

CLAUSES: Mapping[str, Clause] = load_clauses(
    *(files("harness.spec") / "clauses" / layer for layer in _LAYERS)
)

# A layer that protocols share -> the protocols whose streams it governs.
_SHARED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "kafka": frozenset({"open", "avro", "vitess"}),
        "changefeed": frozenset({"open", "avro"}),
        "registry": frozenset({"avro", "vitess"}),
        "connect": frozenset({"vitess"}),
    }
)


def duty_clause(protocol: str, duty: str) -> str:
    """Return the id of the clause behind a consumer's duty; empty when the protocol has none."""
    return DUTY_CLAUSES.get(protocol, {}).get(duty, "")


def type_clause(protocol: str, kind: ColumnKind) -> str:
    """Return the clause id of a column type's values; KeyError for an unknown protocol."""
    return TYPES_BY_PROTOCOL[protocol][kind]


def governs(clause: Clause, protocol: str) -> bool:
    """Return whether a clause speaks of a protocol's streams."""
    return protocol in _SHARED.get(clause.protocol, {clause.protocol})
