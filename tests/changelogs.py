"""Change logs made by hand, as a recording would have made them.

Rows are whole, in table column order; lines number the statements, so that a test can ask where an
event came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.model.change import (
    Change,
    ChangeLog,
    DdlRun,
    Op,
    Pin,
    Resolve,
    RowChanged,
    RowPin,
    Transaction,
)
from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent, SourceEvent
from harness.model.table import TableId
from harness.model.values import Row
from harness.sources.tidb.changefeed import Changefeed, changefeed
from harness.sources.tidb.simulator import follow, unexpected

T = TableId("shop", "t")
SCHEMA = "shop"


def mount(
    log: ChangeLog, feed: Changefeed, databases: Sequence[str] = (), *, end_resolved: bool = True
) -> tuple[SourceEvent, ...]:
    """Return what TiCDC's encoder is given for a change log, in emission order.

    Raises StepError, which names the scenario line, when a step cannot be replayed or the
    changefeed stops.
    """
    mounted = follow(log, feed, databases, end_resolved=end_resolved)
    if mounted.stopped is not None:
        raise unexpected(mounted.stopped)
    return mounted.events


def ddl(sql: str, *, line: int = 1, ts: int | None = None) -> DdlRun:
    """Return a DDL step; unqualified names are in `shop`."""
    return DdlRun(sql, SCHEMA, line, None if ts is None else Pin(ts=ts))


def insert(*row: Any, table: TableId = T, line: int = 10) -> RowChanged:
    """Return an inserted row."""
    return RowChanged(Op.INSERT, table, None, row, line)


def update(before: Row, after: Row, *, table: TableId = T, line: int = 11) -> RowChanged:
    """Return an updated row."""
    return RowChanged(Op.UPDATE, table, before, after, line)


def delete(*row: Any, table: TableId = T, line: int = 12) -> RowChanged:
    """Return a deleted row."""
    return RowChanged(Op.DELETE, table, row, None, line)


def transaction(
    *changes: RowChanged,
    name: str = "t1",
    line: int = 5,
    ts: int | None = None,
    partition: int | None = None,
    rows: tuple[tuple[Mapping[str, Any], int], ...] = (),
) -> Transaction:
    """Return a committed transaction; `rows` pins the rows of some keys to partitions."""
    pin = Pin(ts, partition, tuple(RowPin(key, to) for key, to in rows))
    return Transaction(name, changes, line, None if pin == Pin() else pin)


def resolved(*partitions: int, ts: int | None = None, line: int = 20) -> Resolve:
    """Return a resolved event, on all partitions when none is named."""
    return Resolve(line, partitions or None, ts)


def log(*changes: Change) -> ChangeLog:
    """Return a change log."""
    return ChangeLog(changes)


def feed(partitions: int = 1, **settings: Any) -> Changefeed:
    """Return a changefeed; `force_replicate=True` means the setting `force-replicate`."""
    return changefeed({name.replace("_", "-"): v for name, v in settings.items()}, partitions)


def source_events(
    *changes: Change, to: Changefeed | None = None, end_resolved: bool = True
) -> tuple[SourceEvent, ...]:
    """Return what the encoder is given for these changes."""
    return mount(log(*changes), to or feed(), (SCHEMA,), end_resolved=end_resolved)


def rows_of(events: tuple[SourceEvent, ...]) -> list[RowEvent]:
    """Return the row events."""
    return [event for event in events if isinstance(event, RowEvent)]


def ddl_of(events: tuple[SourceEvent, ...]) -> list[DdlEvent]:
    """Return the DDL events."""
    return [event for event in events if isinstance(event, DdlEvent)]


def marks_of(events: tuple[SourceEvent, ...]) -> list[ResolvedEvent]:
    """Return the resolved events."""
    return [event for event in events if isinstance(event, ResolvedEvent)]


def brief(row: RowEvent) -> tuple[str, Row | None, Row | None]:
    """Return operation, old row and new row."""
    return (row.op.value, row.before, row.after)
