"""A column's default: what the connector keeps of the statement, and what a schema has of that.

Source: debezium-connector-mariadb 3.3.0.Final, antlr/listener/DefaultValueParserListener.java;
debezium-ddl-parser, MariaDBParser.g4, `defaultValue`; debezium-connector-binlog 3.3.0,
jdbc/BinlogDefaultValueConverter.java, and the converters that it hands its values to.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from harness.codecs.connect.schema import SchemaType
from harness.codecs.debezium import temporal
from harness.codecs.debezium.columns import ColumnType, Jdbc
from harness.codecs.debezium_mysql.moments import EPOCH
from harness.model.canonical import canonical
from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind

Read = Callable[[Any], Any]

CLOCK: Final = "1970-01-01 00:00:00"  # the default of a column that defaults to the clock
_CLOCK: Final = re.compile(r"(?:CURRENT_TIMESTAMP|NOW)\b", re.IGNORECASE)
# Its own words are the text that it keeps of these.
_OTHER_CLOCK: Final = re.compile(
    r"(?:LOCALTIME|LOCALTIMESTAMP)(?:\s*\(\s*\d*\s*\))?|CUR(?:DATE|TIME)\s*\(\s*\)", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"([-+]?)\s*(\d[\w.+-]*|\.\d[\w+-]*)")
_BASED: Final = re.compile(r"0[xb]|x'", re.IGNORECASE)  # literals of which it keeps nothing
_BITS: Final = re.compile(r"b'([01]*)'", re.IGNORECASE)
_INTRODUCED: Final = re.compile(r"(?:_\w+|n)\s*'.*'", re.IGNORECASE | re.DOTALL)
_PARTS: Final = re.compile(r"(?<!\\)'\s+'")  # of 'a' 'b', whose text has no blanks to the parser
_MOMENT: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d)(?::(\d\d)(?:\.(\d*))?)?)?", re.ASCII
)
_SPACED: Final = re.compile(
    r"(\d+)\D+(\d+)\D+(\d+)(?:\D+(\d+)(?:\D+(\d+)(?:\D+(\d+)(?:\.(\d+))?)?)?)?", re.ASCII
)
_ZERO: Final = re.compile(
    r"(?:0000-\d\d-\d\d|\d{4}-00-\d\d|\d{4}-\d\d-00) 00:00:00(?:\.\d{1,6})?", re.ASCII
)
_TIME: Final = re.compile(r"(-?\d+):(\d+)(?::(\d+))?(?:\.(\d*))?", re.ASCII)
_TRUTHS: Final = {"true": 1, "false": 0}
# `_utf8mb4'text'`: the connector takes it off where it converts, and not in `tableChanges`.
_CHARSET_BEFORE: Final = re.compile(r"_[A-Za-z0-9]+'(.*)'")
_LONGS: Final = (-1 << 63, (1 << 63) - 1)
_WIDTHS: Final = {SchemaType.INT16: 16, SchemaType.INT32: 32, SchemaType.INT64: 64}
_AS_TEXT: Final = CHARACTERS | {ColumnKind.ENUM, ColumnKind.SET, ColumnKind.JSON}


def default_text(column: Column) -> str | None:
    """Return what the connector keeps of a column's default, None for nothing."""
    default = column.default
    if default is None or default.text is None:
        return None
    return _kept(default.written) if default.written else _spelled(column)


def _kept(written: str) -> str | None:
    """Return what it keeps of a clause: of an expression, and of hexadecimal digits, nothing."""
    if written[0] in "'\"":
        return _PARTS.sub("''", written[1:-1])
    if _CLOCK.match(written):
        return CLOCK
    if bits := _BITS.fullmatch(written):
        return bits[1]
    if _OTHER_CLOCK.fullmatch(written):
        return "".join(written.split())
    number = None if _BASED.match(written) else _NUMBER.fullmatch(written)
    if number:
        return number[1] + number[2]
    return written if written.lower() in _TRUTHS or _INTRODUCED.fullmatch(written) else None


def _spelled(column: Column) -> str:
    """Return the text of a default that no statement wrote."""
    default = column.default
    assert default is not None
    assert default.text is not None
    if default.is_binary and column.kind is ColumnKind.BIT:
        return f"{int(default.text or '0', 16):b}"
    return default.text if default.is_binary else quoted(default.text)


def quoted(text: str) -> str:
    """Return a text as it stands between a statement's quotes."""
    return text.replace("\\", "\\\\").replace("'", "''")


def schema_default(column: ColumnType, kind: SchemaType, read: Read) -> object:
    """Return the default that a field's schema has, None for none.

    A text that the connector cannot convert is none, with a warning in its log.
    """
    upstream = column.upstream
    text = None if upstream is None else default_text(upstream)
    if upstream is None or text is None:
        return None
    introduced = _CHARSET_BEFORE.fullmatch(text)
    text = text if introduced is None else introduced[1]
    try:
        return _converted(column, upstream, text, kind, read)
    except (ValueError, ArithmeticError):
        return None


def _converted(  # noqa: PLR0911 - a family a line
    column: ColumnType, upstream: Column, text: str, kind: SchemaType, read: Read
) -> object:
    match upstream.kind:
        case of if of in _AS_TEXT:
            return text
        case of if of in BINARIES:
            return read(text.encode())
        case of if of in INTEGERS:
            return _integer(column, text.strip(), kind)
        case ColumnKind.BIT:
            return read(int(text, 2) if (upstream.length or 1) > 1 else int(text))
        case ColumnKind.YEAR:
            return _year(int(text))
        case ColumnKind.TIMESTAMP if text in {CLOCK, "0"} or _ZERO.fullmatch(text):
            return None if column.optional else EPOCH
        case ColumnKind.DATE | ColumnKind.DATETIME | ColumnKind.TIMESTAMP | ColumnKind.TIME:
            moment = _moment(upstream, text.strip(), optional=column.optional)
            return None if moment is None else read(canonical(upstream, moment))
        case _:
            default = upstream.default
            assert default is not None
            return read(canonical(upstream, text if default.is_expression else default.text))


def _moment(column: Column, text: str, *, optional: bool) -> str | None:
    """Return a default as Java reads it: a day, a time of it or none, and a time of two numbers.

    What it cannot read is no default, of a DATE or a DATETIME that is never NULL the first of 1970.
    """
    if column.kind is ColumnKind.TIME:
        found = _TIME.fullmatch(text)
        return found and f"{found[1]}:{found[2]}:{found[3] or '00'}{_digits(column, found[4])}"
    found = (_SPACED if column.kind is ColumnKind.TIMESTAMP else _MOMENT).fullmatch(text)
    if found is None and column.kind is not ColumnKind.TIMESTAMP and not optional:
        found = _MOMENT.fullmatch(CLOCK)
    if found is None or (column.kind is ColumnKind.TIMESTAMP and "00" in {found[2], found[3]}):
        return None
    day = "-".join(f"{int(part):02d}" for part in found.groups()[:3])
    day = day.rjust(10, "0")
    if column.kind is ColumnKind.DATE:
        return day
    clock = ":".join(f"{int(part or 0):02d}" for part in found.groups()[3:6])
    return f"{day} {clock}{_digits(column, found[7])}"


def _digits(column: Column, fraction: str | None) -> str:
    kept = (fraction or "")[: column.fsp]
    return f".{kept}" if kept else ""


def _integer(column: ColumnType, text: str, kind: SchemaType) -> object:
    """Return a number by way of a double, as Java's Math.round leaves it."""
    if column.jdbc is Jdbc.BOOLEAN:
        return text.lower() == "true" if not text.lstrip("+-").isdigit() else int(text) != 0
    if kind is SchemaType.BYTES:
        return Decimal(_TRUTHS.get(text.lower(), text))
    value = float(_TRUTHS.get(text.lower(), text))
    whole = int(value) if value.is_integer() else math.floor(value + 0.5)
    return temporal.signed(min(max(whole, _LONGS[0]), _LONGS[1]), bits=_WIDTHS[kind])


def _year(year: int) -> int:
    """Return a year, of whose two digits the connector makes four."""
    return year + (2000 if 0 <= year < 70 else 1900 if 70 <= year < 100 else 0)
