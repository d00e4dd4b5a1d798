"""Columns and what is written into them, as SQL: one row for each column kind that MariaDB runs.

The first that is drawn of anything is the plainest, because that is what shrinking ends at.
A kind without a row here fails `tests/fuzz/test_literals.py`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from harness.model.canonical import INTEGER_BITS
from harness.model.columns import BINARIES, CHARACTERS, ColumnKind

Literals = SearchStrategy[str]
# MariaDB 11.4 has no vectors; the catalogue states their rows under `emit`.
ABSENT = frozenset({ColumnKind.VECTOR})


@dataclass(frozen=True, slots=True)
class Kind:
    """A column type as it is declared, and the literals that go into it; `key`: fit for a key."""

    kind: ColumnKind
    sql: str
    literals: Literals
    key: bool = False
    # What it may be changed into, every value kept.
    wider: str = ""


# Texts that some layer treats apart: escapes, quotes, separators, controls, astral characters.
NASTY = ("", "'", '"', "\\", "\0", "\n", "\t", "<&>", "\u2028", "é", "测", "😀", "null", "0", "a,b")
TEXTS = st.sampled_from(("a", "b", "B", *NASTY)) | st.text(
    st.characters(codec="utf-8", exclude_characters=" "), max_size=6
)
BYTES = st.sampled_from((b"a", b"", b"\0", b"\xff", b"a\0", b"\\")) | st.binary(max_size=5)


def quoted(value: str) -> str:
    """Return a text as an SQL literal: by its bytes where somebody might read it otherwise."""
    if value.isprintable() and value.isascii() and not set(value) & set("'\\"):
        return f"'{value}'"
    return f"_utf8mb4 X'{value.encode().hex()}'"


def hexadecimal(value: bytes) -> str:
    """Return bytes as an SQL literal."""
    return f"X'{value.hex()}'"


def _whole(low: int, high: int) -> Literals:
    edges = [1, 0, 2, low, high, low + 1, high - 1]
    return (st.sampled_from(edges) | st.integers(low, high)).map(str)


def _integers(kind: ColumnKind) -> list[Kind]:
    bits = INTEGER_BITS[kind]
    wider = "BIGINT" if kind is ColumnKind.INT else ""
    half, name = 2 ** (bits - 1), kind.value.upper()
    return [
        Kind(kind, name, _whole(-half, half - 1), key=True, wider=wider),
        Kind(kind, f"{name} UNSIGNED", _whole(0, 2 * half - 1), key=True),
    ]


def _decimals() -> list[Kind]:
    found: list[Kind] = []
    for digits, scale in ((10, 2), (5, 0), (65, 30)):
        most = 10**digits - 1

        def literal(number: int, scale: int = scale) -> str:
            whole, part = divmod(abs(number), 10**scale)
            point = f".{part:0{scale}}" if scale else ""
            return f"{'-' if number < 0 else ''}{whole}{point}"

        edges = st.sampled_from([1, 0, -1, 10, 10**scale, most, -most])
        numbers = (edges | st.integers(-most, most)).map(literal)
        found.append(Kind(ColumnKind.DECIMAL, f"DECIMAL({digits},{scale})", numbers, key=True))
    return found


def _float32(number: float) -> float:
    narrowed: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return narrowed


def _floats() -> list[Kind]:
    edges = st.sampled_from((1.0, 0.0, -1.0, 0.1, 1.5, 1e-7, 1e20, 16777217.0, 3.0e38, 1e-45))
    single = st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False)
    double = st.floats(-1e300, 1e300, allow_nan=False, allow_subnormal=False)
    return [
        Kind(ColumnKind.FLOAT, "FLOAT", (edges | single).map(lambda n: f"{_float32(n)!r}")),
        Kind(ColumnKind.DOUBLE, "DOUBLE", (edges | double).map(repr)),
    ]


def _bits() -> list[Kind]:
    return [
        Kind(ColumnKind.BIT, f"BIT({length})", _whole(0, 2**length - 1)) for length in (8, 1, 64)
    ]


DATES = ("2024-02-29", "1970-01-01", "1000-01-01", "9999-12-31", "1582-10-15", "1969-12-31")
CLOCKS = ("00:00:00", "12:34:56", "23:59:59")


def _fraction(digits: int) -> SearchStrategy[str]:
    if not digits:
        return st.just("")
    edges = st.sampled_from([0, 1, 10**digits - 1, 10 ** (digits - 1)])
    return (edges | st.integers(0, 10**digits - 1)).map(lambda n: f".{n:0{digits}}")


def _joined(format_: str, *parts: SearchStrategy[str]) -> Literals:
    return st.tuples(*parts).map(lambda values: format_.format(*values))


def _temporals() -> list[Kind]:
    dates, clocks = st.sampled_from(DATES), st.sampled_from(CLOCKS)
    stamps = st.sampled_from(
        ("2024-02-29 12:34:56", "1970-01-01 00:00:01", "2038-01-19 03:14:07", "2001-09-09 01:46:40")
    )
    times = st.sampled_from(
        ("12:34:56", "00:00:00", "-00:00:01", "838:59:58", "-838:59:58", "-01:00:00", "100:00:00")
    )
    found = [Kind(ColumnKind.DATE, "DATE", _joined("'{}'", dates), key=True)]
    for digits in (0, 3, 6):
        size = f"({digits})" if digits else ""
        rest = _fraction(digits)
        found += [
            Kind(ColumnKind.TIME, f"TIME{size}", _joined("'{}{}'", times, rest)),
            Kind(
                ColumnKind.DATETIME,
                f"DATETIME{size}",
                _joined("'{} {}{}'", dates, clocks, rest),
                key=True,
            ),
            Kind(ColumnKind.TIMESTAMP, f"TIMESTAMP{size}", _joined("'{}{}'", stamps, rest)),
        ]
    years = st.sampled_from((2024, 1901, 2155, 0, 1970)).map(str)
    return [*found, Kind(ColumnKind.YEAR, "YEAR", years)]


def _characters(kind: ColumnKind) -> list[Kind]:
    sized = kind in {ColumnKind.CHAR, ColumnKind.VARCHAR}
    wider = "VARCHAR(40)" if kind is ColumnKind.VARCHAR else ""
    name = kind.value.upper() + ("(20)" if sized else "")
    return [Kind(kind, name, TEXTS.map(quoted), key=sized, wider=wider)]


def _binaries(kind: ColumnKind) -> list[Kind]:
    sized = kind in {ColumnKind.BINARY, ColumnKind.VARBINARY}
    name = kind.value.upper() + ("(8)" if sized else "")
    return [Kind(kind, name, BYTES.map(hexadecimal), key=kind is ColumnKind.VARBINARY)]


def _members() -> list[Kind]:
    names = ("a", "b", "c d", "ü", "1")
    sets = st.lists(st.sampled_from(names), unique=True, max_size=5)
    listed = ", ".join(f"'{name}'" for name in names)
    return [
        Kind(ColumnKind.ENUM, f"ENUM({listed})", st.sampled_from(names).map(lambda n: f"'{n}'")),
        Kind(ColumnKind.SET, f"SET({listed})", sets.map(lambda chosen: f"'{','.join(chosen)}'")),
    ]


def _json() -> list[Kind]:
    leaves = st.sampled_from((1, None, True, 0, -1, 1.5, "", "a", 2**53 + 1)) | TEXTS
    documents = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
        max_leaves=3,
    )
    return [Kind(ColumnKind.JSON, "JSON", documents.map(json.dumps).map(quoted))]


_MAKERS: Sequence[Callable[[], list[Kind]]] = (
    lambda: [one for kind in INTEGER_BITS for one in _integers(kind)],
    lambda: [one for kind in sorted(CHARACTERS) for one in _characters(kind)],
    lambda: [one for kind in sorted(BINARIES) for one in _binaries(kind)],
    *(_decimals, _floats, _bits, _temporals, _members, _json),
)
KINDS: Mapping[str, Kind] = {one.sql: one for maker in _MAKERS for one in maker()}
# The plainest first.
PLAIN = ("INT", "VARCHAR(20)", "BIGINT", "BIGINT UNSIGNED", "DECIMAL(10,2)", "DATETIME")
ORDERED = (*PLAIN, *(name for name in KINDS if name not in PLAIN))
KEYS = tuple(name for name in ORDERED if KINDS[name].key)
