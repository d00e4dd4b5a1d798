"""The reference consumer with a mutant's parts in the place of its own, answering in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from harness.contracts import BoundCodec
from harness.ddl import Catalogue
from harness.errors import DecodingError, HarnessError
from harness.model.change import Op
from harness.model.decoded import DecodedEvent
from harness.model.observed import (
    DeadLetter,
    Observed,
    ObservedDdl,
    ObservedEvent,
    Outcome,
    RawRow,
)
from harness.model.table import TableId
from harness.model.values import Value
from harness.mutants.delivery import Delivery, Message
from harness.mutants.parts import Events, Known, Parts
from harness.protocols import PROTOCOLS
from harness.reference_consumer.answer import Changefeed
from harness.reference_consumer.hold import Ready

REFERENCE = Parts()


class Consumer(Changefeed):
    """One changefeed read by a mutant; with no parts of its own, by the reference consumer."""

    def __init__(
        self,
        job: Mapping[str, Any],
        wire: BoundCodec,
        parts: Parts,
        known: Known,
    ) -> None:
        """Take the changefeed's part of job.json, its wire, the parts, the tables' columns."""
        super().__init__(job, wire=wire)
        self._parts = parts
        self._known = known
        self._crash = ""
        self._due: list[Ready] = []
        self._applied: list[Ready] = []
        partitions = {(t["name"], p) for t in job["topics"] for p in range(t["partitions"])}
        if job["complete"] is None:
            self.room = parts.arrivals(dated=PROTOCOLS[job["protocol"]].dated)
        else:
            self.room = parts.hold(partitions, job["complete"])
        self.tables = parts.tables(Catalogue.empty())
        self._reads = Events() if parts.events is None else parts.events(known)
        self._changed = None if parts.message is None else parts.message()

    def consume(
        self, delivery: Delivery, after: Callable[[Message], None] | None = None
    ) -> Observed:
        """Read a delivery to its end and answer; `after` is called when a message was dealt with.

        Where a batch is applied as one, that is when its last message was read.
        """
        parts = self._parts
        if (lost := delivery.lost()) is not None and not parts.resets:
            self.give_up(*lost, "offset out of range, messages were deleted")
        batches = delivery.batches if parts.reads is None else parts.reads(delivery)
        for number, batch in enumerate(batches):
            for message in batch:
                self._read(message)
                if after is not None and parts.batch is None:
                    after(message)
                if self.error or self._crash:
                    break
            self._flush()
            if after is not None and parts.batch is not None and batch:
                after(batch[-1])
            if number == delivery.stopped:
                self._reads.restart()
                if parts.restart is not None:
                    parts.restart(self.room)
            if self.error or self._crash:
                break
        stuck = "" if parts.stuck is None else parts.stuck(delivery)
        return Observed(Outcome.TIMEOUT, stuck) if stuck else self._observed()

    def rows(self) -> Counter[Hashable]:
        """Return the rows as they are now, each with its table, as often as it is there."""
        return Counter(
            (str(table), tuple(sorted(map(str, row.items()))))
            for table, rows in self.tables.all().items()
            for row in rows
        )

    def applied(self) -> Sequence[Ready]:
        """Return what was applied so far, in order."""
        return self._applied

    def apply(self, ready: Ready) -> None:
        """Apply an event, and keep it for whoever asks what was applied."""
        self._applied.append(ready)
        super().apply(ready)

    def _read(self, message: Message) -> None:
        if self.error or self._crash or self.wire is None:
            return
        if not (message.key or message.value):
            return  # a message without either is no event of anybody's
        where = f"{message.topic}/{message.partition}@{message.offset}"
        place = (message.topic, message.partition, message.offset)
        try:
            sent = message if self._changed is None else self._changed(message)
            for decoded in self.wire.decode(sent.key, sent.value):
                for event in self._reads.read(self._valued(decoded), message):
                    for ready in self.room.take(event, place):
                        self._come(ready)
        except (HarnessError, ValueError, KeyError) as error:
            if not (self._parts.skips and isinstance(error, DecodingError)):
                self.give_up(*place, str(error))
        except Exception as error:  # noqa: BLE001  (a wrong consumer may fail in any way)
            self._crash = f"{where}: {type(error).__name__}: {error}"

    def _come(self, ready: Ready) -> None:
        if self._parts.batch is None:
            self.apply(ready)
        else:
            self._due.append(ready)

    def _flush(self) -> None:
        if self._parts.batch is None or self.error or self._crash:
            return
        due, self._due = self._due, []
        for ready in self._parts.batch(due):
            self.apply(ready)

    def _valued(self, event: DecodedEvent) -> DecodedEvent:
        return valued(event, self._parts, self._known)

    def _observed(self) -> Observed:
        if self._crash:
            return Observed(Outcome.CRASH, self._crash)
        if self.error:
            return Observed(Outcome.ERROR, self.error, stopped_at=(DeadLetter(*self.stopped_at),))
        return Observed(
            Outcome.DONE,
            tables={table: tuple(map(_raw, rows)) for table, rows in self.tables.all().items()},
            events=tuple(map(_event, self.events)),
            ddl=tuple(map(_ddl, self.ddl)),
        )


def valued(event: DecodedEvent, parts: Parts, known: Known) -> DecodedEvent:
    """Return an event with its values as a mutant reads them; the same one where none differs."""
    columns = known.get((event.schema, event.table))
    change = parts.value
    if change is None or columns is None:
        return event

    def image(row: Mapping[str, Value] | None) -> Mapping[str, Value] | None:
        if row is None:
            return None
        return {n: change(columns[n], v) if n in columns else v for n, v in row.items()}

    changed = replace(
        event, before=image(event.before), after=image(event.after), key=image(event.key)
    )
    return event if changed == event else changed


def _raw(row: Mapping[str, Any]) -> RawRow:
    return {name: _json(value) for name, value in row.items()}


def _json(value: Value) -> int | Decimal | str | None:
    """Return a value as the contract's JSON has it once it is read."""
    if isinstance(value, bytes):
        return value.hex()
    return Decimal(repr(value)) if isinstance(value, float) else value


def _event(line: Mapping[str, Any]) -> ObservedEvent:
    before, after, ts = line["before"], line["after"], line["commit_ts"]
    return ObservedEvent(
        op=Op(line["op"]),
        table=TableId(line["schema"], line["table"]),
        before=None if before is None else _raw(before),
        after=None if after is None else _raw(after),
        commit_ts=None if ts is None else int(ts),
        topic=line["topic"],
        partition=line["partition"],
        offset=line["offset"],
    )


def _ddl(line: Mapping[str, Any]) -> ObservedDdl:
    return ObservedDdl(
        query=line["query"],
        type=line["type"],
        table=TableId(line["schema"], line["table"]),
        commit_ts=int(line["commit_ts"]),
    )
