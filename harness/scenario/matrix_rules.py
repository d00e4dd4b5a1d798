"""The matrix says what it means: exclusions name what exists, and something is left to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.contracts import DEFAULT_DIALECT
from harness.documents import PlainObject
from harness.documents.explain import shown
from harness.documents.nearest import did_you_mean, one_of
from harness.scenario.draft import Draft, Problems
from harness.scenario.expand import PLAIN, combinations
from harness.scenario.pairwise import chosen, profiles


def axes(data: PlainObject) -> Mapping[str, Sequence[Any]]:
    """Return the values of each axis of a scenario's matrix."""
    matrix = data["matrix"]
    return {
        "protocol": matrix["protocol"],
        "dialect": matrix.get("dialect", (DEFAULT_DIALECT,)),
        "profile": (PLAIN, *profiles(data)),
        "partitions": matrix.get("partitions", (1,)),
        "delivery": (PLAIN, *data.get("delivery", {})),
    }


def exclude_names_what_exists(draft: Draft) -> Problems:
    """Refuse values that no axis has: they would silently exclude nothing."""
    known = axes(draft.data)
    for number, entry in enumerate(draft.data["matrix"].get("exclude", ())):
        for axis, value in entry.items():
            if value not in known[axis]:
                words = [str(choice) for choice in known[axis]]
                yield draft.at(
                    ("matrix", "exclude", number, axis),
                    f"`{axis}` never is {shown(value)} in this matrix",
                    one_of(words),
                    did_you_mean(str(value), words),
                )


def some_case_is_left(draft: Draft) -> Problems:
    """Refuse a scenario that excludes all of its cases."""
    exclude = draft.data["matrix"].get("exclude", ())
    if not any(combinations(axes(draft.data), exclude, profiles(draft.data))):
        yield draft.at(("matrix", "exclude"), "every case is excluded", "at least one case")


def smallest_partition_count(draft: Draft) -> int:
    """Return the smallest number of partitions that any case of the scenario has."""
    exclude = draft.data["matrix"].get("exclude", ())
    left = combinations(axes(draft.data), exclude, profiles(draft.data))
    return min((int(chosen["partitions"]) for chosen in left), default=1)


def profiles_name_protocols_of_the_matrix(draft: Draft) -> Problems:
    """Refuse settings for a protocol that the scenario does not run: they would do nothing."""
    protocols = draft.protocols()
    for name, settings in draft.data.get("profiles", {}).items():
        path = ("profiles", name)
        if name == PLAIN:
            what = f"the name `{PLAIN}` belongs to `settings` alone"
            yield draft.at_key(path, what, "another name for the profile")
        for protocol in settings:
            if protocol not in protocols:
                what = f"the profile has settings for `{protocol}`, which the matrix does not run"
                yield draft.at_key((*path, protocol), what, one_of(protocols))


def pairwise_lists_make_profiles(draft: Draft) -> Problems:
    """Refuse lists of a protocol that the scenario does not run, and names that are taken."""
    own, protocols = draft.data.get("profiles", {}), draft.protocols()
    for protocol, lists in draft.data.get("pairwise", {}).items():
        path = ("pairwise", protocol)
        if protocol not in protocols:
            what = f"there are lists for `{protocol}`, which the matrix does not run"
            yield draft.at_key(path, what, one_of(protocols))
        names = [name for name, _ in chosen(lists)]
        for name in dict.fromkeys(names):
            if name == PLAIN or protocol in own.get(name, {}):
                what = f"these lists make a profile `{name}`, and there is one"
                yield draft.at_key(path, what, "another name for the profile under `profiles`")
            if names.count(name) > 1:
                what = f"two combinations of these lists would both be named `{name}`"
                yield draft.at_key(path, what, "values that differ in letters and digits")
