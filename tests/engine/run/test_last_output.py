"""What a consumer printed is shown where it explains how the run ended, and nowhere else."""

from __future__ import annotations

import pytest

from harness.engine.run.judging import CaseAnswer, last_output
from harness.model.finding import Judgement, Verdict
from harness.model.observed import Observed, Outcome

EXPLAINED = {Outcome.CRASH, Outcome.ERROR, Outcome.TIMEOUT}


def shown(judgement: Judgement, observed: Observed, alone: Observed | None = None) -> str:
    """Return what is shown of a case that came to this."""
    return last_output(CaseAnswer(observed, alone=alone), Verdict("a", judgement, ()))


@pytest.mark.parametrize("outcome", Outcome)
def test_only_a_run_that_ended_badly_is_explained_by_its_output(outcome: Outcome) -> None:
    """A crash, an error and a deadline are; a wrong answer is explained by its findings."""
    expected = "said" if outcome in EXPLAINED else ""
    assert shown(Judgement.FAIL, Observed(outcome, log="said")) == expected


def test_a_case_read_alone_is_shown_with_its_own_output() -> None:
    """The output of a start with others is shown only where the case alone does not end so."""
    together = Observed(Outcome.CRASH, log="of many cases")
    alone = Observed(Outcome.CRASH, log="its own")
    done = Observed(Outcome.DONE, log="its own")
    assert shown(Judgement.CRASH, together, alone) == "its own"
    assert shown(Judgement.INCONCLUSIVE, together, done) == "of many cases"
    assert shown(Judgement.CRASH, done, alone) == "its own"


def test_a_case_that_passes_has_nothing_to_explain() -> None:
    """An error that a hostile case asks for is a right answer."""
    assert shown(Judgement.PASS, Observed(Outcome.ERROR, log="said")) == ""
