"""What scenarios claim under `kills`: every name is a mutant's, and every mutant is named."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from harness.errors import Location, Problem
from harness.mutants.table import MUTANTS
from harness.scenario.document import Scenario


def unknown_claims(scenarios: Iterable[Scenario]) -> tuple[Problem, ...]:
    """Return a problem for each name under `kills` that no mutant has."""
    return tuple(
        Problem(
            scenario.kill_places.get(name, Location(scenario.file)),
            f"`kills` names mutant `{name}`, which does not exist",
            expected="a name in docs/reference/mutants.md",
            hint=_hint(name),
        )
        for scenario in scenarios
        for name in scenario.kills
        if name not in MUTANTS
    )


def _hint(name: str) -> str:
    close = get_close_matches(name, MUTANTS, n=1)
    return f"did you mean `{close[0]}`?" if close else "take it out"
