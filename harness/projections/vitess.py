"""Debezium Vitess: which row events are sent, which columns they have, and which values are masked.

Source: vitess NOTES §5, §7; clauses `vitess.type.*`, `vitess.filter.*`, `vitess.mask.*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from harness.contracts import DEFAULT_DIALECT, Projection
from harness.model.change import Op
from harness.model.columns import BINARIES, Column, ColumnKind
from harness.model.settings import Settings
from harness.model.source_events import RowEvent, SourceTable
from harness.model.values import Row
from harness.projections.debezium import (
    BINARY_TEXTS,
    FIELD_NAMES,
    captured_tables,
    included_columns,
    rewriter,
    without_key,
)
from harness.projections.vitess_quotes import Misplace, as_it_is, misplacer
from harness.projections.vitess_values import (
    UNSUPPORTED,
    VitessModes,
    modes_of,
    unsent,
    visible_value,
)

_LETTERS: Final[Mapping[Op, str]] = {Op.INSERT: "c", Op.UPDATE: "u", Op.DELETE: "d"}
_SYSTEM: Final = frozenset(("mysql", "performance_schema", "sys", "information_schema"))
# Dialects in which JSON has bytes whole that are to be cut; Avro has them cut.
_BYTES_WHOLE: Final = frozenset({"2.7"})
_TEXT_ON_THE_WIRE: Final = frozenset(
    (
        ColumnKind.DECIMAL,
        ColumnKind.ENUM,
        ColumnKind.SET,
        ColumnKind.JSON,
        ColumnKind.TIMESTAMP,
    )
)

_MASKED: Final = frozenset((ColumnKind.DECIMAL, ColumnKind.ENUM, ColumnKind.SET, ColumnKind.JSON))


def projection(values: Settings, dialect: str = DEFAULT_DIALECT) -> Projection:
    """Return what removes from a row event what is not sent; None where nothing is sent."""
    modes = modes_of(values)
    captured, included = captured_tables(values), included_columns(values)
    rewrite = rewriter(
        values,
        partial(_is_text_on_the_wire, modes),
        _is_masked,
        bytes_cut=_bytes_cut(values, dialect),
    )
    # By identity, which is kept beside: a table that is gone would lend its id to another.
    tables: dict[int, tuple[SourceTable, SourceTable | None, frozenset[int], Misplace]] = {}

    def visible_table(source: SourceTable) -> SourceTable | None:
        """Return a captured table as a consumer knows it, None for any other."""
        name = source.table.id
        if not captured(str(name)) or name.schema.lower() in _SYSTEM or "." in name.name:
            return None
        emitted = tuple(
            ordinal
            for ordinal in source.emitted
            for column in [source.table.columns[ordinal]]
            if included(f"{name}.{column.name}")
            and (column.kind not in UNSUPPORTED or modes.unknown)
        )
        for column in (source.table.columns[ordinal] for ordinal in source.handle):
            unknown = column.kind in UNSUPPORTED and not modes.unknown
            if unknown or not included(f"{name}.{column.name}"):
                raise without_key(f"{name}.{column.name}", "left out of rows")
        columns = tuple(_visible_column(column, modes) for column in source.table.columns)
        return replace(source, table=replace(source.table, columns=columns), emitted=emitted)

    def project(row: RowEvent) -> RowEvent | None:
        if id(row.table) not in tables:
            table = visible_table(row.table)
            sent = frozenset((*table.emitted, *table.handle)) if table else frozenset[int]()
            misplace = misplacer(row.table) if table else as_it_is
            tables[id(row.table)] = (row.table, table, sent, misplace)
        _, table, sent, misplaced = tables[id(row.table)]
        if table is None or _LETTERS[row.op] in modes.skipped:
            return None
        if modes.tolerant and _unreadable(row, sent, modes):
            return None
        image = partial(_image, row.table, sent, modes)
        before = rewrite(row.table, image(misplaced(row.before)))
        after = rewrite(row.table, image(misplaced(row.after)))
        found = replace(row, table=table, before=before, after=after)
        # The connector compares what it would send: two masked texts are equal.
        skipped = modes.unchanged_skipped and row.op is Op.UPDATE and _unchanged(found)
        return None if skipped else found

    return project


def _visible_column(column: Column, modes: VitessModes) -> Column:
    """Return a column as a consumer knows it by its name and the kind of its values."""
    column = replace(column, name=FIELD_NAMES[modes.field_names](column.name))
    if column.kind in UNSUPPORTED:
        return replace(column, kind=ColumnKind.BLOB, nullable=True)
    if "" in column.members:  # the connector misreads the members: they are only texts
        return replace(column, kind=ColumnKind.VARCHAR, members=())
    # Nothing on the wire distinguishes bytes as text from any other text.
    hidden = modes.binary in BINARY_TEXTS and column.kind in BINARIES
    return replace(column, kind=ColumnKind.VARCHAR) if hidden else column


def _image(
    source: SourceTable, sent: frozenset[int], modes: VitessModes, row: Row | None
) -> Row | None:
    if row is None:
        return None
    return tuple(
        visible_value(column, value, modes) if ordinal in sent else None
        for ordinal, (column, value) in enumerate(zip(source.table.columns, row, strict=True))
    )


def _unreadable(row: RowEvent, sent: frozenset[int], modes: VitessModes) -> bool:
    """Return whether the connector fails to parse a cell of a row, or to convert one it sends."""
    ts = row.commit_ts
    return any(
        # A copied row, which has no time, has the members of a SET as text.
        (column.kind is ColumnKind.SET and isinstance(value, int) and value >= 1 << 63 and ts)
        or (
            # A month without a day, or a day without a month.
            column.kind is ColumnKind.DATETIME
            and modes.time != "isostring"
            and isinstance(value, str)
            and (value[5:7] == "00") != (value[8:10] == "00")
        )
        or (ordinal in sent and unsent(column, value, modes, keyed=ordinal in row.table.handle))
        for image in (row.before or (), row.after or ())
        for ordinal, (column, value) in enumerate(
            zip(row.table.table.columns, image, strict=bool(image))
        )
    )


def _unchanged(row: RowEvent) -> bool:
    before, after = row.before or (), row.after or ()
    return all(before[ordinal] == after[ordinal] for ordinal in row.table.emitted)


def _is_text_on_the_wire(modes: VitessModes, column: Column) -> bool:
    """Return whether a value that is no text to its table is text on the wire."""
    match column.kind:
        case ColumnKind.BIGINT:
            return column.unsigned and modes.unsigned == "string"
        case ColumnKind.DATE | ColumnKind.TIME | ColumnKind.DATETIME:
            return modes.time == "isostring"
        case kind:
            return kind in _TEXT_ON_THE_WIRE


def _is_masked(column: Column) -> bool:
    """Return whether a value that is no text to its table is masked: of ENUM and SET in a copy."""
    return column.kind in _MASKED or (column.kind is ColumnKind.BIGINT and column.unsigned)


def _bytes_cut(values: Settings, dialect: str) -> bool:
    return dialect not in _BYTES_WHOLE or "avro" in str(values.get("value.converter", "")).lower()
