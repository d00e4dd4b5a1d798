"""What MODIFY COLUMN makes of values that are stored already.

Exact or not at all. A value without an exact form under the new definition is refused, nothing
is rounded or guessed. Source: MySQL 8.0 Reference Manual, §13 Data Types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import InvalidOperation

from cdc_spark.apply.schema import Column, Family
from cdc_spark.apply.values import Value, decimal_text, member_number, member_text
from cdc_spark.errors import DecodingError


def converted(old: Column | None, new: Column, value: Value) -> Value:
    """Return a stored value as its column's new definition reads it; raises DecodingError."""
    if value is None:
        return None
    if old is None:
        if isinstance(value, int) and new.family is Family.INTEGER:
            return value
        raise DecodingError(f"what {new.name!r} was before is unknown, so its rows cannot change")
    convert = _CONVERSIONS.get((old.family, new.family))
    try:
        if convert is not None:
            return convert(old, new, value)
    except (ValueError, InvalidOperation, OverflowError):
        convert = None
    raise DecodingError(f"{value!r} of {old.kind} {old.name!r} has no exact form as {new.kind}")


def _same(old: Column, new: Column, value: Value) -> Value:
    del old, new
    return value


def _to_integer(old: Column, new: Column, value: Value) -> Value:
    del old, new
    return int(decimal_text(str(value), 0))


def _to_decimal(old: Column, new: Column, value: Value) -> Value:
    del old
    return decimal_text(str(value), new.scale or 0)


def _to_float(old: Column, new: Column, value: Value) -> Value:
    del old, new
    return float(str(value))


def _to_text(old: Column, new: Column, value: Value) -> Value:
    del old, new
    return str(value)


def _members_to_text(old: Column, new: Column, value: Value) -> Value:
    del new
    return member_text(old, value)


def _to_member(old: Column, new: Column, value: Value) -> Value:
    text = member_text(old, value) if old.members else str(value)
    return member_number(new, text)


def _to_bytes(old: Column, new: Column, value: Value) -> Value:
    raw = bytes.fromhex(str(value)) if old.family is Family.BYTES else str(value).encode()
    return (raw.ljust(new.length or 1, b"\0") if new.kind == "binary" else raw).hex()


def _bytes_to_text(old: Column, new: Column, value: Value) -> Value:
    del old, new
    return bytes.fromhex(str(value)).decode()


def _clock(old: Column, new: Column, value: Value) -> Value:
    """Give a TIME or DATETIME its new number of fractional digits; none that count may go."""
    del old
    whole, _, digits = str(value).partition(".")
    scale = new.scale or 0
    if digits[scale:].strip("0"):
        raise ValueError(value)
    return f"{whole}.{digits.ljust(scale, '0')[:scale]}" if scale else whole


def _date_to_datetime(old: Column, new: Column, value: Value) -> Value:
    return _clock(old, new, f"{value} 00:00:00")


def _datetime_to_date(old: Column, new: Column, value: Value) -> Value:
    del old, new
    day, _, clock = str(value).partition(" ")
    if clock.strip("0:."):
        raise ValueError(value)
    return day


_PRINTED = (Family.INTEGER, Family.DECIMAL, Family.DATE, Family.TIME, Family.DATETIME, Family.JSON)
_CONVERSIONS: Mapping[tuple[Family, Family], Callable[[Column, Column, Value], Value]] = {
    **{(family, family): _same for family in Family},
    **{(family, Family.TEXT): _to_text for family in (*_PRINTED, Family.TEXT)},
    **{(family, Family.INTEGER): _to_integer for family in (Family.DECIMAL, Family.TEXT)},
    (Family.FLOAT, Family.INTEGER): _to_integer,
    **{(family, Family.DECIMAL): _to_decimal for family in (Family.INTEGER, Family.TEXT)},
    (Family.DECIMAL, Family.DECIMAL): _to_decimal,
    **{(family, Family.FLOAT): _to_float for family in (Family.INTEGER, Family.DECIMAL)},
    **{(family, Family.TEXT): _members_to_text for family in (Family.ENUM, Family.SET)},
    **{(Family.TEXT, family): _to_member for family in (Family.ENUM, Family.SET)},
    (Family.ENUM, Family.ENUM): _to_member,
    (Family.SET, Family.SET): _to_member,
    (Family.TEXT, Family.BYTES): _to_bytes,
    (Family.BYTES, Family.BYTES): _to_bytes,
    (Family.BYTES, Family.TEXT): _bytes_to_text,
    (Family.TIME, Family.TIME): _clock,
    (Family.DATETIME, Family.DATETIME): _clock,
    (Family.DATE, Family.DATETIME): _date_to_datetime,
    (Family.DATETIME, Family.DATE): _datetime_to_date,
}
