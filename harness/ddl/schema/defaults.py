"""Column defaults: what a DEFAULT clause stores, and what rows from before an ADD COLUMN read.

Source: TiDB pkg/ddl/add_column.go, `getDefaultValue`, `generateOriginDefaultValue`;
pkg/table/column.go, `GetZeroValue`.
"""

from __future__ import annotations

from harness.ddl.expressions import Compound, Expr, Literal, LiteralKind, restore_expression
from harness.ddl.grammar.columns import NOW
from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind, Default

_ZEROS = {
    ColumnKind.DATE: "0000-00-00",
    ColumnKind.DATETIME: "0000-00-00 00:00:00",
    ColumnKind.TIMESTAMP: "0000-00-00 00:00:00",
    ColumnKind.TIME: "00:00:00",
    ColumnKind.YEAR: "0000",
    ColumnKind.JSON: "null",
    ColumnKind.VECTOR: "[]",
    ColumnKind.SET: "",
    ColumnKind.FLOAT: "0",
    ColumnKind.DOUBLE: "0",
    ColumnKind.DECIMAL: "0",
    ColumnKind.BIT: "0",
}


def stored_default(expr: Expr) -> Default:
    """Return the default that a DEFAULT expression stores."""
    if isinstance(expr, Literal):
        return _literal(expr)
    if isinstance(expr, Compound) and expr.form in ("unary -", "unary +"):
        text = restore_expression(expr)
        return Default(text.removeprefix("+"))
    return Default(function_text(expr), is_expression=True)


def function_text(expr: Expr) -> str:
    """Return a function default's SQL; CURRENT_TIMESTAMP stands without empty parentheses."""
    text = restore_expression(expr)
    if isinstance(expr, Compound) and expr.form in (NOW, "call NOW"):
        return text.replace("NOW(", "CURRENT_TIMESTAMP(").removesuffix("()")
    return text


def _literal(literal: Literal) -> Default:
    match literal.kind:
        case LiteralKind.NULL:
            return Default(None)
        case LiteralKind.BOOLEAN:
            return Default("1" if literal.text == "TRUE" else "0")
        case LiteralKind.HEX:
            return Default(literal.text, is_binary=True)
        case LiteralKind.BITS:
            return Default(_hexadecimal(literal.text), is_binary=True)
        case _:
            return Default(literal.text)


def _hexadecimal(bits: str) -> str:
    value = int(bits or "0", 2)
    # Leading zeros count: b'0000000001' is two bytes (TiDB pkg/types `ParseBitStr`).
    size = max(1, (len(bits) + 7) // 8)
    return value.to_bytes(size, "big").hex()


def origin_default(column: Column) -> Default | None:
    """Return what rows stored before `column` was added read back as; None when NULL."""
    if column.generated is not None:
        return None
    if column.default is not None and column.default.text is not None:
        return column.default
    return None if column.nullable else _zero(column)


def _zero(column: Column) -> Default:
    if column.kind is ColumnKind.ENUM:
        return Default(column.members[0])
    if column.kind in INTEGERS:
        return Default("0")
    if column.kind in CHARACTERS or column.kind in BINARIES:
        return Default("")
    text = _ZEROS[column.kind]
    fraction = f".{'0' * column.fsp}" if column.fsp and column.kind in _FRACTIONS else ""
    return Default(text + fraction)


_FRACTIONS = frozenset({ColumnKind.DATETIME, ColumnKind.TIMESTAMP, ColumnKind.TIME})
