"""Scalars of YAML 1.2: plain ones read by its core schema, every number exact; and data written.

What YAML 1.1 guessed is text here (`yes`, `no`, `on`, `off`, `12:30:45`, `2024-02-29`), and `010`
is ten.
Source: YAML 1.2.2, §10.3.2 Tag Resolution. Two deliberate refusals: infinities and NaN, which
neither SQL nor JSON can hold, and numbers of a size that no column can hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import cast

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
# What is written without quotes, and what YAML does not take as it is or takes for a line's end.
_BARE = re.compile(r"[A-Za-z_][\w-]*\Z", re.ASCII)
SPECIAL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
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


def in_quotes(text: str) -> str:
    """Return a text as a scalar in double quotes; JSON's escapes are a part of YAML's."""
    return SPECIAL.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(text, ensure_ascii=False))


def flow(data: object) -> str:
    """Return data on one line, as an author may write it: `{id: 1, item: tea, note: NULL}`."""
    if isinstance(data, str):
        return _written(data)
    if isinstance(data, Mapping):
        items = cast("Mapping[str, object]", data).items()
        return "{" + ", ".join(f"{_written(name)}: {flow(value)}" for name, value in items) + "}"
    if isinstance(data, list | tuple):
        return f"[{', '.join(map(flow, cast('list[object]', data)))}]"
    return "NULL" if data is None else str(data).lower() if isinstance(data, bool) else str(data)


def _written(text: str) -> str:
    if _BARE.match(text) and text not in _WORDS:
        return text
    quoted = SPECIAL.search(text) or "\n" in text
    return in_quotes(text) if quoted else "'" + text.replace("'", "''") + "'"
