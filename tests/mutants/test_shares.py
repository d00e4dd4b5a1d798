"""The shares that the page of the mutants states are those that a run is held to."""

from __future__ import annotations

from harness.engine.mutation.attribution import Shares
from harness.mutants.shares import ALIKE, ENOUGH, GOAL, MEASURED, REACHED
from harness.mutants.table import MUTANTS


def test_what_was_measured_passes_the_gate() -> None:
    """The stated figures are of a run that is large enough, and reach goal and gate."""
    measured = Shares(*MEASURED)
    assert measured.cases >= ENOUGH
    assert measured.held
    assert not measured.below_goal
    assert min(REACHED) >= GOAL


def test_a_run_below_the_gate_fails() -> None:
    """A large run that names fewer clauses or records than the gate is not held; a small one is."""
    cases, clause, record = MEASURED
    least = [int(share * cases) for share in REACHED]
    assert not Shares(cases, least[0] - 1, record).held
    assert not Shares(cases, clause, least[1] - 1).held
    assert Shares(ENOUGH - 1, 0, 0).held


def test_what_looks_like_another_rule_is_a_mutant() -> None:
    """Each reason why findings may name another rule is about a mutant that there is."""
    assert set(ALIKE) <= set(MUTANTS)
