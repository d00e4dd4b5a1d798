"""One row of the table of mutants: what it does wrong, who did so before, how it is caught."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.model.finding import Finding, FindingKind
from harness.mutants.parts import Parts
from harness.protocols import PROTOCOLS

ALL = tuple(PROTOCOLS)


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

    `difference` is one sentence: what it does, where the right consumer does otherwise. `seen` are
    links to where a real program did the same. Any one of `signs` must be among the findings of the
    scenarios that claim it.
    """

    name: str
    theme: str
    difference: str
    parts: Parts
    signs: tuple[Sign, ...]
    protocols: tuple[str, ...] = ALL
    seen: tuple[str, ...] = ()

    def named_by(self, finding: Finding) -> bool:
        """Return whether a finding points at this defect."""
        return any(sign.fits(finding) for sign in self.signs)
