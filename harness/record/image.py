"""The bytes of a row image in a binlog, read exactly.

`mysql-replication` reads the log and separates events and column metadata, but the values that
it makes of a row are not the stored ones: version 1.0.17 takes a negative TIME with a fraction for
another one, zero dates for NULL, and members of ENUM and SET for NULL where the server logs no
names. So the images are read here, from the same bytes. Signedness, character set and members come
from the catalogue.

Source: MySQL 8.0 sql-common/my_time.cc `my_time_packed_from_binary` and its relatives,
strings/decimal.cc `bin2decimal`, include/field_types.h; MariaDB writes the same.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from harness.errors import plural
from harness.model.canonical import canonical
from harness.model.columns import CHARACTERS, Column, ColumnKind
from harness.model.values import Row, Value

Raw = int | float | str | bytes
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DIGITS = 9  # decimal digits in four bytes
BYTES_OF_DIGITS = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)
# Python's names of MySQL's character sets; `latin1` is Windows' code page there.
ENCODINGS: Mapping[str, str] = {
    "ascii": "ascii",
    "binary": "latin-1",
    "gb18030": "gb18030",
    "gbk": "gbk",
    "latin1": "cp1252",
    "ucs2": "utf-16-be",
    "utf16": "utf-16-be",
    "utf32": "utf-32-be",
    "utf8": "utf-8",
    "utf8mb3": "utf-8",
    "utf8mb4": "utf-8",
}


class Packet(Protocol):
    """The part of the library's packet that images are read from."""

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        ...


class Meta(Protocol):
    """The library's column metadata; which fields are there depends on `type`."""

    type: int

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the library is untyped
        """Return a field."""
        ...


def read_image(
    packet: Packet, metas: Sequence[Meta], present: bytes, columns: Sequence[Column]
) -> Row:
    """Return the next row image of a row event in canonical values.

    `present` is the event's bitmap of columns. ValueError when the image is not of these columns.
    """
    if len(metas) != len(columns):
        raise ValueError(
            f"the log has {plural(len(metas), 'column')}, the catalogue {len(columns)}"
        )
    if any(not _bit(present, ordinal) for ordinal in range(len(columns))):
        raise ValueError("the log has only some columns: binlog_row_image must be FULL")
    nulls = packet.read((len(columns) + 7) // 8)
    values: list[Value] = []
    for ordinal, (meta, column) in enumerate(zip(metas, columns, strict=True)):
        values.append(None if _bit(nulls, ordinal) else _value(packet, meta, column))
    return tuple(values)


def _bit(bitmap: bytes, ordinal: int) -> bool:
    return bool(bitmap[ordinal // 8] >> ordinal % 8 & 1)


def _value(packet: Packet, meta: Meta, column: Column) -> Value:
    if meta.type not in READERS:
        raise ValueError(
            f"column `{column.name}`: this server logs its type in a form ({meta.type}) that is not"
            " read here; record on MariaDB"
        )
    raw = READERS[meta.type](packet, meta, column)
    if isinstance(raw, bytes) and (column.kind in CHARACTERS or column.kind is ColumnKind.JSON):
        raw = raw.decode(ENCODINGS[column.charset or "utf8mb4"])
    return canonical(column, raw)


def _integer(size: int) -> Callable[[Packet, Meta, Column], Raw]:
    def read(packet: Packet, meta: Meta, column: Column) -> int:
        del meta
        return int.from_bytes(packet.read(size), "little", signed=not column.unsigned)

    return read


def _sized(packet: Packet, meta: Meta, column: Column) -> int:
    """Read an ENUM's index or a SET's mask."""
    del column
    return int.from_bytes(packet.read(meta.size), "little")


def _bits(packet: Packet, meta: Meta, column: Column) -> int:
    del column
    return int.from_bytes(packet.read(meta.bytes), "big")


def _year(packet: Packet, meta: Meta, column: Column) -> int:
    del meta, column
    stored = packet.read(1)[0]
    return stored + 1900 if stored else 0


def _float(packet: Packet, meta: Meta, column: Column) -> float:
    del meta, column
    value: float = struct.unpack("<f", packet.read(4))[0]
    return value


def _double(packet: Packet, meta: Meta, column: Column) -> float:
    del meta, column
    value: float = struct.unpack("<d", packet.read(8))[0]
    return value


def _string(packet: Packet, meta: Meta, column: Column) -> bytes:
    del column
    return _prefixed(packet, 2 if meta.max_length > 255 else 1)


def _blob(packet: Packet, meta: Meta, column: Column) -> bytes:
    del column
    return _prefixed(packet, meta.length_size)


def _prefixed(packet: Packet, size: int) -> bytes:
    length = int.from_bytes(packet.read(size), "little")
    return packet.read(length) if length else b""


def _decimal(packet: Packet, meta: Meta, column: Column) -> str:
    """Read digits in groups of nine to four bytes; the first bit is set unless it is negative.

    All bits of a negative number are inverted.
    """
    del column
    precision, fraction = int(meta.precision), int(meta.decimals)
    whole = precision - fraction
    groups: list[int] = [whole % DIGITS, *[DIGITS] * (whole // DIGITS)]
    fractions: list[int] = [*[DIGITS] * (fraction // DIGITS), fraction % DIGITS]
    data = packet.read(sum(BYTES_OF_DIGITS[digits] for digits in groups + fractions))
    negative = not data[0] & 0x80
    data = bytes([data[0] ^ 0x80, *data[1:]])
    if negative:
        data = bytes(byte ^ 0xFF for byte in data)
    text, at = "", 0
    for digits in groups + fractions:
        size = BYTES_OF_DIGITS[digits]
        text += f"{int.from_bytes(data[at : at + size], 'big'):0{digits}d}" if digits else ""
        at += size
    return f"{'-' if negative else ''}{text[:whole] or '0'}.{text[whole:] or '0'}"


def _packed(packet: Packet, size: int, fsp: int) -> tuple[int, str, int]:
    """Read `size` bytes and the fraction behind them.

    Returns the number, the fraction's text (with the point; empty without one), and its sign: TIME
    is stored with an offset, so that a negative one carries its fraction as a complement.
    """
    width = (fsp + 1) // 2
    number = int.from_bytes(packet.read(size + width), "big")
    sign = 1
    if size == 3:
        number -= 0x800000 << 8 * width
        sign = -1 if number < 0 else 1
        number = abs(number)
    fraction = f"{number & (1 << 8 * width) - 1:0{2 * width}d}"[:fsp]
    return number >> 8 * width, f".{fraction}" if fsp else "", sign


def _time(packet: Packet, meta: Meta, column: Column) -> str:
    del column
    number, fraction, sign = _packed(packet, 3, meta.fsp)
    hours, minutes, seconds = number >> 12 & 0x3FF, number >> 6 & 0x3F, number & 0x3F
    return f"{'-' if sign < 0 else ''}{hours:02d}:{minutes:02d}:{seconds:02d}{fraction}"


def _datetime(packet: Packet, meta: Meta, column: Column) -> str:
    del column
    number, fraction, _ = _packed(packet, 5, meta.fsp)
    months = number >> 22 & 0x1FFFF
    year, month, day = months // 13, months % 13, number >> 17 & 0x1F
    clock = f"{number >> 12 & 0x1F:02d}:{number >> 6 & 0x3F:02d}:{number & 0x3F:02d}"
    return f"{year:04d}-{month:02d}-{day:02d} {clock}{fraction}"


def _timestamp(packet: Packet, meta: Meta, column: Column) -> str:
    del column
    number, fraction, _ = _packed(packet, 4, meta.fsp)
    if not number:
        return f"0000-00-00 00:00:00{fraction}"
    return f"{EPOCH + timedelta(seconds=number):%Y-%m-%d %H:%M:%S}{fraction}"


def _date(packet: Packet, meta: Meta, column: Column) -> str:
    del meta, column
    number = int.from_bytes(packet.read(3), "little")
    return f"{number >> 9:04d}-{number >> 5 & 0xF:02d}-{number & 0x1F:02d}"


# By type code as the log has it (enum_field_types).
READERS: Mapping[int, Callable[[Packet, Meta, Column], Raw]] = {
    1: _integer(1),  # TINY
    2: _integer(2),  # SHORT
    9: _integer(3),  # INT24
    3: _integer(4),  # LONG
    8: _integer(8),  # LONGLONG
    13: _year,  # YEAR
    4: _float,  # FLOAT
    5: _double,  # DOUBLE
    246: _decimal,  # NEWDECIMAL
    16: _bits,  # BIT
    247: _sized,  # ENUM
    248: _sized,  # SET
    15: _string,  # VARCHAR
    254: _string,  # STRING
    252: _blob,  # BLOB
    10: _date,  # DATE
    19: _time,  # TIME2
    18: _datetime,  # DATETIME2
    17: _timestamp,  # TIMESTAMP2
}
