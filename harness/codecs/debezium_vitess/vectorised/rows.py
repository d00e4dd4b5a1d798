"""The rows of a ROW event as the producer's records, all of them at once.

What this writes is what structs and converters write, byte by byte; a row is left to those where it
asks for more: a moved key, a cell that cannot be read, a null out of place.

Source: as for `debezium.emitter` and `connect.json_converter`, whose order of fields this keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, repeat
from typing import Final

from harness.codecs.connect.errors import JavaError
from harness.codecs.connect.schema import Header
from harness.codecs.connect.worker import RecordHeaders, Worker
from harness.codecs.debezium.emitter import MILLISECOND
from harness.codecs.debezium.tables import TableShape
from harness.codecs.debezium_vitess.emission import VitessEmitter
from harness.codecs.debezium_vitess.task import NOWHERE
from harness.codecs.debezium_vitess.vectorised.columns import NeedsStructs
from harness.codecs.debezium_vitess.vectorised.plan import (
    CREATE,
    DELETE,
    UPDATE,
    RowPlan,
    RowPlanner,
)
from harness.model.record import Origin, Record, bare_record
from harness.model.vstream import RowChange, VRowEvent

Columns = Sequence[Sequence[bytes | None]]
# Keys, values and origins of rows, and whether a tombstone follows each.
Written = tuple[Sequence[bytes | None], Sequence[bytes], Sequence[tuple[Origin, ...]], bool]
_MICROSECOND: Final = 1000


class VectorisedWriter:
    """A row writer; keeps what is prepared for each version of a table."""

    def __init__(self, planner: RowPlanner, worker: Worker) -> None:
        """Take what prepares, and the worker that knows headers and partitions."""
        self._planner = planner
        self._worker = worker
        # A shape is kept beside its plans, so that its identity cannot be reused.
        self._plans: dict[tuple[int, bytes], tuple[TableShape, RowPlan | None]] = {}
        self._context: tuple[Header, ...] = ()
        self._headers: RecordHeaders = ()

    def records(
        self, shape: TableShape, event: VRowEvent, emitter: VitessEmitter
    ) -> Sequence[Record] | None:
        """Return the records of all rows of an event, or None to have structs."""
        state = emitter.state
        source = self._planner.source(shape, state.source(shape.key))
        nowhere = event.origin or NOWHERE
        written: list[Written] = []
        try:
            for op, changes in _alike(event.changes):
                plan = self._plan(shape, op)
                columns = _columns(op, changes, len(shape.columns))
                _check(plan, op, columns, len(shape.columns))
                texts = plan.template.texts(columns, _tail(plan, op, source, state.clock()))
                origins = [(change.origin or nowhere,) for change in changes]
                tombstones = op == DELETE and emitter.records.tombstones
                if plan.keyed:
                    written.append((texts[::2], texts[1::2], origins, tombstones))
                else:
                    written.append(([None] * len(texts), texts, origins, tombstones))
        except (NeedsStructs, JavaError):
            return None
        # Partitions are chosen last, for where the next row without a key goes is remembered.
        return self._sent(shape.topic, written, self._sent_headers(emitter.records.context))

    def _plan(self, shape: TableShape, op: bytes) -> RowPlan:
        known = self._plans.get((id(shape), op))
        if known is None:
            known = self._plans[id(shape), op] = (shape, self._planner.plan(shape, op))
        if known[1] is None:
            raise NeedsStructs
        return known[1]

    def _sent_headers(self, context: tuple[Header, ...]) -> RecordHeaders:
        if self._context is not context:
            self._context = context
            self._headers = self._worker.headers(context)
        return self._headers

    def _sent(self, topic: str, written: Sequence[Written], headers: RecordHeaders) -> list[Record]:
        worker = self._worker
        found: list[Record] = []
        for keys, values, origins, tombstones in written:
            if tombstones:
                found += [
                    bare_record(
                        topic,
                        worker.partition(topic, key, len(text or b"")),
                        key,
                        text,
                        origin,
                        headers,
                    )
                    for key, value, origin in zip(keys, values, origins, strict=True)
                    for text in (value, None)
                ]
                continue
            places = worker.places(topic, keys, values)
            found += map(bare_record, repeat(topic), places, keys, values, origins, repeat(headers))
        return found


def _alike(changes: Sequence[RowChange]) -> Iterator[tuple[bytes, Sequence[RowChange]]]:
    """Yield stretches of changes of one operation; what changes nothing is left out."""
    if all(change.before is None and change.after is not None for change in changes):
        yield CREATE, changes
        return
    for op, stretch in groupby(changes, _operation):
        if op is not None:
            yield op, [*stretch]


def _operation(change: RowChange) -> bytes | None:
    if change.after is None:
        return None if change.before is None else DELETE
    return CREATE if change.before is None else UPDATE


def _columns(op: bytes, changes: Sequence[RowChange], width: int) -> Columns:
    """Return the rows' cells by columns: those of the new image, then those of the old one."""
    afters = () if op == DELETE else [change.after or () for change in changes]
    befores = () if op == CREATE else [change.before or () for change in changes]
    try:
        columns = [*zip(*afters, strict=True), *zip(*befores, strict=True)]
    except ValueError as error:
        raise NeedsStructs from error
    if len(columns) != width * (1 + (op == UPDATE)):
        raise NeedsStructs
    return columns


def _check(plan: RowPlan, op: bytes, columns: Columns, width: int) -> None:
    """Refuse a key that moves, or a cell that cannot be read although nothing shows it."""
    if op == UPDATE and plan.keyed:
        for index in plan.moving:
            if columns[index] != columns[width + index]:
                raise NeedsStructs
    for index, parse in plan.checked:
        for column in columns[index::width]:
            for cell in column:
                if cell is not None:
                    parse(cell)


def _tail(plan: RowPlan, op: bytes, source: bytes, nanos: int) -> bytes:
    return plan.tail % {
        b"source": source,
        b"op": op,
        b"ms": nanos // MILLISECOND,
        b"us": nanos // _MICROSECOND,
        b"ns": nanos,
    }
