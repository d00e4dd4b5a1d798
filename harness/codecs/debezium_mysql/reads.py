"""Values that a connector reads by SELECT, where they are others than in the log.

Source: records of connector-mariadb 3.3.0.Final and connector-mysql 3.3.1.Final, which ask in text.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.model.canonical import canonical, selected_float
from harness.model.columns import Column, ColumnKind
from harness.model.values import Row, Value

_ZERO = "0000-00-00"
_EPOCH = "1970-01-01 00:00:00"


def as_read(columns: Sequence[Column], row: Row) -> Row:
    """Return a row as it is read.

    FLOAT has the digits that the server shows, TIMESTAMP no zeros at its end, and a zero one is no
    value; a member of an ENUM is the text that it is, whatever is escaped in the log. The year 0 is
    2000 of a DATE, 2001 of a DATETIME, whose ten days between Julian and Gregorian calendar are
    those behind them.
    """
    return tuple(_value(column, value) for column, value in zip(columns, row, strict=True))


def _value(column: Column, value: Value) -> Value:  # noqa: PLR0911 - a family a line
    match column.kind, value:
        case ColumnKind.FLOAT, float():
            return selected_float(column, value)
        case ColumnKind.TIMESTAMP, str() if value.startswith(_ZERO):
            return _instead(column)
        case ColumnKind.TIMESTAMP, str() if "." in value:
            return value.rstrip("0").rstrip(".")
        case ColumnKind.DATE, str() if value.startswith("0000-"):
            return f"2{value[1:]}"
        case ColumnKind.DATETIME, str():
            return _by_java(value)
        case ColumnKind.ENUM, int() if 0 < value <= len(column.members):
            return column.members[value - 1]
        case _:
            return value


def _instead(column: Column) -> Value:
    """Return what a zero TIMESTAMP is read as: no value where none may be, else the default."""
    if column.nullable:
        return None
    default = column.default
    if default is None or default.text is None or default.is_expression:
        return _EPOCH
    whole = f"{default.text} 00:00:00" if len(default.text) == len(_ZERO) else default.text
    return _EPOCH if whole.startswith(_ZERO) else canonical(column, whole)


def _by_java(moment: str) -> str:
    """Return a DATETIME as java.sql.Timestamp has it, whose years begin with 1."""
    if moment.startswith("0000-"):
        return f"2001{moment[4:]}"
    if "1582-10-05" <= moment < "1582-10-15":
        return f"1582-10-{int(moment[8:10]) + 10}{moment[10:]}"
    return moment
