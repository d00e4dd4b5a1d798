"""Debezium Vitess: what a consumer can read of one value, by the connector's modes.

Source: vitess NOTES §7; clauses `vitess.temporal.*`, `vitess.type.*`.
"""

from __future__ import annotations

from calendar import isleap, monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from harness.errors import UsageError
from harness.model.canonical import canonical
from harness.model.columns import Column, ColumnKind
from harness.model.reshape import zero_value
from harness.model.settings import Settings
from harness.model.values import Value
from harness.projections.debezium import BINARY_TEXTS, field_names

UNSUPPORTED: Final = frozenset({ColumnKind.BIT, ColumnKind.VECTOR})
_DAY: Final = timedelta(days=1)
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - MySQL's DATETIME has no zone
_JULIAN_GAP: Final = ("1582-10-05", "1582-10-14")
_JULIAN_YEAR: Final = 1582
_MILLIS: Final = 3
# Java's zones know no transition before this year, nor datetime's arithmetic behind the other.
_ZONED_YEARS: Final = range(1900, 9999)


@dataclass(frozen=True, slots=True)
class VitessModes:
    """The settings that decide what is visible; `skipped` are letters of operations.

    `tolerant` connectors drop a row that they cannot read. `zone` is the JVM's.
    """

    time: str
    binary: str
    unsigned: str
    field_names: str
    unknown: bool
    nullable_datetime: bool
    tolerant: bool
    unchanged_skipped: bool
    skipped: frozenset[str]
    zone: str


def modes_of(values: Settings) -> VitessModes:
    """Read the modes out of a scenario's settings, with the connector's defaults."""

    def word(name: str, default: str) -> str:
        given = values.get(name)
        return default if given is None else str(given).strip().lower()

    skipped = word("skipped.operations", "t")
    return VitessModes(
        time=word("time.precision.mode", "adaptive_time_microseconds"),
        binary=word("binary.handling.mode", "bytes"),
        unsigned=word("bigint.unsigned.handling.mode", "string"),
        field_names=field_names(values),
        unknown=word("include.unknown.datatypes", "false") == "true",
        nullable_datetime=word("override.datetime.to.nullable", "false") == "true",
        tolerant=word("event.processing.failure.handling.mode", "fail") != "fail",
        unchanged_skipped=word("skip.messages.without.change", "false") == "true",
        skipped=frozenset(letter.strip() for letter in skipped.split(",")),
        zone=str(values.get("user.timezone", "UTC")),
    )


def visible_value(column: Column, value: Value, modes: VitessModes) -> Value:
    """Return what a consumer can read of a value; the value itself where nothing is lost."""
    if value is None:
        return None if column.nullable else visible_value(column, _absent(column), modes)
    match column.kind:
        case ColumnKind.BIGINT if isinstance(value, int) and value >= 1 << 63:
            return None if modes.unsigned == "long" else value
        case ColumnKind.DATE | ColumnKind.DATETIME if isinstance(value, str):
            return value if modes.time == "isostring" else _day(column, value, modes)
        case ColumnKind.TIME if isinstance(value, str) and modes.time == "connect":
            return _of_day(column, value)
        case ColumnKind.TIME if isinstance(value, str) and modes.time == "adaptive":
            return _in_32_bits(column, value)
        case _:
            return _by_column(column, value, modes)


def unsent(column: Column, value: Value, modes: VitessModes, *, keyed: bool) -> bool:
    """Return whether no row can be sent with a value, which the connector cannot convert.

    A nullable column of the row is null instead; one of the key, `keyed`, is not.
    """
    nullable = column.nullable
    match column.kind:
        case ColumnKind.BIGINT if isinstance(value, int):
            refused = modes.unsigned == "long" and value >= 1 << 63
        case ColumnKind.DATETIME if isinstance(value, str):
            nullable = nullable or modes.nullable_datetime
            whole = modes.time != "isostring" and "-00" not in value[4:10]
            refused = whole and _java_day(value[:10]) is None
        case ColumnKind.TIME if isinstance(value, str) and modes.time == "connect":
            return not nullable and _outside_day(value)
        case kind if kind in UNSUPPORTED:  # a text does not fit the schema, which is of bytes
            return modes.unknown and modes.binary in BINARY_TEXTS and not nullable
        case _:
            return False
    return refused and (keyed or not nullable)


def _by_column(column: Column, value: Value, modes: VitessModes) -> Value:
    """Return a value of a kind whose form is decided by the column, not by the value."""
    as_text = BINARY_TEXTS.get(modes.binary)
    if column.kind in UNSUPPORTED:
        return None if as_text else _as_bytes(column, value)
    if isinstance(value, bytes):
        return value if as_text is None else as_text(value)
    if "" in column.members and isinstance(value, int):
        return _misread(column, value)
    return value


def _as_bytes(column: Column, value: Value) -> Value:
    """Return the bytes of an unsupported value's text, with U+FFFD for what is no UTF-8."""
    if isinstance(value, int):
        raw = value.to_bytes(((column.length or 1) + 7) // 8)
        return raw.decode(errors="replace").encode()
    return str(value).encode()


def _misread(column: Column, value: int) -> Value:
    """Return the member that the connector finds in a list that an empty member has spoiled."""
    listed = ",".join("'" + name.replace("'", "''") + "'" for name in column.members)
    # It takes a doubled quote for one quote wherever it stands, an empty member's as well.
    pieces = listed.replace("''", "\0").split("'")
    names = [
        "'" * before.count("\0") + inside.replace("\0", "'")
        for before, inside in zip(pieces[::2], pieces[1 : len(pieces) - 1 : 2], strict=False)
    ]
    if column.kind is ColumnKind.ENUM:
        return names[value - 1] if 0 < value <= len(names) else ""
    bits = [bit for bit in range(value.bit_length()) if value >> bit & 1]
    return ",".join(names[bit] if bit < len(names) else "" for bit in bits)


def _absent(column: Column) -> Value:
    """Return what stands for a NULL where the column does not allow it."""
    if column.kind is ColumnKind.ENUM:
        return 0
    if column.kind is ColumnKind.TIMESTAMP:
        return canonical(column, "1970-01-01 00:00:00")
    return zero_value(column)


def _day(column: Column, value: str, modes: VitessModes) -> Value:
    """Return a date or a moment as Java's calendars and the mode's unit leave it."""
    date, clock = value[:10], value[10:]
    if date.endswith("-00-00") or (column.kind is ColumnKind.DATE and "-00" in date[4:]):
        optional = column.nullable or modes.nullable_datetime
        return None if optional else canonical(column, f"1970-01-01{' 00:00:00' if clock else ''}")
    if column.kind is ColumnKind.DATE or "-00" in date[4:]:
        return value  # a moment on a zero month or day stops the connector, so no row has it
    civil = _java_day(date)
    if civil is None:  # in a column that is never NULL it stops the connector, so no row has it
        return None if column.nullable or modes.nullable_datetime else value
    year, month, day = civil
    date = f"{year:04d}-{month:02d}-{day:02d}"
    moment = datetime.fromisoformat(date + clock)
    if _JULIAN_GAP[0] <= date <= _JULIAN_GAP[1]:
        moment += 10 * _DAY
    moment = _through(modes.zone, moment)
    if modes.time == "connect":
        moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    if modes.time == "nanoseconds":
        moment = _wrapped(moment)
    return canonical(column, moment.isoformat(" ", "microseconds" if column.fsp else "seconds"))


def _java_day(date: str) -> tuple[int, int, int] | None:
    """Return the year, month and day that `java.util.Date` makes of a date with a month and a day.

    A day that the month does not have is one of the next month. Up to 1582 leap years are the
    Julian calendar's: None for their 29 February in a year that is none by today's calendar.
    """
    year, month, day = (int(part) for part in date.split("-"))
    leap = isleap(year) if year > _JULIAN_YEAR else year % 4 == 0
    length = 29 if month == 2 and leap else monthrange(1, month)[1]
    if day > length:
        month, day = month + 1, day - length
    year = year or 1
    return (year, month, day) if day <= monthrange(year, month)[1] else None


def _through(zone: str, moment: datetime) -> datetime:
    """Move a local time that the JVM's zone leaves out on by as much as it leaves out."""
    if zone == "UTC" or moment.year not in _ZONED_YEARS:
        return moment
    there = moment.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return there.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def _wrapped(moment: datetime) -> datetime:
    """Return what is left of a moment in 64 bits of nanoseconds."""
    nanos = (moment - _EPOCH) // timedelta(microseconds=1) * 1000
    left = (nanos + (1 << 63)) % (1 << 64) - (1 << 63)
    return _EPOCH + timedelta(microseconds=left // 1000)


def _in_32_bits(column: Column, value: str) -> Value:
    """Return what is left of a TIME in 32 bits of milliseconds, where it has no finer digits.

    UsageError where that has more digits than the column. Source: debezium-core 3.3.1
    time/Time.java `toMilliOfDay`, which casts to int.
    """
    whole, _, fraction = value.partition(".")
    if len(fraction) > _MILLIS:
        return value
    hours, minutes, seconds = whole.lstrip("-").split(":")
    total = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1000
    total += int(fraction.ljust(_MILLIS, "0"))
    total = -total if whole.startswith("-") else total
    left = (total + (1 << 31)) % (1 << 32) - (1 << 31)
    if left == total:
        return value
    minutes_left, rest = divmod(abs(left), 60_000)
    digits = f"{rest % 1000:03}"
    if digits[column.fsp :].strip("0"):
        raise UsageError(
            f"{value} leaves more digits in 32 bits of milliseconds than TIME({column.fsp}) has",
            expected="a TIME of at most 596 hours under `time.precision.mode: adaptive`",
        )
    text = f"{minutes_left // 60:02}:{minutes_left % 60:02}:{rest // 1000:02}"
    text += f".{digits[: column.fsp]}" if column.fsp else ""
    return canonical(column, f"-{text}" if left < 0 else text)


def _of_day(column: Column, value: str) -> Value:
    """Return a TIME as milliseconds of a day: none outside of the day."""
    if _outside_day(value):
        return None if column.nullable else canonical(column, "00:00:00")
    whole, _, fraction = value.partition(".")
    return canonical(column, f"{whole}.{fraction[:_MILLIS]}" if fraction else whole)


def _outside_day(value: str) -> bool:
    hours, _, _ = value.partition(":")
    return hours.startswith("-") or (int(hours) > 23 and value[:8] != "24:00:00")
