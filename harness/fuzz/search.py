"""The search: Hypothesis draws scenes round by round, until one fails or the time is over.

A failure is shrunk as long as it stays of its kind; others that are met on the way count for
nothing. A consumer that had better be given many plans at once is given a round of them; a round
with a failure is then drawn again, the same by its seed, to shrink it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import cast

from hypothesis import HealthCheck, Phase, Verbosity, given
from hypothesis import seed as seeded
from hypothesis import settings as with_settings
from hypothesis.database import ExampleDatabase
from hypothesis.errors import Flaky

from harness.errors import HarnessError
from harness.fuzz.scene import Label, Scene, text
from harness.fuzz.scenes import scenes, varied
from harness.fuzz.trial import Judge, Trial, Tried, judged

ROUND = 100
# Hypothesis itself gives up shrinking after five minutes.
SHRINK_S = 120.0
# After so many tries that make nothing smaller, what there is is small enough.
PATIENCE = 80


class _Failed(Exception):  # noqa: N818  (what Hypothesis shrinks)
    """A scene failed."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What to search: in which protocols, from which seed, how long or how many examples.

    `remembered` begins with the failures of former runs. `shrink_s` bounds the shrinking, as does
    `patience`: how many tries in a row may make nothing smaller. What is recorded of a scene is
    tried under so many `variants` of settings, dialect, partitions and delivery as well.
    """

    protocols: Sequence[str]
    seed: int
    time_s: float | None = 60.0
    examples: int | None = None
    remembered: bool = False
    shrink_s: float = SHRINK_S
    patience: int = PATIENCE
    variants: int = 0


@dataclass(slots=True)
class Search:
    """The search so far; `shrunk` counts what was tried to make a finding smaller."""

    tried: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    found: Tried | None = None
    shrunk: int = 0
    interrupted: bool = False
    began: float = field(default_factory=time.monotonic)


class Searcher:
    """One search."""

    def __init__(
        self,
        trial: Trial,
        judge: Judge,
        database: ExampleDatabase | None,
    ) -> None:
        """Take what tries, what judges, and where failures are remembered."""
        self._trial = trial
        self._judge = judge
        self._database = database
        self._tell: Callable[[Search], None] = _tell_nobody
        # What became of the scenes of this round, by their texts as they were drawn.
        self._known: dict[str, Tried] = {}
        self._until = float("inf")
        self._error: HarnessError | None = None
        # How many tries in a row made nothing smaller.
        self._idle = 0
        self.state = Search()

    def run(
        self, options: SearchOptions, on_progress: Callable[[Search], None] | None = None
    ) -> Search:
        """Search until something is found, the time or the examples are over, or Ctrl-C.

        `on_progress` is called after each example. HarnessError when database or services fail.
        """
        state = self.state
        self._tell = on_progress or _tell_nobody
        if options.time_s is not None:
            self._until = state.began + options.time_s
        try:
            number = 0
            while state.found is None and not self._is_over(options):
                self._round(options, number)
                number += 1
        except KeyboardInterrupt:
            state.interrupted = True
        return state

    def _is_over(self, options: SearchOptions) -> bool:
        if options.examples is not None and self.state.tried >= options.examples:
            return True
        return time.monotonic() >= self._until

    def _round(self, options: SearchOptions, number: int) -> None:
        self._known = {}
        size = self._judge.at_once if self._judge.at_once > 1 else ROUND
        if options.examples is not None:
            left = options.examples - self.state.tried
            size = min(size, -(-left // (1 + options.variants)))
        if self._judge.at_once > 1:
            self._draw(options, number, size, self._collect)
            if not self._fails_together():
                return
        self._draw(options, number, size, lambda scene: self._try(options, scene))

    def _draw(
        self, options: SearchOptions, number: int, size: int, body: Callable[[Scene], None]
    ) -> None:
        reuse = (Phase.reuse,) if options.remembered else ()

        # The settings stand above the seed, which would take their database away.
        @with_settings(
            max_examples=size,
            database=self._database,
            derandomize=False,
            deadline=None,
            phases=(*reuse, Phase.generate, Phase.shrink),
            suppress_health_check=cast("list[HealthCheck]", list(HealthCheck)),
            verbosity=Verbosity.quiet,
            print_blob=False,
            report_multiple_bugs=False,
        )
        @seeded(f"{options.seed}/{number}")
        @given(scenes(tuple(options.protocols)))
        def drawn(scene: Scene) -> None:
            try:
                body(scene)
            except HarnessError as error:
                # To Hypothesis this would be a failure to shrink; nothing is tried from here on.
                self._error = error

        # A flaky one was found all the same: what is kept is what failed, with its records.
        with suppress(_Failed, Flaky):
            drawn()
        if self._error is not None:
            raise self._error

    def _is_late(self, options: SearchOptions) -> bool:
        """Return whether nothing more is to be tried: for want of time, or of use."""
        return self._idle >= options.patience or time.monotonic() >= self._until

    def _collect(self, scene: Scene) -> None:
        """Prepare a scene that is judged with the others of its round."""
        if self._error is None and time.monotonic() < self._until:
            self._known[_key(scene)] = self._prepared(scene)
            self._tell(self.state)

    def _fails_together(self) -> bool:
        """Judge the scenes of the round; return whether any of them failed."""
        ready = {key: one.plan for key, one in self._known.items() if is_ready(one) and one.plan}
        if ready:
            answers = self._judge.verdicts(list(ready.values()))
            for key, verdicts in zip(ready, answers, strict=True):
                self._known[key] = judged(self._known[key], verdicts)
        return any(one.failure is not None for one in self._known.values())

    def _try(self, options: SearchOptions, scene: Scene) -> None:
        """Try one scene and raise its failure, for Hypothesis to shrink."""
        key = _key(scene)
        found = self._known.get(key)
        if found is None:
            if self._error is not None or self._is_late(options):
                return
            found = self._asked(self._prepared(scene))
            for number in range(options.variants if found.plan is not None else 0):
                if found.failure is not None:
                    break
                other = varied(scene, Random(f"{options.seed}/{number}/{_key(scene)}"))
                found = self._asked(self._prepared(other))
        first = self.state.found
        if found.failure is None or not _is_alike(found, first):
            return
        self._known[key] = found
        if first is None:
            self._until = time.monotonic() + options.shrink_s
        if first is None or _size(found) < _size(first):
            self.state.found, self._idle = found, 0
        raise _Failed(found.failure.what)

    def _asked(self, found: Tried) -> Tried:
        """Return what was prepared with what the consumer's verdict makes of it."""
        if is_ready(found) and found.plan is not None:
            (verdicts,) = self._judge.verdicts([found.plan])
            found = judged(found, verdicts)
        self._tell(self.state)
        return found

    def _prepared(self, scene: Scene) -> Tried:
        found = self._trial.prepare(scene)
        if self.state.found is None:
            self.state.tried += 1
            if found.refused:
                self.state.refused[found.refused] += 1
        else:
            self.state.shrunk += 1
            self._idle += 1
        return found


def is_ready(found: Tried) -> bool:
    """Return whether a consumer can be asked about what was tried."""
    return found.failure is None and found.plan is not None


def _tell_nobody(search: Search) -> None:
    del search


def _is_alike(found: Tried, first: Tried | None) -> bool:
    """Return whether a failure is of the kind that is being shrunk."""
    if first is None or found.failure is None or first.failure is None:
        return True
    return found.failure.kind == first.failure.kind


def _key(scene: Scene) -> str:
    return text(scene, Label("fuzz.example"))


def _size(found: Tried) -> tuple[int, int]:
    return found.rows, len(_key(found.scene))
