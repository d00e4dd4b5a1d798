"""A case's delivery: what is sent and done, what lies in the topics then, and what is malformed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.contracts import BoundCodec
from harness.engine.plan.compaction import as_gaps
from harness.errors import DecodingError
from harness.faults.actions import (
    Aborted,
    Clean,
    Compact,
    DeleteBefore,
    ForgetSchema,
    LeftOpen,
    Step,
    sent,
)
from harness.faults.choose import Place as Partition
from harness.faults.choose import schemas_of
from harness.faults.delivery import apply_steps, deliver
from harness.faults.log import Log, simulate_log
from harness.model.decoded import DecodedEvent
from harness.model.finding import Place
from harness.model.record import Record
from harness.scenario.expand import Case
from harness.verdict.case import Arrival, places_at


@dataclass(frozen=True, slots=True)
class Delivery:
    """The steps, the partitions once they are done, and where a reader begins in each.

    `filling` are the steps as a broker is made to perform them: a compacted topic is filled as it
    reads after its compaction. A reader begins at a partition's first offset, save where a hostile
    step deleted what it had still to read. `hostile` are the places of messages that no right
    decoder reads, and of what was deleted; None without any hostile step. `compacted` are the
    events of which the broker removed a message, `uncommitted` those that come in transactions
    which are never committed, and in no other.
    """

    steps: tuple[Step, ...]
    filling: tuple[Step, ...]
    logs: Mapping[Partition, Log]
    starts: Mapping[Partition, int]
    hostile: tuple[Place, ...] | None
    compacted: frozenset[int] = frozenset()
    uncommitted: frozenset[int] = frozenset()

    @property
    def places(self) -> Mapping[int, tuple[Place, ...]]:
        """Return where the records of each event lie."""
        logs = self.logs.values()
        return places_at((one.record, one.offset) for log in logs for one in log.read)


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What readers meet of a delivery, decoded when it is asked for."""

    delivery: Delivery
    wire: BoundCodec

    def __call__(self) -> tuple[Arrival, ...]:
        """Return the events of all messages that can be read, in the order of sending."""
        return tuple(self._events())

    def _events(self) -> Iterator[Arrival]:
        left = {there: list(log.read) for there, log in self.delivery.logs.items()}
        for record in sent(self.delivery.steps):
            queue = left.get((record.topic, record.partition), [])
            if not queue or queue[0].record != record:
                continue  # compacted, deleted or aborted
            offset = queue.pop(0).offset
            events = decoded_or_refusal(self.wire, record)
            if isinstance(events, str):
                continue
            for number, (event, origin) in enumerate(zip(events, record.origins, strict=False)):
                place = Place(record.topic, record.partition, offset, origin, event.row_id)
                schema = None if record.value_schema is None else record.value_schema.schema
                yield Arrival(place, event, number, schema)


def disturbed(case: Case, records: tuple[Record, ...], wire: BoundCodec) -> Delivery:
    """Return the case's delivery of these records; StepError with the line that cannot be.

    The seed is the case's own name: the same case is disturbed in the same way everywhere.
    """
    wanted = case.scenario.delivery.get(case.delivery or "", ())
    applied = tuple(apply_steps(records, wanted, case.id))
    steps = applied[-1].after if applied else records
    filling = as_gaps(steps)
    logs = simulate_log(steps)
    starts = _starts(logs, steps, filling)
    by_clause = any(_COMPACTION in clause for one in wanted for clause in one.allowed_by.values())
    compacts = by_clause or any(isinstance(step, Compact | Clean) for step in steps)
    compacted = _compacted(records, logs) if compacts else frozenset[int]()
    unread = _uncommitted(steps)
    if not any(step.hostile for step in wanted):
        return Delivery(steps, filling, logs, starts, None, compacted, unread)
    # What hostile steps delete is not the reader's to pass over: it begins where it would without.
    harmless = deliver(records, [step for step in wanted if not step.hostile], case.id)
    begun = _starts(simulate_log(harmless), harmless, as_gaps(harmless))
    starts = {there: begun.get(there, 0) for there in starts}
    # A record is bad where a decoder refuses it, and where a step that the author calls hostile,
    # as the case's protocol does (`harness check`), has made it.
    bad = {r for r in sent(steps) if isinstance(decoded_or_refusal(wire, r), str)}
    for step, done in zip(wanted, applied, strict=True):
        if step.hostile:
            bad |= {*sent(done.after)} - {*sent(done.before)}
    bad |= _undecodable(steps)
    hostile = (*_found(logs, frozenset(bad)), *_lost(steps, logs, starts))
    return Delivery(steps, filling, logs, starts, hostile, compacted, unread)


def _undecodable(steps: Sequence[Step]) -> set[Record]:
    """Return the messages whose schema the registry has forgotten."""
    forgotten = {step.schema for step in steps if isinstance(step, ForgetSchema)}
    return {record for record in sent(steps) if forgotten & {*schemas_of(record)}}


# What the clauses of compaction begin with: a step that they allow leaves what compaction leaves.
_COMPACTION = "kafka.compaction."


def decoded_or_refusal(wire: BoundCodec, record: Record) -> Sequence[DecodedEvent] | str:
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


def _compacted(records: Sequence[Record], logs: Mapping[Partition, Log]) -> frozenset[int]:
    """Return the events that lack one of their messages because of a compaction.

    Of a deletion a lone tombstone may be left, which carries no event where the row is removed
    too; of a row that moved to another key only the one or the other message.
    """
    read = [one.record for log in logs.values() for one in log.read]
    known = set(map(_identity, read))
    lost = (one for one in records if one.value is not None and _identity(one) not in known)
    return _events(lost) | (_events(records) - _events(read))


def _uncommitted(steps: Sequence[Step]) -> frozenset[int]:
    """Return the events that are sent in no transaction but ones that are never committed."""
    tried = [one for step in steps if isinstance(step, Aborted | LeftOpen) for one in step.records]
    return _events(tried) - _events(sent(steps)) if tried else frozenset()


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
