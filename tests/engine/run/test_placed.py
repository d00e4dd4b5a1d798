"""Over the whole catalogue: what counts, and whether each finding says who demands it."""

from __future__ import annotations

import pytest

from harness.engine.run.headline import concluded
from harness.engine.run.judging import placed
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.model.standing import Standing, weakest
from harness.protocols.clauses import CLAUSES
from harness.scenario.expand import cases
from harness.scenario.load import load_all
from harness.scenario.standing import case_standing, delivery_standing
from tests.tree import ROOT

CATALOGUE = [case for one in load_all(ROOT / "scenarios") for case in cases(one)]
IS_BEYOND = {case.id: case_standing(case) is Standing.BEYOND for case in CATALOGUE}
PASSED = Verdict("a", Judgement.PASS)


@pytest.mark.parametrize("judgement", [one for one in Judgement if one is not Judgement.BEYOND])
def test_a_case_that_nobody_promises_never_counts_unasked(judgement: Judgement) -> None:
    """Of every case: beside a pass it alters score and exit code exactly where it is promised."""
    for case in CATALOGUE:
        verdict = placed(case, Verdict(case.id, judgement), counts_beyond=False)
        assert (verdict.apart is judgement) == IS_BEYOND[case.id], case.id
        end = concluded([PASSED, verdict], 1.0, "")
        assert (end.total == 1) == IS_BEYOND[case.id], case.id
        counted = judgement in FINDINGS and not IS_BEYOND[case.id]
        assert end.exit_code == int(counted), case.id


def test_asked_for_every_case_counts() -> None:
    """Where cases that nobody promises count, no verdict is set apart."""
    for case in CATALOGUE:
        verdict = placed(case, Verdict(case.id, Judgement.FAIL), counts_beyond=True)
        assert (verdict.judgement, verdict.apart) == (Judgement.FAIL, None)


def test_every_finding_says_who_demands_it() -> None:
    """A finding has the weaker standing of its clause and of the delivery, in every case."""
    for case in CATALOGUE:
        clauses = ("", *case.scenario.clauses)
        found = tuple(Finding(FindingKind.CONSUMER, "wrong", clause) for clause in clauses)
        verdict = placed(case, Verdict(case.id, Judgement.FAIL, found), counts_beyond=True)
        delivered = delivery_standing(case)
        for finding in verdict.findings:
            own = [CLAUSES[finding.clause].standing] if finding.clause else []
            assert finding.standing is weakest([delivered, *own]), (case.id, finding.clause)
