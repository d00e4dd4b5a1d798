"""A consumer's raw rows, brought into the columns' canonical form, or findings that say why not."""

from __future__ import annotations

from collections.abc import Mapping

from harness.model.canonical import canonical
from harness.model.finding import Finding, FindingKind
from harness.model.observed import RawRow
from harness.model.source_events import SourceTable
from harness.model.values import Row, Value
from harness.protocols.clauses import type_clause
from harness.verdict.case import Judged
from harness.verdict.expected import Key, TableState, key_of
from harness.verdict.text import key_text, row_text


def read_row(judged: Judged, state: TableState, raw: RawRow) -> Row | Finding:
    """Return the row in table column order (None where never sent), or what is wrong."""
    table = state.source_table
    names = {table.table.columns[i].name for i in table.emitted}
    for kind, columns, verb in (
        (FindingKind.MISSING_COLUMN, sorted(names - set(raw)), "lacks the column"),
        (FindingKind.EXTRA_COLUMN, _unknown(table, names, raw), "has the unknown column"),
    ):
        if columns:
            wanted = _wanted(state, raw)
            return Finding(
                kind,
                f"a row of {table.table.id} {verb} {', '.join(columns)}: {raw_text(raw)}",
                judged.main_clause(),
                judged.line,
                table=str(table.table.id),
                key=raw_key(table, raw),
                column=columns[0],
                expected=wanted,
                actual=None if wanted is None else raw_text(raw),
                places=judged.places_of(state.events()),
            )
    return _values(judged, state, raw)


def _unknown(table: SourceTable, sent: set[str], raw: RawRow) -> list[str]:
    """Return the columns of a row that it may not have, in order.

    Who makes tables by their DDL has generated columns too, and no value for one never sent.
    """
    more = set(raw) - sent
    own = table.table.column_names if more else ()
    return sorted(name for name in more if raw[name] is not None or name not in own)


def _values(judged: Judged, state: TableState, raw: RawRow) -> Row | Finding:
    table = state.source_table
    values: list[Value] = [None] * len(table.table.columns)
    for ordinal in table.emitted:
        column = table.table.columns[ordinal]
        try:
            values[ordinal] = canonical(column, raw[column.name])
        except ValueError as error:
            return Finding(
                FindingKind.UNREADABLE_VALUE,
                f"{table.table.id}.{column.name} cannot be read: {error}",
                type_clause(judged.protocol, column.kind),
                judged.line,
                table=str(table.table.id),
                key=raw_key(table, raw),
                column=column.name,
                expected=f"a value of type {column.kind.value}",
                actual=repr(raw[column.name]),
                places=judged.places_of(state.events()),
            )
    return tuple(values)


def raw_key(table: SourceTable, raw: RawRow) -> str:
    """Return the key of a row as the consumer wrote it, in the words of `key_text`."""
    row = _key_columns(table, raw)
    return row if isinstance(row, str) else key_text(table, row)


def _key_columns(table: SourceTable, raw: RawRow) -> Row | str:
    """Return a row with the columns of the key alone, or the one that cannot be read."""
    row: list[Value] = [None] * len(table.table.columns)
    for ordinal in table.handle or table.emitted:
        column = table.table.columns[ordinal]
        try:
            row[ordinal] = canonical(column, raw.get(column.name))
        except ValueError:
            return f"{column.name}={raw.get(column.name)!r}"
    return tuple(row)


def key_in(state: TableState, raw: RawRow) -> Key | None:
    """Return the key that a row has as the consumer wrote it, None where there is none to read."""
    row = _key_columns(state.source_table, raw)
    return None if isinstance(row, str) or state.keyless else key_of(state.source_table, row)


def _wanted(state: TableState, raw: RawRow) -> str | None:
    """Return the row that must be there under the key of one that the consumer wrote."""
    key = key_in(state, raw)
    wanted = None if key is None else state.rows.get(key)
    return None if wanted is None else row_text(state.source_table, wanted)


def raw_text(raw: Mapping[str, object]) -> str:
    """Return a raw row for people."""
    return "{" + ", ".join(f"{name}: {_raw_value(value)}" for name, value in raw.items()) + "}"


def _raw_value(value: object) -> str:
    return "NULL" if value is None else repr(value)
