"""Days, milli-, micro- and nanoseconds as MySQL prints them.

Years 0 to 9999, of the calendar that has no gap in 1582; a TIME may be negative or longer than
a day. Numbers say nothing of a zone, and none is asked for.

Source: debezium-core `io.debezium.time.*`; Kafka connect-api `Date`, `Time`, `Timestamp`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

_EPOCH = date(1970, 1, 1)
_YEAR_ONE = (date(1, 1, 1) - _EPOCH).days
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097  # Python's calendar begins at year 1, MySQL's at year 0
_DAY_S = 86_400
_DIGITS_MAX = 6
Text = Callable[[int], str]


def date_text(days: int) -> str:
    """Return a day as YYYY-MM-DD; raises ValueError beyond MySQL's calendar."""
    shift = days < _YEAR_ONE
    try:
        day = _EPOCH + timedelta(days + (_CYCLE_DAYS if shift else 0))
    except OverflowError as error:
        raise ValueError(f"day {days} is beyond the calendar") from error
    year = day.year - (_CYCLE_YEARS if shift else 0)
    if year < 0:
        raise ValueError(f"day {days} is beyond the calendar")
    return f"{year:04d}-{day.month:02d}-{day.day:02d}"


def _fraction(rest: int, digits: int) -> str:
    return f".{rest:0{digits}d}"[: _DIGITS_MAX + 1]


def _clock(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}:{second:02d}"


def time_of(digits: int) -> Text:
    """Return the reader of a TIME that counts seconds with so many digits after the point."""
    size = 10**digits

    def read(number: int) -> str:
        seconds, rest = divmod(abs(number), size)
        return f"{'-' if number < 0 else ''}{_clock(seconds)}{_fraction(rest, digits)}"

    return read


def moment_of(digits: int) -> Text:
    """Return the reader of a DATETIME that counts seconds with so many digits since 1970."""
    size = 10**digits

    def read(number: int) -> str:
        seconds, rest = divmod(number, size)
        days, second = divmod(seconds, _DAY_S)
        return f"{date_text(days)} {_clock(second)}{_fraction(rest, digits)}"

    return read


READERS: Mapping[str, Text] = {
    "io.debezium.time.Date": date_text,
    "org.apache.kafka.connect.data.Date": date_text,
    "io.debezium.time.Time": time_of(3),
    "org.apache.kafka.connect.data.Time": time_of(3),
    "io.debezium.time.MicroTime": time_of(6),
    "io.debezium.time.NanoTime": time_of(9),
    "io.debezium.time.Timestamp": moment_of(3),
    "org.apache.kafka.connect.data.Timestamp": moment_of(3),
    "io.debezium.time.MicroTimestamp": moment_of(6),
    "io.debezium.time.NanoTimestamp": moment_of(9),
}
# What `time.precision.mode` counts TIME and DATETIME in; 0: milliseconds up to three digits of the
# column, microseconds beyond.
MODES: Mapping[str, tuple[int, int]] = {
    "adaptive": (0, 0),
    "adaptive_time_microseconds": (6, 0),
    "connect": (3, 3),
    "microseconds": (6, 6),
    "nanoseconds": (9, 9),
}


def unschemed(kind: str, digits: int, mode: str) -> Text | None:
    """Return the reader of a column's numbers by its type and the mode; None where text travels."""
    if mode not in MODES:
        return None
    time, moment = MODES[mode]
    finest = 3 if digits <= 3 else 6
    if kind == "date":
        return date_text
    if kind == "time":
        return time_of(time or finest)
    return moment_of(moment or finest) if kind == "datetime" else None
