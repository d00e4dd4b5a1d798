"""Runs mutants over cases and says what became of each.

A mutant is killed in a protocol when a scenario that claims it fails it with a finding that points
at its defect. One that only fails otherwise, by a crash say, is not: the scenario would have caught
something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from harness.engine.mutation.prepared import Prepared
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.mutants.mutant import Mutant
from harness.mutants.parts import Parts


class Fate(IntEnum):
    """What a case made of a mutant, the best last."""

    SURVIVED = 0
    CRASHED = 1
    OTHERWISE = 2
    KILLED = 3


@dataclass(frozen=True, slots=True)
class Bout:
    """One mutant against one case: what came of it, by which finding, in which delivery."""

    mutant: str
    protocol: str
    scenario: str
    case: str
    fate: Fate
    seed: int = 0
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One mutant in one protocol: the best bout in each scenario, and those that claim it."""

    mutant: str
    protocol: str
    bouts: tuple[Bout, ...]
    claimed_by: frozenset[str]

    def by(self, fate: Fate, *, claimed: bool) -> tuple[Bout, ...]:
        """Return the bouts of one fate, those in claiming scenarios or the others."""
        return tuple(
            bout
            for bout in self.bouts
            if bout.fate is fate and (bout.scenario in self.claimed_by) is claimed
        )

    @property
    def killed(self) -> bool:
        """Tell whether a scenario that claims the mutant caught it by its defect."""
        return bool(self.by(Fate.KILLED, claimed=True))


def fate_of(mutant: Mutant, verdict: Verdict) -> tuple[Fate, Finding | None]:
    """Return what one verdict makes of a mutant, and the finding that says so."""
    if verdict.judgement not in FINDINGS:
        return Fate.SURVIVED, None
    for finding in verdict.findings:
        if mutant.named_by(finding):
            return Fate.KILLED, finding
    crashed = verdict.judgement is Judgement.CRASH or all(
        finding.kind is FindingKind.CONSUMER for finding in verdict.findings
    )
    return (Fate.CRASHED if crashed else Fate.OTHERWISE), verdict.findings[0]


def bout(mutant: Mutant, prepared: Prepared) -> Bout:
    """Return the best of a mutant's deliveries of one case, from the point of view of the case."""
    case = prepared.plan.case
    best = Bout(mutant.name, case.protocol, case.scenario.id, case.id, Fate.SURVIVED)
    for seed in prepared.seeds:
        fate, finding = fate_of(mutant, prepared.verdict(mutant.parts, seed))
        if fate > best.fate:
            best = Bout(mutant.name, case.protocol, case.scenario.id, case.id, fate, seed, finding)
        if fate is Fate.KILLED:
            break
    return best


def fight(mutant: Mutant, protocol: str, cases: Iterable[Prepared]) -> Result:
    """Run a mutant over the cases of one protocol."""
    best: dict[str, Bout] = {}
    claims: set[str] = set()
    for prepared in cases:
        scenario = prepared.plan.case.scenario
        if prepared.plan.case.protocol != protocol:
            continue
        if mutant.name in scenario.kills:
            claims.add(scenario.id)
        there = best.get(scenario.id)
        if there is None or there.fate < Fate.KILLED:
            found = bout(mutant, prepared)
            if there is None or found.fate > there.fate:
                best[scenario.id] = found
    return Result(mutant.name, protocol, tuple(best.values()), frozenset(claims))


def joined(entry: tuple[str, str], parts: Sequence[Result]) -> Result:
    """Return the results of one mutant in one protocol over several scenarios as one."""
    return Result(
        *entry,
        tuple(bout for part in parts for bout in part.bouts),
        frozenset(scenario for part in parts for scenario in part.claimed_by),
    )


def reference_findings(cases: Sequence[Prepared]) -> Iterable[tuple[str, int, Verdict]]:
    """Yield case, seed and verdict wherever the right consumer is not found right."""
    for prepared in cases:
        for seed in prepared.seeds:
            verdict = prepared.verdict(Parts(), seed)
            if verdict.judgement is not Judgement.PASS:
                yield prepared.plan.case.id, seed, verdict
