"""When a wrong program on real services counts as detected."""

from __future__ import annotations

from dataclasses import replace

from harness.engine.mutation.real import RealResult, RealRun
from harness.report.real_lines import as_data, lines

DETECTED = RealResult("reads-uncommitted", ("a", "b"))


def test_a_program_is_detected_by_all_of_its_cases_alone() -> None:
    """One case that it passes, one without a verdict, one failure elsewhere, no case: not it."""
    assert DETECTED.detected
    for other in (
        replace(DETECTED, missed=("a",)),
        replace(DETECTED, undecided=("a",)),
        replace(DETECTED, astray=("c",)),
        replace(DETECTED, cases=()),
    ):
        assert not other.detected
        assert not RealRun((DETECTED, other), ()).sound


def test_a_right_consumer_that_fails_is_not_sound() -> None:
    """What the right consumer does not pass says nothing about programs."""
    assert RealRun((DETECTED,), ()).sound
    assert not RealRun((DETECTED,), ("a",)).sound


def test_the_lines_name_what_was_missed_and_the_total() -> None:
    """People and `--json` are given the same figures."""
    run = RealRun((DETECTED, replace(DETECTED, name="late", missed=("b",))), ("c",))
    said = list(lines(run))
    assert "BASELINE reference does not pass c" in said
    assert "MISSED   late by 2 cases" in said
    assert "         passes b" in said
    assert said[-1] == "1 of 2 wrong programs detected on real services"
    assert (as_data(run)["detected"], as_data(run)["total"]) == (1, 2)
