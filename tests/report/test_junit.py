"""JUnit reports have the shape that CI systems read, and never hide what did not pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from harness.model.events import Event
from harness.model.finding import FINDINGS, Judgement
from harness.report.junit import OUTPUT_CHARACTERS
from harness.report.outcome import OUTCOMES, Outcome
from tests.report.samples import HOSTILE, case, every_judgement, run, written

# Jenkins xunit-plugin, junit-10.xsd: element -> (needed attributes, allowed ones, children); of
# `testcase`, `file` and `line` are additions that GitLab and annotating actions read.
SHAPE: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"skipped", "time"},
        {"properties", "testcase"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": (
        {"name"},
        {"classname", "file", "line"},
        {"failure", "error", "skipped", "system-out"},
    ),
    **dict.fromkeys(("failure", "error", "skipped"), (set(), {"type", "message"}, set())),
    "system-out": (set(), set(), set()),
}


def parsed(events: Sequence[Event]) -> ET.Element:
    """Return the report of the events as a tree; whatever is no XML fails here."""
    return ET.fromstring(written("junit", events))


def hold_to_shape(node: ET.Element) -> None:
    """Hold an element and all below it to the table."""
    needed, allowed, children = SHAPE[node.tag]
    assert needed <= set(node.keys()) <= needed | allowed, node.tag
    for child in node:
        assert child.tag in children, f"{child.tag} in {node.tag}"
        hold_to_shape(child)


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_every_report_has_the_common_shape(text: str) -> None:
    """Elements, attributes and nesting are those of the schema, whatever the data."""
    root = parsed(run(*every_judgement(text), consumer=text))
    hold_to_shape(root)
    assert [suite.get("name") for suite in root] == [".", "beyond: dml", "dml", "types"]


def test_hostile_data_stays_data() -> None:
    """Markup in data is text after parsing, and what XML forbids is written as an escape."""
    (found,) = parsed(run(case("dml.a[open,p1]", Judgement.FAIL, text=HOSTILE))).iter("failure")
    message = found.get("message") or ""
    assert "]]></failure><script>alert(1)</script>|a|b|" in message
    assert "\\x1b[31m\\x00\\x07\\x0d\\u202e😀\\uffff" in message
    assert list(found) == []


@pytest.mark.parametrize("judgement", list(Judgement))
def test_each_judgement_has_its_element(judgement: Judgement) -> None:
    """A case shows its outcome's element and the suite counts it; a pass shows none."""
    root = parsed(run(case("dml.a[open,p1]", judgement)))
    (found,) = root.iter("testcase")
    shown = {child.tag for child in found} - {"system-out"}
    assert shown == {OUTCOMES[judgement].value} - {""}
    suite = root[0]
    assert suite.get("tests") == root.get("tests") == "1"
    for name, outcome in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
        assert suite.get(name) == str(int(outcome in shown))


def test_what_fails_a_run_fails_the_report() -> None:
    """Every judgement that makes a run exit 1 is a failure or an error; a pass is neither."""
    wrong = {j for j, outcome in OUTCOMES.items() if outcome in (Outcome.FAILURE, Outcome.ERROR)}
    assert wrong == FINDINGS | {Judgement.HARNESS_ERROR}
    assert OUTCOMES.keys() == set(Judgement)


def test_a_case_says_where_it_is_and_why() -> None:
    """Name, class, file and line lead to the scenario; the text has clause, record and repeat."""
    (found,) = parsed(run(case("dml.a[open,p1]", Judgement.FAIL))).iter("testcase")
    assert found.attrib == {
        "name": "dml.a[open,p1]",
        "classname": "dml.a",
        "file": "scenarios/dml/a.yaml",
        "line": "13",
    }
    text = found.findtext("failure") or ""
    for part in ("open.type.int", "ticdc/0@2", "harness certify", "scenarios/dml/a.yaml:13"):
        assert part in text


def test_output_is_bounded_and_keeps_its_end() -> None:
    """A consumer that prints without end does not swell the report; its last words are there."""
    text = "x" * 10 * OUTPUT_CHARACTERS + " last words"
    root = parsed(run(case("dml.a[open,p1]", Judgement.CRASH, text="crash")))
    assert root.find(".//system-out") is not None
    loud = case("dml.a[open,p1]", Judgement.CRASH)
    loud = replace(loud, log=text)
    output = parsed(run(loud)).findtext(".//system-out") or ""
    assert len(output) < OUTPUT_CHARACTERS + 100
    assert output.endswith("last words")


def test_a_run_that_did_not_finish_is_an_error() -> None:
    """Without its last event a run holds an error, even when every case so far passed."""
    root = parsed(run(case("dml.a[open,p1]", Judgement.PASS))[:-1])
    hold_to_shape(root)
    assert root.get("errors") == "1"
    assert parsed(()).get("errors") == "1"
