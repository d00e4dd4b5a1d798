"""Comparing two values as TiDB does: by the kinds of both, NULL with nothing.

| left, right | compared as |
| --- | --- |
| texts | texts, by the column's collation; trailing spaces do not count |
| numbers, a text among numbers | numbers; a decimal and a text exactly, else as floats |
| date or time and a text or digits | dates or times |
| ENUM or SET | its name with a text, its number with a number |

Source: TiDB pkg/expression/builtin_compare.go `GetAccurateCmpType`, `RefineComparedConstant`;
pkg/util/collate.
"""

from __future__ import annotations

import re
from decimal import Decimal

from harness.sources.tidb.expressions.datum import (
    BINARY,
    LITERAL,
    Datum,
    Inexpressible,
    Moment,
    Named,
    Span,
    Text,
    Year,
    sound_moment,
    span,
)
from harness.sources.tidb.expressions.numbers import Number, number

GENERAL_CI = "utf8mb4_general_ci"
# Collations that order by the characters' own numbers, and pad with spaces.
BY_NUMBER = frozenset({"utf8mb4_bin", "utf8_bin", "latin1_bin", "ascii_bin"})
_WHOLE = re.compile(r"\s*[-+]?\d+\s*")
_DECIMAL = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)\s*")


def compare(left: Datum, right: Datum) -> int | None:
    """Return -1, 0 or 1 for less, equal, greater; None when either is NULL."""
    if left is None or right is None:
        return None
    if isinstance(left, Named) and isinstance(right, Text | Named):
        left = left.name
    if isinstance(right, Named) and isinstance(left, Text):
        right = right.name
    if isinstance(left, Text) and isinstance(right, Text):
        collation = common_collation(left, right)
        a, b = sort_key(collation, left.text), sort_key(collation, right.text)
        return (a > b) - (a < b)
    if isinstance(left, Moment | Span) or isinstance(right, Moment | Span):
        return _temporal(left, right)
    for year, beside in ((left, right), (right, left)):
        if isinstance(year, Year) and isinstance(beside, int) and 0 < beside < 100:
            raise Inexpressible(f"the year {beside} in two digits")
    x, y = _numbers(left, right)
    return (x > y) - (x < y)


def common_collation(left: Text, right: Text) -> str:
    """Return the collation that decides: a column's, or the binary one between two literals."""
    known = {text.collation for text in (left, right)} - {LITERAL}
    if len(known) > 1:
        raise Inexpressible(f"columns of different collations ({' and '.join(sorted(known))})")
    return known.pop() if known else "utf8mb4_bin"


def sort_key(collation: str, text: str) -> bytes:
    """Return the bytes that stand for a text in a collation's order."""
    folded = fold(collation, text)
    return (folded if collation == BINARY else folded.rstrip(" ")).encode(
        "utf-8", "surrogateescape"
    )


def fold(collation: str, text: str) -> str:
    """Return the text without what the collation ignores; Inexpressible where we lack its table."""
    if collation == BINARY or collation in BY_NUMBER:
        return text
    if collation != GENERAL_CI:
        raise Inexpressible(f"the collation {collation}")
    if not text.isascii():
        raise Inexpressible(f"{text!r} in the collation {GENERAL_CI}: it is not ASCII")
    return text.upper()


def _temporal(left: Datum, right: Datum) -> int:
    """Compare where at least one side is a date or time; the other is read as one."""
    if isinstance(left, Span) or isinstance(right, Span):
        a, b = _span(left), _span(right)
        return (a.micros > b.micros) - (a.micros < b.micros)
    x, y = _moment(left), _moment(right)
    return (x.parts > y.parts) - (x.parts < y.parts)


def _moment(value: Datum) -> Moment:
    match value:
        case Moment():
            return value
        case Text():
            return sound_moment(value.text)
        case int():
            return sound_moment(str(value))
        case _:
            raise Inexpressible("a date beside a value that is none")


def _span(value: Datum) -> Span:
    match value:
        case Span():
            return value
        case Text():
            return span(value.text)
        case _:
            raise Inexpressible("a time beside a value that is none")


def _numbers(left: Datum, right: Datum) -> tuple[Number, Number]:
    """Return two values among numbers, exactly where TiDB compares exactly."""
    a, b = _counted(left, right), _counted(right, left)
    if isinstance(a, float) or isinstance(b, float):
        return float(a), float(b)
    return a, b


def _counted(value: Datum, beside: Datum) -> Number:
    if isinstance(value, Text):
        if isinstance(beside, int | Named) and _WHOLE.fullmatch(value.text):
            return int(value.text)
        if isinstance(beside, Decimal) and _DECIMAL.fullmatch(value.text):
            return Decimal(value.text.strip())
    counted = number(value)
    assert counted is not None
    return counted
