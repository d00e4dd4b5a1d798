"""What nobody promises is shown apart in every report, and counts in none of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from harness.engine.run.headline import concluded
from harness.errors import ExitCode
from harness.model.events import CaseFinished, Event, RunFinished, RunStarted, Score
from harness.model.finding import APPLICABLE, COUNTED, FINDINGS, Judgement, Verdict
from harness.model.standing import Standing
from harness.report.outcome import OUTCOMES, Outcome
from harness.report.run_diff import WORSE, changes
from tests.report.samples import case, written

PROMISED = replace(case("dml.a[open,p1]", Judgement.PASS), standing=Standing.DOCUMENT)
ENDS = [judgement for judgement in Judgement if judgement is not Judgement.BEYOND]


def beyond(judgement: Judgement) -> CaseFinished:
    """Return a case that nobody promises, and that came to a judgement."""
    one = case("transport.b[open,p2,seen]", judgement)
    return replace(one, verdict=one.verdict.set_apart(), standing=Standing.BEYOND)


def run(*cases: CaseFinished) -> tuple[Event, ...]:
    """Return the events of a whole run over the cases."""
    started = RunStarted("0123ab", "reference", len(cases), {}, "", "decode")
    end = concluded([one.verdict for one in cases], 2.25, "decode")
    return (started, *cases, end)


def last(events: Sequence[Event]) -> RunFinished:
    """Return the last event of a run."""
    end = events[-1]
    assert isinstance(end, RunFinished)
    return end


@pytest.mark.parametrize("judgement", ENDS)
def test_no_end_of_it_alters_the_score(judgement: Judgement) -> None:
    """Three numbers and exit code are those of the promised cases, whatever it came to."""
    alone, both = last(run(PROMISED)), last(run(PROMISED, beyond(judgement)))
    assert (both.passed, both.applicable, both.total) == (1, 1, 1)
    assert both.exit_code == alone.exit_code == ExitCode.PASS
    assert alone.beyond is None
    passed, applicable = judgement is Judgement.PASS, judgement in APPLICABLE
    assert both.beyond == Score(passed, applicable, 1)


@pytest.mark.parametrize("judgement", ENDS)
def test_alone_it_certifies_nothing(judgement: Judgement) -> None:
    """A run of nothing else has no score, and is a usage error."""
    end = last(run(beyond(judgement)))
    assert (end.passed, end.applicable, end.total) == (0, 0, 0)
    assert end.exit_code == ExitCode.USAGE


def test_a_verdict_is_set_apart_for_good() -> None:
    """What it came to stays known, also when it is set apart twice."""
    assert not {Judgement.BEYOND} & (FINDINGS | APPLICABLE | COUNTED)
    once = Verdict("a", Judgement.CRASH).set_apart()
    assert once == once.set_apart()
    assert (once.judgement, once.came_to) == (Judgement.BEYOND, Judgement.CRASH)
    assert Verdict("a", Judgement.CRASH).came_to is Judgement.CRASH
    assert OUTCOMES[Judgement.BEYOND] is Outcome.SKIPPED


@pytest.mark.parametrize("judgement", ENDS)
def test_the_badge_is_that_of_the_rest(judgement: Judgement) -> None:
    """The badge is the same with it and without it."""
    assert written("badge", run(PROMISED, beyond(judgement))) == written("badge", run(PROMISED))


@pytest.mark.parametrize("judgement", ENDS)
def test_junit_skips_it_in_a_suite_of_its_own(judgement: Judgement) -> None:
    """A CI system sees the same numbers whatever it came to, and why in a message."""
    root = ET.fromstring(written("junit", run(PROMISED, beyond(judgement))))
    assert root.attrib == {**root.attrib, "tests": "2", "failures": "0", "errors": "0"}
    suite, main = root
    assert (suite.get("name"), main.get("name")) == ("beyond: transport", "dml")
    assert (suite.get("skipped"), main.get("skipped")) == ("1", "0")
    (skipped,) = suite.iter("skipped")
    assert skipped.get("type") == "beyond"
    assert skipped.get("message", "").startswith(judgement.value)
    facts = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert facts["standing.beyond"] == "1"
    assert {one.get("name") for one in main.iter("property")} >= {"standing.document"}


@pytest.mark.parametrize("judgement", ENDS)
def test_the_console_ends_with_the_headline_of_the_rest(judgement: Judgement) -> None:
    """Before the headline stands a line of its own, and each case that did not pass."""
    *_, headline = lines = (
        written("console", run(PROMISED, beyond(judgement))).decode().split("\n")[:-1]
    )
    assert headline == "passed 1 / applicable 1 / total 1 at level decode"
    passed, applicable = int(judgement is Judgement.PASS), int(judgement in APPLICABLE)
    numbers = f"passed {passed} / applicable {applicable} / total 1"
    assert f"beyond: {numbers}, not counted without --beyond" in lines
    named = [line for line in lines if "transport.b[open,p2,seen]" in line]
    quiet = judgement in {Judgement.PASS, Judgement.NOT_APPLICABLE}
    assert named == [] if quiet else judgement.value in named[0]


@pytest.mark.parametrize("judgement", ENDS)
def test_markdown_has_a_section_of_it(judgement: Judgement) -> None:
    """It is in no cell of the matrix; its section has the score and what did not pass."""
    page = written("markdown", run(PROMISED, beyond(judgement))).decode()
    main, _, section = page.partition("### Beyond what anybody promises")
    assert main == written("markdown", run(PROMISED)).decode().partition("run 0123ab")[0]
    assert "not counted without \\--beyond" in section or "without --beyond" in section
    quiet = judgement in {Judgement.PASS, Judgement.NOT_APPLICABLE}
    assert ("transport.b[open,p2,seen]" in section) != quiet


@pytest.mark.parametrize("judgement", ENDS)
def test_html_has_its_score_and_its_findings(judgement: Judgement) -> None:
    """The page's data say of each case what it rests on, and of this one what it came to."""
    page = written("html", run(PROMISED, beyond(judgement))).decode()
    assert '"headline":"passed 1 / applicable 1 / total 1 at level decode"' in page
    assert re.search(r'"beyond":"beyond: passed \d / applicable \d / total 1', page)
    assert f'"judgement":"beyond","apart":"{judgement.value}","standing":"beyond"' in page
    assert '"judgement":"pass","apart":"","standing":"document"' in page


def test_a_comparison_shows_what_it_came_to_and_is_no_worse() -> None:
    """Two runs differ where it does, and that breaks nobody's gate."""
    before, after = run(PROMISED, beyond(Judgement.PASS)), run(PROMISED, beyond(Judgement.FAIL))
    (changed,) = changes(before, after)
    assert changed.change not in WORSE
    assert changes(before, before) == ()
