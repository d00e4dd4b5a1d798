"""A delivery: the steps of a scenario applied one after the other, each with its own seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from harness.faults import FAULTS
from harness.faults.actions import Step
from harness.model.record import Record


class FaultStep(Protocol):
    """One step as an author writes it: the fault's name, its options, and the line."""

    @property
    def fault(self) -> str:
        """Return the name of the fault."""
        ...

    @property
    def options(self) -> Mapping[str, object]:
        """Return the options that were given."""
        ...

    @property
    def line(self) -> int:
        """Return the line of the scenario file."""
        ...


@dataclass(frozen=True, slots=True)
class AppliedStep:
    """What is sent and done without one step of a delivery, and with it."""

    before: tuple[Step, ...]
    after: tuple[Step, ...]


def step_random(seed: str, *numbers: int) -> Random:
    """Return the generator that a step draws from.

    `numbers` are the step's number in its delivery and, where a stream is delivered in windows, the
    window's. Each step has a generator of its own, so that a delivery is the same everywhere and no
    step changes what the others draw.
    """
    return Random("/".join((seed, *map(str, numbers))))


def apply_steps(
    records: Sequence[Record], wanted: Iterable[FaultStep], seed: str
) -> Iterator[AppliedStep]:
    """Yield each step applied to what the ones before it left; StepError where that cannot be."""
    before: tuple[Step, ...] = tuple(records)
    for number, step in enumerate(wanted):
        random = step_random(seed, number)
        after = FAULTS[step.fault].act_on(before, step.options, step.line, random)
        yield AppliedStep(before, after)
        before = after


def deliver(records: Sequence[Record], wanted: Iterable[FaultStep], seed: str) -> tuple[Step, ...]:
    """Return what is sent and done, in order; StepError with the line of a step that cannot be."""
    steps: tuple[Step, ...] = tuple(records)
    for applied in apply_steps(records, wanted, seed):
        steps = applied.after
    return steps
