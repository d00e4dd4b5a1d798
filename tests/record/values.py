"""Columns of every kind, and canonical values for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import strategies as st

from harness.model.canonical import INTEGER_BITS
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind
from harness.model.values import Value

Values = st.SearchStrategy[Value]

MEMBERS = ("red", "it's", "", "7", "a b")
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


def _fraction(digits: int) -> st.SearchStrategy[str]:
    return st.integers(0, 10**digits - 1).map(lambda n: f".{n:0{digits}d}" if digits else "")


def _clock(hours: int) -> st.SearchStrategy[str]:
    parts = st.tuples(st.integers(0, hours), st.integers(0, 59), st.integers(0, 59))
    return parts.map(lambda hms: f"{hms[0]:02d}:{hms[1]:02d}:{hms[2]:02d}")


def _joined(*parts: st.SearchStrategy[str]) -> Values:
    return st.tuples(*parts).map("".join)


DATE = st.dates().map(lambda day: f"{day.year:04d}-{day.month:02d}-{day.day:02d}")


def _integers(column: Column) -> Values:
    bits = INTEGER_BITS[column.kind]
    low, high = (0, 2**bits - 1) if column.unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return st.integers(low, high)


def _decimals(column: Column) -> Values:
    length, scale = column.length or 10, column.scale or 0
    numbers = st.integers(-(10**length) + 1, 10**length - 1)

    def text(number: int) -> str:
        digits = f"{abs(number):0{scale + 1}d}"
        whole, fraction = digits[: len(digits) - scale], digits[len(digits) - scale :]
        return f"{'-' if number < 0 else ''}{whole}{'.' if scale else ''}{fraction}"

    return numbers.map(text)


def values(column: Column) -> Values:
    """Return canonical values of a column, NULL among them."""
    kind, fsp = column.kind, column.fsp
    if kind in INTEGER_BITS:
        found: Values = _integers(column)
    elif kind in CHARACTERS:
        found = TEXT.map(lambda text: text.rstrip(" ") if kind is ColumnKind.CHAR else text)
    elif kind is ColumnKind.BINARY:
        found = st.binary(min_size=4, max_size=4)
    elif kind in BINARIES:
        found = st.binary(max_size=8)
    else:
        table: Mapping[ColumnKind, Values] = {
            ColumnKind.FLOAT: st.floats(width=32, allow_nan=False, allow_infinity=False),
            ColumnKind.DOUBLE: st.floats(allow_nan=False, allow_infinity=False),
            ColumnKind.DECIMAL: _decimals(column),
            ColumnKind.BIT: st.integers(0, 2 ** (column.length or 1) - 1),
            ColumnKind.YEAR: st.integers(1901, 2155),
            ColumnKind.DATE: DATE,
            ColumnKind.TIME: _joined(st.sampled_from(["", "-"]), _clock(838), _fraction(fsp)),
            ColumnKind.DATETIME: _joined(DATE, st.just(" "), _clock(23), _fraction(fsp)),
            ColumnKind.TIMESTAMP: _joined(st.just("2024-02-29 "), _clock(23), _fraction(fsp)),
            ColumnKind.ENUM: st.integers(0, len(column.members)),
            ColumnKind.SET: st.integers(0, 2 ** len(column.members) - 1),
            ColumnKind.JSON: st.sampled_from(['{"a": 1.5, "b": [null, "é"]}', "1", '"x"']),
            ColumnKind.VECTOR: st.just("[1,2.5,-3]"),
        }
        found = table[kind]
    return st.none() | found


def _columns() -> tuple[Column, ...]:
    found: list[Column] = []
    for kind in ColumnKind:
        column = Column(0, kind.value, kind)
        if kind in INTEGER_BITS:
            found.append(replace(column, name=f"{kind.value} unsigned", unsigned=True))
        if kind in (ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP):
            found += [replace(column, name=f"{kind.value}{n}", scale=n) for n in range(1, 7)]
        if kind in (ColumnKind.ENUM, ColumnKind.SET):
            column = replace(column, members=MEMBERS)
        if kind is ColumnKind.DECIMAL:
            found += [
                replace(column, name=f"decimal({p},{s})", length=p, scale=s)
                for p, s in ((1, 0), (9, 9), (10, 3), (18, 9), (20, 10), (65, 30))
            ]
        if kind in (ColumnKind.BIT, ColumnKind.BINARY):
            column = replace(column, length=4)
        found.append(column)
    found.append(Column(0, "bit64", ColumnKind.BIT, length=64))
    return tuple(found)


COLUMNS = _columns()
ROW = st.tuples(*(values(column) for column in COLUMNS))
