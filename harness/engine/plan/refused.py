"""Settings that a changefeed refuses, at their place in the scenario file."""

from __future__ import annotations

from dataclasses import replace

from harness.errors import Location, Problem, ScenarioError
from harness.scenario.document import Scenario
from harness.scenario.expand import Case
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.source import CHANGEFEED


def refused_settings(case: Case, error: ChangefeedError | ScenarioError) -> tuple[Problem, ...]:
    """Return the problems with their places in the scenario, as near as it tells them."""
    scenario, protocol = case.scenario, case.protocol
    if isinstance(error, ChangefeedError):
        over = case.changefeed
        if over is not None and error.path and error.path[0] in over.settings:
            where = over.place(error.path)
            return (Problem(where, f"{case.id}: {error.what}", error.expected, error.hint),)
        laid = (f"+{case.profile}", protocol, *error.path)
        if laid in scenario.setting_places:
            where = scenario.setting_places[laid]
        else:
            where = _place(scenario, (protocol, *error.path))
        return (Problem(where, error.what, error.expected, error.hint),)
    block = _place(scenario, (protocol, CHANGEFEED))
    return tuple(
        replace(problem, location=_within(block, problem.location))
        if problem.location.path == CHANGEFEED
        else problem
        for problem in error.problems
    )


def _place(scenario: Scenario, path: tuple[str | int, ...]) -> Location:
    """Return where a setting stands, or the part of the settings that encloses it."""
    while path and path not in scenario.setting_places:
        path = path[:-1]
    return scenario.setting_places.get(path, Location(scenario.file, 1))


def _within(block: Location, inside: Location) -> Location:
    """Return the line of a text that starts on the line after its key; columns are indented."""
    return Location(block.path, block.line + inside.line)
