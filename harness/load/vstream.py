"""A partition's events as the VStream responses that a Debezium connector reads.

Each partition is a shard, streamed by a task of its own, as a connector runs them that has as many
tasks as shards (`vitess.offset.storage.per.task`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from harness.load.repeats import STRETCH
from harness.load.shapes import DATABASE
from harness.load.spec import Spec
from harness.load.tables import Tables
from harness.load.workload import Altered, Committed, Event
from harness.model.columns import Column
from harness.model.record import Origin
from harness.model.values import Row
from harness.model.vstream import (
    Begin,
    Cells,
    Commit,
    Ddl,
    FieldEvent,
    RowChange,
    ShardGtid,
    VEvent,
    Vgtid,
    VRowEvent,
    VStreamResponse,
)
from harness.sources.clock import LOGICAL_BITS
from harness.sources.source import SourceConfig
from harness.sources.vitess.cells import cell
from harness.sources.vitess.copy import finished
from harness.sources.vitess.fields import fields
from harness.sources.vitess.position import Position
from harness.sources.vitess.source import COPYING, connector_settings

_ORIGIN = Origin(0, 0, 0, "load")
_SECOND = 1000
_MODE = "snapshot.mode"


def shard_of(partition: int, partitions: int) -> str:
    """Return a partition's shard: a range of four hexadecimal digits, `0` for the only one."""
    if partitions == 1:
        return "0"
    bounds = [f"{0x10000 * number // partitions:04x}" for number in range(partitions + 1)]
    low = bounds[partition] if partition else ""
    high = bounds[partition + 1] if partition + 1 < partitions else ""
    return f"{low}-{high}"


def settings_of(spec: Spec, partition: int) -> Mapping[str, Any]:
    """Return a partition's connector settings."""
    shards = (shard_of(partition, spec.partitions),)
    stage = SourceConfig(spec.effective_settings, (DATABASE,), spec.partitions, shards=shards)
    return connector_settings(stage, DATABASE)


def responses(
    events: Iterable[Event], made: Tables, spec: Spec, partition: int
) -> Iterator[VStreamResponse]:
    """Yield the stream of one partition."""
    shard = shard_of(partition, spec.partitions)
    emitter = _Emitter(made, shard)
    if settings_of(spec, partition)[_MODE] == COPYING:
        yield finished(DATABASE, (shard,))
    for event in events:
        if isinstance(event, Committed):
            yield emitter.committed(event)
        elif isinstance(event, Altered):
            yield emitter.altered(event)


class _Emitter:
    """One shard's stream so far."""

    def __init__(self, made: Tables, shard: str) -> None:
        self._made = made
        self._shard = shard
        self._position = Position(DATABASE, (shard,))
        self._pending: dict[int, FieldEvent] = {}
        self._tables: dict[int, tuple[str, tuple[Column, ...]]] = {}
        self._recent: dict[int, tuple[ShardGtid, ...]] = {}

    def altered(self, event: Altered) -> VStreamResponse:
        statement = event.statement
        table = self._made.version(event.number).table
        second = _second(statement.commit_ts)
        name = str(table.id)
        self._tables[statement.table] = (name, tuple(table.columns))
        self._pending[statement.table] = FieldEvent(
            name, fields(table), second, DATABASE, self._shard, origin=_ORIGIN
        )
        place = Vgtid(self._position.advance(self._shard), second, DATABASE, self._shard, _ORIGIN)
        return VStreamResponse((place, Ddl(statement.sql, second, DATABASE, self._shard, _ORIGIN)))

    def committed(self, event: Committed) -> VStreamResponse:
        second = _second(event.commit_ts)
        shard = self._shard
        events: list[VEvent] = [Begin(second, DATABASE, shard, _ORIGIN)]
        for change in event.changes:
            number = change.table
            if number in self._pending:
                events.append(self._pending.pop(number))
            name, columns = self._tables[number]
            row = RowChange(_cells(columns, change.before), _cells(columns, change.after), _ORIGIN)
            events.append(VRowEvent(name, (row,), second, DATABASE, shard, _ORIGIN))
        events.append(Vgtid(self._behind(event.commit_ts), second, DATABASE, shard, _ORIGIN))
        events.append(Commit(second, DATABASE, shard, _ORIGIN))
        return VStreamResponse(tuple(events))

    def _behind(self, commit_ts: int) -> tuple[ShardGtid, ...]:
        """Return the position behind a transaction: the same when it is sent again."""
        known = self._recent.get(commit_ts)
        if known is None:
            known = self._recent[commit_ts] = self._position.advance(self._shard)
            if len(self._recent) > STRETCH:
                del self._recent[next(iter(self._recent))]
        return known


def _cells(columns: tuple[Column, ...], row: Row | None) -> Cells | None:
    return None if row is None else tuple(map(cell, columns, row))


def _second(commit_ts: int) -> int:
    return (commit_ts >> LOGICAL_BITS) // _SECOND
