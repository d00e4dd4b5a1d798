"""The catalogue as explanations look things up in it: scenarios, cases, and who cites what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from harness.engine.catalogue.citing import covering_cases
from harness.engine.catalogue.workspace import Workspace
from harness.scenario.document import Scenario
from harness.scenario.expand import Case, cases


@dataclass(frozen=True)
class ScenarioCatalogue:
    """The scenarios of a workspace."""

    space: Workspace
    all_scenarios: tuple[Scenario, ...]

    @cached_property
    def scenarios(self) -> Mapping[str, Scenario]:
        """Return the scenarios by id."""
        return {scenario.id: scenario for scenario in self.all_scenarios}

    @cached_property
    def cases(self) -> Mapping[str, Case]:
        """Return the cases by id."""
        return {case.id: case for scenario in self.all_scenarios for case in cases(scenario)}

    @cached_property
    def covering(self) -> Mapping[str, tuple[Case, ...]]:
        """Return the cases that cover each clause, by clause id."""
        return covering_cases(self.cases.values())


def covering_scenarios(catalogue: ScenarioCatalogue, clause: str) -> tuple[Scenario, ...]:
    """Return the scenarios that cover a clause, those of fewest clauses first."""
    those = {case.scenario.id: case.scenario for case in catalogue.covering.get(clause, ())}
    return tuple(sorted(those.values(), key=lambda one: (len(one.clauses), one.id)))
