"""Dropped columns that a lake keeps: what they may hold, and the answer without them.

A row that has not changed since its column was dropped keeps the value. One that has changed keeps
it or has NULL, as whoever writes the whole row does. A row that came later has NULL. Where the
column is added again, older rows may still hold what they had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from harness.model.canonical import canonical
from harness.model.columns import Column
from harness.model.finding import Finding, FindingKind
from harness.model.observed import RawRow, RawValue
from harness.model.reshape import keeps_rows
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.model.table import TableId
from harness.model.values import Value
from harness.protocols.clauses import type_clause
from harness.verdict.case import Judged
from harness.verdict.expected import Expected, Key, TableState, key_of
from harness.verdict.text import value_text

Answer = Mapping[TableId, tuple[RawRow, ...]]


@dataclass(slots=True)
class KeptColumn:
    """A column that was dropped: what each row held then, by key, and the rows changed since."""

    column: Column
    values: dict[Key, Value] = field(default_factory=dict[Key, Value])
    changed: set[Key] = field(default_factory=set[Key])

    def allows(self, key: Key, value: object) -> bool:
        """Tell whether a row may hold this value."""
        if value is None:
            return key in self.changed or self.values.get(key) is None
        return key in self.values and value == self.values[key]


Kept = dict[TableId, dict[str, KeptColumn]]


def without_kept(
    judged: Judged, expected: Expected, answer: Answer
) -> tuple[Answer, tuple[Finding, ...]]:
    """Return the answer without dropped columns, and a finding for each wrong value in one."""
    kept = kept_columns(expected)
    findings: list[Finding] = []
    left: dict[TableId, tuple[RawRow, ...]] = dict(answer)
    for name, columns in kept.items():
        state = expected.tables.get(name)
        if state is not None and name in answer:
            rows = [_row(judged, state, columns, raw) for raw in answer[name]]
            left[name] = tuple(row for row, _ in rows)
            findings += [finding for _, found in rows for finding in found]
    return left, tuple(findings)


def kept_columns(expected: Expected) -> Kept:
    """Return the dropped columns of each table that is there at the end, by name."""
    kept: Kept = {}
    shapes: dict[TableId, object] = {}
    for number, event in enumerate(expected.applied):
        if isinstance(event, DdlEvent):
            _through(event, kept)
        changed = _shape_changes(event, shapes)
        if changed is not None:
            _dropped(expected, number, changed, kept)
        if isinstance(event, RowEvent):
            _touched(event, kept.get(event.table.table.id, {}))
    return kept


def _shape_changes(event: SourceEvent, shapes: dict[TableId, object]) -> TableId | None:
    """Return the table of which an event brings another shape."""
    if isinstance(event, DdlEvent):
        after = event.after
        keeps = event.before and after and keeps_rows(event.before.table, after.table)
        return after.table.id if keeps and after is not None else None
    if not isinstance(event, RowEvent) or event.after is None:
        return None
    name = event.table.table.id
    before, shapes[name] = shapes.get(name), event.table
    return name if before is not None and before != event.table else None


def _through(event: DdlEvent, kept: Kept) -> None:
    """Follow a table through its DDL: its name may change, and its rows may go."""
    if event.before is None:
        return
    columns = kept.pop(event.before.table.id, {})
    if event.after is not None and keeps_rows(event.before.table, event.after.table):
        kept[event.after.table.id] = columns


def _dropped(expected: Expected, number: int, name: TableId, kept: Kept) -> None:
    """Remember the columns that a table loses by one event."""
    before = expected.again(expected.applied[:number])
    after = expected.again(expected.applied[: number + 1]).get(name)
    event = expected.applied[number]
    old = event.before.table.id if isinstance(event, DdlEvent) and event.before else name
    state = before.get(old)
    if state is None or after is None or state.keyless:
        return
    names = {column.name for column in after.source_table.table.columns}
    for ordinal, column in enumerate(state.source_table.table.columns):
        if column.name not in names:
            values = {key: row[ordinal] for key, row in state.rows.items()}
            kept.setdefault(name, {})[column.name] = KeptColumn(column, values)


def _touched(event: RowEvent, columns: Mapping[str, KeptColumn]) -> None:
    for kept in columns.values():
        before = None if event.before is None else key_of(event.table, event.before)
        after = None if event.after is None else key_of(event.table, event.after)
        if after is not None:
            kept.changed.add(after)
        if before is not None and before != after:
            kept.values.pop(before, None)
            kept.changed.discard(before)


def _row(
    judged: Judged, state: TableState, columns: Mapping[str, KeptColumn], raw: RawRow
) -> tuple[RawRow, list[Finding]]:
    """Return a row without its dropped columns, and what is wrong in them."""
    table = state.source_table
    names = {table.table.columns[n].name for n in table.emitted}
    left = {name: value for name, value in raw.items() if name in names or name not in columns}
    key = _key(state, raw)
    if key is None:
        return left, []
    found: list[Finding] = []
    for name, kept in columns.items():
        if name not in raw:
            continue
        value = _value(kept.column, raw[name])
        if name not in names:
            if not kept.allows(key, value):
                found.append(_finding(judged, state, kept, key, value))
        elif key not in kept.changed and value == kept.values.get(key):
            # The column is there again: an older row may hold what it held, the rest is as usual.
            at = table.table.position(name)
            wanted = state.rows.get(key)
            left[name] = raw[name] if wanted is None else _raw(wanted[at])
    return left, found


def _value(column: Column, raw: RawValue) -> object:
    """Return a value as its column has it, or as it is where the column cannot have it."""
    try:
        return canonical(column, raw)
    except ValueError:
        return raw


def _raw(value: Value) -> RawValue:
    """Return a value as an answer spells it."""
    if isinstance(value, bytes):
        return value.hex()
    return Decimal(repr(value)) if isinstance(value, float) else value


def _key(state: TableState, raw: RawRow) -> Key | None:
    """Return the key of an answered row; None where it has none, or none that can be read."""
    if state.keyless:
        return None
    columns = [state.source_table.table.columns[n] for n in state.source_table.handle]
    try:
        return tuple(canonical(column, raw[column.name]) for column in columns)
    except (KeyError, ValueError):
        return None


def _finding(
    judged: Judged, state: TableState, kept: KeptColumn, key: Key, value: object
) -> Finding:
    table, name = str(state.source_table.table.id), kept.column.name
    handle = [state.source_table.table.columns[n].name for n in state.source_table.handle]
    shown = ", ".join(f"{n}={value_text(v)}" for n, v in zip(handle, key, strict=True))
    wanted = value_text(kept.values.get(key))
    return Finding(
        FindingKind.WRONG_VALUE,
        f"{table}.{name}, which was dropped and is kept, is {value!r} in {shown}, not {wanted}",
        type_clause(judged.protocol, kept.column.kind),
        judged.line,
        table=table,
        key=shown,
        column=name,
        expected=wanted,
        actual=repr(value),
        places=judged.places_of(state.events()),
    )
