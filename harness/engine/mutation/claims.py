"""What scenarios claim under `kills`: mutants that exist, of rules that the scenario cites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from harness.errors import Problem
from harness.mutants.mutant import Mutant
from harness.mutants.table import MUTANTS
from harness.scenario.document import Scenario


def claims(scenario: Scenario, mutant: Mutant, protocol: str) -> bool:
    """Return whether a scenario claims a mutant in a protocol: by its name and by its clause."""
    cited = frozenset(scenario.clauses)
    return mutant.name in scenario.kills and not cited.isdisjoint(mutant.clauses(protocol))


def claim_problems(scenarios: Iterable[Scenario]) -> tuple[Problem, ...]:
    """Return a problem for each name under `kills` that is no mutant's, or whose rule is uncited.

    A claim holds in the protocols in which the scenario cites a clause that the mutant violates.
    """
    return tuple(problem for scenario in scenarios for problem in _problems(scenario))


def _problems(scenario: Scenario) -> Iterator[Problem]:
    for name in scenario.kills:
        where = scenario.kill_places.get(name, scenario.place(1))
        mutant = MUTANTS.get(name)
        if mutant is None:
            yield Problem(
                where,
                f"`kills` names mutant `{name}`, which does not exist",
                expected="a name in docs/reference/mutants.md",
                hint=_hint(name),
            )
            continue
        protocols = [one for one in scenario.matrix.protocols if one in mutant.protocols]
        if not any(claims(scenario, mutant, protocol) for protocol in protocols):
            violated = dict.fromkeys(c for one in protocols for c in mutant.clauses(one))
            yield Problem(
                where,
                f"`kills` names mutant `{name}`, but `clauses` lacks the rule that it violates",
                expected=" or ".join(violated) or f"a protocol of {', '.join(mutant.protocols)}",
                hint="cite the clause, or claim the mutant in a scenario that does",
            )


def _hint(name: str) -> str:
    close = get_close_matches(name, MUTANTS, n=1)
    return f"did you mean `{close[0]}`?" if close else "take it out"
