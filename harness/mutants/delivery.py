"""One way in which a consumer may come to read the records of a case, without Kafka.

The seed 0 is the plain one: every message in the order of sending, one batch, nothing stops. Any
other seed draws what Kafka allows: partitions interleave at will, control markers leave further
gaps (at the end too), batches are small, the consumer is stopped once and goes on, and one
partition may be younger than the consumer.

Source: `kafka.no-order-across-partitions`, `kafka.offsets-have-gaps`, `kafka.at-least-once`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from harness.faults.log import Log
from harness.model.record import Record

Partition = tuple[str, int]
LARGEST_BATCH = 5


@dataclass(frozen=True, slots=True)
class Message:
    """A message at its offset."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None

    @property
    def place(self) -> Partition:
        """Return the topic's partition."""
        return (self.topic, self.partition)


@dataclass(frozen=True, slots=True)
class Delivery:
    """Messages in the order in which they are read.

    `batches` are what the consumer reads at once. It is stopped in the batch `stopped`, read but
    not finished (None: it is never stopped). `starts` and `ends` are the offsets between which it
    reads, `firsts` the first ones that are still there; `young` are the partitions that came into
    being when the consumer ran already.
    """

    batches: tuple[tuple[Message, ...], ...]
    starts: Mapping[Partition, int]
    firsts: Mapping[Partition, int]
    ends: Mapping[Partition, int]
    stopped: int | None = None
    young: frozenset[Partition] = frozenset()

    def messages(self) -> tuple[Message, ...]:
        """Return all messages, in order."""
        return tuple(message for batch in self.batches for message in batch)

    def lost(self) -> tuple[str, int, int] | None:
        """Return where a reader is to begin whose first message was deleted; None for none."""
        for place, start in sorted(self.starts.items()):
            first = self.firsts.get(place, start)
            if start < first:
                return (*place, start)
        return None


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies in the topics: messages in the order of sending, and what readers read of each.

    `exact` keeps the offsets as they are, because something is said about them.
    """

    messages: tuple[Message, ...]
    starts: Mapping[Partition, int]
    firsts: Mapping[Partition, int]
    ends: Mapping[Partition, int]
    exact: bool = False


def lying(
    order: Sequence[Record],
    logs: Mapping[Partition, Log],
    starts: Mapping[Partition, int],
    *,
    exact: bool = False,
) -> Lying:
    """Return what lies there of the records that were sent in this order.

    Compaction and retention may have removed some; what is left has its own offset.
    """
    left = {place: list(log.read) for place, log in logs.items()}
    messages: list[Message] = []
    for record in order:
        place = (record.topic, record.partition)
        queue = left.get(place, [])
        if queue and queue[0].record == record:
            messages.append(Message(*place, queue.pop(0).offset, record.key, record.value))
    firsts = {place: log.start for place, log in logs.items()}
    ends = {place: log.end for place, log in logs.items()}
    return Lying(tuple(messages), starts, firsts, ends, exact)


def deliver(there: Lying, seed: int) -> Delivery:
    """Return the delivery of a seed; the same seed gives the same one everywhere."""
    if seed == 0:
        return Delivery((there.messages,), there.starts, there.firsts, there.ends)
    random = Random(f"delivery {seed}")
    messages = _interleaved(there.messages, random)
    ends = there.ends
    if not there.exact:
        messages, ends = _with_markers(messages, ends, random)
    batches = _batches(messages, random)
    stopped = random.randrange(len(batches)) if batches else None
    carrying = sorted({message.place for message in messages})
    young = frozenset(carrying[-1:]) if len(carrying) > 1 else frozenset[Partition]()
    return Delivery(batches, there.starts, there.firsts, ends, stopped, young)


def _interleaved(messages: Sequence[Message], random: Random) -> tuple[Message, ...]:
    """Return the messages in another order, each partition's in its own."""
    queues: dict[Partition, list[Message]] = {}
    for message in reversed(messages):
        queues.setdefault(message.place, []).append(message)
    order = sorted(message.place for message in messages)
    random.shuffle(order)
    return tuple(queues[place].pop() for place in order)


def _with_markers(
    messages: Sequence[Message], ends: Mapping[Partition, int], random: Random
) -> tuple[tuple[Message, ...], Mapping[Partition, int]]:
    """Return the messages with offsets that pass over markers; the last offset is always one's."""
    later = dict.fromkeys(ends, 0)
    placed: list[Message] = []
    for message in messages:
        offset = message.offset + later[message.place]
        placed.append(replace(message, offset=offset))
        later[message.place] += random.random() < MARKERS
    if placed:
        # What ends a transactional producer's last transaction is a marker, never a message.
        later[placed[-1].place] += 1
    return tuple(placed), {place: end + later[place] for place, end in ends.items()}


def _batches(messages: Sequence[Message], random: Random) -> tuple[tuple[Message, ...], ...]:
    batches: list[tuple[Message, ...]] = []
    at = 0
    while at < len(messages):
        size = random.randint(1, LARGEST_BATCH)
        batches.append(tuple(messages[at : at + size]))
        at += size
    return tuple(batches)


# How many of the messages are followed by a marker.
MARKERS = 0.2
