"""The run on a terminal: a live line while it works, then what did not pass, then the headline.

On a terminal the live line shows what goes on now and for how long; elsewhere each phase is a plain
line, so that CI logs stay readable. The last line is always `passed P / applicable A / total T`.
"""

from __future__ import annotations

import time
from collections import Counter

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column
from rich.text import Text

from harness.errors import plural
from harness.model.events import (
    CaseAnswered,
    CaseFinished,
    Event,
    PhaseFinished,
    PhaseStarted,
    RunAborted,
    RunFinished,
    RunStarted,
    ServiceChanged,
)
from harness.model.finding import Judgement, Verdict
from harness.report.escapes import visible
from harness.report.finding_text import case_lines
from harness.report.highlight import styled
from harness.report.outcome import beyond_line, gaps, headline, reason

QUIET = frozenset(
    {
        Judgement.PASS,
        Judgement.NOT_APPLICABLE,
        Judgement.XFAIL,
        Judgement.DECLARED_LOSSY,
        Judgement.BEYOND,
    }
)
STYLES = {
    Judgement.PASS: "green",
    Judgement.NOT_APPLICABLE: "dim",
    Judgement.UNDECIDED: "yellow",
    Judgement.XFAIL: "yellow",
    Judgement.DECLARED_LOSSY: "yellow",
    Judgement.BEYOND: "yellow",
}
SENTENCES = {
    "plan": "planning {detail}",
    "services": "{detail}",
    "produce": "producing {detail}",
    "consume": "consumer {detail} reads, applies and answers",
    "select": "reading the tables of {detail}",
    "select again": "reading them again",
    "follow": "the connector follows the database that runs {detail}",
    "records": "records: {detail}",
    "control": "what differs is read by the consumer {detail}, too",
    "read alone": "reading {detail} again, each alone",
    "judge": "judging",
}
VERDICTS_SHOWN = 20  # in a brief report of more cases, those that pass are only counted
EVERY_S = 10.0  # how often a log that is no terminal has a line of progress
PACE = 10  # one case of so many is answered before a pace is shown: the first waited for the start
TROUBLED = frozenset(
    {"continued", "lost", "left"}
)  # states of a service that are said in every log
UNPRINTED = frozenset({"judge"})  # its line would come after the cases that it is about


class ConsoleReport:
    """Renders a run for a person; `console` decides where, and whether it is a terminal."""

    def __init__(
        self, console: Console, *, headline: Console | None = None, brief: bool = False
    ) -> None:
        """Take where to print; the headline may go elsewhere.

        A `brief` report has verdicts, findings and the headline alone.
        """
        self._brief = brief
        self._console = console
        self._headline = headline or console
        self._live: tuple[Progress, TaskID] | None = None
        self._counts: Counter[Judgement] = Counter()
        self._gaps: list[Verdict] = []
        self._beyond: list[CaseFinished] = []
        self._phases: dict[str, str] = {}
        self._services: dict[str, str] = {}
        self._log = ""
        self._answered = ""
        self._next_line = time.monotonic() + EVERY_S
        self._cases_started = 0

    def handle(self, event: Event) -> None:
        """Render one event."""
        match event:
            case RunStarted():
                self._cases_started = event.cases
                consumer = Text(visible(event.consumer), style="bold")
                level = f", {event.level}," if event.level else ""
                over = f"{level} over {plural(event.cases, 'case')}"
                self._print(
                    Text.assemble("certifying ", consumer, over, f": run {visible(event.run)}")
                )
            case PhaseStarted():
                template = SENTENCES.get(event.phase, f"{event.phase}: {{detail}}")
                sentence = template.format(detail=event.detail)
                self._phases[event.phase] = visible(sentence)
                self._show()
            case PhaseFinished():
                self._phase_over(event)
            case ServiceChanged():
                self._service(event)
            case CaseAnswered():
                self._answer(event)
            case CaseFinished():
                self._case(event)
            case RunFinished():
                self._finish(event)
            case RunAborted():
                self.close()

    def _phase_over(self, event: PhaseFinished) -> None:
        sentence = self._phases.pop(event.phase, visible(event.phase))
        if event.phase not in UNPRINTED and not self._brief:
            self._print(Text.assemble((f"  {event.seconds:6.2f} s  ", "dim"), sentence))
        self._show()

    def _service(self, event: ServiceChanged) -> None:
        """Keep what a service does, and say in every log what befell it."""
        self._services[event.service] = visible(_service_text(event))
        if event.state in TROUBLED:
            self._print(Text(visible(f"  {event.service}: {event.detail}"), style="yellow"))
        self._show()

    def close(self) -> None:
        """Take the live line away; safe to call twice."""
        if self._live is not None:
            self._live[0].stop()
            self._live = None

    def _print(self, text: Text) -> None:
        """Print a line that the terminal itself wraps, so that it can be copied whole."""
        self._console.print(text, soft_wrap=True, highlight=False)

    def _show(self) -> None:
        """Bring the live line up to date; there is none without a terminal."""
        if not self._console.is_terminal:
            return
        fetching = self._services.values() if "services" in self._phases else ()
        now = [*self._phases.values(), *fetching, *filter(None, [self._answered])]
        if not now:
            self.close()
            return
        if self._live is None:
            progress = Progress(
                SpinnerColumn(),
                TimeElapsedColumn(),
                TextColumn(
                    "{task.description}",
                    markup=False,
                    table_column=Column(no_wrap=True, overflow="ellipsis"),
                ),
                console=self._console,
                transient=True,
            )
            self._live = (progress, progress.add_task("", total=None))
            progress.start()
        progress, task = self._live
        progress.update(task, description=" · ".join(now))

    def _answer(self, event: CaseAnswered) -> None:
        """Say at once what seems wrong, and how far the consumer is."""
        if event.said and not self._brief:
            line = f"  {event.judgement}, so far: {event.case}  {event.said}"
            self._print(Text(visible(line), style=STYLES.get(Judgement(event.judgement), "red")))
        sentence = (
            f"{event.answered} of {plural(event.cases, 'case')} answered, "
            f"{plural(event.findings, 'finding')}"
        )
        if event.answered * PACE >= event.cases:
            sentence += f", {event.left_s:.0f} s left"
        self._answered = sentence if event.answered < event.cases else ""
        self._show()
        now = time.monotonic()
        if not self._console.is_terminal and self._answered and now >= self._next_line:
            self._next_line = now + EVERY_S
            self._print(Text(f"             {sentence}", style="dim"))

    def _case(self, event: CaseFinished) -> None:
        judgement = event.verdict.judgement
        self._counts[judgement] += 1
        if judgement is Judgement.NOT_APPLICABLE:
            self._gaps.append(event.verdict)
        if event.verdict.apart not in {None, Judgement.PASS, Judgement.NOT_APPLICABLE}:
            self._beyond.append(event)
        if judgement in QUIET:
            lists = self._brief and self._cases_started <= VERDICTS_SHOWN
            if lists and judgement is not Judgement.NOT_APPLICABLE:
                said = f"{judgement.value.upper()} {event.case}"
                self._print(Text(visible(said), style=STYLES[judgement]))
            return
        self._console.print()
        lines = visible("\n".join(case_lines(event, self._log))).split("\n")
        self._log = event.log
        self._print(Text(lines[0], style=f"bold {STYLES.get(judgement, 'red')}"))
        for line in styled(lines[1:]):
            self._print(line)

    def _finish(self, event: RunFinished) -> None:
        self.close()
        if not self._brief:
            self._sums(event)
        self._headline.print(headline(event), highlight=False, markup=False, soft_wrap=True)

    def _sums(self, event: RunFinished) -> None:
        """Print how often each verdict was given, and what is counted apart."""
        self._console.print()
        for judgement, count in sorted(self._counts.items()):
            style = STYLES.get(judgement, "red")
            self._print(Text(f"  {count:5d}  {judgement.value}", style=style))
            if judgement is Judgement.NOT_APPLICABLE:
                for gap, times in gaps(self._gaps):
                    self._print(Text(visible(f"           {times:5d}  {gap}"), style=style))
        untried = self._cases_started - self._counts.total()
        if untried > 0:
            self._print(Text(f"  {untried:5d}  not tried: stopped at the first finding"))
        self._print(Text(f"  {event.seconds:5.1f}  seconds", style="dim"))
        apart = beyond_line(event)
        if apart:
            self._print(Text(apart, style=STYLES[Judgement.BEYOND]))
        for case in self._beyond:
            said = " ".join(visible(f"{case.case}  {reason(case)}").split())
            self._print(Text(f"  {said}", style=STYLES[Judgement.BEYOND]))


def _service_text(event: ServiceChanged) -> str:
    """Return a service's state; while fetching, how much of it is there."""
    text = f"{event.service} {event.state}"
    if event.total:
        text += f" {event.done / 1e6:.0f} of {event.total / 1e6:.0f} MB"
    return text
