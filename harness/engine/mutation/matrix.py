"""Runs mutants over cases and says what became of each.

A mutant is detected in a protocol when a scenario that claims it fails it with a finding that
points at its defect. One that only fails otherwise, by a crash say, is not: the scenario would
have caught something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from harness.engine.mutation.attribution import Named, named
from harness.engine.mutation.claims import claims
from harness.engine.mutation.prepared import Prepared
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.mutants.mutant import Mutant
from harness.mutants.parts import Parts


class MutantOutcome(IntEnum):
    """What a case made of a mutant, the best last."""

    SURVIVED = 0
    CRASHED = 1
    OTHERWISE = 2
    DETECTED = 3


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One mutant against one case: what came of it, by which finding, in which delivery."""

    mutant: str
    protocol: str
    scenario: str
    case: str
    outcome: MutantOutcome
    seed: int = 0
    finding: Finding | None = None
    named: Named | None = None


@dataclass(frozen=True, slots=True)
class MutantResult:
    """One mutant in one protocol: the best evaluation in each scenario, and those that claim it."""

    mutant: str
    protocol: str
    evaluations: tuple[Evaluation, ...]
    claimed_by: frozenset[str]
    named: tuple[Named, ...] = ()

    def by(self, outcome: MutantOutcome, *, claimed: bool) -> tuple[Evaluation, ...]:
        """Return the evaluations of one outcome, those in claiming scenarios or the others."""
        return tuple(
            evaluation
            for evaluation in self.evaluations
            if evaluation.outcome is outcome and (evaluation.scenario in self.claimed_by) is claimed
        )

    @property
    def detected(self) -> bool:
        """Return whether a scenario that claims the mutant caught it by its defect."""
        return bool(self.by(MutantOutcome.DETECTED, claimed=True))


def outcome_of(mutant: Mutant, verdict: Verdict) -> tuple[MutantOutcome, Finding | None]:
    """Return what one verdict makes of a mutant, and the finding that says so."""
    if verdict.judgement not in FINDINGS:
        return MutantOutcome.SURVIVED, None
    for finding in verdict.findings:
        if mutant.named_by(finding):
            return MutantOutcome.DETECTED, finding
    crashed = verdict.judgement is Judgement.CRASH or all(
        finding.kind is FindingKind.CONSUMER for finding in verdict.findings
    )
    return (MutantOutcome.CRASHED if crashed else MutantOutcome.OTHERWISE), verdict.findings[0]


def evaluation(mutant: Mutant, prepared: Prepared) -> Evaluation:
    """Return the best of a mutant's deliveries of one case, from the point of view of the case."""
    case = prepared.plan.case
    best = Evaluation(mutant.name, case.protocol, case.scenario.id, case.id, MutantOutcome.SURVIVED)
    first: Named | None = None
    for seed in prepared.seeds:
        verdict = prepared.verdict(mutant.parts, seed)
        outcome, finding = outcome_of(mutant, verdict)
        first = first or named(mutant, prepared, seed, verdict)
        if outcome > best.outcome:
            best = Evaluation(
                mutant.name, case.protocol, case.scenario.id, case.id, outcome, seed, finding
            )
        if outcome is MutantOutcome.DETECTED:
            break
    return replace(best, named=first)


def evaluate(mutant: Mutant, protocol: str, cases: Iterable[Prepared]) -> MutantResult:
    """Run a mutant over the cases of one protocol."""
    best: dict[str, Evaluation] = {}
    claimed_by: set[str] = set()
    failing: list[Named] = []
    for prepared in cases:
        scenario = prepared.plan.case.scenario
        if prepared.plan.case.protocol != protocol:
            continue
        if claims(scenario, mutant, protocol):
            claimed_by.add(scenario.id)
        there = best.get(scenario.id)
        found = evaluation(mutant, prepared)
        if found.named is not None:
            failing.append(found.named)
        if there is None or found.outcome > there.outcome:
            best[scenario.id] = found
    return MutantResult(
        mutant.name, protocol, tuple(best.values()), frozenset(claimed_by), tuple(failing)
    )


def joined(entry: tuple[str, str], parts: Sequence[MutantResult]) -> MutantResult:
    """Return the results of one mutant in one protocol over several scenarios as one."""
    return MutantResult(
        *entry,
        tuple(evaluation for part in parts for evaluation in part.evaluations),
        frozenset(scenario for part in parts for scenario in part.claimed_by),
        tuple(one for part in parts for one in part.named),
    )


def reference_findings(cases: Sequence[Prepared]) -> Iterable[tuple[str, int, Verdict]]:
    """Yield case, seed and verdict wherever the right consumer is not found right."""
    for prepared in cases:
        for seed in prepared.seeds:
            verdict = prepared.verdict(Parts(), seed)
            if verdict.judgement is not Judgement.PASS:
                yield prepared.plan.case.id, seed, verdict
