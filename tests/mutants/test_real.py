"""The wrong programs name what there is: a part of the reference consumer, a clause, a scenario."""

from __future__ import annotations

import pytest

from harness.mutants.real import REAL, USAGE, RealMutant, main
from harness.protocols.clauses import CLAUSES
from harness.reference_consumer import __main__ as reference
from harness.scenario.load import load
from tests.tree import ROOT


@pytest.mark.parametrize("row", REAL.values(), ids=REAL)
def test_a_wrong_program_names_what_there_is(row: RealMutant) -> None:
    """Its part replaces one of the reference's, and its scenario cites the clause it violates."""
    assert hasattr(reference, row.target)
    assert row.clause in CLAUSES
    scenarios = ROOT / "scenarios"
    scenario = load(scenarios / f"{row.scenario.replace('.', '/')}.yaml", scenarios)
    assert row.clause in scenario.clauses
    assert set(row.deliveries) <= set(scenario.delivery)


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that there is not ends with the usage."""
    assert main(["nobody"]) == USAGE
    assert "reads-uncommitted" in capsys.readouterr().err
