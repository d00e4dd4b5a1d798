"""The badge says the three numbers and never looks better than the run was."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from harness.model.finding import FINDINGS, Judgement
from harness.report.badge import GREEN, GREY, RED
from tests.report.samples import HOSTILE, case, run, written


def test_all_three_numbers_stand_on_it() -> None:
    """Passed, applicable and total are shown, so that what was not applicable is not hidden."""
    cases = [case(f"dml.{n}[open,p1]", Judgement.PASS) for n in range(2)]
    skipped = case("dml.c[open,p1]", Judgement.NOT_APPLICABLE)
    text = written("badge", run(*cases, skipped)).decode()
    assert "reference: level and passed / applicable / total: 2 / 2 / 3" in text
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
