"""What cannot be read is judged by what the consumer says of it, never by its tables."""

from __future__ import annotations

from typing import Any

import pytest

from harness.model.finding import Judgement, Place
from harness.model.observed import DeadLetter, Observed, Outcome
from harness.model.record import Origin
from harness.verdict.case import Judged
from harness.verdict.expected import Expected
from harness.verdict.judge import judge

ORIGIN = Origin(7, 0, 3, "insert")
BAD = Place("ticdc", 1, 5, ORIGIN)
GOOD = Place("ticdc", 1, 4, ORIGIN)
JUDGED = Judged("case", "open", ("c",), 9, {3: (GOOD, BAD)}, hostile=(BAD,))
NOTHING = Expected(tables={}, applied=(), ddl=(), held=(), resolved_ts=0, again=lambda _: {})


def said(outcome: Outcome, **more: Any) -> Judgement:
    """Return the judgement on an answer."""
    return judge(JUDGED, NOTHING, Observed(outcome, **more)).judgement


def test_giving_up() -> None:
    """A consumer may give up at the message, and at no other; a topic has two names."""
    for topic in ("ticdc", "h5f3a-0007.ticdc"):
        at = DeadLetter(topic, 1, 5)
        assert said(Outcome.ERROR, detail="bad", stopped_at=(at,)) is Judgement.PASS
    for wrong in (("ticdc", 1, 4), ("ticdc", 5, 1), ("other", 1, 5), ("xticdc", 1, 5)):
        at = DeadLetter(*wrong)
        assert said(Outcome.ERROR, detail="bad", stopped_at=(at,)) is Judgement.FAIL


def test_naming_right_messages_too() -> None:
    """Naming every message is no answer to which of them cannot be read."""
    places = tuple(DeadLetter("ticdc", p, o) for p in range(3) for o in range(9))
    assert said(Outcome.ERROR, detail="bad", stopped_at=places) is Judgement.FAIL


def test_words_name_nothing() -> None:
    """A text is for people: a consumer that lists topics and numbers is not believed."""
    numbers = " ".join(map(str, range(100)))
    assert said(Outcome.ERROR, detail=f"h.ticdc/1@5 {numbers}") is Judgement.FAIL


def test_silence() -> None:
    """An answer as if nothing had been there fails, whatever the tables hold."""
    verdict = judge(JUDGED, NOTHING, Observed(Outcome.DONE, tables={}))
    assert verdict.judgement is Judgement.FAIL
    assert verdict.findings[0].places == (BAD,)
    assert "ticdc/1@5" in (verdict.findings[0].expected or "")


def test_dead_letters() -> None:
    """A consumer may set the message aside and go on, and must not set others aside."""
    bad, good = DeadLetter("h.ticdc", 1, 5), DeadLetter("ticdc", 1, 4)
    assert said(Outcome.DONE, tables={}, dead_letters=(bad,)) is Judgement.PASS
    assert said(Outcome.DONE, tables={}, dead_letters=()) is Judgement.FAIL
    assert said(Outcome.DONE, tables={}, dead_letters=(bad, good)) is Judgement.FAIL


@pytest.mark.parametrize(
    ("outcome", "judgement"),
    [
        (Outcome.CRASH, Judgement.CRASH),
        (Outcome.TIMEOUT, Judgement.TIMEOUT),
        (Outcome.INVALID, Judgement.INVALID),
        (Outcome.NOT_APPLICABLE, Judgement.NOT_APPLICABLE),
    ],
)
def test_other_ends(outcome: Outcome, judgement: Judgement) -> None:
    """A crash on a malformed message is a crash like any other, and says what was owed."""
    verdict = judge(JUDGED, NOTHING, Observed(outcome, detail="why"))
    assert verdict.judgement is judgement
    assert all("that name: ticdc/1@5" in (one.expected or "") for one in verdict.findings)
