"""Settings fit together."""

from __future__ import annotations

from harness.scenario.draft import Draft, Problems


def dispatchers_name_their_columns(draft: Draft) -> Problems:
    """Ask for a list of columns with the partition rule `columns`, and with no other."""
    rules = draft.data.get("settings", {}).get("open", {}).get("sink.dispatchers", ())
    for number, rule in enumerate(rules):
        path = ("settings", "open", "sink.dispatchers", number)
        if rule.get("partition") == "columns" and "columns" not in rule:
            yield draft.at(path, "the partition rule `columns` names no columns", "a key `columns`")
        if rule.get("partition") != "columns" and "columns" in rule:
            what = "only the partition rule `columns` reads a list of columns"
            yield draft.at_key((*path, "columns"), what, "`partition: columns` beside it")
