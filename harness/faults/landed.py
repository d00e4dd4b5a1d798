"""What lies in the topics once a delivery is done: every message with its offset, gaps included.

A model of the broker, as far as a reader of committed messages can tell: control markers and
aborted messages take offsets and are not seen; compaction and retention remove messages and leave
the offsets of the others alone. `with_gaps` goes the other way: it says how to produce a log with
given gaps when no log cleaner is at hand, because a producer cannot choose offsets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from harness.errors import HarnessBug
from harness.faults.actions import (
    Aborted,
    AddPartitions,
    Committed,
    Compact,
    DeleteBefore,
    Step,
)
from harness.faults.choose import Place, place
from harness.model.record import Record


@dataclass(frozen=True, slots=True)
class Delivered:
    """A message at its offset."""

    record: Record
    offset: int


@dataclass(frozen=True, slots=True)
class Log:
    """One partition: its first offset, its end offset, and what a reader of it sees."""

    start: int = 0
    end: int = 0
    read: tuple[Delivered, ...] = ()


@dataclass(slots=True)
class _Partition:
    """A partition in the making."""

    start: int = 0
    end: int = 0
    read: list[Delivered] = field(default_factory=list[Delivered])

    def take(self, record: Record) -> None:
        self.read.append(Delivered(record, self.end))
        self.end += 1

    def delete_before(self, offset: int) -> None:
        self.start = max(self.start, offset)
        self.read = [one for one in self.read if one.offset >= self.start]

    def compact(self, *, tombstones: bool) -> None:
        last = {one.record.key: one.offset for one in self.read}
        self.read = [
            one
            for one in self.read
            if last[one.record.key] == one.offset and (tombstones or one.record.value is not None)
        ]


def landed(steps: Iterable[Step]) -> Mapping[Place, Log]:
    """Return the partitions, by topic and number, as they are when all steps are done."""
    partitions: dict[Place, _Partition] = {}
    for step in steps:
        _land(partitions, step)
    return {
        there: Log(one.start, one.end, tuple(one.read)) for there, one in sorted(partitions.items())
    }


def _land(partitions: dict[Place, _Partition], step: Step) -> None:
    def at(there: Place) -> _Partition:
        return partitions.setdefault(there, _Partition())

    match step:
        case Record():
            at(place(step)).take(step)
        case Committed(records):
            for record in records:
                at(place(record)).take(record)
            _skip(at(there) for there in {place(record) for record in records})
        case Aborted(records):
            _skip(at(place(record)) for record in records)
            _skip(at(there) for there in {place(record) for record in records})
        case DeleteBefore(topic, partition, offset):
            at((topic, partition)).delete_before(offset)
        case Compact(topic, tombstones):
            for one in [one for there, one in partitions.items() if there[0] == topic]:
                one.compact(tombstones=tombstones)
        case AddPartitions(topic, total):
            partitions.update({(topic, n): at((topic, n)) for n in range(total)})
        case _:
            # Registry and consumer leave the topics as they are, and so does a broker's restart.
            pass


def _skip(partitions: Iterable[_Partition]) -> None:
    """Let an offset pass that nobody sees."""
    for one in partitions:
        one.end += 1


def with_gaps(there: Place, log: Log) -> Iterator[Step]:
    """Yield how to produce a partition that reads like this one, without compaction.

    A gap of one offset is the marker of a committed transaction, a longer one an aborted
    transaction; a single offset missing at the beginning is sent and deleted. In the stead of what
    is gone goes the message that follows. HarnessBug when there is no message to go in its stead.
    """
    if not log.read:
        if log.end:
            raise HarnessBug(f"no message is left of {there[0]}/{there[1]} to fill its gaps with")
        return
    first = log.read[0]
    if first.offset == 1:
        yield first.record
        yield DeleteBefore(*there, 1)
    elif first.offset:
        yield Aborted((first.record,) * (first.offset - 1))
    nexts = [*log.read[1:], Delivered(log.read[-1].record, log.end)]
    for one, follower in zip(log.read, nexts, strict=True):
        gap = follower.offset - one.offset - 1
        yield Committed((one.record,)) if gap == 1 else one.record
        if gap > 1:
            yield Aborted((follower.record,) * (gap - 1))
