"""Plain YAML scalars by the core schema of YAML 1.2, with every number kept exact.

What YAML 1.1 guessed is text here (`yes`, `no`, `on`, `off`, `12:30:45`, `2024-02-29`), and `010`
is ten.
Source: YAML 1.2.2, §10.3.2 Tag Resolution. Two deliberate refusals: infinities and NaN, which
neither SQL nor JSON can hold, and numbers of a size that no column can hold.
"""

from __future__ import annotations

import re
from decimal import Decimal

Scalar = str | int | Decimal | bool | None

DIGITS_MAX = 400
_FIRST = frozenset("-+.0123456789~nNtTfF")
_WORDS: dict[str, Scalar] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_BASED = {"0o": (8, re.compile(r"0o[0-7]+\Z")), "0x": (16, re.compile(r"0x[0-9a-fA-F]+\Z"))}
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE]([-+]?[0-9]+))?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")


def plain(text: str) -> Scalar:
    """Return the value of a plain (unquoted) scalar; ValueError for what no column holds."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST:
        return text
    if _INTEGER.match(text):
        return int(_bounded(text, text))
    if text[:2] in _BASED:
        base, pattern = _BASED[text[:2]]
        return int(_bounded(text[2:], text), base) if pattern.match(text) else text
    match = _FLOAT.match(text)
    if match:
        return _decimal(text, match[1])
    if _NOT_FINITE.match(text):
        raise ValueError(f"`{text}` is a number that neither SQL nor JSON can hold")
    return text


def _decimal(text: str, exponent: str | None) -> Decimal:
    if exponent is not None and (len(exponent) > 5 or abs(int(exponent)) > DIGITS_MAX):
        raise ValueError(f"`{text}` is larger or smaller than any column can hold")
    return Decimal(_bounded(text, text))


def _bounded(digits: str, text: str) -> str:
    if len(digits) > DIGITS_MAX:
        raise ValueError(f"`{text[:20]}…` has more digits than any column can hold")
    return digits
