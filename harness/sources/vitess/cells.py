"""A row as VStream's ROW event carries it: MySQL's text protocol, one cell a column.

ENUM and SET are numbers, as in the binary log, and BIT has all bytes of its declared length. FLOAT
has the digits that its 32 bits need, and an exponent, as DOUBLE has. JSON is printed as TiDB prints
it (keys by their bytes, the same numbers), but for U+2028 and U+2029, which stand as they are.

Source: Vitess go/mysql/binlog/rbr.go `CellValue`, binlog_json.go `ParseBinaryJSON`,
go/mysql/json/parser.go `MarshalTo`, go/mysql/format/float.go; vectors `02_types`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from harness.model.columns import Column, ColumnKind
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.model.vstream import Cells
from harness.sources.vitess.fields import sent
from harness.wire.go_json import shortest

# The escape of a line separator, behind any number of escaped backslashes.
_SEPARATOR = re.compile(r"(?<!\\)((?:\\\\)*)\\u(202[89])")


def cells(table: Table, row: Row) -> Cells:
    """Return a row's cells, in the order of the table's FIELD event."""
    return row_cells(table)(row)


def row_cells(table: Table) -> Callable[[Row], Cells]:
    """Return what gives the cells of a table's rows, found once for all of them."""
    places = [(ordinal, table.columns[ordinal]) for ordinal in sent(table)]
    kinds = [column.kind for _, column in places]
    if ColumnKind.BIT in kinds or ColumnKind.JSON in kinds:
        return lambda row: tuple([cell(column, row[ordinal]) for ordinal, column in places])
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
                else cell(column, value)
                for value, (_, column) in zip(values, places, strict=True)
            ]
        )

    return written


def cell(column: Column, value: Value) -> bytes | None:
    """Return a canonical value as a cell; None for NULL."""
    if value is None or isinstance(value, bytes):
        return value
    if column.kind is ColumnKind.BIT and isinstance(value, int):
        return value.to_bytes(((column.length or 1) + 7) // 8, "big")
    if column.kind is ColumnKind.JSON and isinstance(value, str):
        value = _SEPARATOR.sub(lambda found: found[1] + chr(int(found[2], 16)), value)
    if isinstance(value, float):
        digits = shortest(value, 32 if column.kind is ColumnKind.FLOAT else 64)
        return _with_exponent(digits)
    return str(value).encode()


def _with_exponent(digits: Decimal) -> bytes:
    """Return a number in the form E of Go's `strconv.AppendFloat`: `1.1E+00`."""
    sign, figures, _ = digits.as_tuple()
    head, *rest = map(str, figures)
    point = "." if rest else ""
    return f"{'-' if sign else ''}{head}{point}{''.join(rest)}E{digits.adjusted():+03d}".encode()
