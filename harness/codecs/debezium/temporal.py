"""The semantic types of dates and times, by `time.precision.mode`.

Source: C:jdbc/TemporalPrecisionMode.java, C:time/*.java; vitess NOTES §7; vectors temporal.*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.errors import ARITHMETIC, JavaError
from harness.codecs.connect.schema import Schema, SchemaType

NANOS: Final = 1_000_000_000
DAY_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class NoDay:
    """A DATETIME that is read, and then turns out to lie on no day of the calendar."""

    flaw: JavaError


# Nanoseconds since 1970.
Moment = int | NoDay


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
class TemporalType:
    """A semantic type: its schema, and how the parsed value becomes its number."""

    schema: Schema
    convert: Callable[..., int]


def _form(kind: SchemaType, name: str, convert: Callable[..., int]) -> TemporalType:
    return TemporalType(Schema(kind, name=name, version=1), convert)


DATE = _form(SchemaType.INT32, "io.debezium.time.Date", _days)
TIME = _form(SchemaType.INT32, "io.debezium.time.Time", _millis_of_day)
MICRO_TIME = _form(SchemaType.INT64, "io.debezium.time.MicroTime", _micros_of_day)
NANO_TIME = _form(SchemaType.INT64, "io.debezium.time.NanoTime", _exact)
TIMESTAMP = _form(SchemaType.INT64, "io.debezium.time.Timestamp", partial(_since, unit=1_000_000))
MICRO_TIMESTAMP = _form(
    SchemaType.INT64, "io.debezium.time.MicroTimestamp", partial(_since, unit=1000)
)
NANO_TIMESTAMP = _form(SchemaType.INT64, "io.debezium.time.NanoTimestamp", _wrapped_nanos)
CONNECT_DATE = _form(SchemaType.INT32, "org.apache.kafka.connect.data.Date", _days)
CONNECT_TIME = _form(SchemaType.INT32, "org.apache.kafka.connect.data.Time", _of_day)
CONNECT_TIMESTAMP = _form(
    SchemaType.INT64, "org.apache.kafka.connect.data.Timestamp", partial(_since, unit=1_000_000)
)


def _by_fraction(
    milli: TemporalType, micro: TemporalType, nano: TemporalType
) -> tuple[TemporalType, ...]:
    return (milli,) * 4 + (micro,) * 3 + (nano,) * 3


def _always(form: TemporalType) -> tuple[TemporalType, ...]:
    return (form,) * 10


@dataclass(frozen=True, slots=True)
class TemporalMode:
    """The forms of one `time.precision.mode`; times and datetimes by the digits of a fraction."""

    date: TemporalType
    times: tuple[TemporalType, ...]
    datetimes: tuple[TemporalType, ...]


_ADAPTIVE = _by_fraction(TIMESTAMP, MICRO_TIMESTAMP, NANO_TIMESTAMP)
ISOSTRING: Final = "isostring"
MODES: Mapping[str, TemporalMode] = MappingProxyType(
    {
        "adaptive": TemporalMode(DATE, _by_fraction(TIME, MICRO_TIME, NANO_TIME), _ADAPTIVE),
        "adaptive_time_microseconds": TemporalMode(DATE, _always(MICRO_TIME), _ADAPTIVE),
        "connect": TemporalMode(CONNECT_DATE, _always(CONNECT_TIME), _always(CONNECT_TIMESTAMP)),
        "microseconds": TemporalMode(DATE, _always(MICRO_TIME), _always(MICRO_TIMESTAMP)),
        "nanoseconds": TemporalMode(DATE, _always(NANO_TIME), _always(NANO_TIMESTAMP)),
    }
)
