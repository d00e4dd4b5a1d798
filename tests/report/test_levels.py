"""Every report says of which level a run is, and names the gap of what is not applicable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.model.events import Event, RunFinished, RunStarted
from harness.model.finding import Judgement
from harness.report.outcome import gaps
from harness.report.writers import WRITERS
from tests.report.samples import case, run, written

GAP = "needs growing-topics, which reference does not declare"


def of_level(level: str) -> Sequence[Event]:
    """Return a run of that level with a pass, and two cases that lack the same."""
    lacking = [case(f"dml.{n}[open,p1]", Judgement.NOT_APPLICABLE, text=GAP) for n in ("b", "c")]
    events = run(case("dml.a[open,p1]", Judgement.PASS), *lacking)
    return [
        replace(event, level=level) if isinstance(event, RunStarted | RunFinished) else event
        for event in events
    ]


@pytest.mark.parametrize("form", sorted(WRITERS))
def test_the_level_is_in_every_report(form: str) -> None:
    """No reader has to guess what was certified, with one level or with two."""
    for level in ("stream", "materialise + stream"):
        assert level in written(form, of_level(level)).decode()


@pytest.mark.parametrize("form", sorted(set(WRITERS) - {"badge"}))
def test_the_gap_is_in_every_report(form: str) -> None:
    """What a consumer lacks is named wherever cases are listed; the badge names none."""
    assert GAP in written(form, of_level("stream")).decode().replace("\\-", "-")


def test_the_headline_names_one_level_only() -> None:
    """The three numbers end a run as ever; a level that was asked for follows them."""
    text = written("markdown", of_level("stream")).decode()
    assert "**passed 1 / applicable 1 / total 3 at level stream (100 % of what was" in text
    together = written("markdown", of_level("materialise + stream")).decode()
    assert "**passed 1 / applicable 1 / total 3 (100 % of what was applicable by" in together
    assert "stream 100 % of 1 applicable, 3 cases" in written("badge", of_level("stream")).decode()


def test_gaps_are_counted() -> None:
    """The most frequent gap comes first, and one without a reason says so."""
    verdicts = [
        case("a[open,p1]", Judgement.NOT_APPLICABLE, text=text).verdict for text in ("", GAP, GAP)
    ]
    assert gaps(verdicts) == [(GAP, 2), ("no reason was given", 1)]
