"""The truth to reach: the source simulator's events, folded by the protocol's own rules.

Faults come later and must not change it. An event is applied when the global resolved ts, the least
over all partitions of all topics of each partition's greatest resolved ts, completes its commit ts
(`<=` or, in the 4.0.4 dialect, `<`). At one commit ts deletes apply before everything else.
Rows keep the events that made them, so that a finding can point at records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from harness.ddl import ActionType
from harness.ddl.stored_rows import Moved, moved
from harness.model.change import Op
from harness.model.source_events import (
    DdlEvent,
    ResolvedEvent,
    RowEvent,
    SourceEvent,
    SourceTable,
)
from harness.model.table import TableId
from harness.model.values import Row, Value

Key = tuple[Value, ...]
DROP_SCHEMA = "drop_schema"
TAKE_AWAY = frozenset({ActionType.DROP_TABLE, ActionType.TRUNCATE_TABLE})
# No commit ts is greater.
_LAST = 2**64


@dataclass(slots=True)
class TableState:
    """One table's rows: by handle key, or a list when there is no handle key (a multiset).

    `history` holds, for each key, the events that touched it, in order of application.
    """

    source_table: SourceTable
    rows: dict[Key, Row] = field(default_factory=dict[Key, Row])
    multiset: list[Row] = field(default_factory=list[Row])
    history: dict[Key, list[RowEvent]] = field(default_factory=dict[Key, list[RowEvent]])

    @property
    def keyless(self) -> bool:
        """Return whether rows have no identity."""
        return not self.source_table.handle

    def events(self) -> list[RowEvent]:
        """Return every event that touched the table."""
        return [event for events in self.history.values() for event in events]

    def all_rows(self) -> list[Row]:
        """Return the rows in no particular order."""
        return [*self.rows.values(), *self.multiset]


@dataclass(frozen=True, slots=True)
class Expected:
    """The state at the last global resolved ts, and how it came about, in order of application.

    `again` folds other events of the case by the same rules; `unordered` says whether events in
    different partitions have no order among each other, `exclusive` whether a mark completes only
    what lies below it.
    """

    tables: dict[TableId, TableState]
    applied: tuple[SourceEvent, ...]
    ddl: tuple[DdlEvent, ...]
    held: tuple[RowEvent, ...]
    resolved_ts: int
    again: Callable[[Sequence[SourceEvent]], dict[TableId, TableState]] = field(compare=False)
    unordered: bool = False
    exclusive: bool = False


def fold(
    events: Iterable[SourceEvent], *, complete: str, by_image: bool = False, every: bool = False
) -> Expected:
    """Return the expected state; `complete` is `at-or-below` or `below`.

    `by_image` holds equal rows without a key once; `every` applies what nothing completes, too.
    """
    stream = tuple(events)
    resolved = global_resolved(stream)
    limit = resolved if complete == "at-or-below" else resolved - 1
    limit = _LAST if every else limit
    data = [event for event in stream if not isinstance(event, ResolvedEvent)]
    # Python's sort is stable, so events of one commit ts and rank stay in emission order.
    ready = sorted((e for e in data if e.commit_ts <= limit), key=lambda e: (e.commit_ts, _rank(e)))
    again = partial(_folded, by_image=by_image)
    return Expected(
        tables=again(ready),
        applied=tuple(ready),
        ddl=tuple(event for event in ready if isinstance(event, DdlEvent)),
        held=tuple(e for e in data if e.commit_ts > limit and isinstance(e, RowEvent)),
        resolved_ts=resolved,
        again=again,
        exclusive=complete != "at-or-below",
    )


def _folded(ready: Sequence[SourceEvent], *, by_image: bool) -> dict[TableId, TableState]:
    tables: dict[TableId, TableState] = {}
    dropped: dict[int, TableState] = {}
    for event in ready:
        if isinstance(event, DdlEvent):
            _apply_ddl(tables, dropped, event)
        elif isinstance(event, RowEvent):
            apply_row(tables, event, by_image=by_image, moving=True)
    return tables


def global_resolved(events: Sequence[SourceEvent]) -> int:
    """Return the least of the partitions' greatest resolved ts; 0 while any partition has none."""
    greatest: dict[tuple[str, int], int] = {}
    for event in events:
        if isinstance(event, DdlEvent):
            for partition in range(event.partitions):
                greatest.setdefault((event.topic, partition), 0)
        elif isinstance(event, ResolvedEvent):
            place = (event.topic, event.partition)
            greatest[place] = max(greatest.get(place, 0), event.ts)
        else:
            greatest.setdefault((event.topic, event.partition), 0)
    return min(greatest.values(), default=0)


def key_of(table: SourceTable, row: Row) -> Key:
    """Return the handle key's values; without a handle the row, but for columns never sent."""
    if table.handle:
        return tuple(row[ordinal] for ordinal in table.handle)
    if len(table.emitted) == len(row):
        return row
    sent = set(table.emitted)
    return tuple(value if ordinal in sent else None for ordinal, value in enumerate(row))


def _rank(event: RowEvent | DdlEvent) -> int:
    if isinstance(event, DdlEvent):
        return 0
    return 1 if event.op is Op.DELETE else 2


def apply_row(
    tables: dict[TableId, TableState],
    event: RowEvent,
    *,
    by_image: bool = False,
    moving: bool = False,
) -> None:
    """Put, replace or remove the event's row, and remember the event.

    Where `moving`, an update takes the row from the key that it had before.
    """
    state = tables.setdefault(event.table.table.id, TableState(event.table))
    image = event.before if event.op is Op.DELETE else event.after
    assert image is not None
    key = key_of(event.table, image)
    state.history.setdefault(key, []).append(event)
    if state.keyless:
        before, after = (
            None if row is None else key_of(event.table, row) for row in (event.before, event.after)
        )
        if before is not None and before in state.multiset:
            state.multiset.remove(before)
        there = by_image and after in state.multiset
        if after is not None and not there:
            state.multiset.append(after)
    elif event.op is Op.DELETE:
        state.rows.pop(key, None)
    else:
        old = key if event.before is None else key_of(event.table, event.before)
        if moving and old != key:
            state.rows.pop(old, None)
        state.rows[key] = image


def _apply_ddl(
    tables: dict[TableId, TableState], dropped: dict[int, TableState], event: DdlEvent
) -> None:
    """Let tables follow a DDL; `dropped` holds what RECOVER brings back, by physical id."""
    before, after = event.before, event.after
    if before is None and after is None:
        _drop_schema(tables, event)
        return
    moves = moved_by_event(event)
    old = {name: tables.pop(name) for name in moves if name in tables}
    if before is not None and before.table.id in old and event.type in TAKE_AWAY:
        dropped[before.table.physical_id] = old[before.table.id]
    for was, now in versions(event):
        if now is not None and not now.table.is_view and not now.table.is_sequence:
            state = old.get(was.table.id) if was is not None else None
            tables[now.table.id] = TableState(now, history=state.history if state else {})
    if after is not None and event.type == ActionType.RECOVER_TABLE:
        back = dropped.pop(after.table.physical_id, tables[after.table.id])
        tables[after.table.id] = replace(back, source_table=after)
    for name, state in old.items():
        for row in state.all_rows():
            place = moves[name](row)
            if place is not None:
                _move(state, tables[place[0].id], row, place[1])


def _drop_schema(tables: dict[TableId, TableState], event: DdlEvent) -> None:
    if event.action == DROP_SCHEMA:
        for table_id in [t for t in tables if t.schema == event.schema]:
            del tables[table_id]


def versions(event: DdlEvent) -> Sequence[tuple[SourceTable | None, SourceTable | None]]:
    """Return the tables that a DDL changes, before and after."""
    return [(event.before, event.after), *((event.exchanged,) if event.exchanged else ())]


def moved_by_event(event: DdlEvent) -> Mapping[TableId, Moved]:
    """Return what becomes of the rows of each table that a DDL concerns, by its name before."""
    exchanged = None
    if event.exchanged is not None:
        exchanged = event.exchanged[0].table, event.exchanged[1].table
    before, after = (None if one is None else one.table for one in (event.before, event.after))
    return moved(event.type, before, after, exchanged, event.origin.line)


def _move(old: TableState, new: TableState, row: Row, image: Row) -> None:
    """Put a row of one table into another, or into the same one after a DDL."""
    key = key_of(new.source_table, image)
    if new.keyless:
        new.multiset.append(key)
    else:
        new.rows[key] = image
    touched = old.history.get(key_of(old.source_table, row))
    if touched is not None and new.history is not old.history:
        new.history.setdefault(key, touched)
