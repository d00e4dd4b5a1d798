"""What the verdicts of a run come to."""

from __future__ import annotations

from itertools import combinations

import pytest

from harness.engine.run.headline import concluded
from harness.errors import ExitCode
from harness.model.finding import APPLICABLE, FINDINGS, Judgement, Verdict

SETS = [set(some) for size in (1, 2) for some in combinations(Judgement, size)]


@pytest.mark.parametrize("judgements", SETS, ids=lambda some: "+".join(sorted(some)))
def test_zero_means_that_something_passed_and_nothing_failed(judgements: set[Judgement]) -> None:
    """What is excused, undecided or not applicable never makes a run that passed."""
    verdicts = [Verdict(f"a[{number}]", one) for number, one in enumerate(sorted(judgements))]
    end = concluded(verdicts, 1.0, "materialise")
    assert end.passed == int(Judgement.PASS in judgements)
    assert end.applicable == len(judgements & APPLICABLE)
    if judgements & FINDINGS:
        assert end.exit_code == ExitCode.FINDINGS
    else:
        assert (end.exit_code == ExitCode.PASS) is (Judgement.PASS in judgements)
