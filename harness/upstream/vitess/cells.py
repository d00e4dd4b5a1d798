"""A row as VStream's ROW event carries it: MySQL's text protocol, one cell a column.

ENUM and SET are numbers, as in the binary log.

Source: Vitess go/mysql/binlog/rbr.go `CellValue`; vectors `02_types`.
"""

from __future__ import annotations

from harness.model.columns import ColumnKind
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.model.vstream import Cells
from harness.upstream.vitess.fields import sent


def cells(table: Table, row: Row) -> Cells:
    """Return a row's cells, in the order of the table's FIELD event."""
    return tuple(cell(table.columns[ordinal].kind, row[ordinal]) for ordinal in sent(table))


def cell(kind: ColumnKind, value: Value) -> bytes | None:
    """Return a canonical value as a cell; None for NULL."""
    if value is None or isinstance(value, bytes):
        return value
    if kind is ColumnKind.BIT and isinstance(value, int):
        return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")
    return (repr(value) if isinstance(value, float) else str(value)).encode()
