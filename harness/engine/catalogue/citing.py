"""Which cases cite which clauses.

A case covers a clause if the clause governs its protocol, holds in its dialect and the case cites
it: as a clause under test, as the permission of its own fault, or as the reason why its protocol
may differ. A clause that several protocols share is covered by a case of any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from harness.protocols.clauses import CLAUSES, governs, means
from harness.scenario.expand import Case


def cited(case: Case) -> Iterator[str]:
    """Yield the clauses that a case cites, those of other protocols included."""
    scenario, protocol = case.scenario, case.protocol
    yield from scenario.clauses
    if protocol in scenario.expect.reasons:
        yield scenario.expect.reasons[protocol]
    for step in scenario.delivery.get(case.delivery or "", ()):
        if protocol in step.allowed_by:
            yield step.allowed_by[protocol]


def covering_cases(cases: Iterable[Case]) -> Mapping[str, tuple[Case, ...]]:
    """Return the cases that cover each clause, by clause id, in the cases' order."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        for clause in dict.fromkeys(cited(case)):
            said = CLAUSES[clause]
            if governs(said, case.protocol) and means(said.versions, case.dialect):
                found.setdefault(clause, []).append(case)
    return {clause: tuple(those) for clause, those in found.items()}
