"""A finding names what a person needs: values, clause, line, record, and the command to repeat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.model.events import CaseFinished
from harness.model.finding import Finding, FindingKind, Judgement, Place, Verdict
from harness.model.record import Origin
from harness.model.settings import settings_text
from harness.protocols.clauses import CLAUSES
from harness.report.finding_text import (
    FINDINGS_SHOWN,
    LOG_LINES,
    PLACES_SHOWN,
    case_lines,
    finding_lines,
)

ORIGIN = Origin(13, 1, 7, "update", "t2", "shop.t", "id=1", 415508878783938562)
FINDING = Finding(
    FindingKind.WRONG_VALUE,
    "shop.t.v of id=1 is 'y', not 'z'",
    "open.type.int",
    13,
    table="shop.t",
    key="id=1",
    column="v",
    expected="'z'",
    actual="'y'",
    places=(Place("ticdc", 1, 7, ORIGIN),),
)
FILE = "scenarios/dml/a.yaml"
REPEAT = "harness certify spark -k 'dml.a[open,p1]'"


def event(*findings: Finding, log: str = "", detail: str = "") -> CaseFinished:
    """Return a case that failed by these findings."""
    verdict = Verdict("dml.a[open,p1]", Judgement.FAIL, findings, detail)
    return CaseFinished("dml.a[open,p1]", "open", FILE, "A title", verdict, REPEAT, log)


def lines(*findings: Finding, log: str = "", detail: str = "") -> list[str]:
    """Return the lines of a failed case."""
    return list(case_lines(event(*findings, log=log, detail=detail)))


def test_everything_about_a_finding() -> None:
    """Kind, both values, clause with text and source, place in the scenario, record and change."""
    clause = CLAUSES["open.type.int"]
    text = "\n".join(finding_lines(FINDING, FILE))
    for part in (
        "wrong-value: shop.t.v of id=1 is 'y', not 'z'",
        "expected  'z'",
        "actual    'y'",
        f"open.type.int ({clause.level.value}, document): {clause.text}",
        f"{clause.source.document}, {clause.source.section}",
        f"{FILE}:13",
        "ticdc/1@7: update shop.t id=1 of transaction t2, commit ts 415508878783938562",
    ):
        assert part in text


def test_settings_of_the_case_are_named() -> None:
    """What the producer was set to stands with the case, on one line, long values cut."""
    settings = settings_text({"value.converter.schemas.enable": False, "topic.prefix": "a" * 100})
    (line,) = [
        one for one in case_lines(replace(event(FINDING), settings=settings)) if "settings" in one
    ]
    assert "value.converter.schemas.enable=false, topic.prefix=aaa" in line
    assert line.endswith("a…")
    assert "settings" not in "\n".join(lines(FINDING))


def test_no_answer_breaks_no_clause() -> None:
    """Of a crash the clause is what the case is about; of a message passed over it is broken."""
    crash = Finding(FindingKind.CONSUMER, "the consumer crashed", "open.type.int", 13)
    assert "    about       open.type.int" in "\n".join(finding_lines(crash, FILE))
    passed_over = replace(crash, expected="status `error`", actual="(nothing)")
    assert "    clause      open.type.int" in "\n".join(finding_lines(passed_over, FILE))


def test_the_case_around_it() -> None:
    """A failed case begins with its judgement and name, and ends with the command to repeat it."""
    first, second, *rest = lines(FINDING)
    assert first == "FAIL dml.a[open,p1]"
    assert second.strip() == "A title"
    assert rest[-1].split(maxsplit=1) == ["repeat", REPEAT]


def test_what_is_not_there_is_not_shown() -> None:
    """Without values, clause, line and records a finding is its sentence."""
    bare = Finding(FindingKind.CONSUMER, "the consumer crashed: exit code 1", "")
    assert list(finding_lines(bare, FILE)) == ["  consumer: the consumer crashed: exit code 1"]


def test_a_clause_without_a_text() -> None:
    """A clause that is not ours is named as it is."""
    text = "\n".join(finding_lines(replace(FINDING, clause="their.own"), FILE))
    assert "their.own" in text


@pytest.mark.parametrize(("expected", "actual"), [(None, "'y'"), ("'z'", None), ("", "'y'")])
def test_nothing_and_empty(expected: str | None, actual: str | None) -> None:
    """A side on which there is nothing says so, and an empty text is not nothing."""
    text = "\n".join(finding_lines(replace(FINDING, expected=expected, actual=actual), FILE))
    assert ("(nothing)" in text) == (expected is None or actual is None)


def test_long_lists_are_cut_and_counted() -> None:
    """Of many records, findings and lines of output a few are shown, the rest counted."""
    many = replace(FINDING, places=FINDING.places * (PLACES_SHOWN + 3))
    text = "\n".join(finding_lines(many, FILE))
    assert text.count("ticdc/1@7") == PLACES_SHOWN
    assert "and 3 more" in text
    whole = "\n".join(lines(*[FINDING] * (FINDINGS_SHOWN + 2)))
    assert whole.count("wrong-value:") == FINDINGS_SHOWN
    assert "and 2 more findings" in whole
    output = "\n".join(f"output {number}" for number in range(LOG_LINES + 5))
    shown = [line for line in lines(FINDING, log=output) if "output " in line and "|" in line]
    assert [line.split("| ")[1] for line in shown] == output.splitlines()[-LOG_LINES:]


def test_detail_where_there_is_no_finding() -> None:
    """A verdict without findings shows its reason."""
    assert "  why it is so" in lines(detail="why it is so")
    assert "  why it is so" not in lines(FINDING, detail="why it is so")


def test_a_finding_of_the_program_names_its_code() -> None:
    """Where the vendor's program alone says it, the place in its code stands below the clause."""
    clause = CLAUSES["vitess.envelope.version"]
    text = "\n".join(finding_lines(replace(FINDING, clause=clause.id), FILE))
    assert f"({clause.level.value}, program)" in text
    assert clause.source.program in text
    assert "github.com" not in "\n".join(finding_lines(FINDING, FILE))


def test_a_message_leaves_to_the_output_below_what_is_there() -> None:
    """What a crashed consumer said last is printed once; where no output follows, indented."""
    said = "the consumer crashed: exit code 1; its last words:\n  at a\nno leader"
    crashed = Finding(FindingKind.CONSUMER, said, "")
    text = lines(crashed, log="started\n  at a\nno leader\n")
    assert "  consumer: the consumer crashed: exit code 1" in text
    assert [line for line in text if "no leader" in line] == ["    | no leader"]
    assert "\n    | no leader" in "\n".join(lines(crashed))
