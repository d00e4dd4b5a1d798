"""Disturbed deliveries name what exists, and are allowed in every protocol that they run in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.scenario.draft import Draft, Problems
from harness.scenario.expand import PLAIN
from harness.scenario.nearest import did_you_mean, one_of
from harness.scenario.source import Path


def variants_are_not_called_plain(draft: Draft) -> Problems:
    """Keep the name `plain` for the undisturbed run."""
    if PLAIN in draft.data.get("delivery", {}):
        what = f"the name `{PLAIN}` belongs to the undisturbed run"
        yield draft.at_key(("delivery", PLAIN), what, "another name")


def licences_cover_the_matrix(draft: Draft) -> Problems:
    """Ask for a clause of each protocol that a disturbance is run in."""
    for path, step in _steps(draft):
        licences: Mapping[str, str] = step.get("allowed-by", {})
        for protocol in draft.protocols() if licences else ():
            if protocol not in licences:
                what = f"no clause allows this in the protocol `{protocol}`"
                yield draft.at_key((*path, "allowed-by"), what, f"`{protocol}`: a clause id")


def transactions_are_known(draft: Draft) -> Problems:
    """Refuse names that no transaction has, and a replay that ends before it starts."""
    names = [name for _, name in draft.transactions()]
    for path, step in _steps(draft):
        for fault, key in (("duplicate", "transaction"), ("replay", "from"), ("replay", "to")):
            name = step.get(fault, {}).get(key)
            if name is not None and name not in names:
                yield draft.at(
                    (*path, fault, key),
                    f"no transaction is called `{name}`",
                    one_of(names) if names else "a transaction under `upstream`",
                    did_you_mean(name, names),
                )
        yield from _replay_goes_forward(draft, path, step.get("replay", {}), names)


def _replay_goes_forward(
    draft: Draft, path: Path, replay: Mapping[str, Any], names: list[str]
) -> Problems:
    first, last = replay.get("from"), replay.get("to")
    if first in names and last in names and names.index(last) < names.index(first):
        what = f"`{last}` comes before `{first}`"
        yield draft.at((*path, "replay", "to"), what, f"`{first}` or a later transaction")


def _steps(draft: Draft) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for variant, steps in draft.data.get("delivery", {}).items():
        for number, step in enumerate(steps):
            yield ("delivery", variant, number), step
