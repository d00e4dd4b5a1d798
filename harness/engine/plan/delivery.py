"""A case's delivery: what is sent and done, what lies in the topics then, and what is malformed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.contracts import Wire
from harness.engine.plan.compaction import as_gaps
from harness.errors import DecodingError
from harness.faults.actions import Compact, DeleteBefore, Step, sent
from harness.faults.choose import Place as Partition
from harness.faults.delivery import deliver, malformed
from harness.faults.landed import Log, landed
from harness.model.decoded import DecodedEvent
from harness.model.finding import Place
from harness.model.record import Record
from harness.scenario.document import DeliveryStep
from harness.scenario.expand import Case
from harness.verdict.case import places_at


@dataclass(frozen=True, slots=True)
class Delivery:
    """The steps, the partitions once they are done, and where a reader begins in each.

    A reader begins at a partition's first offset, save where a hostile step deleted what it had
    still to read. `hostile` are the places of messages that no right decoder reads, and of what was
    deleted; None without any hostile step. `gone` are the events that lack a message that told of
    them, because the broker removed it.
    """

    steps: tuple[Step, ...]
    logs: Mapping[Partition, Log]
    starts: Mapping[Partition, int]
    hostile: tuple[Place, ...] | None
    gone: frozenset[int] = frozenset()

    @property
    def places(self) -> Mapping[int, tuple[Place, ...]]:
        """Return where the records of each event lie."""
        logs = self.logs.values()
        return places_at((one.record, one.offset) for log in logs for one in log.read)


def _gone(
    records: Sequence[Record], steps: Sequence[Step], logs: Mapping[Partition, Log]
) -> frozenset[int]:
    """Return the events that lack a message which told of them.

    Of a deletion a lone tombstone may be left, which tells of no event where the row is gone too;
    of a row that moved to another key only the one or the other message.
    """
    if not any(isinstance(step, Compact) for step in steps):
        return frozenset()
    read = [one.record for log in logs.values() for one in log.read]
    known = set(map(_identity, read))
    lost = (record for record in _telling(records) if _identity(record) not in known)
    return _events(lost) | (_events(records) - _events(read))


def _telling(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if record.value is not None]


def _identity(record: Record) -> Hashable:
    return (record.topic, record.key, record.value)


def _events(records: Iterable[Record]) -> frozenset[int]:
    return frozenset(origin.event for record in records for origin in record.origins)


def disturbed(case: Case, records: tuple[Record, ...], wire: Wire) -> Delivery:
    """Return the case's delivery of these records; StepError with the line that cannot be.

    The seed is the case's own name: the same case is disturbed in the same way everywhere.
    """
    wanted = case.scenario.delivery.get(case.delivery or "", ())
    steps = deliver(records, wanted, case.id)
    logs = landed(steps)
    starts = _starts(records, wanted, case.id, steps)
    hostile: tuple[Place, ...] | None = None
    if any(step.hostile for step in wanted):
        bad = malformed(records, wanted, case.id)
        bad |= {r for r in sent(steps) if isinstance(decoded_or_refusal(wire, r), str)}
        hostile = (*_found(logs, bad), *_lost(steps, logs, starts))
    return Delivery(steps, logs, starts, hostile, _gone(records, steps, logs))


def _starts(
    records: Sequence[Record],
    wanted: Sequence[DeliveryStep],
    seed: str,
    steps: Sequence[Step],
) -> Mapping[Partition, int]:
    """Return where readers begin: what hostile steps delete is not theirs to pass over.

    Of a partition that compaction leaves empty the start may move, as the topic is filled.
    """
    plain = _begun(steps)
    if not any(step.hostile for step in wanted):
        return plain
    kept = deliver(records, [step for step in wanted if not step.hostile], seed)
    harmless = _begun(kept)
    return {there: harmless.get(there, 0) for there in plain}


def _begun(steps: Sequence[Step]) -> dict[Partition, int]:
    """Return where each partition begins, as it is told and as it is filled."""
    filled = landed(as_gaps(steps))
    return {there: max(log.start, filled[there].start) for there, log in landed(steps).items()}


def decoded_or_refusal(wire: Wire, record: Record) -> Sequence[DecodedEvent] | str:
    """Return a record's events, or why a decoder refuses it."""
    try:
        return wire.decode(record.key, record.value)
    except DecodingError as error:
        return error.what


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
    whole = landed(step for step in steps if not isinstance(step, DeleteBefore))
    return [
        Place(*there, starts[there], one.record.origins[0])
        for there, log in logs.items()
        if starts[there] < log.start
        for one in whole[there].read[:1]
    ]
