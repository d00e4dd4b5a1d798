"""Values of Connect's JSON in the contract's JSON: the schema's name, or its type, tells how.

Without a schema a value stays as it is. Dates and times are numbers then whose unit nobody tells:
let schemas travel, or set `time.precision.mode=isostring`.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

EPOCH = date(1970, 1, 1)
DAY_S = 86_400
# MySQL's calendar begins with year 0, Python's with year 1; after 400 years it is the same again.
CYCLE = 146_097
INTEGERS = ("int8", "int16", "int32", "int64")
DECIMAL = "org.apache.kafka.connect.data.Decimal"


def value_of(schema: dict[str, Any] | None, value: Any) -> Any:
    """Return a value; raises ValueError for one that is not of its type."""
    if value is None:
        return None
    name, type_ = (schema.get("name"), schema["type"]) if schema else (None, "")
    if schema and name == DECIMAL:
        return decimal(value, int((schema.get("parameters") or {}).get("scale", 0)))
    kinds, read = READERS.get(name) or READERS.get(type_, NOTHING)
    if type(value) not in kinds:
        raise ValueError(f"{value!r:.60} is no {name or type_ or 'value of a column'}")
    return read(value)


def kind_of(schema: dict[str, Any] | None) -> str:
    """Return what a column holds, so that one of another kind is a new one; integers are one."""
    if schema is None:
        return ""
    return schema.get("name") or ("integer" if schema["type"] in INTEGERS else schema["type"])


def decimal(value: Any, scale: int) -> str:
    """Return the digits of a Decimal: its unscaled bytes, or a number by `decimal.format`."""
    if not isinstance(value, str):
        return repr(value)
    number = int.from_bytes(base64.b64decode(value, validate=True), "big", signed=True)
    digits = str(abs(number)).rjust(scale + 1, "0")
    point = f".{digits[-scale:]}" if scale else ""
    return f"{'-' if number < 0 else ''}{digits[: len(digits) - scale]}{point}"


def bits(text: str) -> int:
    """Return the number of a BIT column, whose bytes come lowest first."""
    return int.from_bytes(base64.b64decode(text, validate=True), "little")


def day(number: int) -> str:
    """Return a day since 1970 as YYYY-MM-DD."""
    shift = 1 if number < (date(1, 1, 1) - EPOCH).days else 0
    try:
        found = EPOCH + timedelta(number + shift * CYCLE)
    except OverflowError:
        raise ValueError(f"day {number} is beyond the calendar") from None
    return f"{found.year - shift * 400:04}-{found.month:02}-{found.day:02}"


def time(digits: int) -> Callable[[int], str]:
    """Return what reads a TIME, which may be negative, in seconds of so many digits."""

    def read(number: int) -> str:
        seconds, rest = divmod(abs(number), 10**digits)
        return f"{'-' if number < 0 else ''}{clock(seconds)}{fraction(rest, digits)}"

    return read


def moment(digits: int) -> Callable[[int], str]:
    """Return what reads a DATETIME since 1970 in seconds of so many digits."""

    def read(number: int) -> str:
        seconds, rest = divmod(number, 10**digits)
        days, second = divmod(seconds, DAY_S)
        return f"{day(days)} {clock(second)}{fraction(rest, digits)}"

    return read


def clock(seconds: int) -> str:
    """Return hours, minutes and seconds; there may be more than 24 hours."""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def fraction(rest: int, digits: int) -> str:
    """Return the digits behind the point; MySQL has six at most."""
    return f".{rest:0{digits}}"[:7]


def zoned(text: str) -> str:
    """Return a TIMESTAMP at UTC; what is none, the text of a date of zeros, stays as it is."""
    return text[:-1].replace("T", " ") if text.endswith("Z") else text


def as_it_is(value: Any) -> Any:
    """Return what is right already."""
    return value


TIMES: dict[str, Callable[[int], str]] = {
    "io.debezium.time.Date": day,
    "org.apache.kafka.connect.data.Date": day,
    "io.debezium.time.Time": time(3),
    "org.apache.kafka.connect.data.Time": time(3),
    "io.debezium.time.MicroTime": time(6),
    "io.debezium.time.NanoTime": time(9),
    "io.debezium.time.Timestamp": moment(3),
    "org.apache.kafka.connect.data.Timestamp": moment(3),
    "io.debezium.time.MicroTimestamp": moment(6),
    "io.debezium.time.NanoTimestamp": moment(9),
}
NOTHING: tuple[tuple[type, ...], Callable[[Any], Any]] = ((), as_it_is)
# A schema's name, else its type -> what JSON has there, and what makes the contract's of it.
READERS = {
    **{name: ((int,), read) for name, read in TIMES.items()},
    "io.debezium.time.ZonedTimestamp": ((str,), zoned),
    "io.debezium.data.Bits": ((str,), bits),
    "boolean": ((bool,), int),
    **dict.fromkeys(INTEGERS, ((int,), as_it_is)),
    **dict.fromkeys(("float", "double"), ((int, float), as_it_is)),
    "string": ((str,), as_it_is),
    "bytes": ((str,), lambda text: base64.b64decode(text, validate=True).hex()),
    "": ((bool, int, float, str), as_it_is),  # without a schema
}
