"""What cannot be read is judged by what the consumer says of it, never by its tables."""

from __future__ import annotations

from typing import Any

import pytest

from harness.model.finding import Judgement, Place
from harness.model.observed import DeadLetter, Observed, Outcome
from harness.model.record import Origin
from harness.verdict.case import Judged
from harness.verdict.expected import Expected
from harness.verdict.hostile import names
from harness.verdict.judge import judge

ORIGIN = Origin(7, 0, 3, "insert")
BAD = Place("ticdc", 1, 5, ORIGIN)
GOOD = Place("ticdc", 1, 4, ORIGIN)
JUDGED = Judged("case", "open", ("c",), 9, {3: (GOOD, BAD)}, hostile=(BAD,))
NOTHING = Expected(tables={}, applied=(), ddl=(), held=(), resolved_ts=0, again=lambda _: {})


def said(outcome: Outcome, **more: Any) -> Judgement:
    """Return the judgement on an answer."""
    return judge(JUDGED, NOTHING, Observed(outcome, **more)).judgement


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("h5f3a-0007.ticdc/1@5: cut short", True),
        ("ticdc partition 1 offset 5", True),
        ("offset 5 in partition 1 of topic h51-0015.ticdc.", True),
        ("h5f3a-0007.ticdc/1@6: cut short", False),
        ("h5f3a-0001.ticdc at offset 5", False),
        ("h1-5.ticdc: cut short", False),
        ("h1-5.ticdc-other/1@5", False),
        ("1@5: cut short", False),
        ("ticdc/15", False),
    ],
)
def test_naming(text: str, is_named: bool) -> None:  # noqa: FBT001 - a row of the table above
    """A message is named by topic, partition and offset, in whatever words."""
    assert names(text, BAD) is is_named


def test_equal_numbers_are_said_twice() -> None:
    """Partition 0 and offset 0 are two numbers."""
    place = Place("t", 0, 0, ORIGIN)
    assert names("x.t/0@0", place)
    assert not names("x.t at 0", place)


def test_giving_up() -> None:
    """A consumer may give up at the message, and at no other."""
    assert said(Outcome.ERROR, detail="h.ticdc/1@5: bad") is Judgement.PASS
    assert said(Outcome.ERROR, detail="h.ticdc/1@4: bad") is Judgement.FAIL
    assert said(Outcome.ERROR, detail="something is bad") is Judgement.FAIL


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
    """A crash on a malformed message is a crash like any other."""
    assert said(outcome, detail="why") is judgement
