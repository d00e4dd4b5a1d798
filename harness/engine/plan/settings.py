"""Settings that nobody knows or that a changefeed refuses, each problem at its place in the file.

A name that nobody reads would be a setting without effect, and a case that proves nothing.
"""

from __future__ import annotations

from dataclasses import replace

from harness.documents.nearest import did_you_mean
from harness.errors import Location, Problem, ScenarioError, plural
from harness.protocols import PROTOCOLS
from harness.scenario.document import Scenario
from harness.scenario.expand import Case
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.source import CHANGEFEED


def check_names(case: Case) -> None:
    """Raise ScenarioError for a setting that neither encoder nor source knows.

    Where a protocol does not list its names, the grammar or its codec's own reader closes them.
    """
    protocol = PROTOCOLS[case.protocol]
    known = protocol.known_settings
    if known is None:
        return
    problems = tuple(
        Problem(
            setting_place(case, name),
            f"{case.id}: {protocol.description.title} has no setting `{name}`",
            f"one of its {plural(len(known), 'setting')}",
            did_you_mean(name, known),
        )
        for name in case.settings
        if name not in known and not _is_laid(case, name)
    )
    if problems:
        raise ScenarioError(problems)


def setting_place(case: Case, name: str) -> Location:
    """Return where a case's setting stands: in a changefeed file, the profile, or the settings."""
    if case.changefeed is not None and _is_laid(case, name):
        return case.changefeed.place((name,))
    places = case.scenario.setting_places
    for path in ((f"+{case.profile}", case.protocol, name), (case.protocol, name)):
        if path in places:
            return places[path]
    return _place(case.scenario, (case.protocol,))


def _is_laid(case: Case, name: str) -> bool:
    """Return whether a setting comes from a changefeed file, which knows its own keys."""
    return case.changefeed is not None and name in case.changefeed.settings


def named_place(case: Case, message: str) -> Location:
    """Return where the setting stands that a message names; the settings themselves for none."""
    if message.startswith("`keyspace"):
        return case.scenario.place(case.scenario.keyspace.line)
    named = [name for name in case.settings if name in message]
    return setting_place(case, max(named, key=len, default=""))


def refused_settings(case: Case, error: ChangefeedError | ScenarioError) -> tuple[Problem, ...]:
    """Return the problems with their places in the scenario, as near as it names them."""
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
        replace(problem, location=_within(scenario, block, problem.location))
        if problem.location.path == CHANGEFEED
        else problem
        for problem in error.problems
    )


def _place(scenario: Scenario, path: tuple[str | int, ...]) -> Location:
    """Return where a setting stands, or the part of the settings that encloses it."""
    while path and path not in scenario.setting_places:
        path = path[:-1]
    return scenario.setting_places.get(path, scenario.place(1))


def _within(scenario: Scenario, block: Location, inside: Location) -> Location:
    """Return the place in a text that starts on the line after its key, indented as that line."""
    indent = scenario.place(block.line + 1).column - 1
    return Location(block.path, block.line + inside.line, indent + max(inside.column, 1))
