"""What counts as detected: a finding that points at the defect, in a scenario that claims it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.engine.mutation.attribution import Named
from harness.engine.mutation.matrix import Evaluation, MutantOutcome, MutantResult, outcome_of
from harness.engine.mutation.run import MutationRun
from harness.model.finding import Finding, FindingKind, Judgement, Verdict
from harness.mutants.mutant import Mutant, sign
from harness.mutants.parts import Parts
from harness.mutants.shares import ALIKE, ENOUGH
from harness.report.mutation_matrix import as_data, lines

SIGNS = (sign("wrong-value", r"is -\d+"),)
MUTANT = Mutant("m", "theme", "It errs.", "open.flag.unsigned", Parts(), SIGNS, ("open",))
RIGHT = Finding(FindingKind.WRONG_VALUE, "a.b.c is -1, not 1", "open.type.int")
OTHER = Finding(FindingKind.WRONG_VALUE, "a.b.c is 2, not 1", "open.type.int")
GAVE_UP = Finding(FindingKind.CONSUMER, "the consumer gave up", "open.row.insert")
# Judgement and findings -> what they make of the mutant.
FATES = [
    (Judgement.PASS, (), MutantOutcome.SURVIVED),
    (Judgement.UNDECIDED, (RIGHT,), MutantOutcome.SURVIVED),
    (Judgement.FAIL, (OTHER,), MutantOutcome.OTHERWISE),
    (Judgement.FAIL, (OTHER, RIGHT), MutantOutcome.DETECTED),
    (Judgement.FAIL, (GAVE_UP,), MutantOutcome.CRASHED),
    (Judgement.CRASH, (GAVE_UP,), MutantOutcome.CRASHED),
]


@pytest.mark.parametrize(("judgement", "findings", "outcome"), FATES)
def test_fate(judgement: Judgement, findings: tuple[Finding, ...], outcome: MutantOutcome) -> None:
    """Only a finding that points at the defect detects; a crash that is not its defect does not."""
    assert outcome_of(MUTANT, Verdict("case", judgement, findings))[0] is outcome


def result(outcome: MutantOutcome, claimed: frozenset[str]) -> MutantResult:
    """Return a result of one evaluation in the scenario `s`."""
    return MutantResult(
        "m", "open", (Evaluation("m", "open", "s", "s[open,p1]", outcome, 0, RIGHT),), claimed
    )


def test_a_detection_counts_where_it_was_claimed() -> None:
    """A scenario that catches a mutant without naming it is no promise, and a claim is one."""
    claimed = MutationRun((result(MutantOutcome.DETECTED, frozenset({"s"})),), ())
    assert claimed.sound
    assert next(lines(claimed)).startswith("detected m ")
    unclaimed = MutationRun((result(MutantOutcome.DETECTED, frozenset()),), ())
    assert not unclaimed.sound
    assert next(lines(unclaimed)).startswith("UNNAMED  m ")
    broken = MutationRun((result(MutantOutcome.CRASHED, frozenset({"s"})),), ())
    assert not broken.sound
    assert "claim does not hold: s names `m` under `kills`" in list(lines(broken))


def test_each_mutant_names_its_rule_or_has_a_reason() -> None:
    """Of a run of all mutants none may be named too seldom, but for a reason that is written."""
    often = replace(
        result(MutantOutcome.DETECTED, frozenset({"s"})),
        mutant="often",
        named=tuple(Named("s[open,p1]", clause=True, record=True) for _ in range(ENOUGH)),
    )
    for share in ({"clause": False, "record": True}, {"clause": True, "record": False}):
        seldom = replace(often, mutant="seldom", named=(Named("s[open,p1]", **share),))
        unexplained = MutationRun((often, seldom), ())
        assert unexplained.unexplained() == ("seldom",)
        assert not unexplained.sound
        assert any("seldom" in line and "no reason" in line for line in lines(unexplained))
        explained = MutationRun((often, replace(seldom, mutant=next(iter(ALIKE)))), ())
        assert explained.sound
        assert MutationRun((seldom,), ()).sound


def test_the_right_consumer_must_pass() -> None:
    """A finding on the right consumer spoils everything, and is told once a case."""
    verdict = Verdict("case", Judgement.FAIL, (RIGHT,))
    baseline_failures = MutationRun((), (("case", 0, verdict), ("case", 1, verdict)))
    assert not baseline_failures.sound
    wrong = [line for line in lines(baseline_failures) if "found wrong: case" in line]
    assert wrong == ["the right consumer is found wrong: case, delivery 0: a.b.c is -1, not 1"]
    assert as_data(baseline_failures)["baseline_failures"] == [["case", 0], ["case", 1]]
