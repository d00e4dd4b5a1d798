"""Every judgement means something to pytest, and a finding never looks like a pass."""

from __future__ import annotations

import pytest

from harness.model.finding import FINDINGS, Judgement
from harness.pytest_plugin.answer import OUTCOMES, PROBLEM, Stopped


def test_every_judgement_has_an_outcome() -> None:
    """A new judgement has to be given its meaning, besides problems with files."""
    assert OUTCOMES.keys() == {judgement.value for judgement in Judgement} | {PROBLEM}


@pytest.mark.parametrize("judgement", Judgement)
def test_only_a_pass_passes(judgement: Judgement) -> None:
    """Findings fail, only `pass` passes, and what is no verdict on the consumer does neither."""
    assert (OUTCOMES[judgement.value] == "failed") == (judgement in FINDINGS)
    assert (OUTCOMES[judgement.value] == "passed") == (judgement is Judgement.PASS)


def test_the_last_words_are_one_line() -> None:
    """The reason has a line of its own; details were told before."""
    stopped = Stopped("no Java\n    hint: install one", reported=False)
    assert stopped.reason == "harness: no Java"
