"""The run on a terminal: a live line while it works, then what did not pass, then the headline.

On a terminal the live line shows what goes on now; elsewhere each phase is a plain line, so that CI
logs stay readable. The last line is always `passed P / applicable A / total T`.
"""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.status import Status
from rich.text import Text

from harness.engine.events import (
    CaseFinished,
    Event,
    PhaseFinished,
    PhaseStarted,
    RunFinished,
    RunStarted,
    ServiceChanged,
)
from harness.model.finding import Judgement
from harness.report.escapes import visible
from harness.report.finding_text import case_lines
from harness.report.outcome import headline

QUIET = frozenset({Judgement.PASS, Judgement.NOT_APPLICABLE})
STYLES = {
    Judgement.PASS: "green",
    Judgement.NOT_APPLICABLE: "dim",
    Judgement.UNDECIDED: "yellow",
}
SENTENCES = {
    "plan": "planning {detail}",
    "services": "starting {detail}",
    "produce": "producing {detail}",
    "consume": "consumer {detail} reads, applies and answers",
    "judge": "judging",
}


class ConsoleReport:
    """Renders a run for a person; `console` decides where, and whether it is a terminal."""

    def __init__(self, console: Console, *, headline: Console | None = None) -> None:
        """Take where to print; the headline may go elsewhere."""
        self._console = console
        self._headline = headline or console
        self._status: Status | None = None
        self._counts: Counter[Judgement] = Counter()
        self._phases: dict[str, str] = {}
        self._services: dict[str, str] = {}

    def handle(self, event: Event) -> None:
        """Render one event."""
        match event:
            case RunStarted():
                self._console.print(
                    f"certifying [bold]{event.consumer}[/bold] over {event.cases} cases",
                    highlight=False,
                )
            case PhaseStarted():
                self._phases[event.phase] = SENTENCES[event.phase].format(detail=event.detail)
                self._live()
            case PhaseFinished():
                sentence = self._phases.pop(event.phase, event.phase)
                self._console.print(
                    Text.assemble((f"  {event.seconds:6.2f} s  ", "dim"), sentence), highlight=False
                )
                self._live()
            case ServiceChanged():
                self._services[event.service] = _service_text(event)
                self._live()
            case CaseFinished():
                self._case(event)
            case RunFinished():
                self._finish(event)

    def close(self) -> None:
        """Take the live line away; safe to call twice."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _live(self) -> None:
        if not self._console.is_terminal:
            return
        if not self._phases:
            self.close()
            return
        services = self._services.values() if "services" in self._phases else ()
        text = " · ".join([*self._phases.values(), *services])
        if self._status is None:
            self._status = self._console.status(text)
            self._status.start()
        else:
            self._status.update(text)

    def _case(self, event: CaseFinished) -> None:
        judgement = event.verdict.judgement
        self._counts[judgement] += 1
        if judgement in QUIET:
            return
        self._console.print()
        style = STYLES.get(judgement, "red")
        for number, line in enumerate(case_lines(event)):
            self._console.print(
                Text(line, style=f"bold {style}" if number == 0 else ""), soft_wrap=True
            )

    def _finish(self, event: RunFinished) -> None:
        self.close()
        self._console.print()
        for judgement, count in sorted(self._counts.items()):
            style = STYLES.get(judgement, "red")
            self._console.print(Text(f"  {count:5d}  {judgement.value}", style=style))
        self._console.print(Text(f"  {event.seconds:.1f} s", style="dim"))
        self._headline.print(headline(event), highlight=False)


def _service_text(event: ServiceChanged) -> str:
    """Return a service's state; while fetching, how much of it is there."""
    text = f"{event.service} {event.state}"
    if event.total:
        text += f" {event.done / 1e6:.0f} of {event.total / 1e6:.0f} MB"
    return text
