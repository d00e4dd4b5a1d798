"""A case's delivery: what is sent and done, what lies in the topics then, and what is malformed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.contracts import Wire
from harness.engine.plan.compaction import as_gaps
from harness.errors import DecodingError
from harness.faults.actions import Compact, DeleteBefore, Step, sent
from harness.faults.choose import Place as Partition
from harness.faults.delivery import apply_steps, deliver, malformed
from harness.faults.log import Log, simulate_log
from harness.model.decoded import DecodedEvent
from harness.model.finding import Place
from harness.model.record import Record
from harness.scenario.expand import Case
from harness.verdict.case import places_at


@dataclass(frozen=True, slots=True)
class Delivery:
    """The steps, the partitions once they are done, and where a reader begins in each.

    `filling` are the steps as a broker is made to perform them: a compacted topic is filled as it
    reads after its compaction. A reader begins at a partition's first offset, save where a hostile
    step deleted what it had still to read. `hostile` are the places of messages that no right
    decoder reads, and of what was deleted; None without any hostile step. `compacted` are the
    events of which the broker removed a message.
    """

    steps: tuple[Step, ...]
    filling: tuple[Step, ...]
    logs: Mapping[Partition, Log]
    starts: Mapping[Partition, int]
    hostile: tuple[Place, ...] | None
    compacted: frozenset[int] = frozenset()

    @property
    def places(self) -> Mapping[int, tuple[Place, ...]]:
        """Return where the records of each event lie."""
        logs = self.logs.values()
        return places_at((one.record, one.offset) for log in logs for one in log.read)


def disturbed(case: Case, records: tuple[Record, ...], wire: Wire) -> Delivery:
    """Return the case's delivery of these records; StepError with the line that cannot be.

    The seed is the case's own name: the same case is disturbed in the same way everywhere.
    """
    wanted = case.scenario.delivery.get(case.delivery or "", ())
    applied = tuple(apply_steps(records, wanted, case.id))
    steps = applied[-1].after if applied else records
    filling = as_gaps(steps)
    logs = simulate_log(steps)
    starts = _starts(logs, steps, filling)
    compacted = _compacted(records, steps, logs)
    if not any(step.hostile for step in wanted):
        return Delivery(steps, filling, logs, starts, None, compacted)
    # What hostile steps delete is not the reader's to pass over: it begins where it would without.
    harmless = deliver(records, [step for step in wanted if not step.hostile], case.id)
    begun = _starts(simulate_log(harmless), harmless, as_gaps(harmless))
    starts = {there: begun.get(there, 0) for there in starts}
    bad = malformed(applied)
    bad |= {r for r in sent(steps) if isinstance(decoded_or_refusal(wire, r), str)}
    hostile = (*_found(logs, bad), *_lost(steps, logs, starts))
    return Delivery(steps, filling, logs, starts, hostile, compacted)


def decoded_or_refusal(wire: Wire, record: Record) -> Sequence[DecodedEvent] | str:
    """Return a record's events, or why a decoder refuses it."""
    try:
        return wire.decode(record.key, record.value)
    except DecodingError as error:
        return error.what


def _starts(
    logs: Mapping[Partition, Log], steps: Sequence[Step], filling: Sequence[Step]
) -> Mapping[Partition, int]:
    """Return where each partition begins once it is filled.

    Of a partition that compaction leaves empty the start may move, as the topic is filled.
    """
    filled = logs if filling == steps else simulate_log(filling)
    return {there: max(log.start, filled[there].start) for there, log in logs.items()}


def _compacted(
    records: Sequence[Record], steps: Sequence[Step], logs: Mapping[Partition, Log]
) -> frozenset[int]:
    """Return the events that lack one of their messages because of a compaction.

    Of a deletion a lone tombstone may be left, which carries no event where the row is removed
    too; of a row that moved to another key only the one or the other message.
    """
    if not any(isinstance(step, Compact) for step in steps):
        return frozenset()
    read = [one.record for log in logs.values() for one in log.read]
    known = set(map(_identity, read))
    lost = (one for one in records if one.value is not None and _identity(one) not in known)
    return _events(lost) | (_events(records) - _events(read))


def _identity(record: Record) -> Hashable:
    return (record.topic, record.key, record.value)


def _events(records: Iterable[Record]) -> frozenset[int]:
    return frozenset(origin.event for record in records for origin in record.origins)


def _found(logs: Mapping[Partition, Log], bad: frozenset[Record]) -> list[Place]:
    return [
        Place(*there, one.offset, one.record.origins[0])
        for there, log in logs.items()
        for one in log.read
        if one.record in bad
    ]


def _lost(
    steps: Sequence[Step], logs: Mapping[Partition, Log], starts: Mapping[Partition, int]
) -> list[Place]:
    """Return where each partition begins to lack what a reader has still to read."""
    lacking = {there: start for there, start in starts.items() if start < logs[there].start}
    if not lacking:
        return []
    whole = simulate_log(step for step in steps if not isinstance(step, DeleteBefore))
    return [
        Place(*there, start, one.record.origins[0])
        for there, start in lacking.items()
        for one in whole[there].read[:1]
    ]
