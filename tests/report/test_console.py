"""The console's last line is the headline; data never steers the terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from harness.model.events import CaseAnswered, RunStarted
from harness.model.finding import Judgement
from harness.report.console import SENTENCES, ConsoleReport
from tests.report.samples import HOSTILE, case, every_judgement, run, written

SGR = re.compile(r"\x1b\[[\d;]*m")
CURSOR = re.compile(r"\x1b\[(?:\?25[lh]|[\d;]*[KA])|\r")


LAST = "passed 1 / applicable 11 / total 13 (9 % of what was applicable by its own claims)"


def on_terminal(text: str) -> str:
    """Return what a run over every judgement writes to a narrow terminal with colours."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=60, color_system="truecolor")
    report = ConsoleReport(console)
    for event in run(*every_judgement(text), consumer=text):
        report.handle(event)
    report.close()
    return file.getvalue()


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_the_last_line_is_the_headline(text: str) -> None:
    """In a pipe and on a terminal the last line is exactly the sentence with the three numbers."""
    events = run(*every_judgement(text), consumer=text)
    plain = written("console", events).decode()
    assert plain.splitlines()[-1] == LAST
    last = on_terminal(text).rstrip("\n").split("\n")[-1]
    assert SGR.sub("", last) == LAST


def test_data_never_steers_the_terminal() -> None:
    """Of control characters only rich's own colours and cursor moves come out."""
    written_by_rich = CURSOR.sub("", SGR.sub("", on_terminal(HOSTILE)))
    assert "\\x1b[31m\\x00\\x07\\x0d\\u202e😀\\uffff" in written_by_rich
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", written_by_rich) is None
    assert "[bold]rich[/bold] {detail}" in written_by_rich


def test_a_pipe_gets_plain_lines() -> None:
    """Without a terminal there is no colour, no live line, and no line is wrapped."""
    text = written("console", run(case("dml.a[open,p1]", Judgement.FAIL, text="x" * 300))).decode()
    assert "\x1b" not in text
    assert f"  wrong-value: {'x' * 300}\n" in text


def test_what_a_consumer_got_wrong_is_reported_once_for_each_clause() -> None:
    """A clause that several findings share is spelled out for the first and named for the next."""
    one = case("dml.a[open,p1]", Judgement.FAIL)
    findings = one.verdict.findings * 3
    verdict = type(one.verdict)(one.case, Judgement.FAIL, findings)
    again = type(one)(one.case, one.protocol, one.file, one.title, verdict, one.repeat)
    text = written("console", run(again)).decode()
    assert text.count("open.type.int (MUST, document)") == 1
    assert text.count("open.type.int") == 3


def test_the_run_is_named() -> None:
    """`harness report` and `harness diff` take the name that the first line ends with."""
    first, *_ = written("console", (RunStarted("3f9a1c", "c", 3, {}),)).decode().splitlines()
    assert first == "certifying c over 3 cases: run 3f9a1c"


def test_every_phase_has_a_sentence() -> None:
    """Each phase's sentence takes the detail that the engine gives."""
    for phase, sentence in SENTENCES.items():
        assert sentence.format(detail="it"), phase


def test_answers_are_said_as_they_arrive() -> None:
    """A finding is a line at once; elsewhere than on a terminal progress is a line now and then."""
    events = (
        RunStarted("r", "c", 3, {}),
        CaseAnswered("dml.a[open,p1]", "pass", "", 1, 3, 0, 4.0),
        CaseAnswered("dml.b[open,p1]", "fail", "missing-row: shop.t", 2, 3, 1, 2.0),
    )
    text = written("console", events).decode()
    assert "  fail, so far: dml.b[open,p1]  missing-row: shop.t\n" in text
    assert "dml.a" not in text


def test_a_pace_is_told_once_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answers waited for the consumer's start: from a tenth on it says how long."""
    monkeypatch.setattr("harness.report.console.EVERY_S", 0.0)
    answers = [CaseAnswered(str(n), "pass", "", n, 490, 0, 2384.0 / n) for n in (1, 48, 49, 489)]
    text = written("console", (RunStarted("r", "c", 490, {}), *answers)).decode()
    assert [line.strip() for line in text.splitlines() if "answered" in line] == [
        "1 of 490 cases answered, 0 findings",
        "48 of 490 cases answered, 0 findings",
        "49 of 490 cases answered, 0 findings, 49 s left",
        "489 of 490 cases answered, 0 findings, 5 s left",
    ]


def test_what_was_not_tried_is_counted() -> None:
    """A run that stopped at its first finding says how many cases it left out."""
    first, *others = run(case("dml.a[open,p1]", Judgement.FAIL))
    assert isinstance(first, RunStarted)
    stopped = (replace(first, cases=5), *others)
    assert "4  not tried: stopped at the first finding" in written("console", stopped).decode()
