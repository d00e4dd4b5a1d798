"""Compaction without a log cleaner: topics made to read as if they had been compacted.

A broker's cleaner never touches the segment that it still writes to and runs when it likes, so
what it leaves cannot be said beforehand. The topic is filled instead with what the cleaner would
leave, at the same offsets: transactions make the gaps (`with_gaps`). That works on any
cluster, at once, and is the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.errors import HarnessBug
from harness.faults.actions import Aborted, Committed, Compact, DeleteBefore, LeftOpen, Step
from harness.faults.choose import Place, place
from harness.faults.log import Log, LogEntry, simulate_log
from harness.model.record import Record


def as_gaps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps with each compacted topic filled as it reads after its compaction."""
    found: tuple[Step, ...] = tuple(steps)
    while (at := _first(found)) is not None:
        action = found[at]
        assert isinstance(action, Compact)
        logs = simulate_log(found[: at + 1])
        kept = [step for old in found[:at] for step in _without(old, action.topic)]
        whole = [record for step in found[:at] for record in _messages(step)]
        filled = [
            step
            for there, log in logs.items()
            if there[0] == action.topic
            for step in _filled(there, log, [one for one in whole if place(one) == there])
        ]
        found = (*kept, *filled, *found[at + 1 :])
    return found


def _first(steps: Sequence[Step]) -> int | None:
    return next((n for n, step in enumerate(steps) if isinstance(step, Compact)), None)


def _messages(step: Step) -> tuple[Record, ...]:
    """Return what a step sends, to be read or not."""
    match step:
        case Record():
            return (step,)
        case Committed(records) | Aborted(records) | LeftOpen(records):
            return records
        case _:
            return ()


def _without(step: Step, topic: str) -> Iterator[Step]:
    """Yield a step without what it does to the messages of a topic."""
    match step:
        case Record():
            if step.topic != topic:
                yield step
        case Committed(records) | Aborted(records) | LeftOpen(records):
            left = tuple(record for record in records if record.topic != topic)
            if left:
                yield type(step)(left)
        case DeleteBefore():
            if step.topic != topic:
                yield step
        case _:
            yield step


def _filled(there: Place, log: Log, whole: Sequence[Record]) -> Iterator[Step]:
    if log.read or not log.end:
        yield from with_gaps(there, log)
        return
    # Nothing is left to be read; what was there takes the offsets, unseen.
    if log.end == 1:
        yield whole[0]
        yield DeleteBefore(*there, 1)
    else:
        yield Aborted((whole[0],) * (log.end - 1))


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
    nexts = [*log.read[1:], LogEntry(log.read[-1].record, log.end)]
    for one, follower in zip(log.read, nexts, strict=True):
        gap = follower.offset - one.offset - 1
        yield Committed((one.record,)) if gap == 1 else one.record
        if gap > 1:
            yield Aborted((follower.record,) * (gap - 1))
