"""Cells become Connect values by Java's rules."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect import java
from harness.codecs.connect.errors import JavaError
from harness.codecs.connect.java_calendar import epoch_day
from harness.codecs.debezium import temporal
from harness.codecs.debezium.enum_set import enum_text, members, set_text
from harness.codecs.debezium.errors import ConnectorFailed
from harness.codecs.debezium.mappers import serialised, shortened
from harness.model.vstream import FieldInfo
from tests.codecs.debezium_vitess.streams import (
    ID,
    TEXT,
    after,
    emitted,
    field,
    new_columns,
    row,
    transaction,
)
from tests.strategies import EACH_KIND

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INTEGERS = {
    "INT8": (-128, 127, "INT16"),
    "UINT8": (0, 255, "INT16"),
    "INT16": (-(2**15), 2**15 - 1, "INT16"),
    "UINT16": (0, 2**16 - 1, "INT32"),
    "INT24": (-(2**23), 2**23 - 1, "INT32"),
    "UINT24": (0, 2**24 - 1, "INT32"),
    "INT32": (-(2**31), 2**31 - 1, "INT32"),
    "UINT32": (0, 2**32 - 1, "INT64"),
    "INT64": (-(2**63), 2**63 - 1, "INT64"),
    "YEAR": (0, 2155, "INT32"),
}


def value(info: FieldInfo, cell: bytes | None, **properties: str) -> tuple[Any, Any]:
    """Return the schema and the value that a cell of a column becomes."""
    given = {name.replace("_", "."): text for name, text in properties.items()}
    (record,) = emitted([transaction(5, field(ID, info), row(None, [b"1", cell]))], given)
    schema = record.value_schema
    assert schema is not None
    return schema.fields[1].schema.fields[1].schema, after(record)[info.name]


@pytest.mark.parametrize("name", INTEGERS)
@EACH_KIND
@given(data=st.data())
def test_integers(name: str, data: st.DataObject) -> None:
    """Every integer of a type comes through, with zeros before it too."""
    low, high, kind = INTEGERS[name]
    number = data.draw(st.sampled_from([low, high, 0]) | st.integers(low, high))
    schema, read = value(FieldInfo("c", name), str(number).encode())
    assert (schema.kind.name, read) == (kind, number)
    if number >= 0:
        assert value(FieldInfo("c", name), b"000" + str(number).encode())[1] == number


@pytest.mark.parametrize(
    ("bits", "text", "message"),
    [
        (32, "x", 'For input string: "x"'),
        (32, "", 'For input string: ""'),
        (32, "2147483648", 'For input string: "2147483648"'),
        (16, "40000", 'Value out of range. Value:"40000" Radix:10'),
        (64, "1_0", 'For input string: "1_0"'),
        (64, " 1", 'For input string: " 1"'),
    ],
)
def test_no_integers(bits: int, text: str, message: str) -> None:
    """What is no number, or too large a one, is refused in Java's words."""
    with pytest.raises(JavaError) as refused:
        java.integer(text, bits)
    assert (refused.value.code, refused.value.what) == ("java.lang.NumberFormatException", message)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_floats(number: float) -> None:
    """A FLOAT is the nearest 32-bit number, widened."""
    shortest = repr(number)
    assert value(FieldInfo("c", "FLOAT32"), shortest.encode())[1] == number
    assert value(FieldInfo("c", "FLOAT32"), b"1.1")[1] == struct.unpack("<f", b"\xcd\xcc\x8c?")[0]


def test_floats_round_once() -> None:
    """A text just above the middle of two 32-bit numbers goes up, though its double is there."""
    middle = "1.00000005960464477539062500000000000001"
    assert value(FieldInfo("c", "FLOAT32"), middle.encode())[1] == 1 + 2**-23


FIRST, LAST = datetime.fromisoformat("1583-01-01"), datetime.fromisoformat("9999-12-31")


@given(st.datetimes(FIRST, LAST), st.integers(0, 6))
def test_datetimes(moment: datetime, digits: int) -> None:
    """A DATETIME is its distance from 1970, in the unit of its digits, of the mode, or as it is."""
    whole = moment.replace(
        microsecond=moment.microsecond // 10 ** (6 - digits) * 10 ** (6 - digits)
    )
    fraction = f".{whole.microsecond:06d}"[: digits + 1] if digits else ""
    text = f"{whole:%Y}".zfill(4) + f"{whole:-%m-%d %H:%M:%S}{fraction}"
    column = FieldInfo("c", "DATETIME", "datetime", 0, digits)
    micros = (whole.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    adaptive = micros // 1000 if digits <= 3 else micros
    assert value(column, text.encode())[1] == adaptive
    for mode, expected in (
        ("connect", micros // 1000),
        ("microseconds", micros),
        ("nanoseconds", temporal.signed(micros * 1000, 64)),
        ("isostring", text),
    ):
        assert value(column, text.encode(), time_precision_mode=mode)[1] == expected


@given(st.dates())
def test_days(day: Any) -> None:
    """Days are counted as the calendar that has always been Gregorian counts them."""
    counted = day.toordinal() - EPOCH.toordinal()
    assert epoch_day(day.year, day.month, day.day) == counted
    assert value(FieldInfo("c", "DATE"), str(day).encode())[1] == counted


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("2018-02-30 00:00:00", "2018-03-02 00:00:00"),
        ("2020-02-30 00:00:00", "2020-03-01 00:00:00"),
        ("1582-10-05 00:00:00", "1582-10-15 00:00:00"),
        ("1582-10-14 00:00:00", "1582-10-24 00:00:00"),
    ],
)
def test_days_that_are_not(text: str, same_as: str) -> None:
    """A DATETIME on a day that is not is moved on."""
    column = FieldInfo("c", "DATETIME", "datetime")
    assert value(column, text.encode())[1] == value(column, same_as.encode())[1]


def test_julian_leap_day() -> None:
    """A day that only the Julian calendar has is read and then has no place: null."""
    assert value(FieldInfo("c", "DATETIME"), b"1500-02-29 00:00:00")[1] is None


@given(st.integers(-838, 838), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999999))
def test_times(hours: int, minutes: int, seconds: int, micros: int) -> None:
    """A TIME is its microseconds, below zero and beyond a day too; connect knows days only."""
    sign = -1 if hours < 0 else 1
    total = sign * (((abs(hours) * 60 + minutes) * 60 + seconds) * 10**6 + micros)
    text = f"{hours:0{3 if hours < 0 else 2}d}:{minutes:02d}:{seconds:02d}.{micros:06d}".encode()
    column = FieldInfo("c", "TIME", "time(6)", 0, 6)
    assert value(column, text)[1] == total
    assert value(column, text, time_precision_mode="nanoseconds")[1] == total * 1000
    inside = 0 <= total <= 86_400 * 10**6
    expected = total // 1000 if inside else None
    assert value(column, text, time_precision_mode="connect")[1] == expected


@given(st.text())
def test_texts(text: str) -> None:
    """A text comes through whole; what is no UTF-8 becomes U+FFFD, never an error."""
    raw = text.encode()
    assert java.text(raw) == text
    assert "\ufffd" in java.text(raw + b"\xff")
    assert java.text(b"\xed\xa0\x80") == "\ufffd"


@given(st.text(), st.integers(0, 20))
def test_shortened(text: str, length: int) -> None:
    """A text is cut by UTF-16 units."""
    units = text.encode("utf-16-be")
    cut = shortened(text, length).encode("utf-16-be", "surrogatepass")
    assert cut == units[: 2 * length]


def test_serialised() -> None:
    """A string is serialised as Java's object streams write it."""
    assert serialised("a\0é") == bytes.fromhex("aced0005740005") + b"a\xc0\x80\xc3\xa9"


@given(st.lists(st.text("abc, '", min_size=1), min_size=1, max_size=64, unique=True))
def test_members(names: list[str]) -> None:
    """Members are read off MySQL's definition; an index and a mask name them."""
    definition = "set(" + ",".join("'" + name.replace("'", "''") + "'" for name in names) + ")"
    read = members(definition)
    if all(not name.startswith("'") and not name.endswith("'") for name in names):
        assert read == tuple(names)
    assert [enum_text(tuple(names), i + 1) for i in range(len(names))] == names
    assert set_text(tuple(names), (1 << len(names)) - 1) == ",".join(names)
    assert enum_text(tuple(names), 0) == enum_text(tuple(names), len(names) + 1) == ""


@pytest.mark.parametrize("nullable", [False, True])
def test_unsigned_beyond_long(nullable: bool) -> None:  # noqa: FBT001
    """In the mode `long` a number beyond it is null, and stops the task where null may not be."""
    column = FieldInfo("u", "UINT64", "bigint unsigned", 0 if nullable else 1)
    mode = {"bigint_unsigned_handling_mode": "long"}
    if nullable:
        assert value(column, b"18446744073709551615", **mode)[1] is None
        return
    with pytest.raises(ConnectorFailed, match="null used for required field"):
        value(column, b"18446744073709551615", **mode)


@given(st.lists(st.text(max_size=8), unique=True, max_size=40))
def test_hash_order(keys: list[str]) -> None:
    """A HashMap's order keeps every key, and does not depend on when it grew."""
    order = java.hash_order(keys, java.buckets(len(keys)))
    assert sorted(order) == sorted(keys)
    assert java.hash_code("hello") == 99162322


@pytest.mark.parametrize(
    ("name", "column_type"),
    [
        # VStream has one type for all that is spatial.
        ("GEOMETRY", "geometry"),
        ("GEOMETRY", "point"),
        ("GEOMETRY", "linestring"),
        ("GEOMETRY", "polygon"),
        ("GEOMETRY", "multipoint"),
        ("GEOMETRY", "multilinestring"),
        ("GEOMETRY", "multipolygon"),
        ("GEOMETRY", "geomcollection"),
        ("BIT", "bit(1)"),
        ("VECTOR", "vector(3)"),
    ],
)
def test_unsupported_columns_are_left_out(name: str, column_type: str) -> None:
    """A column of a type that is not supported is in no schema and in no row, unless asked for."""
    events = [field(ID, FieldInfo("c", name, column_type), TEXT), row(None, [b"1", b"x", b"y"])]
    (record,) = emitted([transaction(5, *events)])
    assert after(record) == {"id": 1, "v": "y"}
    assert new_columns(record) == ["id", "v"]
    asked = {"include.unknown.datatypes": "true"}
    (record,) = emitted([transaction(5, *events)], asked)
    assert after(record) == {"id": 1, "c": b"x", "v": "y"}
    assert new_columns(record) == ["id", "c", "v"]
