"""What a fault declares of itself: its options, where it may be used, and what it preserves.

The rows of these shapes are the only statement about a fault. The grammar of scenarios, the
reference page and the properties in the tests are drawn from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from types import MappingProxyType
from typing import Protocol

from harness.errors import StepError
from harness.faults.actions import Step
from harness.faults.option import Given, Option, Options, settled
from harness.model.record import Record
from harness.protocols import PROTOCOLS
from harness.protocols.description import Claim, Permission


class Invariant(StrEnum):
    """What a fault may promise of the delivery that it leaves behind, said as a sentence's end."""

    BYTES = "every message has key, value, topic and partition of one that was to be sent"
    EVENTS = "every row and DDL event still comes in its partition"
    ONCE = "no event comes more often than it was to"
    ORDER = "in each partition the first copies of the events keep their order"
    LAST_VALUE = "the last message of each Kafka key in a partition stays the last"
    PROMISE = "no resolved event comes before the first copy of what it completes"
    RISING = "the resolved events of a partition never fall"
    MARKS = "the greatest resolved event of each partition still comes"


class Act(Protocol):
    """A fault done to the run: it puts actions between the messages."""

    def __call__(self, steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
        """Return the messages with the actions at their places."""
        ...


class Change(Protocol):
    """A fault done to the records: records in, records out.

    It keeps every record's origins, terminates, and depends on nothing but its arguments. It raises
    StepError when it has nothing to act on: an authoring mistake, never silence.
    """

    def __call__(
        self, records: Sequence[Record], options: Options, random: Random
    ) -> tuple[Record, ...]:
        """Return the disturbed records."""
        ...


@dataclass(frozen=True, slots=True)
class Disturbance:
    """One row of the table of faults.

    `change` works on records, `act` on the run; exactly one of them is given. Of the
    options named in `one_of` exactly one is given, of those in `some_of` at least one.

    A run-level fault is `live` when it happens while a consumer reads, save with the options
    `not_live`. One that `loses_data` removes messages before they are read, and a consumer has to
    declare that it survives that.
    """

    name: str
    meaning: str
    kept: frozenset[Invariant]
    options: tuple[Option, ...] = ()
    change: Change | None = None
    act: Act | None = None
    live: bool = False
    not_live: Given = field(default_factory=lambda: MappingProxyType({}))
    loses_data: bool = False
    one_of: tuple[str, ...] = ()
    some_of: tuple[str, ...] = ()
    example: Given = field(default_factory=lambda: MappingProxyType({}))

    def __call__(
        self, records: Sequence[Record], options: Given, line: int, random: Random
    ) -> tuple[Record, ...]:
        """Return the disturbed records; StepError when there is nothing to act on."""
        if self.change is None:
            raise StepError(
                f"`{self.name}` acts on the run, not on its records",
                line=line,
                expected="a fault of records where nothing is run",
                hint="take it out of this delivery, or run it where services and consumer are ours",
            )
        return self.change(records, self.settle(options, line), random)

    def act_on(
        self, steps: Sequence[Step], options: Given, line: int, random: Random
    ) -> tuple[Step, ...]:
        """Return the steps with this fault; one that changes records must come before actions."""
        if self.act is not None:
            return self.act(steps, self.settle(options, line), random)
        records = tuple(step for step in steps if isinstance(step, Record))
        if len(records) < len(steps):
            raise StepError(
                f"`{self.name}` changes records after a step that is done to the run",
                line=line,
                expected="steps that change records first, steps that are done to the run last",
            )
        return self(records, options, line, random)

    def settle(self, options: Given, line: int) -> Options:
        """Return the options with their defaults; StepError for what the grammar refuses too."""
        given = settled(self.name, self.options, options, line)
        for names, exactly in ((self.one_of, True), (self.some_of, False)):
            there = [name for name in names if name in options]
            if names and (not there or (exactly and len(there) > 1)):
                listed = ", ".join(f"`{name}`" for name in names)
                raise StepError(
                    f"`{self.name}` has {' and '.join(f'`{n}`' for n in there) or 'none'} of them",
                    line=line,
                    expected=f"{'exactly' if exactly else 'at least'} one of {listed}",
                )
        return given

    def kept_with(self, options: Given) -> frozenset[Invariant]:
        """Return what is preserved under these options."""
        lost = {kept for o in self.options if o.name in options for kept in o.loses}
        return frozenset(kept for kept in self.kept if kept.name not in lost)

    def is_live(self, options: Given) -> bool:
        """Return whether the fault, with these options, happens while a consumer reads."""
        exempt = any(options.get(name) == value for name, value in self.not_live.items())
        return self.live and not exempt

    @property
    def permissions(self) -> Mapping[str, Permission]:
        """Return what each protocol in which the fault makes sense says to it."""
        rows = {name: row.permissions.get(self.name) for name, row in PROTOCOLS.items()}
        return {name: permission for name, permission in rows.items() if permission is not None}

    def claim(self, protocol: str) -> Claim | None:
        """Return why it may be done in a protocol; None where the fault makes no sense."""
        permission = PROTOCOLS[protocol].permissions.get(self.name)
        return None if permission is None else permission.claim
