"""One row of the table of mutants: what it does wrong, who did so before, how it is caught."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from harness.model.columns import ColumnKind
from harness.model.finding import Finding, FindingKind
from harness.mutants.parts import Parts
from harness.protocols import PROTOCOLS

ALL = tuple(PROTOCOLS)
# The ids of clauses for each protocol, or for all of them; see `Mutant.clause`.
Clause = str | Mapping[str, str]
# NULL is distinguished from every value, and from a default.
NULLS: Clause = MappingProxyType(
    {
        "open": "open.type.null",
        "avro": "avro.column.nullable avro.column.nullable-default avro.column.not-null",
        "vitess": "vitess.value.optional",
        "debezium-mysql": "debezium-mysql.value.optional debezium-mysql.value.default",
    }
)


def of_type(*kinds: str) -> Mapping[str, str]:
    """Return the clauses of these column types, named as `ColumnKind` names them."""
    return {
        name: " ".join(dict.fromkeys(row.type_clauses[ColumnKind(kind)] for kind in kinds))
        for name, row in PROTOCOLS.items()
    }


@dataclass(frozen=True, slots=True)
class Sign:
    """A finding that points at a mutant's defect: its kind, and words that it says.

    `says` is a regular expression over message, column, clause, and what was expected and got.
    """

    kinds: frozenset[FindingKind]
    says: str = ""

    def fits(self, finding: Finding) -> bool:
        """Return whether this finding points there."""
        parts = (finding.message, finding.clause, finding.expected or "", finding.actual or "")
        return finding.kind in self.kinds and re.search(self.says, "\n".join(parts)) is not None


def sign(kinds: str, says: str = "") -> Sign:
    """Return the sign of these kinds of findings, named as reports name them."""
    return Sign(frozenset(map(FindingKind, kinds.split())), says)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong consumer.

    `difference` is one sentence: what it does, where the right consumer does otherwise. `clause` is
    the id of the rule that it violates: for each protocol where it differs, and several with blanks
    between them where the type of the column or statement decides. `seen` are links to where a real
    program did the same. Any one of `signs` must be among the findings of the
    scenarios that claim it.
    """

    name: str
    theme: str
    difference: str
    clause: Clause
    parts: Parts
    signs: tuple[Sign, ...]
    protocols: tuple[str, ...] = ALL
    seen: tuple[str, ...] = ()

    def clauses(self, protocol: str) -> tuple[str, ...]:
        """Return the ids of the rules of which it violates one, none in an unknown protocol."""
        found = self.clause if isinstance(self.clause, str) else self.clause.get(protocol, "")
        return tuple(found.split())

    def named_by(self, finding: Finding) -> bool:
        """Return whether a finding points at this defect: by its words, or by its clause."""
        rules = {clause for protocol in self.protocols for clause in self.clauses(protocol)}
        return any(
            sign.fits(finding) or (finding.kind in sign.kinds and finding.clause in rules)
            for sign in self.signs
        )
