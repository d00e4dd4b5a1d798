"""Promises of verdicts on a case that was judged in a pack and alone."""

from __future__ import annotations

from itertools import product

import pytest

from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.verdict.case import Judged
from harness.verdict.packing import CONFIRMED, both

JUDGED = Judged("c", "open", ("a.clause",), 7, {})
STALE = Finding(FindingKind.STALE_ROW, "a row is stale", "a.clause")


def verdict(judgement: Judgement) -> Verdict:
    """Return a verdict with a finding where there is one to have."""
    return Verdict("c", judgement, (STALE,) if judgement in FINDINGS else ())


@pytest.mark.parametrize(("packed", "alone"), list(product(Judgement, Judgement)))
def test_what_is_wrong_once_is_a_finding(packed: Judgement, alone: Judgement) -> None:
    """No second look makes a finding a pass, and none is made of two that are right."""
    found = both(JUDGED, verdict(packed), verdict(alone), 4)
    wrong = {packed, alone} & FINDINGS
    assert (found.judgement in FINDINGS) is bool(wrong)
    assert (STALE in found.findings) is bool(wrong)


def test_a_finding_that_vanishes_alone_is_one_of_packing() -> None:
    """It is inconclusive, and both facts are its first finding, at the scenario's line."""
    found = both(JUDGED, verdict(Judgement.FAIL), verdict(Judgement.PASS), 4)
    assert found.judgement is Judgement.INCONCLUSIVE
    assert found.findings[0].line == 7
    assert found.detail == found.findings[0].message
    assert found.detail == "only when packed: fail among 4 other changefeeds, pass alone"


def test_a_finding_of_a_case_alone_says_so() -> None:
    """What only neighbours make right is as wrong as its own verdict says."""
    found = both(JUDGED, verdict(Judgement.PASS), verdict(Judgement.CRASH), 4)
    assert found.judgement is Judgement.CRASH
    assert found.detail == "only when alone: crash by itself, pass among 4 other changefeeds"


def test_a_confirmed_finding_is_that_of_the_pack() -> None:
    """Its findings are as they were, and its detail says that it was tried."""
    found = both(JUDGED, verdict(Judgement.FAIL), verdict(Judgement.CRASH), 4)
    assert (found.judgement, found.findings, found.detail) == (Judgement.FAIL, (STALE,), CONFIRMED)
