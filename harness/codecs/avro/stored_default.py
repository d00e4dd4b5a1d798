"""What TiDB keeps of a DEFAULT clause: the text that TiCDC is given as the column's default.

| column | text |
| --- | --- |
| any, an expression | the call in lower case: `uuid()`; `CURRENT_TIMESTAMP` without its digits |
| any, a bit or hexadecimal literal | its bytes for strings and BIT, its number for all others |
| BIT, a number | its bytes |
| ENUM, SET | the members' own spelling, in the order of the definition |
| DATE, TIME, DATETIME, TIMESTAMP | as a value: see `stored_moments` |
| BINARY | padded with zero bytes |
| integers, FLOAT, DOUBLE | the number that the column holds |
| DECIMAL, a number with an exponent | its digits: `1e2` is 100, and `'1e2'` stays |
| all others | the literal as it was written; what stands in quotes, as it stands there |

Bytes that are no UTF-8 stand as surrogate escapes; the schema loses them all the same.

Source: TiDB pkg/ddl/add_column.go `getDefaultValue`, `getFuncCallDefaultValue`,
`getEnumDefaultValue`, `setDefaultValueWithBinaryPadding`; TiCDC codec notes §3.5 (vectors
`avro_defaults`).
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal

from harness.codecs.avro.stored_moments import stored_moment, stored_time
from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, TEMPORALS, Column, ColumnKind

ESCAPES = "surrogateescape"
# A YEAR NOT NULL without a DEFAULT gets this one (add_column.go `setYearDefaultValue`).
ZERO_YEAR = "0000"
_QUOTED = re.compile(r"('(?:[^'\\]|''|\\.)*'|`[^`]*`)")
_NOW = re.compile(r"(CURRENT_TIMESTAMP|CURRENT_DATE)(\(\d*\))?\Z")
_NUMBER = re.compile(r"[+-]?\d{1,80}(\.\d{1,80})?(e[+-]?\d{1,2})?\Z", re.IGNORECASE | re.ASCII)
# More digits than any literal that is read as a number.
_WIDE = Context(prec=400)
_OF_BYTES = CHARACTERS | BINARIES | {ColumnKind.BIT, ColumnKind.ENUM, ColumnKind.SET}
_NUMBERS = INTEGERS | {ColumnKind.FLOAT, ColumnKind.DOUBLE}
# How the catalogue writes a literal with an exponent that is not in quotes, as TiDB does.
_RESTORED = re.compile(r"-?\d(\.\d{1,80})?e[+-]\d{2}\Z", re.ASCII)


def stored_default(column: Column) -> str | None:
    """Return the default's text, None where a column has none, or NULL."""
    default = column.default
    if column.generated is not None:
        return None
    if default is None and column.kind is ColumnKind.YEAR and not column.nullable:
        return ZERO_YEAR
    if default is None or default.text is None:
        return None
    if default.is_expression:
        return _call(default.text)
    if default.is_binary:
        return _padded(column, _literal_bytes(column, bytes.fromhex(default.text)))
    return _padded(column, _literal(column, default.text))


def _call(text: str) -> str:
    now = _NOW.match(text)
    if now is not None:
        return now[1]
    parts = _QUOTED.split(text)
    return "".join(part if n % 2 else part.lower() for n, part in enumerate(parts))


def _literal_bytes(column: Column, content: bytes) -> str:
    if column.kind in _OF_BYTES:
        return content.decode("utf-8", ESCAPES)
    return str(int.from_bytes(content, "big"))


def _literal(column: Column, text: str) -> str:
    kind = column.kind
    if kind is ColumnKind.BIT and text.isdecimal():
        number = int(text)
        size = max(1, (number.bit_length() + 7) // 8)
        return number.to_bytes(size, "big").decode("utf-8", ESCAPES)
    if kind is ColumnKind.ENUM:
        return _member(column, text.rstrip(" "))
    if kind is ColumnKind.SET:
        return _members(column, text)
    if kind in TEMPORALS:
        return (stored_time if kind is ColumnKind.TIME else stored_moment)(column, text)
    form = _NUMBER if kind in _NUMBERS else _RESTORED if kind is ColumnKind.DECIMAL else None
    return _number(column, text) if form and form.match(text) else text


def _number(column: Column, text: str) -> str:
    """Return the number as the column has it: integers rounded, FLOAT(M,D) to its digits."""
    value = Decimal(text)
    if column.kind in INTEGERS:
        value = value.quantize(Decimal(1), ROUND_HALF_UP, _WIDE)
    elif column.kind in (ColumnKind.FLOAT, ColumnKind.DOUBLE) and column.scale is not None:
        value = value.quantize(Decimal(1).scaleb(-column.scale), ROUND_HALF_UP, _WIDE)
    return f"{value:f}"


def _member(column: Column, text: str) -> str:
    if text in column.members:
        return text
    folded = [member for member in column.members if member.casefold() == text.casefold()]
    if folded:
        return folded[0]
    index = int(text) if text.isdecimal() else 0
    return column.members[index - 1] if 1 <= index <= len(column.members) else text


def _members(column: Column, text: str) -> str:
    named = {_member(column, name) for name in text.split(",")} if text else set[str]()
    if named <= set(column.members) and not (text.isdecimal() and text not in column.members):
        return ",".join(member for member in column.members if member in named)
    mask = int(text) if text.isdecimal() else 0
    return ",".join(member for n, member in enumerate(column.members) if mask >> n & 1)


def _padded(column: Column, text: str) -> str:
    if column.kind is not ColumnKind.BINARY:
        return text
    size = len(text.encode("utf-8", ESCAPES))
    return text + "\0" * max(0, (column.length or 1) - size)
