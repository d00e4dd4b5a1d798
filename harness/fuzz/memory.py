"""Consumers that read in memory: the reference, or the reference with a mutant's parts.

Each plan is read under a few deliveries, as `harness mutants` does: the plain one, and others that
interleave partitions, cut batches and stop the consumer.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.case import Plan
from harness.model.finding import FINDINGS, Verdict
from harness.mutants.mutant import Mutant
from harness.mutants.parts import Parts

DELIVERIES = 3


class InMemory:
    """Judges a mutant; without one, the reference consumer.

    A mutant counts as found when a finding points at its defect, as in `harness mutants`.
    """

    at_once = 1

    def __init__(self, mutant: Mutant | None = None) -> None:
        """Take the mutant."""
        self._mutant = mutant

    def verdicts(self, plans: Sequence[Plan]) -> Sequence[Sequence[Verdict]]:
        """Return the verdict on each delivery of each plan; the reference's own where it fails."""
        return [self._of(plan) for plan in plans]

    def _of(self, plan: Plan) -> Sequence[Verdict]:
        prepared = Prepared(plan, range(DELIVERIES))
        right = [prepared.verdict(Parts(), seed) for seed in prepared.seeds]
        mutant = self._mutant
        if mutant is None or any(verdict.judgement in FINDINGS for verdict in right):
            return right
        wrong = [prepared.verdict(mutant.parts, seed) for seed in prepared.seeds]
        return [one for one in wrong if any(map(mutant.named_by, one.findings))]
