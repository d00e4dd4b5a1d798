"""The run as JUnit XML, which CI systems collect: a suite a scenario folder, a test case a case.

The shape is that of Jenkins' junit-10.xsd (xunit-plugin) with the attributes `file` and `line` on
`testcase` besides, which GitLab and annotating actions read. It is written when the run is over;
a run that did not finish holds an error of its own and never looks like a pass. What does not count
is skipped, whether it passed or failed, in suites of its own (`beyond: FOLDER`). Each suite says of
how many of its cases documents, programs and nobody demand what they rest on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import IO
from xml.etree import ElementTree as ET

from harness.model.events import CaseFinished, Event, RunFinished, RunStarted
from harness.model.finding import Judgement
from harness.model.standing import Standing
from harness.report.escapes import visible
from harness.report.finding_text import case_lines
from harness.report.outcome import OUTCOMES, UNFINISHED, Outcome, folder_of, reason, scenario_of

OUTPUT_CHARACTERS = 16_384
COUNTED = {
    "failures": Outcome.FAILURE,
    "errors": Outcome.ERROR,
    "skipped": Outcome.SKIPPED,
}


class Junit:
    """Collects the cases and writes the document on `close`."""

    def __init__(self, file: IO[bytes]) -> None:
        """Take an open binary file; the caller closes it."""
        self._file = file
        self._suites: dict[str, ET.Element] = {}
        self._counts: dict[str, Counter[Outcome]] = {}
        self._standings: dict[str, Counter[Standing]] = {}
        self._run: RunStarted | None = None
        self._seconds: float | None = None

    def handle(self, event: Event) -> None:
        """Keep what the document needs."""
        match event:
            case RunStarted():
                self._run = event
            case CaseFinished():
                outcome = OUTCOMES[event.verdict.judgement]
                apart = "beyond: " if event.verdict.judgement is Judgement.BEYOND else ""
                name = f"{apart}{folder_of(event)}"
                self._suite(name, outcome).append(_case(event, outcome))
                if event.standing is not None:
                    self._standings.setdefault(name, Counter())[event.standing] += 1
            case RunFinished():
                self._seconds = event.seconds
            case _:
                pass

    def close(self) -> None:
        """Write the document."""
        if self._seconds is None:
            case = _element("testcase", name="the run", classname="harness")
            _add(case, "error", UNFINISHED, type="unfinished", message=UNFINISHED)
            self._suite("harness", Outcome.ERROR).append(case)
        total: Counter[Outcome] = Counter()
        for name, suite in self._suites.items():
            counts = self._counts[name]
            total.update(counts)
            suite.attrib.update(_numbers(counts))
            properties = suite.find("properties")
            standings: Mapping[Standing, int] = self._standings.get(name, {})
            for standing, count in sorted(standings.items()):
                assert properties is not None
                _add(properties, "property", name=f"standing.{standing.value}", value=str(count))
        numbers = _numbers(total)
        del numbers["skipped"]  # the schema knows it on suites only
        name = f"harness certify {self._run.consumer}" if self._run else "harness"
        root = _element("testsuites", name=name, **numbers)
        if self._seconds is not None:
            root.set("time", f"{self._seconds:.3f}")
        root.extend(self._suites[name] for name in sorted(self._suites))
        ET.indent(root)
        self._file.write(ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
        self._file.flush()

    def _suite(self, name: str, outcome: Outcome) -> ET.Element:
        """Return a folder's suite, and count one more case of that outcome in it."""
        self._counts.setdefault(name, Counter())[outcome] += 1
        if name not in self._suites:
            self._suites[name] = _element("testsuite", name=name)
            if self._run is not None:
                properties = ET.SubElement(self._suites[name], "properties")
                run = self._run
                level = {"level": run.level} if run.level else {}
                facts = {"run": run.run, "consumer": run.consumer, **level, **run.versions}
                for key, value in facts.items():
                    _add(properties, "property", name=key, value=value)
        return self._suites[name]


def _case(event: CaseFinished, outcome: Outcome) -> ET.Element:
    case = _element("testcase", name=event.case, classname=scenario_of(event))
    lines = [finding.line for finding in event.verdict.findings if finding.line]
    case.attrib |= {"file": visible(event.file), "line": str(min(lines, default=1))}
    if outcome is Outcome.PASSED:
        return case
    judgement = event.verdict.judgement.value
    # The output has a place of its own below.
    text = "\n".join(case_lines(replace(event, log=""))) if outcome is not Outcome.SKIPPED else None
    message = reason(event) or judgement
    _add(case, outcome.value, text, type=judgement, message=message)
    if event.log:
        _add(case, "system-out", _bounded(event.log))
    return case


def _bounded(log: str) -> str:
    """Return the end of a consumer's output, where its last words are."""
    cut = len(log) - OUTPUT_CHARACTERS
    return log if cut <= 0 else f"… {cut} characters before\n{log[-OUTPUT_CHARACTERS:]}"


def _numbers(counts: Counter[Outcome]) -> dict[str, str]:
    numbers = {name: str(counts[outcome]) for name, outcome in COUNTED.items()}
    return {"tests": str(counts.total()), **numbers}


def _element(tag: str, /, **attributes: str) -> ET.Element:
    return ET.Element(tag, {name: visible(text) for name, text in attributes.items()})


def _add(parent: ET.Element, tag: str, text: str | None = None, /, **attributes: str) -> None:
    child = _element(tag, **attributes)
    child.text = None if text is None else visible(text)
    parent.append(child)
