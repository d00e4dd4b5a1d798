"""Runs to report on: one event of each kind, and data that would like to be markup."""

from __future__ import annotations

import io
from collections.abc import Iterable

from harness.model.events import (
    CaseFinished,
    Event,
    PhaseFinished,
    PhaseStarted,
    RunFinished,
    RunStarted,
    ServiceChanged,
)
from harness.model.finding import APPLICABLE, Finding, FindingKind, Judgement, Place, Verdict
from harness.model.record import Origin
from harness.report.writers import WRITERS

# Ends a CDATA section, a script, a table cell, a code block, a line of a terminal; 4-byte UTF-8.
HOSTILE = (
    "]]></failure><script>alert(1)</script>|a|b|\n```\n````\n# h <b>"
    "\x1b[31m\x00\x07\r\u202e😀\uffff[link](http://x) [bold]rich[/bold] {detail} &amp; \"'"
)
PLACE = Place("ticdc", 0, 2, Origin(13, 1, 7, "insert", "seed", "shop.t", "id=1", 2**60))


def case(name: str, judgement: Judgement, *, text: str = "n is 2, not 1") -> CaseFinished:
    """Return a judged case whose every text that comes from elsewhere is `text`."""
    finding = Finding(
        FindingKind.WRONG_VALUE,
        text,
        "open.type.int",
        13,
        "shop.t",
        text,
        "n",
        expected=text,
        actual=f"not {text}",
        places=(PLACE,),
    )
    findings = () if judgement in (Judgement.PASS, Judgement.NOT_APPLICABLE) else (finding,)
    verdict = Verdict(name, judgement, findings, text)
    file = "scenarios/dml/a.yaml"
    repeat = f"harness certify {text}"
    return CaseFinished(name, "open", file, text, verdict, repeat, log=text, settings=text)


def run(*cases: CaseFinished, consumer: str = "reference") -> tuple[Event, ...]:
    """Return the events of a whole run over the cases."""
    judgements = [one.verdict.judgement for one in cases]
    return (
        RunStarted("0123ab", consumer, len(cases), {"cdc-conformance": "0.1"}),
        PhaseStarted("services", "starting kafka"),
        ServiceChanged("kafka", "fetching", "", None, 1_000_000, 3_000_000),
        PhaseFinished("services", 1.5),
        *cases,
        RunFinished(
            judgements.count(Judgement.PASS),
            sum(judgement in APPLICABLE for judgement in judgements),
            len(cases),
            2.25,
            1,
        ),
    )


def every_judgement(text: str = "n is 2, not 1") -> tuple[CaseFinished, ...]:
    """Return one case of each judgement, in two folders and the root."""
    names = ("dml.a[open,p1]", "types.b[open,4.0.4,p2]", "root[open,p1]")
    return tuple(
        case(names[number % len(names)], judgement, text=text)
        for number, judgement in enumerate(Judgement)
    )


def written(name: str, events: Iterable[Event]) -> bytes:
    """Return what a writer of that name makes of the events."""
    file = io.BytesIO()
    writer = WRITERS[name](file)
    for event in events:
        writer.handle(event)
    writer.close()
    return file.getvalue()
