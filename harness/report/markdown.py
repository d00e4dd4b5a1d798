"""The run as Markdown for a CI job's summary: the headline, a matrix, and what did not pass.

Lines of findings stand in code blocks, all else is escaped, so that no cell's data is markup. The
whole stays well below the megabyte that GitHub takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import IO

from harness.model.events import CaseFinished, Event, RunFinished, RunStarted
from harness.model.finding import FINDINGS, Judgement, Verdict
from harness.model.standing import Standing
from harness.report.escapes import fenced, html_text, markdown_text, shortened, visible
from harness.report.finding_text import case_lines
from harness.report.outcome import UNFINISHED, beyond_line, folder_of, gaps, headline, reason

CASES_SHOWN = 40
LINES_SHOWN = 60
LINE_CHARACTERS = 300
EXPLAINED = FINDINGS | {Judgement.HARNESS_ERROR}
UNEXPLAINED = frozenset({Judgement.PASS, Judgement.NOT_APPLICABLE})


class Markdown:
    """Collects the cases and writes the page on `close`."""

    def __init__(self, file: IO[bytes]) -> None:
        """Take an open binary file; the caller closes it."""
        self._file = file
        self._run: RunStarted | None = None
        self._finished: RunFinished | None = None
        self._matrix: dict[str, Counter[Judgement]] = {}
        self._standings: Counter[Standing] = Counter()
        self._beyond: list[CaseFinished] = []
        self._shown: list[str] = []
        self._hidden = 0
        self._log = ""
        self._verdicts: list[Verdict] = []

    def handle(self, event: Event) -> None:
        """Keep what the page needs."""
        match event:
            case RunStarted():
                self._run = event
            case CaseFinished():
                judgement = event.verdict.judgement
                if judgement is Judgement.BEYOND:
                    self._beyond.append(event)
                    return
                self._matrix.setdefault(folder_of(event), Counter())[judgement] += 1
                if event.standing is not None:
                    self._standings[event.standing] += 1
                if judgement is Judgement.NOT_APPLICABLE:
                    self._verdicts.append(event.verdict)
                if judgement in EXPLAINED:
                    self._explain(event)
            case RunFinished():
                self._finished = event
            case _:
                pass

    def close(self) -> None:
        """Write the page."""
        self._file.write(("\n".join(self._lines()) + "\n").encode())
        self._file.flush()

    def _explain(self, event: CaseFinished) -> None:
        if len(self._shown) >= CASES_SHOWN:
            self._hidden += 1
        else:
            self._shown.append(_details(event, self._log))
            self._log = event.log

    def _lines(self) -> Iterator[str]:
        consumer = self._run.consumer if self._run else "?"
        level = f", {self._run.level}" if self._run and self._run.level else ""
        yield f"## Certification of {markdown_text(consumer)}{level}\n"
        yield f"**{headline(self._finished) if self._finished else UNFINISHED}**\n"
        yield from self._table()
        if self._standings:
            counts = sorted(self._standings.items())
            yield "Standing: " + ", ".join(f"{one.value} {count}" for one, count in counts) + ".\n"
        found = gaps(self._verdicts)
        if found:
            yield "### Not applicable\n"
            yield from (f"- {count} × {markdown_text(gap)}" for gap, count in found)
            yield ""
        if self._shown:
            yield "### What did not pass\n"
            yield from self._shown
        if self._hidden:
            yield f"… and {self._hidden} more cases, all in the run's `events.ndjson`.\n"
        yield from self._apart()
        if self._run is not None:
            facts = [f"{name} {version}" for name, version in self._run.versions.items()]
            seconds = [f"{self._finished.seconds:.1f} s"] if self._finished else []
            yield markdown_text(" · ".join([f"run {self._run.run}", *facts, *seconds]))

    def _apart(self) -> Iterator[str]:
        """Yield the cases that do not count: their score, and each that did not pass."""
        if not self._beyond:
            return
        yield "### Beyond what anybody promises\n"
        if self._finished is not None:
            yield f"{beyond_line(self._finished)}\n"
        wrong = [one for one in self._beyond if one.verdict.apart not in UNEXPLAINED]
        for event in wrong[:CASES_SHOWN]:
            said = shortened(visible(reason(event)), LINE_CHARACTERS)
            yield f"- <code>{html_text(event.case)}</code> {markdown_text(said)}"
        if len(wrong) > CASES_SHOWN:
            yield f"- … and {len(wrong) - CASES_SHOWN} more"
        yield ""

    def _table(self) -> Iterator[str]:
        """Yield the matrix, scenario folder by verdict; only verdicts that there are."""
        total: Counter[Judgement] = Counter()
        for counts in self._matrix.values():
            total.update(counts)
        columns = [judgement for judgement in Judgement if total[judgement]]
        if not columns:
            return
        yield f"| scenarios | {' | '.join(column.value for column in columns)} |"
        yield f"| --- |{' ---: |' * len(columns)}"
        for folder, counts in sorted(self._matrix.items()):
            yield _row(markdown_text(folder), [counts[column] for column in columns])
        yield _row("**all**", [total[column] for column in columns])
        yield ""


def _row(name: str, numbers: list[int]) -> str:
    return f"| {name} | {' | '.join(str(number) if number else '' for number in numbers)} |"


def _details(event: CaseFinished, shown: str) -> str:
    """Return a case that did not pass as a block that opens on a click; `shown` is the last log."""
    lines = visible("\n".join(case_lines(event, shown))).split("\n")[1:]
    if len(lines) > LINES_SHOWN:
        lines[LINES_SHOWN:-1] = ["  …"]
    block = fenced([shortened(line, LINE_CHARACTERS) for line in lines])
    verdict = event.verdict.judgement.value
    summary = f"<b>{html_text(verdict)}</b> <code>{html_text(event.case)}</code>"
    return f"<details><summary>{summary}</summary>\n\n{block}\n\n</details>\n"
