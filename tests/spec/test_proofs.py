"""Clauses that no scenario can show are few, and what proves them exists."""

from __future__ import annotations

import re

import orjson

from harness.protocols.clauses import CLAUSES
from harness.scenario.load import load_all
from harness.spec import Proof
from tests.tree import ROOT, hold, text_of

PROOFS = {clause.id: clause.proof for clause in CLAUSES.values() if clause.proof}
EXCUSED = {clause: proof for clause, proof in PROOFS.items() if not proof.violation}
# The share of all clauses that may be proved without a scenario.
MOST = 0.025


def found(proof: Proof) -> bool:
    """Return whether the test, the file or the vector that a proof names is there."""
    path, _, name = proof.test.partition("::")
    if not (ROOT / path).is_file():
        return False
    match path.rpartition(".")[2]:
        case "py":
            return bool(re.search(rf"^def {re.escape(name)}\(", text_of(path), re.MULTILINE))
        case "jsonl":
            return any(orjson.loads(line)["id"] == name for line in text_of(path).splitlines())
        case _:
            return not name


def test_proofs_exist() -> None:
    """Every reason is a sentence, and every test that is named exists."""
    hold(
        f"{clause}: {proof.test or proof.why}"
        for clause, proof in PROOFS.items()
        if not proof.why.endswith(".") or (proof.test and not found(proof))
    )


def test_few_clauses_have_no_test_at_all() -> None:
    """At most one clause is excused by its reason alone, and all that are excused are few."""
    assert sum(not proof.test for proof in PROOFS.values()) <= 1
    assert len(EXCUSED) <= MOST * len(CLAUSES)


def test_what_a_scenario_cites_is_not_excused() -> None:
    """A clause that a scenario cites needs no proof elsewhere."""
    hold(
        f"{scenario.id} cites {clause}, which has `no_scenario`"
        for scenario in load_all(ROOT / "scenarios")
        for clause in scenario.clauses
        if clause in EXCUSED
    )


def test_what_a_test_sees_broken_a_scenario_shows_kept() -> None:
    """A clause of which no stream can be wrong is cited all the same."""
    cited = {clause for scenario in load_all(ROOT / "scenarios") for clause in scenario.clauses}
    assert set(PROOFS) - set(EXCUSED) <= cited
