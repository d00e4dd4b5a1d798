"""What rows stored before ADD COLUMN read back as.

The literal default, else NULL, else the type's zero value (tiflow c7b2588 cdc/entry/mounter.go:853
`getDefaultOrZeroValue`). A computed default is known to the database only, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import InvalidOperation

from cdc_spark.apply.schema import Column, Expression, Family, Literal
from cdc_spark.apply.values import Value, decimal_text, member_number
from cdc_spark.errors import DecodingError


def added(column: Column) -> Value:
    """Return what a row that was stored before the column was added reads back as."""
    if isinstance(column.default, Expression):
        raise DecodingError(
            f"the default {column.default.sql} of {column.name!r} is known to the database only",
            expected="a literal default, or an empty table",
        )
    if column.default is not None:
        return from_literal(column, column.default)
    return None if column.nullable else _ZEROS[column.family]


def from_literal(column: Column, literal: Literal) -> Value:
    """Return the value that a DEFAULT literal gives a column."""
    try:
        return _FROM_LITERAL[column.family](column, literal)
    except (ValueError, InvalidOperation) as error:
        raise DecodingError(f"{literal.text!r} is not a default for {column.name!r}") from error


def _raw(literal: Literal) -> bytes:
    if literal.form == "hex":
        return bytes.fromhex(literal.text.zfill(len(literal.text) + len(literal.text) % 2))
    if literal.form == "bits":
        return int(literal.text, 2).to_bytes((len(literal.text) + 7) // 8, "big")
    return literal.text.encode()


def _is_bytes(literal: Literal) -> bool:
    return literal.form in ("hex", "bits")


def _integer_default(column: Column, literal: Literal) -> Value:
    del column
    if _is_bytes(literal):
        return int.from_bytes(_raw(literal), "big")
    return int(decimal_text(literal.text, 0))


def _decimal_default(column: Column, literal: Literal) -> Value:
    text = str(_integer_default(column, literal)) if _is_bytes(literal) else literal.text
    return decimal_text(text, column.scale or 0)


def _float_default(column: Column, literal: Literal) -> Value:
    return (
        float(_integer_default(column, literal) or 0) if _is_bytes(literal) else float(literal.text)
    )


def _text_default(column: Column, literal: Literal) -> Value:
    del column
    return _raw(literal).decode()


def _bytes_default(column: Column, literal: Literal) -> Value:
    raw = _raw(literal)
    return (raw.ljust(column.length or 1, b"\0") if column.kind == "binary" else raw).hex()


def _plain_default(column: Column, literal: Literal) -> Value:
    del column
    if literal.form != "text":
        raise ValueError(literal.text)
    return literal.text


def _datetime_default(column: Column, literal: Literal) -> Value:
    text = str(_plain_default(column, literal))
    return text if len(text) > len("2024-02-29") else f"{text} 00:00:00"


def _member_default(column: Column, literal: Literal) -> Value:
    if literal.form == "text":
        return member_number(column, literal.text)
    return _integer_default(column, literal)


_FROM_LITERAL: Mapping[Family, Callable[[Column, Literal], Value]] = {
    Family.INTEGER: _integer_default,
    Family.DECIMAL: _decimal_default,
    Family.FLOAT: _float_default,
    Family.TEXT: _text_default,
    Family.BYTES: _bytes_default,
    Family.DATE: _plain_default,
    Family.TIME: _plain_default,
    Family.DATETIME: _datetime_default,
    Family.ENUM: _member_default,
    Family.SET: _member_default,
    Family.JSON: _plain_default,
    Family.VECTOR: _plain_default,
}
_ZEROS: Mapping[Family, Value] = {
    Family.INTEGER: 0,
    Family.DECIMAL: "0",
    Family.FLOAT: 0.0,
    Family.TEXT: "",
    Family.BYTES: "",
    Family.DATE: "0000-00-00",
    Family.TIME: "00:00:00",
    Family.DATETIME: "0000-00-00 00:00:00",
    Family.ENUM: 1,
    Family.SET: 0,
    Family.JSON: "null",
    Family.VECTOR: "[]",
}
