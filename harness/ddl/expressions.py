"""Expressions inside DDL, kept the way TiDB writes them back.

An expression is a literal, a column, or a compound whose parts are expressions and the plain text
between them; the grammar chooses that text, so writing an expression back is joining its parts.

Source of the layout: TiDB pkg/parser/ast/expressions.go, functions.go and
pkg/types/parser_driver/value_expr.go, `Restore`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LiteralKind(StrEnum):
    """What a literal was written as."""

    NULL = "null"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    STRING = "string"
    HEX = "hex"
    BITS = "bits"


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; `text` is decoded: TRUE, FALSE, characters, or digits of its base.

    `charset` is the one that the written-back string names; empty writes none.
    """

    kind: LiteralKind
    text: str
    charset: str = ""


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column, perhaps qualified: `path` is ([[schema,] table,] column)."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compound:
    """Anything made of smaller expressions; `form` names the construct (`binary`, `call UUID`)."""

    form: str
    parts: tuple[Expr | str, ...]


Expr = Literal | ColumnRef | Compound

MAXVALUE = Compound("maxvalue", ("MAXVALUE",))
DEFAULT = Compound("default", ("DEFAULT",))
NULL = Literal(LiteralKind.NULL, "NULL")


def restore_expression(expr: Expr) -> str:
    """Return the expression as TiDB writes it: keywords in upper case, names quoted."""
    if isinstance(expr, Literal):
        return _restore_literal(expr)
    if isinstance(expr, ColumnRef):
        return ".".join(quote_name(name) for name in expr.path)
    return "".join(
        part if isinstance(part, str) else restore_expression(part) for part in expr.parts
    )


def _restore_literal(literal: Literal) -> str:
    if literal.kind is LiteralKind.STRING:
        introducer = f"_{literal.charset.upper()}" if literal.charset else ""
        return introducer + quote_string(literal.text.replace("\\", "\\\\"))
    if literal.kind is LiteralKind.HEX:
        return f"x'{literal.text}'"
    if literal.kind is LiteralKind.BITS:
        return f"b'{literal.text.lstrip('0') or '0'}'"
    return literal.text


def quote_name(name: str) -> str:
    """Return a name in back quotes."""
    return "`" + name.replace("`", "``") + "`"


def quote_string(text: str) -> str:
    """Return text in single quotes; backslashes stay as they are, as in TiDB's `WriteString`."""
    return "'" + text.replace("'", "''") + "'"


def integer(digits: str) -> Literal:
    """Return the literal of an integer as written; past 64 bits TiDB keeps it as a decimal."""
    value = int(digits)
    kind = LiteralKind.INTEGER if value < 2**64 else LiteralKind.DECIMAL
    return Literal(kind, str(value))


def decimal(text: str) -> Literal:
    """Return the literal of a decimal: `.50` is `0.50`, `1.` is `1`, `007.5` is `7.5`."""
    whole, _, fraction = text.partition(".")
    digits = whole.lstrip("0") or "0"
    return Literal(LiteralKind.DECIMAL, f"{digits}.{fraction}" if fraction else digits)


def floating(text: str) -> Literal:
    """Return the literal of a number with an exponent, in the shortest form: `1e+10`, `1.5e-03`."""
    value = float(text)
    candidates = (f"{value:.{precision}e}" for precision in range(17))
    return Literal(LiteralKind.FLOAT, next(short for short in candidates if float(short) == value))
