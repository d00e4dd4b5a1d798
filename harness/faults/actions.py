"""What is done to a run while its messages are sent and read; `engine/deliver/perform.py` does it.

A delivery is a sequence of steps: messages to send, and actions between them. An action happens
when everything before it has been sent and acknowledged; an action on the consumer waits for its
own moment (`Reached`) from then on.

Each action states here what follows from it: when it happens and what it needs (`demand`), what it
does to the log (`apply`), and in plain words what happens (`str`), which previews show.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from harness.errors import plural
from harness.faults.choose import place
from harness.faults.log import TopicLogs
from harness.model.record import Record


class Timing(Enum):
    """When an action happens, seen from the consumer."""

    ANY_TIME = "like a message: whoever reads, or nobody"
    BEFORE_READING = "before the consumer starts"
    WHILE_READING = "while the consumer reads"
    WHILE_READING_ONCE_SENT = "while the consumer reads, unless nothing was sent before it"


@dataclass(frozen=True, slots=True)
class Demand:
    """What an action asks of a run.

    `fault` names the fault in the run's phases, "" for what happens at any time. `service` goes
    away and may come back, so it has to be the run's own, and no other case uses it meanwhile.
    `fronted` is a service that stays as it is and has a front of this consumer's before it, which
    stands before one of ours alone. `capability` has to be declared by the consumer where the
    action happens while it reads.
    """

    timing: Timing = Timing.ANY_TIME
    fault: str = ""
    service: str = ""
    fronted: str = ""
    capability: str = ""


def _begin(count: int) -> str:
    return "begins" if count == 1 else "begin"


def _in_a_transaction(records: Sequence[Record]) -> str:
    verb = "is" if len(records) == 1 else "are"
    return f"{plural(len(records), 'message')} {verb} sent in a transaction"


def leaves_log_alone(action: object, topics: TopicLogs) -> None:
    """Change nothing: the action concerns the consumer or a service."""
    del action, topics


@dataclass(frozen=True, slots=True)
class Committed:
    """Send these messages in one transaction and commit it: each partition gets a marker more."""

    demand: ClassVar[Demand] = Demand()
    records: tuple[Record, ...]

    def apply(self, topics: TopicLogs) -> None:
        """Append the messages, then a marker in each partition."""
        for record in self.records:
            topics.append(record)
        topics.skip({place(record) for record in self.records})

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"{_in_a_transaction(self.records)} that is committed"


@dataclass(frozen=True, slots=True)
class Aborted:
    """Send these messages in one transaction and abort it: nobody who reads committed sees them."""

    demand: ClassVar[Demand] = Demand()
    records: tuple[Record, ...]

    def apply(self, topics: TopicLogs) -> None:
        """Use up an offset for each message, and for a marker in each partition."""
        topics.skip(place(record) for record in self.records)
        topics.skip({place(record) for record in self.records})

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"{_in_a_transaction(self.records)} that is aborted"


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """Send these messages in a transaction that nobody ends: what can be read ends before them."""

    demand: ClassVar[Demand] = Demand()
    records: tuple[Record, ...]

    def apply(self, topics: TopicLogs) -> None:
        """End the partitions here, for who reads committed messages."""
        topics.hold(place(record) for record in self.records)

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"{_in_a_transaction(self.records)} that nobody ends"


@dataclass(frozen=True, slots=True)
class DeleteBefore:
    """Let the broker delete what a partition holds below an offset, as retention does."""

    demand: ClassVar[Demand] = Demand(Timing.BEFORE_READING)
    topic: str
    partition: int
    offset: int

    def apply(self, topics: TopicLogs) -> None:
        """Remove what lies below the offset."""
        topics.delete_before((self.topic, self.partition), self.offset)

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"the broker deletes {self.topic}/{self.partition} below offset {self.offset}"


@dataclass(frozen=True, slots=True)
class Compact:
    """Let the broker compact a topic: of each key the last message stays, at its offset.

    The topic is one with `cleanup.policy=compact`. Without `tombstones` they are removed as well.
    """

    demand: ClassVar[Demand] = Demand()
    topic: str
    tombstones: bool = True

    def apply(self, topics: TopicLogs) -> None:
        """Leave the last message of each key."""
        topics.compact(self.topic, tombstones=self.tombstones)

    def __str__(self) -> str:
        """Return it in plain words."""
        kept = "and keeps tombstones" if self.tombstones else "and removes tombstones too"
        return f"the broker compacts {self.topic} {kept}"


@dataclass(frozen=True, slots=True)
class Clean:
    """Let the broker's own log cleaner compact a topic, and wait until it has.

    The cleaner leaves the segment alone that is still written to, so each partition gets a new one
    first: by the messages `rolls`, one a partition, in a transaction that is aborted.
    """

    demand: ClassVar[Demand] = Demand(Timing.BEFORE_READING)
    topic: str
    rolls: tuple[Record, ...]

    def apply(self, topics: TopicLogs) -> None:
        """Leave the last message of each key, tombstones included; then two offsets are used."""
        topics.compact(self.topic, tombstones=True)
        places = [place(record) for record in self.rolls]
        topics.skip(places)
        topics.skip(places)

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"the broker's log cleaner compacts {self.topic}"


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """Give a topic more partitions, up to `total`; `stopped` stops the consumer meanwhile."""

    topic: str
    total: int
    stopped: bool = False

    @property
    def demand(self) -> Demand:
        """Return the demand; nobody needs to read while the consumer is stopped."""
        timing = Timing.BEFORE_READING if self.stopped else Timing.WHILE_READING_ONCE_SENT
        return Demand(timing, "grow", capability="growing-topics")

    def apply(self, topics: TopicLogs) -> None:
        """Create the partitions, empty."""
        topics.extend(self.topic, self.total)

    def __str__(self) -> str:
        """Return it in plain words."""
        while_ = "is stopped" if self.stopped else "reads"
        return (
            f"{self.topic} grows to {plural(self.total, 'partition')} while the consumer {while_}"
        )


@dataclass(frozen=True, slots=True)
class RestartBroker:
    """Stop the broker and start it again, with its data."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "broker-restart", service="kafka")
    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        return "the broker stops and starts again with its data"


@dataclass(frozen=True, slots=True)
class EndLeader:
    """End the broker that leads all partitions; the other one, which has a replica, leads them."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "leader-moves", service="kafka")
    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        return "the broker that leads the partitions ends, and another one leads them"


@dataclass(frozen=True, slots=True)
class ElectLeader:
    """Start the broker that led the partitions again, and let it lead them as before."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "leader-moves", service="kafka")
    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        return "the broker that led the partitions comes back, and leads them again"


@dataclass(frozen=True, slots=True)
class StopRegistry:
    """Take the schema registry away."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "registry-down", service="registry")
    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        return "the schema registry stops"


@dataclass(frozen=True, slots=True)
class StartRegistry:
    """Start the schema registry again, knowing what it knew."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "registry-down", service="registry")
    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        return "the schema registry starts again with its schemas"


@dataclass(frozen=True, slots=True)
class TroubleRegistry:
    """Let the schema registry answer a consumer late, or with an error at first.

    Each answer comes after `milliseconds`; each path is answered 500 up to `errors` times before it
    is answered, how often is drawn from `seed`.
    """

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "registry-trouble", fronted="registry")
    milliseconds: int
    errors: int
    seed: int

    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        errors = (
            f", each path with 500 up to {plural(self.errors, 'time')} first" if self.errors else ""
        )
        return f"the schema registry answers after {self.milliseconds} ms{errors}"


@dataclass(frozen=True, slots=True)
class ForgetSchema:
    """Let the schema registry answer 404 to a consumer that asks for a schema, by its text.

    `named_by` is a message whose value names it.
    """

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "registry-forgets", fronted="registry")
    schema: str
    named_by: Record

    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"the schema registry has forgotten a schema of {self.named_by.topic}"


@dataclass(frozen=True, slots=True)
class AfterRecords:
    """The consumer has read this many messages."""

    count: int

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"once it has read {plural(self.count, 'message')}"


@dataclass(frozen=True, slots=True)
class AfterCommits:
    """The consumer has committed its position this often."""

    count: int

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"once it has committed its position {plural(self.count, 'time')}"


@dataclass(frozen=True, slots=True)
class AtCrashPoint:
    """The consumer is at a point that it declares, for the n-th time."""

    name: str
    hit: int

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"when it is at its crash point `{self.name}` for the {self.hit}. time"


Reached = AfterRecords | AfterCommits | AtCrashPoint


@dataclass(frozen=True, slots=True)
class Kill:
    """Kill the consumer with signal 9 at a moment; `resume` starts it again where it was."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "kill")
    when: Reached
    resume: bool = True

    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        then = "starts again where it was" if self.resume else "does not start again"
        return f"the consumer is killed (SIGKILL) {self.when}, and {then}"


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop the consumer in its tracks at a moment (SIGSTOP) and let it go on later (SIGCONT)."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "slow-consumer")
    when: Reached
    milliseconds: int

    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        return f"the consumer is held (SIGSTOP) {self.when}, for {self.milliseconds} ms"


@dataclass(frozen=True, slots=True)
class Instances:
    """Run the consumer this many times at once, in one consumer group."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "instances", capability="instances")
    count: int

    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        processes = plural(self.count, "process", "processes")
        return f"the consumer runs in {processes}, as one consumer group"


@dataclass(frozen=True, slots=True)
class Join:
    """Start more instances of the consumer at a moment, in the group of those that run."""

    demand: ClassVar[Demand] = Demand(Timing.WHILE_READING, "join", capability="instances")
    when: Reached
    count: int = 1

    apply = leaves_log_alone

    def __str__(self) -> str:
        """Return it in plain words."""
        more = plural(self.count, "more process", "more processes")
        return f"{self.when}, {more} of the consumer {_begin(self.count)}, in its consumer group"


BrokerAction = (
    Committed
    | Aborted
    | LeftOpen
    | DeleteBefore
    | Compact
    | Clean
    | AddPartitions
    | RestartBroker
    | EndLeader
    | ElectLeader
)
RegistryAction = StopRegistry | StartRegistry | TroubleRegistry | ForgetSchema
ConsumerAction = Kill | Pause | Instances | Join
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
