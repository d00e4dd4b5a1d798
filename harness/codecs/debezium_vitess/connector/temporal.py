"""DATE, TIME and DATETIME: their texts read, and the form that each mode gives them.

Source: V:VitessValueConverter.java stringTo*, C:jdbc/TemporalPrecisionMode.java, C:time/*.java;
vitess NOTES §7; vectors temporal.*, time_oor.*, zero_date.*, partial_zero_date.*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from harness.codecs.connect.schema import Kind, Schema
from harness.codecs.debezium_vitess.connector import calendar
from harness.codecs.debezium_vitess.connector.errors import (
    ARITHMETIC,
    DEBEZIUM_EXCEPTION,
    ILLEGAL_ARGUMENT,
    RUNTIME,
    JavaError,
)
from harness.codecs.debezium_vitess.connector.java import integer, text

NANOS: Final = 1_000_000_000
DAY_SECONDS: Final = 86_400
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


@dataclass(frozen=True, slots=True)
class NoDay:
    """A DATETIME that is read, and then turns out to lie on no day of the calendar."""

    flaw: JavaError


# Nanoseconds since 1970.
Moment = int | NoDay


def date(raw: bytes) -> int | None:
    """Return the days since 1970 of a DATE's text, None for a zero month or day."""
    value = text(raw)
    match = _DATE.match(value)
    if match is None:
        raise JavaError(RUNTIME, f"Unexpected format for DATE column: {value}")
    year, month, day = (integer(part, 32) for part in match.groups())
    if not month or not day:
        return None
    return calendar.epoch_day(*calendar.checked(year, month, day))


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
    """Return a DATETIME's text as `java.sql.Timestamp` in a zone tells it; None for YYYY-00-00."""
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
    if year <= calendar.CUTOVER_YEAR or not (1 <= month <= 12 and 1 <= day <= 28):
        return None
    return calendar.epoch_day(year, month, day)


def _any_moment(zone: ZoneInfo | None, value: str) -> Moment | None:
    if _ZERO.match(value):
        return None
    match = _STAMP.match(value.strip())
    if match is None:
        raise JavaError(ILLEGAL_ARGUMENT, _FORMAT)
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise JavaError(ILLEGAL_ARGUMENT, _FORMAT)
    civil, seconds = calendar.lenient(year, month, day), hour * 3600 + minute * 60 + second
    if zone is not None:
        civil, seconds = calendar.in_zone(zone, civil, seconds)
    try:
        calendar.checked(*civil)
    except JavaError as flaw:
        return NoDay(flaw)
    nanos = int(match[7].ljust(9, "0")) if match[7] else 0
    return (calendar.epoch_day(*civil) * DAY_SECONDS + seconds) * NANOS + nanos


def _toward_zero(value: int, unit: int) -> int:
    return value // unit if value >= 0 else -(-value // unit)


def signed(value: int, bits: int) -> int:
    """Return a number as it is left in that many bits."""
    half = 1 << bits - 1
    return (value + half & (1 << bits) - 1) - half


def _exact(nanos: int) -> int:
    if signed(nanos, 64) != nanos:
        raise JavaError(ARITHMETIC, "long overflow")
    return nanos


def _since(value: Moment, unit: int) -> int:
    if isinstance(value, NoDay):
        raise value.flaw
    return value // unit


def _days(days: int) -> int:
    return signed(days, 32)


def _millis_of_day(nanos: int) -> int:
    return signed(_toward_zero(nanos, 1_000_000), 32)


def _micros_of_day(nanos: int) -> int:
    return _toward_zero(_exact(nanos), 1000)


def _wrapped_nanos(value: Moment) -> int:
    return signed(_since(value, 1), 64)


def _of_day(nanos: int) -> int:
    """Refuse what is no time of a day; 24:00:00 is one (C:time/Time.java toMilliOfDay)."""
    if not 0 <= nanos <= DAY_SECONDS * NANOS:
        raise OutsideDay
    return nanos // 1_000_000


class OutsideDay(Exception):  # noqa: N818 named for what it says of the value
    """A TIME that the mode `connect` cannot hold."""


@dataclass(frozen=True, slots=True)
class Form:
    """A semantic type: its schema, and how the parsed value becomes its number."""

    schema: Schema
    convert: Callable[..., int]


def _form(kind: Kind, name: str, convert: Callable[..., int]) -> Form:
    return Form(Schema(kind, name=name, version=1), convert)


DATE = _form(Kind.INT32, "io.debezium.time.Date", _days)
TIME = _form(Kind.INT32, "io.debezium.time.Time", _millis_of_day)
MICRO_TIME = _form(Kind.INT64, "io.debezium.time.MicroTime", _micros_of_day)
NANO_TIME = _form(Kind.INT64, "io.debezium.time.NanoTime", _exact)
TIMESTAMP = _form(Kind.INT64, "io.debezium.time.Timestamp", partial(_since, unit=1_000_000))
MICRO_TIMESTAMP = _form(Kind.INT64, "io.debezium.time.MicroTimestamp", partial(_since, unit=1000))
NANO_TIMESTAMP = _form(Kind.INT64, "io.debezium.time.NanoTimestamp", _wrapped_nanos)
CONNECT_DATE = _form(Kind.INT32, "org.apache.kafka.connect.data.Date", _days)
CONNECT_TIME = _form(Kind.INT32, "org.apache.kafka.connect.data.Time", _of_day)
CONNECT_TIMESTAMP = _form(
    Kind.INT64, "org.apache.kafka.connect.data.Timestamp", partial(_since, unit=1_000_000)
)


def _by_fraction(milli: Form, micro: Form, nano: Form) -> tuple[Form, ...]:
    return (milli,) * 4 + (micro,) * 3 + (nano,) * 3


def _always(form: Form) -> tuple[Form, ...]:
    return (form,) * 10


@dataclass(frozen=True, slots=True)
class Mode:
    """The forms of one `time.precision.mode`; times and datetimes by the digits of a fraction."""

    date: Form
    times: tuple[Form, ...]
    datetimes: tuple[Form, ...]


_ADAPTIVE = _by_fraction(TIMESTAMP, MICRO_TIMESTAMP, NANO_TIMESTAMP)
ISOSTRING: Final = "isostring"
MODES: Mapping[str, Mode] = MappingProxyType(
    {
        "adaptive": Mode(DATE, _by_fraction(TIME, MICRO_TIME, NANO_TIME), _ADAPTIVE),
        "adaptive_time_microseconds": Mode(DATE, _always(MICRO_TIME), _ADAPTIVE),
        "connect": Mode(CONNECT_DATE, _always(CONNECT_TIME), _always(CONNECT_TIMESTAMP)),
        "microseconds": Mode(DATE, _always(MICRO_TIME), _always(MICRO_TIMESTAMP)),
        "nanoseconds": Mode(DATE, _always(NANO_TIME), _always(NANO_TIMESTAMP)),
    }
)
