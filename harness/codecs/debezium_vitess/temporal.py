"""The texts of DATE, TIME and DATETIME, read as the Vitess connector reads them.

Source: V:VitessValueConverter.java stringTo*; vitess NOTES §7; vectors temporal.*,
time_oor.*, zero_date.*, partial_zero_date.*.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from harness.codecs.connect import java_calendar
from harness.codecs.connect.errors import ILLEGAL_ARGUMENT, RUNTIME, JavaError
from harness.codecs.connect.java import integer, text
from harness.codecs.debezium.errors import DEBEZIUM_EXCEPTION
from harness.codecs.debezium.temporal import DAY_SECONDS, NANOS, Moment, NoDay

_DATE: Final = re.compile(r"([0-9]*)-([0-9]*)-([0-9]*)\Z")
_TIME: Final = re.compile(r"(-?[0-9]*):([0-9]*)(?::([0-9]*))?(?:\.([0-9]*))?\Z")
_ZERO: Final = re.compile(r"\d{4}-00-00[^\n\r\u0085\u2028\u2029]*\Z", re.ASCII)
_STAMP: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) (\d+):(\d+):(\d+)(?:\.(\d{1,9}))?\Z", re.ASCII
)
_PLAIN_STAMP: Final = re.compile(
    rb"(\d{4}-\d\d-\d\d) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?\Z"
)
_FORMAT: Final = "Timestamp format must be yyyy-mm-dd hh:mm:ss[.fffffffff]"


def date(raw: bytes) -> int | None:
    """Return the days since 1970 of a DATE's text, None for a zero month or day."""
    value = text(raw)
    match = _DATE.match(value)
    if match is None:
        raise JavaError(RUNTIME, f"Unexpected format for DATE column: {value}")
    year, month, day = (integer(part, 32) for part in match.groups())
    if not month or not day:
        return None
    return java_calendar.epoch_day(*java_calendar.checked(year, month, day))


def time(raw: bytes) -> int:
    """Return the nanoseconds of a TIME's text, negative ones and those beyond a day too."""
    value = text(raw)
    match = _TIME.match(value)
    if match is None:
        raise JavaError(DEBEZIUM_EXCEPTION, f"Unexpected format for TIME column: {value}")
    hours, minutes = abs(integer(match[1], 64)), integer(match[2], 64)
    seconds = nanos = 0
    if match[3] is not None:
        seconds = integer(match[3], 64)
        nanos = int((match[4] or "").ljust(9, "0")[:9])
    total = (hours * 3600 + minutes * 60 + seconds) * NANOS + nanos
    return -total if value.startswith("-") else total


def moment(zone: ZoneInfo | None, raw: bytes) -> Moment | None:
    """Return a DATETIME's text as `java.sql.Timestamp` reads it in a zone; None for YYYY-00-00."""
    if zone is None:
        plain = _PLAIN_STAMP.match(raw)
        if plain is not None and (days := _modern_day(plain[1])) is not None:
            seconds = int(plain[2]) * 3600 + int(plain[3]) * 60 + int(plain[4])
            fraction = plain[5]
            nanos = int(fraction.ljust(9, b"0")) if fraction else 0
            return (days * DAY_SECONDS + seconds) * NANOS + nanos
    return _any_moment(zone, text(raw))


@lru_cache(maxsize=4096)
def _modern_day(raw: bytes) -> int | None:
    """Return the days since 1970 of a date about which all calendars agree."""
    year, month, day = int(raw[:4]), int(raw[5:7]), int(raw[8:])
    if year <= java_calendar.CUTOVER_YEAR or not (1 <= month <= 12 and 1 <= day <= 28):
        return None
    return java_calendar.epoch_day(year, month, day)


def _any_moment(zone: ZoneInfo | None, value: str) -> Moment | None:
    if _ZERO.match(value):
        return None
    match = _STAMP.match(value.strip())
    if match is None:
        raise JavaError(ILLEGAL_ARGUMENT, _FORMAT)
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise JavaError(ILLEGAL_ARGUMENT, _FORMAT)
    civil, seconds = java_calendar.lenient(year, month, day), hour * 3600 + minute * 60 + second
    if zone is not None:
        civil, seconds = java_calendar.in_zone(zone, civil, seconds)
    try:
        java_calendar.checked(*civil)
    except JavaError as flaw:
        return NoDay(flaw)
    nanos = int(match[7].ljust(9, "0")) if match[7] else 0
    return (java_calendar.epoch_day(*civil) * DAY_SECONDS + seconds) * NANOS + nanos
