"""Numbers of days, milli-, micro- and nanoseconds back to MySQL's text.

Source: debezium-core `io.debezium.time.*`; Kafka connect-api `Date`, `Time`, `Timestamp`; vitess
NOTES §7 (the table of `time.precision.mode`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final

from harness.codecs.connect.decode_document import shown
from harness.errors import DecodingError
from harness.model.columns import Column, ColumnKind

_DEBEZIUM: Final = "io.debezium.time"
_CONNECT: Final = "org.apache.kafka.connect.data"
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - MySQL's DATETIME has no zone
_MILLI, _MICRO, _NANO = 3, 6, 9
_MYSQL_DIGITS: Final = 6
_DAY: Final = 86_400
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
_YEAR_ONE: Final = (datetime(1, 1, 1) - _EPOCH).days  # noqa: DTZ001


class TemporalKind(Enum):
    """What a number counts towards."""

    DATE = auto()
    TIME = auto()
    DATETIME = auto()


@dataclass(frozen=True, slots=True)
class TemporalUnit:
    """What a number is of: its text's form, and how many digits of a second it counts."""

    reads: TemporalKind
    digits: int = 0


UNITS: Final[Mapping[str, TemporalUnit]] = {
    f"{_DEBEZIUM}.Date": TemporalUnit(TemporalKind.DATE),
    f"{_CONNECT}.Date": TemporalUnit(TemporalKind.DATE),
    f"{_DEBEZIUM}.Time": TemporalUnit(TemporalKind.TIME, _MILLI),
    f"{_CONNECT}.Time": TemporalUnit(TemporalKind.TIME, _MILLI),
    f"{_DEBEZIUM}.MicroTime": TemporalUnit(TemporalKind.TIME, _MICRO),
    f"{_DEBEZIUM}.NanoTime": TemporalUnit(TemporalKind.TIME, _NANO),
    f"{_DEBEZIUM}.Timestamp": TemporalUnit(TemporalKind.DATETIME, _MILLI),
    f"{_CONNECT}.Timestamp": TemporalUnit(TemporalKind.DATETIME, _MILLI),
    f"{_DEBEZIUM}.MicroTimestamp": TemporalUnit(TemporalKind.DATETIME, _MICRO),
    f"{_DEBEZIUM}.NanoTimestamp": TemporalUnit(TemporalKind.DATETIME, _NANO),
}
# What `time.precision.mode` counts TIME and DATETIME in; None: milliseconds up to fsp 3, else
# microseconds.
_MODES: Final[Mapping[str, tuple[int | None, int | None]]] = {
    "adaptive": (None, None),
    "adaptive_time_microseconds": (_MICRO, None),
    "connect": (_MILLI, _MILLI),
    "microseconds": (_MICRO, _MICRO),
    "nanoseconds": (_NANO, _NANO),
}


def unit_of(column: Column, mode: str) -> TemporalUnit | None:
    """Return what a column's numbers count, None where its values are no numbers."""
    if mode not in _MODES:
        return None
    time, moment = _MODES[mode]
    finest = _MILLI if column.fsp <= _MILLI else _MICRO
    if column.kind is ColumnKind.DATE:
        return TemporalUnit(TemporalKind.DATE)
    if column.kind is ColumnKind.TIME:
        return TemporalUnit(TemporalKind.TIME, finest if time is None else time)
    if column.kind is ColumnKind.DATETIME:
        return TemporalUnit(TemporalKind.DATETIME, finest if moment is None else moment)
    return None


def mysql_text(unit: TemporalUnit, number: int) -> str:
    """Return the date, time or moment of a number; DecodingError beyond the years 0 to 9999."""
    if unit.reads is TemporalKind.DATE:
        return _moment(number, 0)[: len("0000-00-00")]
    size = 10**unit.digits
    if unit.reads is TemporalKind.TIME:
        seconds, fraction = divmod(abs(number), size)
        sign = "-" if number < 0 else ""
        minutes, second = divmod(seconds, 60)
        whole = f"{sign}{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}"
    else:
        seconds, fraction = divmod(number, size)
        whole = _moment(*divmod(seconds, _DAY))
    kept = min(unit.digits, _MYSQL_DIGITS)
    return f"{whole}.{f'{fraction:0{unit.digits}d}'[:kept]}"


def _moment(days: int, seconds: int) -> str:
    # Python's calendar starts at year 1, MySQL's at year 0: read it 400 years later.
    shift = _CYCLE_DAYS if days < _YEAR_ONE else 0
    try:
        moment = _EPOCH + timedelta(days=days + shift, seconds=seconds)
    except OverflowError as error:
        raise DecodingError(f"day {shown(days)} is beyond MySQL's calendar") from error
    year = moment.year - (_CYCLE_YEARS if shift else 0)
    if year < 0:
        raise DecodingError(f"day {shown(days)} is beyond MySQL's calendar")
    return f"{year:04d}{moment.isoformat(' ')[4:]}"
