"""Which scenarios and which cases: light, so that `list` answers at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from harness.engine.catalogue.places import files_of
from harness.engine.catalogue.selection import Selection, narrowed
from harness.engine.catalogue.workspace import Workspace, bundled
from harness.runner.manifests.named import NamedCases
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases, words_of
from harness.scenario.load import load_all


def load(space: Workspace, paths: Sequence[Path] = ()) -> tuple[Scenario, ...]:
    """Return the scenarios under the root, or those of the given files, directories and ids."""
    return load_all(space.scenarios, files_of(space, paths))


def selected(scenarios: Iterable[Scenario], expression: str | None) -> tuple[Case, ...]:
    """Return the cases that a `-k` expression selects, all without one; UsageError when none."""
    every = tuple(case for scenario in scenarios for case in cases(scenario))
    return narrowed(every, Selection(expression=expression))


def every_name(space: Workspace, chosen: Sequence[Case], *, whole: bool) -> NamedCases:
    """Return what a list of known failures may name; `whole` when all of the root is chosen.

    The package's own scenarios count also where a person runs others: a consumer has one list.
    """
    roots = [] if whole else [space.scenarios]
    own = bundled() / "scenarios"
    roots += [] if own.resolve() == space.scenarios.resolve() else [own]
    return NamedCases([words_of(case) for case in chosen], partial(_names, roots))


def also_bundled(names: Sequence[tuple[str, ...]]) -> NamedCases:
    """Return what a list may name where the cases are not those of scenarios: these, and theirs."""
    return NamedCases(names, partial(_names, [bundled() / "scenarios"]))


def _names(roots: Sequence[Path]) -> Sequence[tuple[str, ...]]:
    found = (scenario for root in roots for scenario in load_all(root))
    return [words_of(case) for scenario in found for case in cases(scenario)]
