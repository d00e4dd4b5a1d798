"""How a case is filed: its scenario, its folder, and the class that CI systems know."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from harness.engine.events import CaseFinished, RunFinished
from harness.model.finding import Judgement

UNFINISHED = "The run did not finish: it was stopped, or the environment failed it."


class Outcome(StrEnum):
    """What CI systems tell apart; the value is JUnit's element, empty for a pass."""

    PASSED = ""
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


# A consumer that answered wrongly is a failure; one that did not get to an answer is an error.
OUTCOMES: Mapping[Judgement, Outcome] = {
    Judgement.PASS: Outcome.PASSED,
    Judgement.FAIL: Outcome.FAILURE,
    Judgement.INVALID: Outcome.FAILURE,
    Judgement.CRASH: Outcome.ERROR,
    Judgement.TIMEOUT: Outcome.ERROR,
    Judgement.INCONCLUSIVE: Outcome.ERROR,
    Judgement.HARNESS_ERROR: Outcome.ERROR,
    Judgement.XPASS: Outcome.FAILURE,
    Judgement.XFAIL: Outcome.SKIPPED,
    Judgement.DECLARED_LOSSY: Outcome.SKIPPED,
    Judgement.UNDECIDED: Outcome.SKIPPED,
    Judgement.NOT_APPLICABLE: Outcome.SKIPPED,
}


def scenario_of(event: CaseFinished) -> str:
    """Return the id of a case's scenario."""
    return event.case.partition("[")[0]


def folder_of(event: CaseFinished) -> str:
    """Return the folder of a case's scenario, `.` for the root."""
    return scenario_of(event).rpartition(".")[0] or "."


def reason(event: CaseFinished) -> str:
    """Return why a case did not pass, on one line."""
    verdict = event.verdict
    return verdict.findings[0].message if verdict.findings else verdict.detail


def headline(event: RunFinished) -> str:
    """Return the sentence that every report ends or begins with: always all three numbers."""
    return f"passed {event.passed} / applicable {event.applicable} / total {event.total}"
