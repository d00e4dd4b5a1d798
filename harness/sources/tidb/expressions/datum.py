"""The values that expressions compute with, and how a column's canonical value becomes one.

| column | value |
| --- | --- |
| integers, BIT | `int` |
| YEAR | `Year`, an `int` |
| FLOAT, DOUBLE | `float` |
| DECIMAL | `Decimal` |
| character and binary types | `Text`, with the column's collation |
| DATE, DATETIME, TIMESTAMP | `Moment` |
| TIME | `Span` |
| ENUM, SET | `Named`: a number among numbers, a name among texts |

JSON and VECTOR columns have no value here: expressions over them are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import assert_never

from harness.model.columns import Column, ColumnKind
from harness.model.values import Value

BINARY = "binary"
# The collation of a literal, which gives way to any column's.
LITERAL = ""


class Inexpressible(ValueError):  # noqa: N818 - the expression is at fault, not a program
    """A value or a combination of values that we do not evaluate; the text says which."""


@dataclass(frozen=True, slots=True)
class Text:
    """Characters or bytes with a collation (`LITERAL` for a constant)."""

    text: str
    collation: str = LITERAL


@dataclass(frozen=True, slots=True)
class Moment:
    """A date with a time: year, month, day, hour, minute, second, microsecond."""

    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A time of TIME: microseconds, perhaps negative."""

    micros: int


@dataclass(frozen=True, slots=True)
class Named:
    """An ENUM or SET value: its number and its name."""

    number: int
    name: Text


class Year(int):
    """A YEAR; beside one TiDB reads a number of two digits as a year of its own century."""

    __slots__ = ()


Datum = int | float | Decimal | Text | Moment | Span | Named | None

_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6})\d*)?)?)?\s*"
)
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?()")
_SPAN = re.compile(r"(-?)(\d{1,3}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?\s*")


def datum(column: Column, value: Value) -> Datum:  # noqa: C901, PLR0911 - one arm a kind
    """Return what a column's canonical value is to an expression."""
    if value is None:
        return None
    match column.kind:
        case ColumnKind.ENUM | ColumnKind.SET:
            return _named(column, int(value))
        case ColumnKind.DECIMAL:
            return Decimal(str(value))
        case ColumnKind.DATE | ColumnKind.DATETIME | ColumnKind.TIMESTAMP:
            return moment(str(value))
        case ColumnKind.TIME:
            return span(str(value))
        case ColumnKind.YEAR:
            return Year(value)
        case ColumnKind.JSON | ColumnKind.VECTOR:
            raise Inexpressible(f"a column of type {column.kind.value.upper()}")
        case _:
            pass
    match value:
        case bytes():
            return Text(value.decode("utf-8", "surrogateescape"), BINARY)
        case str():
            return Text(value, column.collation or "utf8mb4_bin")
        case int() | float():
            return value
        case _:
            assert_never(value)


def _named(column: Column, number: int) -> Named:
    if column.kind is ColumnKind.ENUM:
        name = column.members[number - 1] if 0 < number <= len(column.members) else ""
    else:
        chosen = (m for bit, m in enumerate(column.members) if number >> bit & 1)
        name = ",".join(chosen)
    return Named(number, Text(name, column.collation or "utf8mb4_bin"))


def moment(text: str) -> Moment:
    """Return the date and time that a text or a row of digits says; Inexpressible otherwise."""
    found = _MOMENT.fullmatch(text.strip()) or _DIGITS.fullmatch(text)
    if found is None:
        raise Inexpressible(f"{text!r} as a date")
    *parts, micros = found.groups()
    return Moment((*(int(part or 0) for part in parts), int((micros or "0").ljust(6, "0"))))


def sound_moment(text: str) -> Moment:
    """Return the date and time that an author wrote; one that the calendar lacks is refused."""
    found = moment(text)
    try:
        datetime(*found.parts)  # type: ignore[arg-type] # noqa: DTZ001 - no zone is in question
    except ValueError as error:
        raise Inexpressible(f"{text!r} as a date") from error
    return found


def span(text: str) -> Span:
    """Return the time of TIME that a text says; Inexpressible otherwise."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise Inexpressible(f"{text!r} as a time")
    sign, hours, minutes, seconds, micros = found.groups()
    if int(minutes) >= 60 or int(seconds) >= 60:
        raise Inexpressible(f"{text!r} as a time")
    whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    total = whole * 1_000_000 + int((micros or "0").ljust(6, "0"))
    return Span(-total if sign else total)
