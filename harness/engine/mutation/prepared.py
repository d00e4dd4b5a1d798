"""A plan made ready to be read by many consumers: its deliveries, each message decoded once.

Most mutants differ from the right consumer on few cases: who errs on tombstones is right where
there are none. `reads_alike` finds them, and nothing need be run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from typing import Any

from harness.contracts import BoundCodec, WritesByZone
from harness.engine.deliver.large_messages import rows_left_out
from harness.engine.mutation.circumstances import as_delivered
from harness.engine.plan.case import Plan
from harness.errors import DecodingError
from harness.faults.actions import ForgetSchema, sent
from harness.model.columns import Column
from harness.model.decoded import DecodedEvent
from harness.model.finding import Verdict
from harness.model.large import Rows, whole
from harness.model.observed import Observed
from harness.model.record import Record
from harness.model.source_events import RowEvent
from harness.mutants.consumer import REFERENCE, Consumer, valued
from harness.mutants.delivery import Delivery, Message, deliver, lying
from harness.mutants.parts import Events, Known, Parts
from harness.verdict.case import Judged
from harness.verdict.design import AS_EXPECTED
from harness.verdict.judge import judge_design
from harness.wire.confluent import confluent_unframe


def reads_alike(parts: Parts, wire: BoundCodec, known: Known, delivery: Delivery) -> bool:
    """Return whether these parts make of a delivery what the reference makes of it.

    False where it is not known without applying what was read.
    """
    if replace(parts, value=None, events=None, message=None, reads=None, stuck=None) != REFERENCE:
        return False
    if parts.stuck is not None and parts.stuck(delivery):
        return False
    if parts.reads is not None and [*map(tuple, parts.reads(delivery))] != [*delivery.batches]:
        return False
    reader = _Reader(parts, wire, known)
    for number, batch in enumerate(delivery.batches):
        if not all(map(reader.alike, batch)):
            return False
        if number == delivery.stopped:
            reader.events.restart()
    return True


class _Reader:
    """Reads message after message, applying nothing."""

    def __init__(self, parts: Parts, wire: BoundCodec, known: Known) -> None:
        self.events = Events() if parts.events is None else parts.events(known)
        self._change = None if parts.message is None else parts.message()
        self._parts = parts
        self._wire = wire
        self._known = known

    def alike(self, message: Message) -> bool:
        """Return whether the message becomes the very events that it carries."""
        if self._change is not None and self._change(message) != message:
            return False
        try:
            for event in self._wire.decode(message.key, message.value):
                if valued(event, self._parts, self._known) is not event:
                    return False
                read = tuple(self.events.read(event, message))
                if len(read) != 1 or (read[0] is not event and read[0] != event):
                    return False
        except DecodingError:
            return True
        except Exception:  # noqa: BLE001  (a wrong consumer may fail in any way; it is run to see)
            return False
        return True


# A hundred deliveries of a thousand cases would fill the memory.
KEPT = 8
Decoded = tuple[DecodedEvent, ...] | DecodingError


class RememberedCodec:
    """A wire that decodes the same bytes once: decoding is pure, so no answer changes.

    It knows the rows that messages have the handle key of alone, as a reader who asks for them.
    """

    def __init__(
        self, wire: BoundCodec, left_out: Rows, forgotten: AbstractSet[int] = frozenset()
    ) -> None:
        """Take the wire that decodes, the rows that messages leave out, and forgotten schemas."""
        self._left_out = left_out
        self._forgotten = forgotten
        self._wire = wire
        self._known: dict[tuple[bytes | None, bytes | None], Decoded] = {}
        self.complete = wire.complete
        self.row_ids = wire.row_ids

    def encode(self, events: Iterable[Any]) -> Iterator[Record]:
        """Encode as the wire does."""
        return self._wire.encode(events)

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the events of a message; raise what the wire raised before."""
        pair = (key, value)
        if pair not in self._known:
            try:
                if self._forgotten and value and confluent_unframe(value)[0] in self._forgotten:
                    raise DecodingError("the registry does not know the schema")  # noqa: TRY301
                events = self._wire.decode(key, value)
                self._known[pair] = tuple(whole(event, self._left_out) for event in events)
            except DecodingError as error:
                self._known[pair] = error
        found = self._known[pair]
        if isinstance(found, DecodingError):
            raise found.with_traceback(None)
        return found


class Prepared:
    """One case with the deliveries of some seeds; the reference's own verdicts come for nothing."""

    def __init__(self, plan: Plan, seeds: Sequence[int]) -> None:
        """Take a plan and the seeds of its deliveries."""
        self.plan = plan
        self.known = _known(plan)
        self._job = _job(plan)
        delivery = plan.delivery
        exact = delivery.hostile is not None
        self._there = lying(sent(delivery.steps), delivery.logs, delivery.starts, exact=exact)
        self.seeds = tuple(seeds)
        self._kept: dict[int, Delivery] = {}
        self._judged_as: dict[int, Judged] = {}

    @cached_property
    def wire(self) -> RememberedCodec:
        """Return the wire as consumers read by it: each message is decoded once."""
        return RememberedCodec(self.plan.wire, rows_left_out(self.plan), self._forgotten)

    @cached_property
    def _forgotten(self) -> frozenset[int]:
        """Return the ids of schemas that the registry has forgotten."""
        steps = [step for step in self.plan.delivery.steps if isinstance(step, ForgetSchema)]
        values = (step.named_by.value for step in steps)
        return frozenset(confluent_unframe(value)[0] for value in values if value is not None)

    @cached_property
    def _reference(self) -> Mapping[int, Verdict]:
        return {seed: self._judged(REFERENCE, seed) for seed in self.seeds}

    def delivery(self, seed: int) -> Delivery:
        """Return the delivery of a seed; of the first few it is kept."""
        found = self._kept.get(seed) or deliver(self._there, seed)
        if seed < KEPT:
            self._kept[seed] = found
        return found

    def verdict(self, parts: Parts, seed: int) -> Verdict:
        """Return the verdict on a consumer of these parts over one delivery."""
        reference = self._reference[seed]
        if reads_alike(parts, self.wire, self.known, self.delivery(seed)):
            return reference
        return self._judged(parts, seed)

    def read_by(self, parts: Parts, seed: int) -> Observed:
        """Return what a consumer of these parts answers to one delivery."""
        return self.consumer(parts).consume(self.delivery(seed))

    def consumer(self, parts: Parts) -> Consumer:
        """Return a consumer of these parts that has read nothing yet."""
        return Consumer(self._job, self._read_by(parts), parts, self.known)

    def _read_by(self, parts: Parts) -> RememberedCodec:
        wire = self.plan.wire
        if parts.zone is None or not isinstance(wire, WritesByZone):
            return self.wire
        return RememberedCodec(wire.in_zone(parts.zone), rows_left_out(self.plan), self._forgotten)

    def _judged(self, parts: Parts, seed: int) -> Verdict:
        judged = self._judged_as.get(seed)
        if judged is None:
            judged = as_delivered(self.plan.judged, self._there, self.delivery(seed))
            self._judged_as[seed] = judged
        return judge_design(judged, self.plan.folding, self.read_by(parts, seed), AS_EXPECTED)


def _job(plan: Plan) -> Mapping[str, Any]:
    numbers = dict.fromkeys(plan.topics(), plan.case.partitions)
    for topic, partition in plan.delivery.logs:
        numbers[topic] = max(numbers.get(topic, 0), partition + 1)
    return {
        "protocol": plan.case.protocol,
        "dialect": plan.case.dialect,
        "complete": plan.wire.complete,
        "settings": plan.settings,
        "topics": [{"name": topic, "partitions": n} for topic, n in numbers.items()],
    }


def _known(plan: Plan) -> Known:
    tables: dict[tuple[str, str], dict[str, Column]] = {}
    for event in plan.events:
        if isinstance(event, RowEvent):
            table = event.table.table
            columns = tables.setdefault((table.id.schema, table.id.name), {})
            columns.update({column.name: column for column in table.columns})
    return tables
