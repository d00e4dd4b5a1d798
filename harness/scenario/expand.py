"""From a scenario to the cases that are run: the matrix, less what is excluded.

A case's id is permanent like the scenario's: `keys.pk-chain[open,p2]`, with the dialect when it is
not the default and the delivery variant when there is one: `keys.pk-chain[open,4.0.4,p2,replayed]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from harness.scenario.document import Scenario
from harness.scenario.select import matcher

DEFAULT_DIALECT = "current"
PLAIN = "plain"
AXES = ("protocol", "dialect", "partitions", "delivery")


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a scenario; `delivery` is the variant's name, None for the undisturbed run."""

    scenario: Scenario
    protocol: str
    dialect: str
    partitions: int
    delivery: str | None
    id: str


def combinations(
    axes: Mapping[str, Sequence[Any]], exclude: Sequence[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """Yield every assignment of values to axes that no entry of `exclude` covers, in axis order."""
    for values in product(*axes.values()):
        assignment = dict(zip(axes, values, strict=True))
        if not any(entry.items() <= assignment.items() for entry in exclude):
            yield assignment


def cases(scenario: Scenario) -> tuple[Case, ...]:
    """Return a scenario's cases: for each place in the matrix the plain one, then its variants."""
    matrix = scenario.matrix
    axes = {
        "protocol": matrix.protocols,
        "dialect": matrix.dialects or (DEFAULT_DIALECT,),
        "partitions": matrix.partitions,
        "delivery": (PLAIN, *scenario.delivery),
    }
    return tuple(_case(scenario, chosen) for chosen in combinations(axes, matrix.exclude))


def _case(scenario: Scenario, chosen: Mapping[str, Any]) -> Case:
    dialect, variant = chosen["dialect"], chosen["delivery"]
    words = [chosen["protocol"], f"p{chosen['partitions']}"]
    if dialect != DEFAULT_DIALECT:
        words.insert(1, dialect)
    if variant != PLAIN:
        words.append(variant)
    return Case(
        scenario,
        chosen["protocol"],
        dialect,
        chosen["partitions"],
        None if variant == PLAIN else variant,
        f"{scenario.id}[{','.join(words)}]",
    )


def select(cases: Sequence[Case], expression: str) -> tuple[Case, ...]:
    """Return the cases that a `-k` expression selects; UsageError when it cannot be read.

    A word matches a case when it is part of its id, of a tag or of a clause, whatever its capitals.
    """
    matches = matcher(expression)
    return tuple(case for case in cases if matches(_words(case)))


def _words(case: Case) -> tuple[str, ...]:
    return (case.id, *case.scenario.tags, *case.scenario.clauses)
