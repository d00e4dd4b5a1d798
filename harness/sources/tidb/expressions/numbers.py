"""Values among numbers: what a text counts as, and arithmetic.

Source: TiDB pkg/types/convert.go `StrToFloat`, pkg/expression/builtin_arithmetic.go.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal

from harness.sources.tidb.expressions.datum import Datum, Inexpressible, Moment, Named, Span, Text

Number = int | float | Decimal

_PREFIX = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_INT64 = range(-(2**63), 2**63)
_UINT64 = range(2**64)
# TiDB's decimals have at most 81 digits; nothing in between may round.
_EXACT = Context(prec=200)


def number(value: Datum) -> Number | None:
    """Return a value among numbers: texts by the number that they start with, else 0."""
    match value:
        case None | int() | float() | Decimal():
            return value
        case Named():
            return value.number
        case Text():
            found = _PREFIX.match(value.text)
            return float(found[1]) if found else 0.0
        case Moment() | Span():
            raise Inexpressible("a date or time among numbers")


def truth(value: Datum) -> bool | None:
    """Return what a value is to a logical operator; None stands for NULL."""
    if isinstance(value, Moment | Span):
        raise Inexpressible("a date or time as a condition")
    counted = number(value)
    return None if counted is None else counted != 0


def arithmetic(operator: str, left: Datum, right: Datum) -> Datum:
    """Apply `+`, `-`, `*`, `%` or `DIV`; NULL for NULL, and for a division by zero."""
    a, b = number(left), number(right)
    if a is None or b is None:
        return None
    if operator in ("%", "DIV") and b == 0:
        return None
    if operator != "DIV" and (isinstance(a, float) or isinstance(b, float)):
        return _finite(_FLOATS[operator](float(a), float(b)))
    if isinstance(a, int) and isinstance(b, int):
        return bounded(_INTEGERS[operator](a, b))
    exact = _DECIMALS[operator](_exact(a), _exact(b))
    return bounded(int(exact)) if operator == "DIV" else exact


def negative(value: Datum) -> Datum:
    """Apply the sign `-`."""
    counted = number(value)
    if counted is None:
        return None
    return bounded(-counted) if isinstance(counted, int) else -counted


def bounded(value: int) -> int:
    """Return a whole number that BIGINT holds, signed or not; Inexpressible otherwise."""
    if value not in _INT64 and value not in _UINT64:
        raise Inexpressible(f"{value}, which BIGINT does not hold")
    return value


def _exact(value: Number) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(repr(value))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise Inexpressible("a number that DOUBLE does not hold")
    return value


def _div(a: int, b: int) -> int:
    whole = abs(a) // abs(b)
    return whole if (a < 0) == (b < 0) else -whole


# A remainder takes the sign of the dividend.
_INTEGERS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a - b * _div(a, b),
    "DIV": _div,
}
_FLOATS: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": math.fmod,
}
_DECIMALS: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": _EXACT.add,
    "-": _EXACT.subtract,
    "*": _EXACT.multiply,
    "%": _EXACT.remainder,
    "DIV": _EXACT.divide_int,
}
