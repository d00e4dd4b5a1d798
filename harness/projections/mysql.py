"""Debezium MariaDB and MySQL: which row events are sent, with which columns and values.

Source: Debezium reference documentation 3.3, MariaDB connector; clauses `mysql.type.*`,
`mysql.filter.*`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from harness.contracts import DEFAULT_DIALECT, Projection
from harness.model.canonical import canonical
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.settings import Settings
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import TableId
from harness.model.values import Row, Value
from harness.projections.debezium import (
    FIELD_NAMES,
    captured_tables,
    included_columns,
    rewriter,
    without_key,
)
from harness.projections.mysql_values import (
    MysqlModes,
    instead_of_null,
    instead_of_zero,
    modes_of,
    only_text,
    visible_column,
    visible_value,
)

_LETTERS: Final[Mapping[Op, str]] = {Op.INSERT: "c", Op.UPDATE: "u", Op.DELETE: "d"}
_SYSTEM: Final = frozenset(("mysql", "performance_schema", "sys", "information_schema"))
# Between the last day of the Julian calendar and the first of the Gregorian one.
_NO_DAYS: Final = frozenset(f"1582-10-{day:02d}" for day in range(5, 15))
_TEXT_ON_THE_WIRE: Final = frozenset(
    (ColumnKind.ENUM, ColumnKind.SET, ColumnKind.JSON, ColumnKind.TIMESTAMP)
)

_MASKED: Final = frozenset((ColumnKind.ENUM, ColumnKind.SET))


def projection(values: Settings, dialect: str = DEFAULT_DIALECT) -> Projection:
    """Return what removes from a row event what is not sent; None where nothing is sent."""
    del dialect
    modes = modes_of(values)
    captured, included = captured_tables(values), included_columns(values)
    on_the_wire = partial(_is_text_on_the_wire, modes)
    rewrite = rewriter(values, on_the_wire, _is_masked, lengths_known=True)
    # By identity, which is kept beside: a table that is gone would lend its id to another.
    tables: dict[int, tuple[SourceTable, SourceTable | None]] = {}

    def visible_table(source: SourceTable) -> SourceTable | None:
        """Return a captured table as a consumer knows it, None for any other."""
        name = source.table.id
        if not _is_captured(captured, name):
            return None
        columns = source.table.columns
        for column in (columns[ordinal] for ordinal in source.handle):
            if not included(f"{name}.{column.name}"):
                raise without_key(f"{name}.{column.name}", "left out of rows")
        emitted = tuple(
            ordinal
            for ordinal, column in enumerate(columns)
            if included(f"{name}.{column.name}") and column.kind is not ColumnKind.VECTOR
        )
        named = (replace(c, name=FIELD_NAMES[modes.field_names](c.name)) for c in columns)
        seen = tuple(visible_column(column, modes) for column in named)
        return replace(source, table=replace(source.table, columns=seen), emitted=emitted)

    def project(row: RowEvent) -> RowEvent | None:
        if id(row.table) not in tables:
            tables[id(row.table)] = (row.table, visible_table(row.table))
        _, table = tables[id(row.table)]
        if table is None or _letter(row) in modes.skipped:
            return None

        def image(values: Row | None) -> Row | None:
            there = _selected(row.table, values) if row.origin.kind == "read" else values
            cut = rewrite(row.table, _seen(row.table, table, modes, there))
            return _filled(row.table, modes, cut)

        found = replace(row, table=table, before=image(row.before), after=image(row.after))
        skipped = modes.unchanged_skipped and row.op is Op.UPDATE and _unchanged(found)
        return None if skipped else found

    return project


def _is_masked(column: Column) -> bool:
    """Return whether a value that is no text to its table is masked and hashed as one."""
    return column.kind in _MASKED


def shows_truncate(values: Settings) -> Callable[[TableId], bool]:
    """Return whether it is sent of a table that it was emptied."""
    captured = captured_tables(values)
    sent = "t" not in modes_of(values).skipped
    return lambda name: sent and _is_captured(captured, name)


def _is_captured(captured: Callable[[str], bool], name: TableId) -> bool:
    return captured(str(name)) and name.schema.lower() not in _SYSTEM


def _letter(row: RowEvent) -> str:
    """Return what is skipped of a row: both halves of a moved key are of one update.

    Nothing skips what is read before the log.
    """
    return "" if row.origin.kind == "read" else "u" if row.split else _LETTERS[row.op]


def _selected(source: SourceTable, row: Row | None) -> Row | None:
    """Return a row as a connector reads what SELECT says."""
    if row is None:
        return None
    return tuple(map(_read, source.table.columns, row))


def _read(column: Column, value: Value) -> Value:  # noqa: PLR0911 - a kind a line
    """Return a value of a SELECT: FLOAT in the digits that it shows, moments by Java's calendar."""
    match value:
        case float() if column.kind is ColumnKind.FLOAT:
            digits = ".6g" if column.scale is None else f".{column.scale}f"
            return canonical(column, float(f"{value:{digits}}"))
        case str() if column.kind is ColumnKind.TIMESTAMP and value.startswith("0000-00-00"):
            return instead_of_zero(column, value)
        case str() if column.kind is ColumnKind.DATE and value.startswith("0000-"):
            return f"2{value[1:]}"
        case str() if column.kind is ColumnKind.DATETIME and value.startswith("0000-"):
            return f"2001{value[4:]}"
        case str() if column.kind is ColumnKind.DATETIME and value[:10] in _NO_DAYS:
            return f"{value[:8]}{int(value[8:10]) + 10}{value[10:]}"
        case int() if column.kind is ColumnKind.ENUM and only_text(column):
            return column.members[value - 1] if 0 < value <= len(column.members) else ""
        case _:
            return value


def _seen(
    source: SourceTable, table: SourceTable, modes: MysqlModes, row: Row | None
) -> Row | None:
    """Return what a row's values become on the wire, None for those that are not there."""
    if row is None:
        return None
    sent = frozenset((*table.emitted, *table.handle))
    return tuple(
        visible_value(column, value, modes) if ordinal in sent else None
        for ordinal, (column, value) in enumerate(zip(source.table.columns, row, strict=True))
    )


def _filled(source: SourceTable, modes: MysqlModes, row: Row | None) -> Row | None:
    """Return a row with the default of its column in the place of a NULL, where one is sent."""
    if row is None:
        return None
    return tuple(
        instead_of_null(column, modes) if value is None else value
        for column, value in zip(source.table.columns, row, strict=True)
    )


def _unchanged(row: RowEvent) -> bool:
    before, after = row.before or (), row.after or ()
    return all(before[ordinal] == after[ordinal] for ordinal in row.table.emitted)


def _is_text_on_the_wire(modes: MysqlModes, column: Column) -> bool:
    """Return whether a value that is no text to its table is text on the wire."""
    if column.kind is ColumnKind.DECIMAL:
        return modes.decimal == "string"
    return column.kind in _TEXT_ON_THE_WIRE
