"""A mutant that is not run has the verdict that it would have had."""

from __future__ import annotations

from functools import cache

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.mutation.prepared import Prepared
from harness.mutants.mutant import Mutant
from harness.mutants.table import MUTANTS
from tests.tree import ROOT

SCENARIOS = (
    "dml.insert-update-delete",
    "duplicates.row-returns",
    "keys.near-misses",
    "transactions.end-in-another-topic",
    "types.integers",
)
SEEDS = range(2)


@cache
def cases() -> list[Prepared]:
    """One case of each of these scenarios and protocol."""
    space = workspace(ROOT)
    chosen = selected(load(space), " or ".join(f"'{name}['" for name in SCENARIOS))
    first = {(case.scenario.id, case.protocol): case for case in reversed(chosen)}
    return [
        Prepared(plan, SEEDS) for plan in planned_only(space, [*first.values()], expectations=False)
    ]


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda mutant: mutant.name)
def test_the_short_way_is_the_long_way(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a mutant is run, or known to read alike, the verdict is the same."""
    monkeypatch.chdir(ROOT)
    for prepared in cases():
        if prepared.plan.case.protocol in mutant.protocols:
            for seed in SEEDS:
                assert prepared.verdict(mutant.parts, seed) == prepared._judged(mutant.parts, seed)
