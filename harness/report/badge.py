"""A badge for a consumer's own page: level and share as a small SVG, coloured by their meaning.

It claims no more than the run shows: the share that passed of what was applicable by the consumer's
own claims, and the number of cases. A run that did not finish, or that found anything, is never
green; one over some of the catalogue says so, and `harness report` draws it only when asked.
"""

from __future__ import annotations

from typing import IO
from xml.sax.saxutils import escape

from harness.errors import plural
from harness.model.events import CaseFinished, Event, RunFinished, RunStarted
from harness.model.finding import FINDINGS
from harness.report.escapes import shortened, visible
from harness.report.outcome import share

CHARACTER = 6.6  # the width of one in an 11 px sans serif, on average
PADDING = 12
GREEN, RED, GREY = "#1a7f43", "#b3261e", "#5b6168"
CONSUMER_CHARACTERS = 40


class Badge:
    """Counts the run and writes the badge on `close`."""

    def __init__(self, file: IO[bytes]) -> None:
        """Take an open binary file; the caller closes it."""
        self._file = file
        self._consumer = "?"
        self._wrong = 0
        self._finished: RunFinished | None = None

    def handle(self, event: Event) -> None:
        """Keep what the badge says."""
        match event:
            case RunStarted():
                self._consumer, self._wrong, self._finished = event.consumer, 0, None
            case CaseFinished():
                self._wrong += event.verdict.judgement in FINDINGS
            case RunFinished():
                self._finished = event
            case _:
                pass

    def close(self) -> None:
        """Write the SVG."""
        self._file.write(self._svg().encode())
        self._file.flush()

    def _svg(self) -> str:
        done = self._finished
        left = f"cdc-conformance · {shortened(visible(self._consumer), CONSUMER_CHARACTERS)}"
        right = "not finished"
        colour = GREY
        if done is not None:
            right = _said(done)
            colour = RED if self._wrong or not done.passed else GREEN
        return _drawn(left, right, colour)


def _said(done: RunFinished) -> str:
    """Return level, share and number of cases; a run over some of the catalogue says so."""
    of = f"{share(done)} % of {done.applicable} applicable, {plural(done.total, 'case')}"
    filtered = "filtered, " if done.only else ""
    return f"{filtered}{done.level} {of}" if done.level else f"{filtered}{of}"


def _drawn(left: str, right: str, colour: str) -> str:
    first, second = _width(left), _width(right)
    said = escape(f"{left}: level, share passed by its own claims, cases: {right}", {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{first + second}" height="20" '
        f'role="img" aria-label="{said}">\n'
        f"<title>{said}</title>\n"
        f'<rect width="{first + second}" height="20" rx="3" fill="#2b2f34"/>\n'
        f'<path d="M{first} 0h{second - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{second - 3}z" '
        f'fill="{colour}"/>\n'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        f'text-anchor="middle">\n'
        f'<text x="{first / 2}" y="14">{escape(left)}</text>\n'
        f'<text x="{first + second / 2}" y="14">{escape(right)}</text>\n'
        f"</g>\n</svg>\n"
    )


def _width(text: str) -> int:
    return round(len(text) * CHARACTER) + PADDING
