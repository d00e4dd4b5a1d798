"""A declaration excuses what it names and nothing else, and a stale one is a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.engine.plan.case import Plan
from harness.engine.run.declared import Declared, settled, subject_of
from harness.errors import Location
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.runner.manifest import Lossy
from harness.runner.manifests.expectations import Known
from harness.runner.manifests.files import Excused
from tests.engine.plan.test_case import planned

PLACE = Location("known.yaml", 3, 5)
WRONG = Finding(FindingKind.WRONG_VALUE, "v is 2, not 1", "open.type.int", 9, "shop.t", column="v")
GONE = Finding(FindingKind.MISSING_ROW, "shop.t lacks the row id=1", "open.row.insert", 9, "shop.t")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Return the plan of a case with one table, shop.t (id INT, v INT)."""
    return next(iter(planned(tmp_path).values()))


def verdict(judgement: Judgement, *findings: Finding) -> Verdict:
    """Return a verdict on the case."""
    return Verdict("a[open,p2]", judgement, findings)


def known(*findings: str, verdict: Judgement = Judgement.FAIL) -> Declared:
    """Return a declaration that the case comes to a verdict, with these findings."""
    rows = (
        Known(lambda _: True, finding, "It rounds.", "https://example.org/1", PLACE, verdict)
        for finding in findings or ("",)
    )
    return Declared(known=tuple(rows))


@pytest.mark.parametrize("judgement", Judgement)
def test_a_known_failure_is_expected_and_a_pass_is_not(plan: Plan, judgement: Judgement) -> None:
    """A failure becomes xfail, a pass xpass; what is not named by its verdict stays as it is."""
    findings = (WRONG,) if judgement in FINDINGS else ()
    found = settled(subject_of(plan), verdict(judgement, *findings), known())
    if judgement is Judgement.PASS:
        assert found.judgement is Judgement.XPASS
        assert str(PLACE) in found.findings[0].message
    elif judgement is Judgement.FAIL:
        assert found.judgement is Judgement.XFAIL
        assert found.findings == findings
        assert "It rounds. (https://example.org/1)" in found.detail
    else:
        assert found.judgement is judgement


@pytest.mark.parametrize(
    ("words", "judgement"),
    [
        ("wrong-value", Judgement.XFAIL),
        ("V IS 2", Judgement.XFAIL),
        ("open.type.int", Judgement.XFAIL),
        ("missing-row", Judgement.FAIL),
    ],
)
def test_another_failure_of_the_same_case_is_not_excused(
    plan: Plan, words: str, judgement: Judgement
) -> None:
    """Where the list names the finding, only that finding is known."""
    found = settled(subject_of(plan), verdict(Judgement.FAIL, WRONG), known(words))
    assert found.judgement is judgement


@pytest.mark.parametrize("named", Excused)
@pytest.mark.parametrize("judgement", sorted(FINDINGS - {Judgement.XPASS}))
def test_a_crash_is_expected_only_where_it_is_named(
    plan: Plan, named: Excused, judgement: Judgement
) -> None:
    """Each verdict is excused by its own name alone; one that judges nothing has no name."""
    declared = known(verdict=Judgement(named))
    found = settled(subject_of(plan), verdict(judgement, WRONG), declared)
    assert found.judgement is (Judgement.XFAIL if named == judgement else judgement)


@pytest.mark.parametrize(
    ("named", "judgement"),
    [
        (("wrong-value",), Judgement.FAIL),
        (("missing-row",), Judgement.FAIL),
        (("wrong-value", "missing-row"), Judgement.XFAIL),
        (("wrong-value", "missing-row", "stale-row"), Judgement.XFAIL),
    ],
)
def test_a_new_finding_is_not_hidden_by_a_known_one(
    plan: Plan, named: tuple[str, ...], judgement: Judgement
) -> None:
    """A case is expected to fail when each of its findings is named."""
    found = settled(subject_of(plan), verdict(Judgement.FAIL, WRONG, GONE), known(*named))
    assert found.judgement is judgement


@pytest.mark.parametrize(
    ("types", "protocols", "findings", "judgement"),
    [
        ({"int"}, None, (WRONG,), Judgement.DECLARED_LOSSY),
        ({"int"}, {"open"}, (WRONG,), Judgement.DECLARED_LOSSY),
        ({"int"}, {"vitess"}, (WRONG,), Judgement.FAIL),
        ({"timestamp"}, None, (WRONG,), Judgement.FAIL),
        ({"int"}, None, (WRONG, GONE), Judgement.FAIL),
        ({"int"}, None, (GONE,), Judgement.FAIL),
    ],
)
def test_a_loss_covers_wrong_values_of_its_types_alone(
    plan: Plan,
    types: set[str],
    protocols: set[str] | None,
    findings: tuple[Finding, ...],
    judgement: Judgement,
) -> None:
    """A lossy mapping excuses no missing row, no other type and no other protocol."""
    named = None if protocols is None else tuple(sorted(protocols))
    declared = Declared(lossy=(Lossy(tuple(sorted(types)), "No zone.", named),))
    found = settled(subject_of(plan), verdict(Judgement.FAIL, *findings), declared)
    assert found.judgement is judgement
    assert ("No zone." in found.detail) == (judgement is Judgement.DECLARED_LOSSY)


def test_a_hang_is_no_loss(plan: Plan) -> None:
    """A consumer that did not answer is not excused by what it says of its types."""
    declared = Declared(lossy=(Lossy(("int",), "No zone."),))
    assert (
        settled(subject_of(plan), verdict(Judgement.TIMEOUT, WRONG), declared).judgement
        is Judgement.TIMEOUT
    )
