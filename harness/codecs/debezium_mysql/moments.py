"""DATE, TIME, DATETIME and TIMESTAMP of the log, as the connector reads them.

Years from 1 to 99 are those from 1970 to 2069. A date with a zero year, month or day, or on no day
of the calendar, is null where the column may be, and else the column's default, or without one the
first moment of 1970; a zero TIMESTAMP is that moment wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date as day_of
from typing import Final

from harness.codecs.debezium.temporal import DAY_SECONDS, NANOS, OutsideDay

_EPOCH = day_of(1970, 1, 1).toordinal()
EPOCH: Final = "1970-01-01T00:00:00Z"
Convert = Callable[..., int]


def _days(value: str) -> int | None:
    """Return the days since 1970; None where there is no such day."""
    year, month, day = (int(part) for part in value.split("-"))
    if not year:
        return None
    year += 2000 if year < 70 else 1900 if year < 100 else 0
    try:
        return day_of(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None


def nanos(value: str) -> int:
    """Return the nanoseconds of a TIME, negative ones and those beyond a day too."""
    whole, _, fraction = value.partition(".")
    hours, minutes, seconds = whole.lstrip("-").split(":")
    total = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * NANOS
    total += int(fraction.ljust(9, "0")) if fraction else 0
    return -total if whole.startswith("-") else total


def within_day(convert: Convert, value: str) -> int | None:
    """Return a TIME as a time of the day; None outside of it."""
    try:
        return convert(nanos(value))
    except OutsideDay:
        return None


def date(convert: Convert, value: str, *, optional: bool) -> int | None:
    """Return a DATE."""
    days = _days(value)
    if days is None:
        return None if optional else convert(0)
    return convert(days)


def moment(convert: Convert, value: str, *, optional: bool) -> int | None:
    """Return a DATETIME, which has no zone, as if it were in UTC."""
    days = _days(value[:10])
    if days is None:
        return None if optional else convert(0)
    return convert(days * DAY_SECONDS * NANOS + nanos(value[11:]))


def zoned(value: str) -> str:
    """Return a TIMESTAMP's text with its zone; its fraction has all digits of the column.

    The log has seconds since 1970, of which a zero one has none.
    """
    day = "1970-01-01" if value.startswith("0000-00-00") else value[:10]
    return f"{day}T{value[11:]}Z"
