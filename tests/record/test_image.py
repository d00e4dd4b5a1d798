"""Row images, read from bytes that are made as the server's own source makes them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.columns import Column, ColumnKind
from harness.record.image import BYTES_OF_DIGITS, ENCODINGS, READERS, read_image


class Bytes:
    """A packet over plain bytes."""

    def __init__(self, data: bytes) -> None:
        """Start at the first byte."""
        self.data = data

    def read(self, size: int) -> bytes:
        """Return the next bytes; never more than there are."""
        assert size <= len(self.data)
        head, self.data = self.data[:size], self.data[size:]
        return head


def image(column: Column, data: bytes, **meta: Any) -> object:
    """Read one column's value; all bytes must be used."""
    packet = Bytes(b"\0" + data)
    metas: Any = [SimpleNamespace(**meta)]
    (value,) = read_image(packet, metas, b"\xff", [column])
    assert not packet.data
    return value


def column(kind: ColumnKind, **more: Any) -> Column:
    """Return a column."""
    return Column(1, "c", kind, **more)


FRACTION_BYTES = (0, 1, 1, 2, 2, 3, 3)


def stored_fraction(micros: int, fsp: int) -> bytes:
    """Return the fraction's bytes, from microseconds that fit the precision."""
    size = FRACTION_BYTES[fsp]
    units: int = micros // 10 ** (6 - 2 * size)
    return units.to_bytes(size, "big")


@st.composite
def fractions(draw: st.DrawFn) -> tuple[int, int, str]:
    """Draw a precision, microseconds that fit it, and their text."""
    fsp = draw(st.integers(0, 6))
    units = draw(st.integers(0, 10**fsp - 1))
    return fsp, units * 10 ** (6 - fsp), f".{units:0{fsp}d}" if fsp else ""


@given(
    negative=st.booleans(),
    hours=st.integers(0, 838),
    minutes=st.integers(0, 59),
    seconds=st.integers(0, 59),
    fraction=fractions(),
)
def test_times_of_either_sign(
    *, negative: bool, hours: int, minutes: int, seconds: int, fraction: tuple[int, int, str]
) -> None:
    """TIME(0..6) as `my_time_packed_to_binary` stores it: the packed number, offset, cut by fsp."""
    fsp, micros, text = fraction
    packed = ((hours << 12 | minutes << 6 | seconds) << 24) + micros
    negative = negative and bool(packed)
    packed = -packed if negative else packed
    # MY_PACKED_TIME_GET_INT_PART shifts arithmetically; the fraction keeps its own sign (C's %).
    whole, rest = packed >> 24, abs(packed) % (1 << 24) * (-1 if negative else 1)
    data = (0x800000 + whole).to_bytes(3, "big") + stored_fraction_of_time(rest, fsp)
    clock = f"{'-' if negative else ''}{hours:02d}:{minutes:02d}:{seconds:02d}{text}"
    assert image(column(ColumnKind.TIME, scale=fsp), data, type=19, fsp=fsp) == clock


def stored_fraction_of_time(rest: int, fsp: int) -> bytes:
    """Store a fraction with a sign in two's complement, as int2store and its like do."""
    size = FRACTION_BYTES[fsp]
    units = abs(rest) // 10 ** (6 - 2 * size) * (-1 if rest < 0 else 1)
    return (units % (1 << 8 * size)).to_bytes(size, "big") if size else b""


@given(st.integers(0, 9999), st.integers(0, 12), st.integers(0, 31), fractions())
def test_datetimes_of_any_year(
    year: int, month: int, day: int, fraction: tuple[int, int, str]
) -> None:
    """DATETIME(0..6), zero parts and year 0 included, which no Python datetime can hold."""
    fsp, micros, text = fraction
    packed = ((year * 13 + month) << 5 | day) << 17 | (23 << 12 | 58 << 6 | 59)
    data = (0x8000000000 + packed).to_bytes(5, "big") + stored_fraction(micros, fsp)
    written = f"{year:04d}-{month:02d}-{day:02d} 23:58:59{text}"
    assert image(column(ColumnKind.DATETIME, scale=fsp), data, type=18, fsp=fsp) == written
    stored = (day | month << 5 | year << 9).to_bytes(3, "little")
    assert image(column(ColumnKind.DATE), stored, type=10) == written[:10]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0000-00-00 00:00:00"),
        (1, "1970-01-01 00:00:01"),
        (1709210096, "2024-02-29 12:34:56"),
        (2**31 - 1, "2038-01-19 03:14:07"),
        (2**32 - 1, "2106-02-07 06:28:15"),
    ],
)
@given(fractions())
def test_timestamps_are_utc(seconds: int, text: str, fraction: tuple[int, int, str]) -> None:
    """TIMESTAMP(0..6) is told in UTC whatever the zone of this machine; 0 is the zero date."""
    fsp, micros, digits = fraction
    data = seconds.to_bytes(4, "big") + stored_fraction(micros, fsp)
    found = image(column(ColumnKind.TIMESTAMP, scale=fsp), data, type=17, fsp=fsp)
    assert found == text + digits


@given(st.integers(1, 65), st.integers(0, 30), st.data())
def test_decimals_of_every_precision(precision: int, scale: int, data: st.DataObject) -> None:
    """DECIMAL as `decimal2bin` stores it: nine digits in four bytes, negatives inverted."""
    scale = min(scale, precision)
    number = data.draw(st.integers(-(10**precision) + 1, 10**precision - 1))
    digits = f"{abs(number):0{precision}d}"
    whole, fraction = digits[: precision - scale], digits[precision - scale :]
    head = len(whole) % 9
    groups = [whole[:head], *(whole[i : i + 9] for i in range(head, len(whole), 9))]
    groups += [fraction[i : i + 9] for i in range(0, len(fraction), 9)]
    stored = b"".join(int(g).to_bytes(BYTES_OF_DIGITS[len(g)], "big") for g in groups if g)
    if number < 0:
        stored = bytes(byte ^ 0xFF for byte in stored)
    stored = bytes([stored[0] ^ 0x80]) + stored[1:]
    found = image(
        column(ColumnKind.DECIMAL, length=precision, scale=scale),
        stored,
        type=246,
        precision=precision,
        decimals=scale,
    )
    sign = "-" if number < 0 else ""
    assert found == f"{sign}{int(whole or '0')}{'.' if scale else ''}{fraction}"


@pytest.mark.parametrize(
    ("kind", "code", "size"),
    [
        (ColumnKind.TINYINT, 1, 1),
        (ColumnKind.SMALLINT, 2, 2),
        (ColumnKind.MEDIUMINT, 9, 3),
        (ColumnKind.INT, 3, 4),
        (ColumnKind.BIGINT, 8, 8),
    ],
)
def test_integers_of_both_signs(kind: ColumnKind, code: int, size: int) -> None:
    """The catalogue's sign decides how the bytes count, at both ends of the range."""
    top = 1 << 8 * size - 1
    for value in (-top, -1, 0, top - 1):
        data = value.to_bytes(size, "little", signed=True)
        assert image(column(kind), data, type=code) == value
    for value in (0, top, 2 * top - 1):
        data = value.to_bytes(size, "little")
        assert image(column(kind, unsigned=True), data, type=code) == value


@pytest.mark.parametrize(
    ("asked", "data", "meta", "value"),
    [
        (column(ColumnKind.YEAR), b"\x00", {"type": 13}, 0),
        (column(ColumnKind.YEAR), b"\x01", {"type": 13}, 1901),
        (column(ColumnKind.YEAR), b"\xff", {"type": 13}, 2155),
        (column(ColumnKind.FLOAT), struct.pack("<f", 1.1), {"type": 4}, 1.100000023841858),
        (column(ColumnKind.DOUBLE), struct.pack("<d", 0.1), {"type": 5}, 0.1),
        (column(ColumnKind.BIT, length=9), b"\x01\xff", {"type": 16, "bytes": 2}, 511),
        (column(ColumnKind.BIT, length=64), b"\xff" * 8, {"type": 16, "bytes": 8}, 2**64 - 1),
        (column(ColumnKind.ENUM, members=("a",)), b"\x00", {"type": 247, "size": 1}, 0),
        (column(ColumnKind.SET, members=("a",) * 9), b"\x01\x01", {"type": 248, "size": 2}, 257),
        (
            column(ColumnKind.VARBINARY),
            b"\x02\x00\xff",
            {"type": 15, "max_length": 255},
            b"\0\xff",
        ),
        (column(ColumnKind.VARCHAR), b"\x02\x00hi", {"type": 15, "max_length": 256}, "hi"),
        (column(ColumnKind.CHAR), b"\x00", {"type": 254, "max_length": 20}, ""),
        (
            column(ColumnKind.BINARY, length=3),
            b"\x01\x07",
            {"type": 254, "max_length": 3},
            b"\x07\0\0",
        ),
        (column(ColumnKind.LONGBLOB), b"\x01\0\0\0\x80", {"type": 252, "length_size": 4}, b"\x80"),
        (
            column(ColumnKind.JSON),
            b'\x07\0\0\0{"a":1}',
            {"type": 252, "length_size": 4},
            '{"a": 1}',
        ),
    ],
)
def test_other_types(asked: Column, data: bytes, meta: dict[str, Any], value: object) -> None:
    """One example for each of the rest, at an edge."""
    assert image(asked, data, **meta) == value


@pytest.mark.parametrize(("charset", "encoding"), ENCODINGS.items())
def test_text_is_decoded_by_its_column_s_character_set(charset: str, encoding: str) -> None:
    """A column's own bytes come out as the text that was stored."""
    data = "hé".encode(encoding) if charset != "ascii" else b"h"
    asked = column(ColumnKind.VARCHAR, charset=charset)
    found = image(asked, bytes([len(data)]) + data, type=15, max_length=80)
    assert found == ("hé" if charset != "ascii" else "h")


def test_null_columns_take_no_bytes() -> None:
    """The null bitmap has a bit a column, in order, over all columns."""
    columns = [replace(column(ColumnKind.TINYINT), name=f"c{i}") for i in range(10)]
    metas: Sequence[Any] = [SimpleNamespace(type=1)] * 10
    packet = Bytes(b"\xfe\x01" + b"\x07\x08")
    row = read_image(packet, metas, b"\xff\xff", columns)
    assert row == (7, *[None] * 8, 8)
    assert not packet.data


@pytest.mark.parametrize(
    ("metas", "present", "what"),
    [
        (2, b"\xff", "the log has 2 columns, the catalogue 1"),
        (1, b"\x00", "binlog_row_image must be FULL"),
    ],
)
def test_images_of_other_columns_are_refused(metas: int, present: bytes, what: str) -> None:
    """A different number of columns, or a partial image, is never read as something else."""
    found: Any = [SimpleNamespace(type=1)] * metas
    with pytest.raises(ValueError, match=what):
        read_image(Bytes(b"\0\0\0"), found, present, [column(ColumnKind.TINYINT)])


def test_an_unknown_type_is_refused() -> None:
    """MySQL's binary JSON (245) and geometry (255) are named, not misread."""
    for code in (245, 255):
        assert code not in READERS
        with pytest.raises(ValueError, match=f"`c`.*{code}"):
            image(column(ColumnKind.JSON), b"", type=code)
