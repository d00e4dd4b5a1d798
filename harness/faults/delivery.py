"""A disturbed delivery as a whole: the steps of a scenario applied one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from harness.faults import FAULTS
from harness.faults.actions import Step, sent
from harness.faults.fault import Standing
from harness.model.record import Record


class Wanted(Protocol):
    """One step as an author writes it: the fault's name, its options, and the line."""

    @property
    def fault(self) -> str:
        """Return the name of the fault."""
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options that were given."""
        ...

    @property
    def line(self) -> int:
        """Return the line of the scenario file."""
        ...


def deliver(records: Sequence[Record], wanted: Sequence[Wanted], seed: str) -> tuple[Step, ...]:
    """Return what is sent and done, in order; StepError with the line of a step that cannot be.

    The n-th step draws from a generator of its own, seeded with `seed` and its number, so that a
    delivery is the same everywhere and a step does not change what the others do.
    """
    *_, steps = _one_after_the_other(records, wanted, seed)
    return steps


def malformed(records: Sequence[Record], wanted: Sequence[Wanted], seed: str) -> frozenset[Record]:
    """Return the messages of a delivery that its hostile steps made."""
    stages = list(_one_after_the_other(records, wanted, seed))
    made: set[Record] = set()
    for step, before, after in zip(wanted, stages, stages[1:], strict=False):
        licences = FAULTS[step.fault].licences.values()
        if all(permission.standing is Standing.HOSTILE for permission in licences):
            made |= set(sent(after)) - set(sent(before))
    return frozenset(made)


def _one_after_the_other(
    records: Sequence[Record], wanted: Sequence[Wanted], seed: str
) -> Iterator[tuple[Step, ...]]:
    """Yield what there is before the first step and after each."""
    steps: tuple[Step, ...] = tuple(records)
    yield steps
    for number, step in enumerate(wanted):
        random = Random(f"{seed}/{number}")
        steps = FAULTS[step.fault].enact(steps, step.options, step.line, random)
        yield steps
