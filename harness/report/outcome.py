"""How a case appears in reports: its scenario, its folder, and the class that CI systems know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from harness.errors import plural
from harness.model.events import CaseFinished, RunFinished
from harness.model.finding import Judgement, Verdict
from harness.model.level import Level

LEVELS = frozenset(level.value for level in Level)
UNFINISHED = "The run did not finish: it was stopped, or the environment failed it."


class Outcome(StrEnum):
    """What CI systems distinguish; the value is JUnit's element, empty for a pass."""

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
    Judgement.BEYOND: Outcome.SKIPPED,
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
    """Return why a case did not pass, on one line; of one that does not count, what it came to."""
    verdict = event.verdict
    why = verdict.findings[0].message if verdict.findings else verdict.detail
    if verdict.apart is None:
        return why
    return ": ".join(part for part in (verdict.apart.value, why) if part)


def headline(event: RunFinished) -> str:
    """Return the sentence that every report ends or begins with: always all three numbers.

    The level follows where a single one was asked for, then what the numbers leave out.
    """
    of_level = f" at level {event.level}" if event.level in LEVELS else ""
    numbers = f"passed {event.passed} / applicable {event.applicable} / total {event.total}"
    left = [f"only {event.only}"] if event.only else []
    if event.unclaimed:
        left.append(
            f"left out: {plural(event.unclaimed, 'case')} of protocols that it does not claim"
        )
    if not event.passed == event.applicable == event.total:
        left.insert(0, f"{share(event)} % of what was applicable by its own claims")
    return f"{numbers}{of_level}" + (f" ({'; '.join(left)})" if left else "")


def share(event: RunFinished) -> int:
    """Return how many percent of the applicable cases passed, rounded down."""
    return event.passed * 100 // event.applicable if event.applicable else 0


def beyond_line(event: RunFinished) -> str:
    """Return the score of the cases that do not count; "" where there are none."""
    if event.beyond is None:
        return ""
    score = event.beyond
    numbers = f"passed {score.passed} / applicable {score.applicable} / total {score.total}"
    return f"beyond: {numbers}, not counted without --beyond"


def gaps(verdicts: Iterable[Verdict]) -> Sequence[tuple[str, int]]:
    """Return why cases are not applicable and how many for each reason, the most frequent first."""
    counts = Counter(
        verdict.detail or "no reason was given"
        for verdict in verdicts
        if verdict.judgement is Judgement.NOT_APPLICABLE
    )
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
