"""What no scenario can witness is proved by something that exists, and is little."""

from __future__ import annotations

import re

import orjson

from harness.scenario.load import load_all
from harness.spec import CLAUSES
from harness.spec.elsewhere import ELSEWHERE, Proof
from tests.tree import ROOT, hold, text_of

# The share of all clauses that may be proved without a scenario.
MOST = 0.04


def found(proof: Proof) -> bool:
    """Tell whether the test, the file or the vector that a proof names is there."""
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
    """Every clause is one, every reason a sentence, and every test that is named can be run."""
    hold(
        f"{clause}: {proof.test or proof.why}"
        for clause, proof in ELSEWHERE.items()
        if clause not in CLAUSES or not proof.why.endswith(".") or (proof.test and not found(proof))
    )


def test_few_clauses_have_no_test_at_all() -> None:
    """At most one clause is excused by its reason alone, and all that are excused are few."""
    assert sum(not proof.test for proof in ELSEWHERE.values()) <= 1
    assert len(ELSEWHERE) <= MOST * len(CLAUSES)


def test_what_a_scenario_cites_is_not_excused() -> None:
    """A clause that a scenario cites needs no proof elsewhere."""
    hold(
        f"{scenario.id} cites {clause}, which harness/spec/elsewhere.py excuses"
        for scenario in load_all(ROOT / "scenarios")
        for clause in scenario.clauses
        if clause in ELSEWHERE
    )
