"""The tables that a right consumer may have at the end of a case, by its design.

Where no clause decides between two ways, each is a fold of its own: a consumer is right if one of
them says what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from harness.ddl import ActionType
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.reshape import added_value
from harness.model.source_events import (
    DdlEvent,
    RowEvent,
    SourceEvent,
    SourceTable,
)
from harness.model.table import TableId
from harness.model.values import Row, Value
from harness.verdict.by_record import default_of, fold_rows
from harness.verdict.design import AS_EXPECTED, Applies, Design, KeylessRows, OlderRows
from harness.verdict.expected import (
    TAKE_AWAY,
    Expected,
    Key,
    TableState,
    fold,
    key_of,
    moved_by_event,
    versions,
)
from harness.verdict.unsaid import other_readings

_EPOCH = "1970-01-01 00:00:00"


@dataclass(frozen=True, slots=True)
class Folding:
    """The events of a case as a fold takes them.

    `complete` is what a resolved ts promises, None in a protocol that carries rows alone. Of
    `events`, `emitted` are all that were sent, those included of which compaction left nothing.
    """

    events: tuple[SourceEvent, ...]
    emitted: tuple[SourceEvent, ...]
    complete: str | None
    carries_default: Callable[[Column], bool]

    def expected(self, design: Design = AS_EXPECTED) -> Expected:
        """Return the tables of a consumer that has made the usual choice wherever there is one."""
        return next(self.accepted(design))

    def accepted(
        self, design: Design = AS_EXPECTED, *, database: bool = False
    ) -> Iterator[Expected]:
        """Yield the tables that are right under a design, the usual ones first.

        In a database an older row may hold the upstream's default without a declaration: whoever
        creates the table there may have said it. Its TIMESTAMP begins a second after 1970 does, so
        the first moment is kept as a zero there.
        """
        older = [design.older_rows, *(one for one in OlderRows if database)]
        for value in dict.fromkeys(older if self.complete is None else older[:1]):
            for events, emitted in self._readings():
                for left_out in self._left_out(design, emitted):
                    kept = [e for e in events if e.origin.event not in left_out]
                    found = self._folded(design, value, kept)
                    yield found
                    stored = _stored(found) if database else found
                    if stored.tables != found.tables:
                        yield stored

    def _readings(self) -> Iterator[tuple[Sequence[SourceEvent], Sequence[SourceEvent]]]:
        """Yield the events, and all that were emitted, as they are; then as else they may be read.

        Where rows come alone there is no DDL to read.
        """
        yield self.events, self.emitted
        for read in other_readings(self.emitted) if self.complete is not None else ():
            yield tuple(map(read, self.events)), tuple(map(read, self.emitted))

    def _left_out(self, design: Design, emitted: Sequence[SourceEvent]) -> Iterator[frozenset[int]]:
        """Yield the numbers of events that may be without effect, first none of them."""
        yield frozenset()
        unheralded = frozenset(_unheralded(emitted))
        if unheralded:
            yield unheralded
        if self.complete is not None and design.applies is Applies.ON_ARRIVAL:
            # A DDL that no resolved event completes may be waited for.
            unresolved = self._unresolved_ddl()
            if unresolved:
                yield unresolved

    def _folded(self, design: Design, older: OlderRows, events: Sequence[SourceEvent]) -> Expected:
        by_image = design.keyless_rows is KeylessRows.BY_IMAGE
        if self.complete is None:
            given = self._carried if older is OlderRows.NULL else _upstream
            return fold_rows(events, given, by_image=by_image, truncates=True)
        every = design.applies is Applies.ON_ARRIVAL
        return fold(events, complete=self.complete, by_image=by_image, every=every)

    def _carried(self, column: Column) -> Value:
        """Return what the wire says of older rows: the default, where it has that, else NULL."""
        return default_of(column) if self.carries_default(column) else None

    def _unresolved_ddl(self) -> frozenset[int]:
        done = fold(self.events, complete=self.complete or "").applied
        names = {event.origin.event for event in done}
        return frozenset(
            event.origin.event
            for event in self.events
            if isinstance(event, DdlEvent) and event.origin.event not in names
        )


def _stored(expected: Expected) -> Expected:
    """Return the tables with what a server's TIMESTAMP holds of the first moment of 1970."""
    tables = {
        name: replace(
            state,
            rows={key: _as_zero(state, row) for key, row in state.rows.items()},
            multiset=[_as_zero(state, row) for row in state.multiset],
        )
        for name, state in expected.tables.items()
    }
    return replace(expected, tables=tables)


def _as_zero(state: TableState, row: Row) -> Row:
    columns = state.source_table.table.columns
    return tuple(
        f"0000-00-00{value[10:]}"
        if column.kind is ColumnKind.TIMESTAMP
        and isinstance(value, str)
        and value.startswith(_EPOCH)
        else value
        for column, value in zip(columns, row, strict=True)
    )


def _upstream(column: Column) -> Value:
    """Return what the upstream has in older rows, also of NOT NULL without a default."""
    try:
        return added_value(column)
    except ValueError:  # an expression: there is no literal to fill in
        return None


def _unheralded(events: Sequence[SourceEvent]) -> Iterator[int]:
    """Yield the updates of rows whose insert was never sent: filtered, or before the start.

    A consumer may insert such a row or update nothing, as TiCDC's own database sink does.
    """
    there = _There()
    for event in events:
        if isinstance(event, DdlEvent):
            there.follow(event)
        if not isinstance(event, RowEvent) or not event.table.handle:
            continue
        name, table = event.table.table.id, event.table
        rows = there.rows.setdefault(name, {})
        before = None if event.before is None else key_of(table, event.before)
        after = None if event.after is None else key_of(table, event.after)
        followed = name not in there.rekeyed
        if event.op is Op.UPDATE and (before or after) not in rows and followed:
            yield event.origin.event
            continue
        rows.pop(before or (), None)
        if after is not None and event.after is not None:
            rows[after] = event.after


@dataclass(slots=True)
class _There:
    """The rows that a stream has said to be there; of `rekeyed` tables they are not known.

    `dropped` holds what RECOVER brings back, by physical id.
    """

    rows: dict[TableId, dict[Key, Row]] = field(default_factory=dict[TableId, dict[Key, Row]])
    rekeyed: set[TableId] = field(default_factory=set[TableId])
    dropped: dict[int, dict[Key, Row]] = field(default_factory=dict[int, dict[Key, Row]])

    def follow(self, event: DdlEvent) -> None:
        """Follow tables through a DDL; rows whose key it changes are not followed any more."""
        old, after = event.before, event.after
        moves = moved_by_event(event)
        taken = {name: self.rows.pop(name, {}) for name in moves}
        if old is not None and event.type in TAKE_AWAY:
            self.dropped[old.table.physical_id] = taken[old.table.id]
        if after is not None and event.type == ActionType.RECOVER_TABLE:
            self.rows[after.table.id] = self.dropped.pop(after.table.physical_id, {})
        if old is not None:
            was = old.table.id in self.rekeyed
            self.rekeyed.discard(old.table.id)
            if after is not None and (was or _handle(old) != _handle(after)):
                self.rekeyed.add(after.table.id)
        new = {now.table.id: now for _, now in versions(event) if now is not None}
        for name, rows in taken.items():
            for row in rows.values():
                place = moves[name](row)
                if place is not None:
                    home = place[0].id
                    key = key_of(new[home], place[1])
                    self.rows.setdefault(home, {})[key] = place[1]


def _handle(table: SourceTable) -> tuple[tuple[str, object], ...]:
    columns = table.table.columns
    return tuple((columns[n].name, columns[n].kind) for n in table.handle)
