"""A partition's events as what a TiCDC encoder is given.

A moved row is the two halves of a split update, the delete first (TiCDC codec notes §1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, cast

from harness.load.tables import Tables
from harness.load.workload import Altered, Change, Committed, Event, Kind
from harness.model.change import Op
from harness.model.columns import INTEGERS
from harness.model.record import Origin
from harness.model.source_events import (
    DdlEvent,
    ResolvedEvent,
    RowEvent,
    SourceEvent,
    SourceTable,
)
from harness.model.values import Row

# Nobody walks back from a row of a workload to a line: there is none.
_ORIGIN = Origin(0, 0, 0, "load")


class _Blank:
    """The places of a RowEvent, open to be written, as `model.record.bare_record` has them.

    A frozen class checks each of its assignments, and here are millions.
    """

    __slots__ = tuple(field.name for field in fields(RowEvent))

    op: Op
    table: SourceTable
    before: Row | None
    after: Row | None
    commit_ts: int
    topic: str
    partition: int
    origin: Origin
    row_id: Any
    physical_id: int
    split: bool


def vendor_events(events: Iterable[Event], made: Tables, partition: int) -> Iterator[SourceEvent]:
    """Yield the vendor input of one partition; a DDL is broadcast, as ever."""
    emitter = _Emitter(made, partition)
    for event in events:
        if isinstance(event, Committed):
            commit_ts = event.commit_ts
            for change in event.changes:
                if change[0] is Kind.MOVE:
                    yield from emitter.moved(change, commit_ts)
                else:
                    yield emitter.row(_OPS[change[0]], change, commit_ts)
        elif isinstance(event, Altered):
            yield emitter.altered(event)
            yield from emitter.marks(event.statement.commit_ts)
        else:
            yield from emitter.marks(event.ts)


class _Emitter:
    """One partition's tables while its events are emitted."""

    def __init__(self, made: Tables, partition: int) -> None:
        self._made = made
        self._partition = partition
        self._topics = made.topics()
        self._known: dict[int, tuple[SourceTable, str, int | None]] = {}

    def altered(self, event: Altered) -> DdlEvent:
        ddl = self._made.ddl[event.number]
        assert ddl.after is not None
        handle = ddl.after.handle
        columns = ddl.after.table.columns
        integer = len(handle) == 1 and columns[handle[0]].kind in INTEGERS
        self._known[event.statement.table] = (ddl.after, ddl.topic, handle[0] if integer else None)
        return ddl

    def marks(self, ts: int) -> Iterator[ResolvedEvent]:
        return (ResolvedEvent(ts, topic, self._partition, _ORIGIN) for topic in self._topics)

    def moved(self, change: Change, commit_ts: int) -> Iterator[RowEvent]:
        gone = Change(Kind.DELETE, change.table, change.before, None)
        come = Change(Kind.INSERT, change.table, None, change.after)
        yield self.row(Op.DELETE, gone, commit_ts, split=True)
        yield self.row(Op.INSERT, come, commit_ts, split=True)

    def row(self, op: Op, change: Change, commit_ts: int, *, split: bool = False) -> RowEvent:
        _, number, before, after = change
        table, topic, handle = self._known[number]
        image = before if after is None else after
        assert image is not None
        made = _Blank()
        made.op = op
        made.table = table
        made.before = before
        made.after = after
        made.commit_ts = commit_ts
        made.topic = topic
        made.partition = self._partition
        made.origin = _ORIGIN
        made.row_id = image[handle] if handle is not None else 0
        made.physical_id = 0
        made.split = split
        made.__class__ = cast("type[_Blank]", RowEvent)
        return cast("RowEvent", made)


_OPS = {Kind.INSERT: Op.INSERT, Kind.UPDATE: Op.UPDATE, Kind.DELETE: Op.DELETE}
