"""The badge says the three numbers and never looks better than the run was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from harness.cli.report import command
from harness.errors import UsageError
from harness.model.events import RunFinished
from harness.model.finding import FINDINGS, Judgement
from harness.report.badge import GREEN, GREY, RED
from harness.report.outcome import headline
from tests.report.samples import HOSTILE, case, run, written


def test_all_three_numbers_stand_on_it() -> None:
    """Share, applicable and total are shown, so that what was not applicable is not hidden."""
    cases = [case(f"dml.{n}[open,p1]", Judgement.PASS) for n in range(2)]
    skipped = case("dml.c[open,p1]", Judgement.NOT_APPLICABLE)
    text = written("badge", run(*cases, skipped)).decode()
    assert "reference: level, share passed by its own claims, cases: 100 % of 2 app" in text
    assert "2 applicable, 3 cases" in text
    assert GREEN in text


@pytest.mark.parametrize("judgement", sorted(FINDINGS))
def test_a_finding_is_never_green(judgement: Judgement) -> None:
    """One finding among passes makes the badge red."""
    text = written("badge", run(case("a[open,p1]", Judgement.PASS), case("b[open,p1]", judgement)))
    assert RED in text.decode()
    assert GREEN not in text.decode()


def test_a_run_that_did_not_finish_has_no_numbers() -> None:
    """A killed run is grey and says so."""
    text = written("badge", run(case("a[open,p1]", Judgement.PASS))[:-1]).decode()
    assert "not finished" in text
    assert GREY in text
    assert GREEN not in text


def test_it_is_an_image_whatever_the_consumer_is_called() -> None:
    """A name adds no elements and no scripts to the SVG."""
    root = ET.fromstring(written("badge", run(consumer=HOSTILE)))
    names = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert names == ["svg", "title", "rect", "path", "g", "text", "text"]


def test_a_run_over_some_of_the_catalogue_says_so() -> None:
    """What was chosen by hand is not shown as the whole."""
    *events, end = run(case("a[open,p1]", Judgement.PASS))
    assert isinstance(end, RunFinished)
    text = written("badge", (*events, replace(end, only="-k keys"))).decode()
    assert "filtered, 100 % of 1 applicable" in text


def test_almost_all_is_not_all() -> None:
    """A share is rounded down: 100 % means that each applicable case passed."""
    *events, end = run(case("a[open,p1]", Judgement.PASS))
    assert isinstance(end, RunFinished)
    text = written("badge", (*events, replace(end, passed=999, applicable=1000))).decode()
    assert "99 % of 1000 applicable" in text


@pytest.mark.parametrize("asked", [True, False])
def test_a_filtered_run_has_a_badge_only_when_asked(tmp_path: Path, *, asked: bool) -> None:
    """`harness report --to badge` refuses a run over some of the catalogue without --filtered."""
    *events, end = run(case("a[open,p1]", Judgement.PASS))
    assert isinstance(end, RunFinished)
    file, badge = tmp_path / "events.ndjson", tmp_path / "badge.svg"
    file.write_bytes(written("ndjson", (*events, replace(end, only="-k keys"))))
    words = [str(file), "--to", "badge", "-o", str(badge), *(["--filtered"] if asked else [])]
    found = CliRunner().invoke(command, words)
    assert badge.exists() == asked
    assert isinstance(found.exception, UsageError) != asked


def test_the_headline_says_what_it_leaves_out() -> None:
    """Share, filter and protocols that are not claimed stand behind the three numbers."""
    end = RunFinished(9, 10, 12, 1.0, 1, "stream", None, 7, "-k keys")
    assert headline(end) == (
        "passed 9 / applicable 10 / total 12 at level stream (90 % of what was applicable by its"
        " own claims; only -k keys; left out: 7 cases of protocols that it does not claim)"
    )
