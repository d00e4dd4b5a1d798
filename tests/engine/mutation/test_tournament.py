"""Wrong consumers against the repository's scenarios: each is caught, by its own defect."""

from __future__ import annotations

from functools import cache, partial

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.parallel import cores
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.mutation.claims import unknown_claims
from harness.engine.mutation.run import Question, Tournament, tournament
from harness.mutants.mutant import ALL
from harness.mutants.table import MUTANTS
from tests.tree import ROOT


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scenarios are the repository's own."""
    monkeypatch.chdir(ROOT)


@cache
def found() -> Tournament:
    """Every mutant against the scenarios that claim it."""
    space = workspace(ROOT)
    planner = partial(planned_only, space, expectations=False)
    return tournament(planner, selected(load(space), None), Question(sample=0, processes=cores()))


def test_claims_name_mutants() -> None:
    """What a scenario names under `kills` is a mutant."""
    assert unknown_claims(load(workspace(ROOT))) == ()


def test_every_mutant_is_killed_in_every_protocol() -> None:
    """A scenario that claims it catches each mutant, by a finding that points at its defect."""
    met = {(result.mutant, result.protocol) for result in found().results}
    assert met == {(m.name, protocol) for m in MUTANTS.values() for protocol in m.protocols}
    alive = [(r.mutant, r.protocol) for r in found().results if not r.killed]
    assert alive == []
    assert {protocol for _, protocol in met} == set(ALL)


def test_every_claim_holds() -> None:
    """No scenario claims a mutant that it does not catch."""
    assert found().broken_claims() == ()


def test_the_right_consumer_is_right() -> None:
    """The reference consumer passes every case, over the plain delivery and others."""
    assert [(case, seed, verdict.findings[:1]) for case, seed, verdict in found().unfair] == []
