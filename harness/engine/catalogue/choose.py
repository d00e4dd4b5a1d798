"""Which scenarios and which cases: light, so that `list` answers at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.engine.catalogue.workspace import Workspace
from harness.errors import UsageError
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases, select
from harness.scenario.load import load_all


def load(space: Workspace, paths: Sequence[Path] = ()) -> tuple[Scenario, ...]:
    """Return the scenarios under the root, or those of the given files, directories and ids."""
    return load_all(space.scenarios, tuple(map(space.file, paths)))


def selected(scenarios: Iterable[Scenario], expression: str | None) -> tuple[Case, ...]:
    """Return the cases that a `-k` expression selects, all without one; UsageError when none."""
    every = tuple(case for scenario in scenarios for case in cases(scenario))
    chosen = select(every, expression) if expression else every
    if not chosen:
        what = (
            f"-k {expression!r} selects none of {len(every)} cases"
            if every
            else "there are no cases"
        )
        raise UsageError(what, hint="`harness list` shows the cases")
    return chosen
