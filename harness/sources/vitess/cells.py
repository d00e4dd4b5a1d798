"""A row as VStream's ROW event carries it: MySQL's text protocol, one cell a column.

ENUM and SET are numbers, as in the binary log.

Source: Vitess go/mysql/binlog/rbr.go `CellValue`; vectors `02_types`.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.model.columns import ColumnKind
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.model.vstream import Cells
from harness.sources.vitess.fields import sent


def cells(table: Table, row: Row) -> Cells:
    """Return a row's cells, in the order of the table's FIELD event."""
    return row_cells(table)(row)


def row_cells(table: Table) -> Callable[[Row], Cells]:
    """Return what gives the cells of a table's rows, found once for all of them."""
    places = [(ordinal, table.columns[ordinal].kind) for ordinal in sent(table)]
    kinds = [kind for _, kind in places]
    if ColumnKind.BIT in kinds:
        return lambda row: tuple([cell(kind, row[ordinal]) for ordinal, kind in places])
    whole = [ordinal for ordinal, _ in places] == list(range(len(table.columns)))

    def written(row: Row) -> Cells:
        # Texts and whole numbers, which most values are, without the detour.
        values = row if whole else [row[ordinal] for ordinal, _ in places]
        return tuple(
            [
                value.encode()
                if isinstance(value, str)
                else b"%d" % value
                if value.__class__ is int
                else None
                if value is None
                else cell(kind, value)
                for value, kind in zip(values, kinds, strict=True)
            ]
        )

    return written


def cell(kind: ColumnKind, value: Value) -> bytes | None:
    """Return a canonical value as a cell; None for NULL."""
    if value is None or isinstance(value, bytes):
        return value
    if kind is ColumnKind.BIT and isinstance(value, int):
        return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")
    return (repr(value) if isinstance(value, float) else str(value)).encode()
