"""Promises of the choice of cases that are read alone."""

from __future__ import annotations

from harness.engine.run.isolation import (
    CONFIRMED,
    CONFIRMED_AT_MOST,
    CRASHES_AT_MOST,
    Isolation,
    read_alone,
)
from harness.model.finding import Judgement, Verdict

MANY = 9  # changefeeds that a start takes
IDS = [f"case-{number}" for number in range(2000)]


def verdicts(judgement: Judgement, ids: list[str]) -> dict[str, Verdict]:
    """Return the same verdict on every case."""
    return {case: Verdict(case, judgement) for case in ids}


def test_the_draw_is_a_share_of_the_size_that_was_asked_for() -> None:
    """None of none, all of all, and of 2000 cases about five percent."""
    passed = verdicts(Judgement.PASS, IDS)
    assert read_alone(passed, Isolation(0), MANY) == []
    assert read_alone(passed, Isolation(100), MANY) == IDS
    assert 60 < len(read_alone(passed, Isolation(5), MANY)) < 140


def test_a_draw_is_repeated_by_its_seed_and_by_nothing_else() -> None:
    """Other cases beside it change nothing for a case; another seed draws others."""
    every = read_alone(verdicts(Judgement.PASS, IDS), Isolation(5, 1), MANY)
    some = read_alone(verdicts(Judgement.PASS, IDS[::2]), Isolation(5, 1), MANY)
    assert some == [case for case in every if case in IDS[::2]]
    assert every != read_alone(verdicts(Judgement.PASS, IDS), Isolation(5, 2), MANY)


def test_what_went_wrong_is_read_alone_up_to_a_bound() -> None:
    """The first few findings are tried again, whatever was drawn; cases without an answer never."""
    for judgement in Judgement:
        chosen = read_alone(verdicts(judgement, IDS), Isolation(), MANY)
        bound = CRASHES_AT_MOST if judgement is Judgement.CRASH else CONFIRMED_AT_MOST
        assert chosen == (IDS[:bound] if judgement in CONFIRMED else [])
    assert read_alone(verdicts(Judgement.NOT_APPLICABLE, IDS), Isolation(100), MANY) == []


def test_what_crashed_is_read_alone_however_much_failed_before_it() -> None:
    """One case ends a start, and others have no answer then: only alone shows which it was."""
    failed, crashed = IDS[:CONFIRMED_AT_MOST], IDS[CONFIRMED_AT_MOST : CONFIRMED_AT_MOST + 5]
    mixed = verdicts(Judgement.FAIL, failed) | verdicts(Judgement.CRASH, crashed)
    assert read_alone(mixed, Isolation(), MANY) == [*failed, *crashed]


def test_what_was_alone_already_is_not_read_again() -> None:
    """A start that takes one changefeed has no neighbours, and neither has a lone case."""
    assert read_alone(verdicts(Judgement.FAIL, IDS), Isolation(100), 1) == ()
    assert read_alone(verdicts(Judgement.FAIL, IDS[:1]), Isolation(100), MANY) == ()
