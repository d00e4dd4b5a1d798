"""Hypothesis strategies for columns and their values, one for each column kind.

A value is canonical (`harness.model.values`), and the boundaries of its kind are among the
first that are drawn. A new kind fails here until it has a strategy.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from decimal import Decimal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from harness.model.canonical import INTEGER_BITS, YEARS, canonical
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind
from harness.model.values import Value

Values = Callable[[Column], SearchStrategy[Value]]
# For a property tried on each of 30 kinds: a tenth of the profile's examples for each of them.
EACH_KIND = settings(max_examples=settings().max_examples // 10)
# For a property each example of which is a whole stream of records: a fifth of them.
EACH_STREAM = settings(max_examples=settings().max_examples // 5)
# Characters that some layer treats apart: escapes, HTML, separators, controls, astral ones.
TEXT = st.text(
    st.characters(codec="utf-8")
    | st.sampled_from("\0\b\f\n\r\t\v\"\\'<>& \u2028\u2029\x7f\x85é测😀\ufeff"),
    max_size=12,
)
BYTES = st.binary(max_size=12) | TEXT.map(str.encode)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


def _boundaries(low: int, high: int) -> SearchStrategy[int]:
    return st.sampled_from([low, high, 0, 1]) | st.integers(low, high)


def _integer(column: Column) -> SearchStrategy[Value]:
    bits = INTEGER_BITS[column.kind]
    if column.unsigned:
        return _boundaries(0, 2**bits - 1)
    return _boundaries(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _decimal(column: Column) -> SearchStrategy[Value]:
    scale = column.scale or 0
    most = 10 ** (column.length or 10) - 1
    return _boundaries(-most, most).map(
        lambda digits: str(canonical(column, Decimal(f"{digits}e-{scale}")))
    )


def _float(width: int) -> Values:
    floats = st.floats(width=width, allow_nan=False, allow_infinity=False)  # type: ignore[arg-type]
    edges = (0.0, 0.1, 1e-6, 9.9e-7, 1e-7, 1e20, 1e21, 3.4028234663852886e38, 1.4e-45)

    def values(column: Column) -> SearchStrategy[Value]:
        both = st.sampled_from([*edges, *(-edge for edge in edges)]) | floats
        return both.map(lambda number: canonical(column, number))

    return values


def _date(column: Column) -> SearchStrategy[Value]:
    del column
    return st.sampled_from(["0000-00-00", "1000-01-01", "9999-12-31"]) | st.dates().map(str)


def _fraction(column: Column) -> SearchStrategy[str]:
    digits = column.fsp
    if not digits:
        return st.just("")
    return st.integers(0, 10**digits - 1).map(lambda number: f".{number:0{digits}}")


def _datetime(column: Column) -> SearchStrategy[Value]:
    clock = st.times().map(lambda time: time.strftime("%H:%M:%S"))
    parts = st.tuples(_date(column), clock, _fraction(column))
    return parts.map(lambda p: f"{p[0]!s} {p[1]}{p[2]}")


def _time(column: Column) -> SearchStrategy[Value]:
    parts = st.tuples(
        st.sampled_from(["", "-"]),
        st.integers(0, 838),
        st.integers(0, 59),
        st.integers(0, 59),
        _fraction(column),
    )
    return parts.map(lambda p: f"{p[0]}{p[1]:02}:{p[2]:02}:{p[3]:02}{p[4]}")


def _bits(column: Column) -> SearchStrategy[Value]:
    return _boundaries(0, 2 ** (column.length or 1) - 1)


def _year(column: Column) -> SearchStrategy[Value]:
    del column
    return st.sampled_from([0, YEARS.start, 1970, YEARS.stop - 1])


def _text(column: Column) -> SearchStrategy[Value]:
    del column
    return TEXT


def _bytes(column: Column) -> SearchStrategy[Value]:
    del column
    return BYTES


def _char(column: Column) -> SearchStrategy[Value]:
    del column
    return TEXT.map(lambda text: text.rstrip(" "))


def _binary(column: Column) -> SearchStrategy[Value]:
    length = column.length or 1
    return st.binary(max_size=length).map(lambda raw: raw.ljust(length, b"\0"))


def _json(column: Column) -> SearchStrategy[Value]:
    numbers = st.integers() | st.sampled_from([0.1, 1e20, -2.5])
    leaves = st.none() | st.booleans() | numbers | TEXT
    documents = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=6,
    )
    return documents.map(lambda document: canonical(column, _dumps(document)))


def _dumps(document: object) -> str:
    import json  # noqa: PLC0415  (the name of the library is a column kind here)

    return json.dumps(document)


def _vector(column: Column) -> SearchStrategy[Value]:
    del column
    numbers = st.lists(st.sampled_from(["0", "1", "2.5", "-3", "0.0000001"]), max_size=4)
    return numbers.map(lambda texts: f"[{','.join(texts)}]")


def _members(column: Column) -> SearchStrategy[Value]:
    most = len(column.members) if column.kind is ColumnKind.ENUM else 2 ** len(column.members) - 1
    return _boundaries(0, most)


VALUES: Mapping[ColumnKind, Values] = {
    **dict.fromkeys(INTEGER_BITS, _integer),
    **dict.fromkeys(CHARACTERS, _text),
    **dict.fromkeys(BINARIES, _bytes),
    ColumnKind.CHAR: _char,
    ColumnKind.BINARY: _binary,
    ColumnKind.FLOAT: _float(32),
    ColumnKind.DOUBLE: _float(64),
    ColumnKind.DECIMAL: _decimal,
    ColumnKind.BIT: _bits,
    ColumnKind.YEAR: _year,
    ColumnKind.DATE: _date,
    ColumnKind.TIME: _time,
    ColumnKind.DATETIME: _datetime,
    ColumnKind.TIMESTAMP: _datetime,
    ColumnKind.ENUM: _members,
    ColumnKind.SET: _members,
    ColumnKind.JSON: _json,
    ColumnKind.VECTOR: _vector,
}


def values(column: Column) -> SearchStrategy[Value]:
    """Return canonical values of a column; NULL among them when it is nullable."""
    drawn = VALUES[column.kind](column)
    return st.none() | drawn if column.nullable else drawn


@st.composite
def columns(draw: st.DrawFn, kind: ColumnKind, name: str = "c", number: int = 2) -> Column:
    """Draw a column of a kind, with the properties that matter to the kind."""
    length = scale = None
    if kind is ColumnKind.DECIMAL:
        length = draw(st.sampled_from([1, 10, 65]))
        scale = draw(st.integers(0, min(length, 30)))
    elif kind is ColumnKind.BIT:
        length = draw(st.sampled_from([1, 8, 64]))
    elif kind is ColumnKind.BINARY:
        length = draw(st.integers(1, 12))
    elif kind in {ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP}:
        scale = draw(st.sampled_from([None, 0, 3, 6]))
    return Column(
        number,
        name,
        kind,
        length=length,
        scale=scale,
        members=("a", "b,c", "ü", "4") if kind is ColumnKind.ENUM else ("a", "b", "ü", "1"),
        unsigned=kind in INTEGER_BITS and draw(st.booleans()),
        nullable=draw(st.booleans()),
    )


def narrow(number: float) -> float:
    """Return the nearest 32-bit float."""
    narrowed: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return narrowed
