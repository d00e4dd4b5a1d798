"""Cases by their delivery, and one case out of a scenario's many: a topic takes one stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.errors import UsageError
from harness.scenario.expand import PLAIN, Case

SHOWN = 8


def one_each(
    cases: Sequence[Case], delivery: str | None = None, partitions: int | None = None
) -> tuple[Case, ...]:
    """Return one case for each scenario of `cases`; UsageError that lists the choice where many.

    `delivery` names a variant, `plain` the undisturbed one, which is also preferred where nothing
    is named. `partitions` chooses by the matrix or, where it has no such number, lays the scenario
    over that many anyway.
    """
    together: dict[str, list[Case]] = {}
    for case in cases:
        together.setdefault(case.scenario.id, []).append(case)
    return tuple(_one(found, delivery, partitions) for found in together.values())


def of_delivery(cases: Sequence[Case], delivery: str) -> tuple[Case, ...]:
    """Return the cases of one delivery variant; UsageError with their names when there is none."""
    name = None if delivery == PLAIN else delivery
    found = tuple(case for case in cases if case.delivery == name)
    if not found:
        names = dict.fromkeys(case.delivery or PLAIN for case in cases)
        raise UsageError(
            f"no chosen case has the delivery {delivery!r}", expected="one of " + ", ".join(names)
        )
    return found


def disturbed_cases(cases: Sequence[Case], delivery: str | None) -> tuple[Case, ...]:
    """Return the cases of a delivery variant, of any for None; UsageError when there is none."""
    found = tuple(case for case in cases if case.delivery is not None)
    if not found:
        raise UsageError(
            f"none of the {len(cases)} chosen cases has a delivery",
            hint="`harness list` shows the cases; `harness preview` shows them undisturbed",
        )
    return found if delivery is None else of_delivery(found, delivery)


def spread(case: Case, partitions: int) -> Case:
    """Return the case over another number of partitions; no golden file shows it."""
    head, _, words = case.id[:-1].partition("[")
    old, new = f"p{case.partitions}", f"p{partitions}"
    listed = words.split(",")
    listed[listed.index(old)] = new
    return replace(case, partitions=partitions, id=f"{head}[{','.join(listed)}]")


def _one(cases: Sequence[Case], delivery: str | None, partitions: int | None) -> Case:
    found = list(of_delivery(cases, delivery) if delivery is not None else cases)
    if partitions is not None:
        there = [case for case in found if case.partitions == partitions]
        laid = {case.id: case for case in (spread(case, partitions) for case in found)}
        found = there or list(laid.values())
    if delivery is None and len(found) > 1:
        found = [case for case in found if case.delivery is None] or found
    if len(found) > 1:
        shown = [f"'{case.id}'" for case in found[:SHOWN]]
        more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise UsageError(
            f"{found[0].scenario.id} has {len(found)} cases, but a topic takes one stream",
            expected=f"one case: add -k {' or -k '.join(shown)}{more}",
            hint="-k, --delivery and --partitions choose; `harness list` shows all of them",
        )
    return found[0]
