"""What is done to a run while its messages are sent and read: typed, and executed elsewhere.

A delivery is a sequence of steps: messages to send, and actions between them. An action happens
when everything before it has been sent and acknowledged; an action on the consumer waits for its
own moment (`Reached`) from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.model.record import Record


@dataclass(frozen=True, slots=True)
class Committed:
    """Send these messages in one transaction and commit it: each partition gets a marker more."""

    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Aborted:
    """Send these messages in one transaction and abort it: nobody who reads committed sees them."""

    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class DeleteBefore:
    """Let the broker delete what a partition holds below an offset, as retention does."""

    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Compact:
    """Let the broker compact a topic: of each key the last message stays, at its offset.

    The topic is one with `cleanup.policy=compact`. Without `tombstones` they are removed as well.
    """

    topic: str
    tombstones: bool = True


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """Give a topic more partitions, up to `total`; `stopped` stops the consumer meanwhile."""

    topic: str
    total: int
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class RestartBroker:
    """Stop the broker and start it again, with its data."""


@dataclass(frozen=True, slots=True)
class StopRegistry:
    """Take the schema registry away."""


@dataclass(frozen=True, slots=True)
class StartRegistry:
    """Start the schema registry again, knowing what it knew."""


@dataclass(frozen=True, slots=True)
class AfterRecords:
    """The consumer has read this many messages."""

    count: int


@dataclass(frozen=True, slots=True)
class AfterCommits:
    """The consumer has committed its position this often."""

    count: int


@dataclass(frozen=True, slots=True)
class AtCrashPoint:
    """The consumer is at a point that it declares, for the n-th time."""

    name: str
    hit: int


Reached = AfterRecords | AfterCommits | AtCrashPoint


@dataclass(frozen=True, slots=True)
class Kill:
    """Kill the consumer with signal 9 at a moment; `resume` starts it again where it was."""

    when: Reached
    resume: bool = True


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop the consumer in its tracks at a moment (SIGSTOP) and let it go on later (SIGCONT)."""

    when: Reached
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Instances:
    """Run the consumer this many times at once, in one consumer group."""

    count: int


BrokerAction = Committed | Aborted | DeleteBefore | Compact | AddPartitions | RestartBroker
RegistryAction = StopRegistry | StartRegistry
ConsumerAction = Kill | Pause | Instances
Action = BrokerAction | RegistryAction | ConsumerAction
Step = Record | Action


def sent(steps: Iterable[Step]) -> tuple[Record, ...]:
    """Return the messages that reach a reader of committed ones, in the order of sending."""
    found: list[Record] = []
    for step in steps:
        if isinstance(step, Record):
            found.append(step)
        elif isinstance(step, Committed):
            found += step.records
    return tuple(found)


def messages(steps: Sequence[Step]) -> tuple[list[int], list[Record]]:
    """Return the positions of the messages that are sent outside of transactions, and them."""
    found = [(n, step) for n, step in enumerate(steps) if isinstance(step, Record)]
    return [number for number, _ in found], [record for _, record in found]
