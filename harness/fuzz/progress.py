"""How far a search is, on one line; elsewhere than on a terminal a line now and then."""

from __future__ import annotations

import time

from rich.console import Console
from rich.status import Status

from harness.errors import plural
from harness.fuzz.search import Search

EVERY_S = 15.0


class Progress:
    """Shows a search while it runs; to be closed."""

    def __init__(self, console: Console, until: float | None, examples: int | None) -> None:
        """Take where to print, and when (monotonic) or behind how many examples it ends."""
        self._console = console
        self._until = until
        self._examples = examples
        self._status: Status | None = console.status("") if console.is_terminal else None
        self._due = time.monotonic() + EVERY_S
        if self._status is not None:
            self._status.start()

    def update(self, search: Search) -> None:
        """Show the search as it is now."""
        if self._status is not None:
            self._status.update(self._line(search))
        elif time.monotonic() >= self._due:
            self._due = time.monotonic() + EVERY_S
            self._console.print(self._line(search), highlight=False)

    def close(self) -> None:
        """Leave the line."""
        if self._status is not None:
            self._status.stop()

    def _line(self, search: Search) -> str:
        if search.found is not None:
            kind = search.found.failure.kind if search.found.failure is not None else ""
            rows, tries = search.found.rows, search.shrunk
            return (
                f"found {kind}, shrinking: {rows} row changes left, {plural(tries, 'try', 'tries')}"
            )
        return f"{summary(search)}, {self._left(search)}"

    def _left(self, search: Search) -> str:
        if self._examples is not None:
            return f"{self._examples - search.tried} left"
        left = 0.0 if self._until is None else self._until - time.monotonic()
        return f"{max(0.0, left):.0f} s left"


def summary(search: Search) -> str:
    """Return how many examples were tried, and how fast."""
    seconds = max(time.monotonic() - search.began, 0.001)
    refused = sum(search.refused.values())
    vain = f" ({refused} refused by database or vendor)" if refused else ""
    return f"{plural(search.tried, 'example')}{vain}, {search.tried / seconds:.1f} a second"
