"""The type table, one way: how a column of values is written as JSON.

A writer takes the values of one column in many rows, none of them NULL, and returns their texts;
quotes around text are the form's. Working by columns is what makes the encoder fast. A writer
raises TypeError for a value of another type, ValueError for one that JSON does not have.

Source: TiCDC codec notes §2.4 (vectors `open_types`); tiflow c7b2588 internal/column.go:38; TiCDC
Open Protocol, 2020, §Type codes and log 5; json-iterator 1.1.12 stream_float.go.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, assert_never

import orjson

from harness.codecs.open.dialect import OpenDialect
from harness.model.columns import ColumnKind
from harness.wire.go_json import go_float, go_quote
from harness.wire.json_text import bare, html_safe

# `Any`: which type a column's values have is the kind's business, and each writer checks it.
Writer = Callable[[Sequence[Any]], Sequence[str]]
# What a JSON list holds that is not all integers, or not all floats in fixed notation: of null,
# true and false, one letter each; a float's point and exponent; a string's quote.
_NO_INTEGER = ("n", "e", ".", '"')
_NO_PLAIN_NUMBER = ("n", "e", "-0.0", '"')
_SHORT_EXPONENT = re.compile(r"(e[+-])(\d)$")


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """How the values of one column kind are written, and whether quotes go around them."""

    write: Writer
    quoted: bool = True


def form(kind: ColumnKind, dialect: OpenDialect) -> ColumnFormat:  # noqa: PLR0911  (a table, as a match)
    """Return the form of a column kind in a dialect."""
    strings = html_safe if dialect.html_escapes else bare
    match kind:
        case (
            ColumnKind.TINYINT
            | ColumnKind.SMALLINT
            | ColumnKind.MEDIUMINT
            | ColumnKind.INT
            | ColumnKind.BIGINT
            | ColumnKind.YEAR
            | ColumnKind.BIT
            | ColumnKind.ENUM
            | ColumnKind.SET
        ):
            return ColumnFormat(integers, quoted=False)
        case ColumnKind.FLOAT:
            return ColumnFormat(_exponents(_floats, dialect), quoted=False)
        case ColumnKind.DOUBLE:
            return ColumnFormat(_exponents(_doubles, dialect), quoted=False)
        case (
            ColumnKind.DECIMAL
            | ColumnKind.DATE
            | ColumnKind.TIME
            | ColumnKind.DATETIME
            | ColumnKind.TIMESTAMP
            | ColumnKind.JSON
            | ColumnKind.VECTOR
        ):
            return ColumnFormat(strings)
        case ColumnKind.CHAR | ColumnKind.VARCHAR:
            return ColumnFormat(_text_base64 if dialect.text_base64 else strings)
        case ColumnKind.BINARY | ColumnKind.VARBINARY:
            return ColumnFormat(_base64 if dialect.text_base64 else _quoted(strings))
        case ColumnKind.TINYTEXT | ColumnKind.TEXT | ColumnKind.MEDIUMTEXT | ColumnKind.LONGTEXT:
            return ColumnFormat(_text_base64)
        case ColumnKind.TINYBLOB | ColumnKind.BLOB | ColumnKind.MEDIUMBLOB | ColumnKind.LONGBLOB:
            return ColumnFormat(_base64)
        case _:
            assert_never(kind)


def integers(values: Sequence[int]) -> Sequence[str]:
    """Return decimal texts; TypeError for what is no integer of 64 bits."""
    text = orjson.dumps(values).decode()[1:-1]
    if any(mark in text for mark in _NO_INTEGER):
        raise TypeError("not integers")
    return text.split(",")


def _doubles(values: Sequence[float]) -> Sequence[str]:
    # The library's digits are the shortest ones too; it differs from Go in exponents, the sign of
    # zero, and a trailing `.0`. What is no finite number comes out with letters or quotes.
    text = orjson.dumps(values).decode()[1:-1]
    if any(mark in text for mark in _NO_PLAIN_NUMBER):
        return [go_float(value) for value in values]
    return f"{text},".replace(".0,", ",")[:-1].split(",")


def _floats(values: Sequence[float]) -> Sequence[str]:
    return [go_float(value, 32) for value in values]


def _exponents(write: Writer, dialect: OpenDialect) -> Writer:
    """Return the writer of floats for a dialect: json-iterator gives an exponent two digits."""
    if dialect.html_escapes:
        return write
    return lambda values: [_SHORT_EXPONENT.sub(r"\g<1>0\2", text) for text in write(values)]


def _base64(values: Sequence[bytes]) -> Sequence[str]:
    return [b2a_base64(value, newline=False).decode("ascii") for value in values]


def _text_base64(values: Sequence[str]) -> Sequence[str]:
    # A byte that is not UTF-8 goes out as it is.
    return _base64([*map(str.encode, values, repeat("utf-8"), repeat("surrogateescape"))])


def _quoted(strings: Callable[[Sequence[str]], Sequence[str]]) -> Writer:
    def write(values: Sequence[bytes]) -> Sequence[str]:
        b"".join(values)  # refuses what is not bytes
        return strings([*map(go_quote, values)])

    return write
