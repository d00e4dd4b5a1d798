"""Rounds while a consumer is repaired: each save runs again what fails, or all if nothing does.

Pure but for the two roles that it is given: who notices saved files, and who runs a round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

NAMES_SHOWN = 3
WAITING = "waiting for a saved file; Ctrl-C ends"
Names = frozenset[str]
Paths = frozenset[Path]


class Saves(Protocol):
    """Notices files that are saved, also while nobody asks."""

    def so_far(self) -> Paths:
        """Return what was saved since the last answer, at once."""
        ...

    def wait(self) -> Paths:
        """Return what was saved since the last answer, as soon as that is something."""
        ...


@dataclass(frozen=True, slots=True)
class Round:
    """What a round came to: its exit code, the cases that were judged, and those that failed."""

    code: int
    judged: Names = frozenset()
    failed: Names = frozenset()


@dataclass
class Rounds:
    """The rounds of one session; `failing` are the cases that the next one is about, if any."""

    saves: Saves
    run: Callable[[Names], Round]
    say: Callable[[str], None]
    here: Path = field(default_factory=Path)
    failing: Names = frozenset()

    def go_on(self) -> int:
        """Run rounds until Ctrl-C; return the last round's exit code.

        An interrupt before the first verdict is the caller's business.
        """
        code: int | None = None
        meanwhile: Paths = frozenset()
        try:
            while True:
                done = self.run(self.failing)
                code = done.code
                self.failing = still_failing(self.failing, done)
                meanwhile = self._meanwhile(meanwhile)
                changed = meanwhile or self._awaited()
                self.say(f"changed: {listed(changed, self.here)}")
        except KeyboardInterrupt:
            if code is None:
                raise
            return code

    def _meanwhile(self, before: Paths) -> Paths:
        """Return what was saved during the round, and calls for another one at once.

        What has changed during two rounds on end is written by the consumer itself, as a log is; to
        run again because of it would never end.
        """
        saved = self.saves.so_far()
        if saved and saved <= before:
            self.say(f"{listed(saved, self.here)} changed again while the consumer ran: not run")
            return frozenset()
        return saved

    def _awaited(self) -> Paths:
        self.say(WAITING)
        return self.saves.wait()


def still_failing(before: Names, done: Round) -> Names:
    """Return the cases that fail now; one that a round did not come to is as it was."""
    return (before - done.judged) | done.failed


def to_run(chosen: Sequence[str], failing: Names) -> tuple[str, ...]:
    """Return the cases of a round: those of the selection that fail, all of it where none does."""
    return tuple(case for case in chosen if case in failing) or tuple(chosen)


def listed(paths: Paths, here: Path) -> str:
    """Return some names of files, as somebody who stands here would write them."""
    names = sorted(str(_from(path, here)) for path in paths)
    more = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _from(path: Path, here: Path) -> Path:
    return path.relative_to(here) if path.is_relative_to(here) else path
