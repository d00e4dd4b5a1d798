"""Settings by names that somebody knows: what a protocol's codec or its upstream reads.

A name that nobody reads would be a setting without effect, and a case that proves nothing.
"""

from __future__ import annotations

from harness.documents.nearest import did_you_mean
from harness.errors import Location, Problem, ScenarioError
from harness.protocols import PROTOCOLS
from harness.scenario.expand import Case
from harness.scenario.grammar import grammar
from harness.sources.source import CHANGEFEED


def check_names(case: Case) -> None:
    """Raise ScenarioError for a setting of TiCDC Avro that neither encoder nor changefeed knows.

    The grammar itself closes the names of `open`, the connector's own reader those of `vitess`.
    """
    if case.protocol != "avro":
        return
    changefeed = grammar()["$defs"]["open-settings"]["properties"]
    known = {CHANGEFEED, *changefeed, *(one.name for one in PROTOCOLS["avro"].settings)}
    problems = tuple(
        Problem(
            setting_place(case, name),
            f"{case.id}: TiCDC Avro has no setting `{name}`",
            hint=did_you_mean(name, known),
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
    return Location(case.scenario.file, 1)


def _is_laid(case: Case, name: str) -> bool:
    """Tell whether a setting comes from a changefeed file, which knows its own keys."""
    return case.changefeed is not None and name in case.changefeed.settings


def named_place(case: Case, message: str) -> Location:
    """Return where the setting stands that a message names; the file's first line for none."""
    if message.startswith("`keyspace`"):
        return Location(case.scenario.file, case.scenario.keyspace.line)
    named = [name for name in case.settings if name in message]
    return setting_place(case, max(named, key=len)) if named else Location(case.scenario.file, 1)
