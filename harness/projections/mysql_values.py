"""Debezium MariaDB and MySQL: what a consumer can read of one value, by the connector's modes.

Source: Debezium reference documentation 3.3, MariaDB connector, "Data type mappings"; clauses
`mysql.type.*`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from math import floor
from typing import Final

from harness.model.canonical import canonical
from harness.model.columns import (
    BINARIES,
    CHARACTERS,
    INTEGERS,
    TEMPORALS,
    Column,
    ColumnKind,
    Default,
)
from harness.model.reshape import default_value
from harness.model.settings import Settings
from harness.model.values import Value
from harness.projections.debezium import BINARY_TEXTS, field_names

_JSON: Final = "JsonConverter"
_MOMENTS: Final = frozenset({ColumnKind.DATETIME, ColumnKind.TIMESTAMP})
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - MySQL's DATETIME has no zone
_SIGNED: Final = 1 << 63
_MILLIS: Final = 3
_YEAR_OF_ZERO: Final = 1900
_YEAR_DIGITS: Final = 4
_FULL_DAY: Final = "24:00:00"
_ZERO: Final = "0000-00-00 00:00:00"
_JAVA: Final = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d*)?)?)?", re.ASCII)
_DAY_PARTS: Final = 3
_TRUTHS: Final = {"true": "1", "false": "0"}
_UNREAD: Final = re.compile(r"\(|LOCALTIME|(?:_\w+\s+)?(?:0[xb]|x')", re.IGNORECASE)
_BITS: Final = re.compile(r"b'([01]*)'", re.IGNORECASE)
_CHARSET: Final = re.compile(r"\A_\w+\s*(?=')")
_PARTS: Final = re.compile(r"(?<!\\)'\s+'")


@dataclass(frozen=True, slots=True)
class MysqlModes:
    """The settings that decide what is visible; `skipped` are letters of operations.

    `filled` says that a converter writes a column's default in the place of NULL.
    """

    time: str
    binary: str
    unsigned: str
    decimal: str
    field_names: str
    filled: bool
    unchanged_skipped: bool
    skipped: frozenset[str]


def modes_of(values: Settings) -> MysqlModes:
    """Read the modes out of a scenario's settings, with the connector's defaults."""

    def word(name: str, default: str) -> str:
        given = values.get(name)
        return default if given is None else str(given).strip().lower()

    json = str(values.get("value.converter", _JSON)).endswith(_JSON)
    keeps = word("value.converter.replace.null.with.default", "true") == "false"
    return MysqlModes(
        time=word("time.precision.mode", "adaptive_time_microseconds"),
        binary=word("binary.handling.mode", "bytes"),
        unsigned=word("bigint.unsigned.handling.mode", "long"),
        decimal=word("decimal.handling.mode", "precise"),
        field_names=field_names(values),
        filled=not (json and keeps),
        unchanged_skipped=word("skip.messages.without.change", "false") == "true",
        skipped=frozenset(letter.strip() for letter in word("skipped.operations", "t").split(",")),
    )


def visible_column(column: Column, modes: MysqlModes) -> Column:
    """Return a column as a consumer knows it by the kind of its values."""
    match column.kind:
        case ColumnKind.BIGINT if column.unsigned and modes.unsigned == "long":
            return replace(column, unsigned=False)
        case ColumnKind.YEAR:  # with one year more; its zeros tell it from any other number
            return replace(column, kind=ColumnKind.SMALLINT, length=_YEAR_DIGITS, zerofill=True)
        case ColumnKind.DECIMAL if modes.decimal == "double":
            return replace(column, kind=ColumnKind.DOUBLE)
        # A member with a comma comes with an escape, and an empty one reads as no member at all.
        case ColumnKind.ENUM | ColumnKind.SET if only_text(column):
            return replace(column, kind=ColumnKind.VARCHAR, members=())
        # Nothing on the wire distinguishes bytes as text from any other text.
        case kind if kind in BINARIES and modes.binary in BINARY_TEXTS:
            return replace(column, kind=ColumnKind.VARCHAR)
        case _:
            return column


def visible_value(column: Column, value: Value, modes: MysqlModes) -> Value:  # noqa: PLR0911 - a kind a line
    """Return what a consumer can read of a value, before a default takes the place of NULL."""
    match value:
        case None:
            return None
        case bytes():
            as_text = BINARY_TEXTS.get(modes.binary)
            return value if as_text is None else as_text(value)
        case int() if column.kind is ColumnKind.BIGINT and modes.unsigned == "long":
            return value - 2 * _SIGNED if value >= _SIGNED else value
        case int() if column.kind is ColumnKind.YEAR:
            return value or _YEAR_OF_ZERO
        case int() if only_text(column):
            return _escaped(column, value)
        case str() if column.kind is ColumnKind.DECIMAL and modes.decimal == "double":
            return float(value)
        case str() if column.kind is ColumnKind.DATE or column.kind in _MOMENTS:
            return _day(column, value, modes)
        case str() if column.kind is ColumnKind.TIME and modes.time == "connect":
            return _of_day(value)
        case _:
            return value


def instead_of_null(column: Column, modes: MysqlModes) -> Value:
    """Return what a converter writes for NULL: the column's default, if its schema has one."""
    default = column.default
    if not modes.filled or default is None or default.text is None or _is_unread(default):
        return None
    if default.is_expression:
        clock = default.text.upper().startswith("CURRENT_TIMESTAMP")
        # A TIMESTAMP that may be NULL has no default in its schema.
        moment = clock and column.kind is ColumnKind.DATETIME
        return canonical(column, f"{_EPOCH}") if moment else None
    try:
        return _from_literal(column, _literal(column, default), modes)
    except (ValueError, ArithmeticError):
        return None


def _from_literal(column: Column, written: str, modes: MysqlModes) -> Value:
    """Return a default as a consumer reads it, by a literal's own text."""
    kind = column.kind
    if kind in CHARACTERS or only_text(column):
        return written
    if kind in BINARIES:
        return visible_value(column, written.encode(), modes)
    if kind is ColumnKind.BIT:
        return canonical(column, int(written, 2) if (column.length or 1) > 1 else int(written))
    if kind is ColumnKind.YEAR:
        year = int(written)
        return year + (2000 if 0 <= year < 70 else 1900 if 70 <= year < 100 else 0)
    if kind in INTEGERS and not (kind is ColumnKind.BIGINT and modes.unsigned == "precise"):
        return _by_double(_TRUTHS.get(written.lower(), written))
    if kind in TEMPORALS:
        value: Value = _written_moment(column, written)
    else:
        value = default_value(column, column.default)
    epoch = kind is ColumnKind.TIMESTAMP and str(value)[:19] in {f"{_EPOCH}", _ZERO}
    return None if epoch else visible_value(column, value, modes)


def _by_double(number: str) -> int:
    """Return a number that went through a double and was rounded to 64 bits, halves upwards."""
    value = float(number)
    whole = int(value) if value == int(value) else floor(value + 0.5)
    return max(-_SIGNED, min(whole, _SIGNED - 1))


def _is_unread(default: Default) -> bool:
    """Return whether the connector takes no value from a clause."""
    return _UNREAD.match(default.written) is not None


def _literal(column: Column, default: Default) -> str:
    """Return a literal's own text: escapes, signs and zeros as they stand, of bits their digits."""
    written, text = default.written, default.text or ""
    if found := _BITS.fullmatch(written):
        return found[1]
    quoted = _CHARSET.sub("", written)
    if quoted[:1] in {"'", '"'}:
        return _PARTS.sub("''", quoted[1:-1])  # 'a' 'b' is one text, in which an escape stands
    if written:
        return written if written[-1] == "'" else "".join(written.split())
    if default.is_binary and column.kind is ColumnKind.BIT:
        return f"{int(text, 16):b}"
    return text if default.is_binary else text.replace("\\", "\\\\").replace("'", "''")


def only_text(column: Column) -> bool:
    """Return whether the texts of members are not those that the column's own are known by."""
    if not column.members:
        return False
    texts, default = _on_the_wire(column.written, column.members), column.default
    if texts != column.members or any("," in name or not name for name in texts):
        return True
    if default is None or default.text is None or _is_unread(default):
        return False
    literal = _literal(column, default)
    parts = [literal] if column.kind is ColumnKind.ENUM else literal.split(",")
    return not set(parts) <= {"", *texts}


@cache
def _on_the_wire(written: tuple[str, ...], members: tuple[str, ...]) -> tuple[str, ...]:
    """Return members as the connector takes them out of their quotes: all escapes but of quotes."""
    inner = [one[1:-1] for one in written] or [name.replace("\\", "\\\\") for name in members]
    return tuple(one.replace(",", "\\,").replace("\\'", "'").replace("''", "'") for one in inner)


def _escaped(column: Column, value: int) -> Value:
    """Return the member or members of a number, as they are on the wire."""
    names = _on_the_wire(column.written, column.members)
    if column.kind is ColumnKind.ENUM:
        return names[value - 1] if 0 < value <= len(names) else ""
    return ",".join(name for bit, name in enumerate(names) if value >> bit & 1)


def _day(column: Column, value: str, modes: MysqlModes) -> Value:
    """Return a date or a moment as the connector reads it, and the mode's unit leaves it.

    What is on no day of the calendar is NULL, or where that may not be the column's default, or
    without one the first moment of 1970. A zero TIMESTAMP is that moment wherever it stands.
    """
    date, clock = value[:10], value[10:]
    year = int(date[:4])
    if 0 < year < 100 and column.kind is not ColumnKind.TIMESTAMP:  # two digits: 1970 to 2069
        date = f"{year + (2000 if year < 70 else 1900):04d}{date[4:]}"
    try:
        moment = datetime.fromisoformat(date + clock)
    except ValueError:
        return _no_day(column, value, modes)
    if column.kind is ColumnKind.DATETIME and modes.time == "connect":
        moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    if column.kind is ColumnKind.DATETIME and modes.time == "nanoseconds":
        moment = _wrapped(moment)
    if not clock:
        return f"{moment:%F}" if moment.year > 999 else date
    return canonical(column, moment.isoformat(" ", "microseconds" if column.fsp else "seconds"))


def _no_day(column: Column, value: str, modes: MysqlModes) -> Value:
    instead = value if column.kind is ColumnKind.TIMESTAMP else instead_of_zero(column, value)
    if instead is None or instead != value:
        return None if instead is None else _day(column, str(instead), modes)
    return canonical(column, f"{_EPOCH:%F}{value[10:] and ' 00:00:00'}")


def instead_of_zero(column: Column, value: str) -> Value:
    """Return what a moment that is none is taken for: NULL, or a default that is a literal."""
    default = column.default
    if column.nullable:
        return None
    if default is None or default.text is None or default.is_expression:
        return value
    return _written_moment(column, _literal(column, default)) or value


def _written_moment(column: Column, literal: str) -> Value:
    """Return what the connector reads of a moment's literal, None where it cannot."""
    text, kind = literal.strip(), column.kind
    if kind is ColumnKind.TIME:
        return canonical(column, text + ":00" * (text.count(":") == 1)) if ":" in text else None
    if kind is ColumnKind.TIMESTAMP:
        whole, _, fraction = text.partition(".")
        parts = [part.rjust(2, "0") for part in re.split(r"\D+", whole)]
        if len(parts) < _DAY_PARTS:
            return None
        parts += ["00"] * (6 - len(parts))
        text = f"{'-'.join(parts[:3])} {':'.join(parts[3:])}" + (fraction and f".{fraction}")
    elif not _JAVA.fullmatch(text):
        return None
    if kind is ColumnKind.DATE:
        return text[:10]
    text += " 00:00:00" * (len(text) == len("2024-01-01"))
    return canonical(column, text + ":00" * (len(text) == len("2024-01-01 00:00")))


def _wrapped(moment: datetime) -> datetime:
    """Return what is left of a moment in 64 bits of nanoseconds."""
    nanos = (moment - _EPOCH) // timedelta(microseconds=1) * 1000
    left = (nanos + _SIGNED) % (2 * _SIGNED) - _SIGNED
    return _EPOCH + timedelta(microseconds=left // 1000)


def _of_day(value: str) -> Value:
    """Return a TIME as milliseconds of a day: none outside of the day."""
    whole, _, fraction = value.partition(".")
    full = whole == _FULL_DAY and not fraction.strip("0")
    if whole.startswith("-") or (int(whole[:-6]) > 23 and not full):
        return None
    return f"{whole}.{fraction[:_MILLIS].ljust(len(fraction), '0')}" if fraction else whole
