"""What lies in the topics once a delivery is done: every message with its offset, gaps included.

A model of the broker, as far as a reader of committed messages can see. Control markers and
aborted messages take offsets and are not seen; compaction and retention remove messages and leave
the offsets of the others alone. What each action does to the log stands with the action
(`actions.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from harness.errors import UsageError
from harness.faults.choose import Place, place
from harness.model.record import Record


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A message at its offset."""

    record: Record
    offset: int


@dataclass(frozen=True, slots=True)
class Log:
    """One partition: its first offset, its end offset, and what a reader of it sees."""

    start: int = 0
    end: int = 0
    read: tuple[LogEntry, ...] = ()


@dataclass(slots=True)
class _Partition:
    """A partition in the making; nothing may follow once an open transaction holds it."""

    start: int = 0
    end: int = 0
    held: bool = False
    read: list[LogEntry] = field(default_factory=list[LogEntry])


class TopicLogs:
    """The partitions of all topics in the making; actions change them through these methods."""

    def __init__(self) -> None:
        """Start without any partition: the first use of one creates it."""
        self._partitions: dict[Place, _Partition] = {}

    def append(self, record: Record) -> None:
        """Append a message that readers see."""
        partition = self._free(place(record))
        partition.read.append(LogEntry(record, partition.end))
        partition.end += 1

    def skip(self, places: Iterable[Place]) -> None:
        """Use up one offset in each of these partitions for what no reader sees."""
        for there in places:
            self._free(there).end += 1

    def hold(self, places: Iterable[Place]) -> None:
        """End these partitions for readers: whatever came behind could not be read."""
        for there in places:
            self._at(there).held = True

    def delete_before(self, there: Place, offset: int) -> None:
        """Remove what lies below an offset of a partition."""
        partition = self._at(there)
        partition.start = max(partition.start, offset)
        partition.read = [one for one in partition.read if one.offset >= partition.start]

    def compact(self, topic: str, *, tombstones: bool) -> None:
        """Leave the last message of each key; without `tombstones` remove those as well."""
        for there, partition in self._partitions.items():
            if there[0] != topic:
                continue
            last = {one.record.key: one.offset for one in partition.read}
            partition.read = [
                one
                for one in partition.read
                if last[one.record.key] == one.offset
                and (tombstones or one.record.value is not None)
            ]

    def extend(self, topic: str, total: int) -> None:
        """Let a topic have partitions up to `total`, empty where nothing was sent."""
        for number in range(total):
            self._at((topic, number))

    def logs(self) -> Mapping[Place, Log]:
        """Return the partitions as they are now, by topic and number."""
        return {
            there: Log(one.start, one.end, tuple(one.read))
            for there, one in sorted(self._partitions.items())
        }

    def _free(self, there: Place) -> _Partition:
        partition = self._at(there)
        if partition.held:
            raise UsageError(
                f"a message follows the open transaction in {there[0]}/{there[1]}",
                expected="an open transaction at the end of its partitions",
                hint="put the step `uncommitted` with `end: left-open` behind the others",
            )
        return partition

    def _at(self, there: Place) -> _Partition:
        return self._partitions.setdefault(there, _Partition())


class LogEffect(Protocol):
    """What changes the log: an action of `actions.py`."""

    def apply(self, topics: TopicLogs) -> None:
        """Change the partitions as the broker would."""
        ...


def simulate_log(steps: Iterable[Record | LogEffect]) -> Mapping[Place, Log]:
    """Return the partitions, by topic and number, as they are when all steps are done."""
    topics = TopicLogs()
    for step in steps:
        if isinstance(step, Record):
            topics.append(step)
        else:
            step.apply(topics)
    return topics.logs()
