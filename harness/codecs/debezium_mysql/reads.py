"""Values that a connector reads by SELECT, where they are others than in the log.

Source: records of connector-mariadb 3.3.0.Final, which asks in text.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from harness.model.columns import Column, ColumnKind
from harness.model.values import Row, Value


def as_read(columns: Sequence[Column], row: Row) -> Row:
    """Return a row as it is read: FLOAT in six digits, TIMESTAMP without zeros at its end."""
    return tuple(_value(column, value) for column, value in zip(columns, row, strict=True))


def _value(column: Column, value: Value) -> Value:
    if column.kind is ColumnKind.FLOAT and isinstance(value, float):
        found: float = struct.unpack("<f", struct.pack("<f", float(f"{value:.6g}")))[0]
        return found
    if column.kind is ColumnKind.TIMESTAMP and isinstance(value, str) and "." in value:
        return value.rstrip("0").rstrip(".")
    return value
