"""What counts as a kill: a finding that points at the defect, in a scenario that claims it."""

from __future__ import annotations

import pytest

from harness.engine.mutation.matrix import Bout, Fate, Result, fate_of
from harness.engine.mutation.run import Tournament
from harness.model.finding import Finding, FindingKind, Judgement, Verdict
from harness.mutants.mutant import Mutant, sign
from harness.mutants.parts import Parts
from harness.report.mutation_matrix import as_data, lines

MUTANT = Mutant("m", "theme", "It errs.", Parts(), (sign("wrong-value", r"is -\d+"),), ("open",))
RIGHT = Finding(FindingKind.WRONG_VALUE, "a.b.c is -1, not 1", "open.type.int")
OTHER = Finding(FindingKind.WRONG_VALUE, "a.b.c is 2, not 1", "open.type.int")
GAVE_UP = Finding(FindingKind.CONSUMER, "the consumer gave up", "open.row.insert")
# Judgement and findings -> what they make of the mutant.
FATES = [
    (Judgement.PASS, (), Fate.SURVIVED),
    (Judgement.UNDECIDED, (RIGHT,), Fate.SURVIVED),
    (Judgement.FAIL, (OTHER,), Fate.OTHERWISE),
    (Judgement.FAIL, (OTHER, RIGHT), Fate.KILLED),
    (Judgement.FAIL, (GAVE_UP,), Fate.CRASHED),
    (Judgement.CRASH, (GAVE_UP,), Fate.CRASHED),
]


@pytest.mark.parametrize(("judgement", "findings", "fate"), FATES)
def test_fate(judgement: Judgement, findings: tuple[Finding, ...], fate: Fate) -> None:
    """Only a finding that points at the defect kills; a crash that is not its defect does not."""
    assert fate_of(MUTANT, Verdict("case", judgement, findings))[0] is fate


def result(fate: Fate, claimed: frozenset[str]) -> Result:
    """Return a result of one bout in the scenario `s`."""
    return Result("m", "open", (Bout("m", "open", "s", "s[open,p1]", fate, 0, RIGHT),), claimed)


def test_a_kill_counts_where_it_was_claimed() -> None:
    """A scenario that catches a mutant without naming it is no promise, and a claim is one."""
    claimed = Tournament((result(Fate.KILLED, frozenset({"s"})),), ())
    assert claimed.sound
    assert next(lines(claimed)).startswith("killed   m ")
    unclaimed = Tournament((result(Fate.KILLED, frozenset()),), ())
    assert not unclaimed.sound
    assert next(lines(unclaimed)).startswith("UNNAMED  m ")
    broken = Tournament((result(Fate.CRASHED, frozenset({"s"})),), ())
    assert not broken.sound
    assert "claim does not hold: s names `m` under `kills`" in list(lines(broken))


def test_the_right_consumer_must_pass() -> None:
    """A finding on the right consumer spoils everything, and is told once a case."""
    verdict = Verdict("case", Judgement.FAIL, (RIGHT,))
    unfair = Tournament((), (("case", 0, verdict), ("case", 1, verdict)))
    assert not unfair.sound
    told = [line for line in lines(unfair) if "found wrong: case" in line]
    assert told == ["the right consumer is found wrong: case, delivery 0: a.b.c is -1, not 1"]
    assert as_data(unfair)["unfair"] == [["case", 0], ["case", 1]]
