"""Settings fit together."""

from __future__ import annotations

from collections.abc import Sequence

from harness.documents import PlainObject
from harness.protocols import PROTOCOLS
from harness.scenario.draft import Draft, Problems


def dispatchers_name_their_columns(draft: Draft) -> Problems:
    """Ask for a list of columns with the partition rule `columns`, and with no other."""
    for protocol, settings in draft.data.get("settings", {}).items():
        # Where the grammar leaves the settings open, nothing says what a dispatcher is.
        if PROTOCOLS[protocol].settings_schema is not None:
            yield from _dispatchers(draft, protocol, settings.get("sink.dispatchers", ()))


def _dispatchers(draft: Draft, protocol: str, rules: Sequence[PlainObject]) -> Problems:
    for number, rule in enumerate(rules):
        path = ("settings", protocol, "sink.dispatchers", number)
        if rule.get("partition") == "columns" and "columns" not in rule:
            yield draft.at(path, "the partition rule `columns` names no columns", "a key `columns`")
        if rule.get("partition") != "columns" and "columns" in rule:
            what = "only the partition rule `columns` reads a list of columns"
            yield draft.at_key((*path, "columns"), what, "`partition: columns` beside it")
