"""From a scenario to the cases that are run: the matrix, less what is excluded.

A case's id is permanent like the scenario's: `keys.pk-chain[open,p2]`, with the dialect when it is
not the default, the profile and the delivery variant when there are any:
`keys.pk-chain[open,4.0.4,+small,p2,replayed]`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any

from harness.contracts import DEFAULT_DIALECT
from harness.documents import PlainObject
from harness.errors import Location
from harness.model.settings import Settings
from harness.protocols import PROTOCOLS
from harness.scenario.document import Scenario
from harness.scenario.select import matcher

PLAIN = "plain"
NO_PROFILES: Mapping[str, Container[str]] = MappingProxyType({})


# The setting under which a scenario embeds a whole changefeed file.
EMBEDDED = "changefeed"


@dataclass(frozen=True, slots=True)
class Laid:
    """A changefeed file that a person lays over scenarios: its settings, and where each stands.

    `places` has the paths of the file's own keys.
    """

    file: str
    settings: Settings
    places: Mapping[tuple[str | int, ...], Location]

    def place(self, path: Sequence[str | int]) -> Location:
        """Return where something stands that is named by its path, or what encloses it."""
        keys = tuple(key for part in path[:1] for key in str(part).split(".")) + tuple(path[1:])
        while keys and keys not in self.places:
            keys = keys[:-1]
        return self.places.get(keys, Location(self.file))


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a scenario.

    `delivery` is the variant's name, None for the undisturbed run; `profile` that of the settings
    laid over the scenario's own, None for those alone. `changefeed` is a file laid over both, in
    place of one that the scenario embeds.
    """

    scenario: Scenario
    protocol: str
    dialect: str
    partitions: int
    delivery: str | None
    id: str
    profile: str | None = None
    changefeed: Laid | None = None

    @property
    def settings(self) -> Settings:
        """Return the protocol's settings, under the vendor's names, as the scenario gives them."""
        own = self.scenario.settings.get(self.protocol, {})
        laid: Settings = {}
        if self.profile is not None:
            laid = self.scenario.profiles[self.profile].get(self.protocol, {})
        merged = {**own, **laid}
        if self.changefeed is None:
            return merged
        merged.pop(EMBEDDED, None)
        return {**merged, **self.changefeed.settings}


def combinations(
    axes: Mapping[str, Sequence[Any]],
    exclude: Sequence[PlainObject],
    profiles: Mapping[str, Container[str]] = NO_PROFILES,
) -> Iterator[PlainObject]:
    """Yield every assignment of values to axes that no entry of `exclude` covers, in axis order.

    A dialect goes with the protocols that have it, a profile with those that it names.
    """
    for values in product(*axes.values()):
        assignment = dict(zip(axes, values, strict=True))
        excluded = any(entry.items() <= assignment.items() for entry in exclude)
        if _has_dialect(assignment) and _in_profile(assignment, profiles) and not excluded:
            yield assignment


def _has_dialect(assignment: PlainObject) -> bool:
    if "dialect" not in assignment:
        return True
    protocol = assignment.get("protocol", "")
    return protocol in PROTOCOLS and assignment["dialect"] in PROTOCOLS[protocol].codec.dialects


def _in_profile(assignment: PlainObject, profiles: Mapping[str, Container[str]]) -> bool:
    name = assignment.get("profile", PLAIN)
    return name == PLAIN or assignment["protocol"] in profiles[name]


def cases(scenario: Scenario) -> tuple[Case, ...]:
    """Return a scenario's cases: for each place in the matrix the plain one, then its variants."""
    matrix = scenario.matrix
    axes = {
        "protocol": matrix.protocols,
        "dialect": matrix.dialects or (DEFAULT_DIALECT,),
        "profile": (PLAIN, *scenario.profiles),
        "partitions": matrix.partitions,
        "delivery": (PLAIN, *scenario.delivery),
    }
    found = combinations(axes, matrix.exclude, scenario.profiles)
    return tuple(_case(scenario, chosen) for chosen in found)


def _case(scenario: Scenario, chosen: PlainObject) -> Case:
    dialect, variant, profile = chosen["dialect"], chosen["delivery"], chosen["profile"]
    words = [chosen["protocol"]]
    if dialect != DEFAULT_DIALECT:
        words.append(dialect)
    if profile != PLAIN:
        words.append(f"+{profile}")
    words.append(f"p{chosen['partitions']}")
    if variant != PLAIN:
        words.append(variant)
    return Case(
        scenario,
        chosen["protocol"],
        dialect,
        chosen["partitions"],
        None if variant == PLAIN else variant,
        f"{scenario.id}[{','.join(words)}]",
        None if profile == PLAIN else profile,
    )


def select(cases: Sequence[Case], expression: str) -> tuple[Case, ...]:
    """Return the cases that a `-k` expression selects; UsageError when it cannot be read.

    A word matches a case when it is part of its id or of a tag, whatever its capitals.
    """
    matches = matcher(expression)
    return tuple(case for case in cases if matches(words_of(case)))


def words_of(case: Case) -> tuple[str, ...]:
    """Return what a `-k` expression is held against: a word is a part of the id or of a tag."""
    return (case.id, *case.scenario.tags)
