"""Constants, intervals, and how lists are joined: what both expressions and calls are made of.

Source: MySQL 8.0 reference manual §9.1 and §9.5; TiDB pkg/parser/parser.y, `Literal`, `TimeUnit`.
"""

from __future__ import annotations

from harness.ddl.charsets import find_charset
from harness.ddl.expressions import (
    NULL,
    Compound,
    Expr,
    Literal,
    LiteralKind,
    decimal,
    floating,
    integer,
)
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.keywords import words
from harness.ddl.lexer import TokenKind

# The character set of a string in a job, which TiDB writes before it.
STRING_CHARSET = "utf8mb4"

# What a compound expression is made of.
Parts = tuple[Expr | str, ...]

TIME_UNITS = words(
    """
    MICROSECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR SECOND_MICROSECOND
    MINUTE_MICROSECOND MINUTE_SECOND HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE DAY_MICROSECOND
    DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH
    """
)

CONSTANTS = frozenset(
    {
        TokenKind.STRING,
        TokenKind.INTEGER,
        TokenKind.DECIMAL,
        TokenKind.FLOAT,
        TokenKind.HEX,
        TokenKind.BITS,
    }
)
_NUMBERS = {
    TokenKind.INTEGER: integer,
    TokenKind.DECIMAL: decimal,
    TokenKind.FLOAT: floating,
}


def parse_literal(cursor: Cursor, charset: str = STRING_CHARSET) -> Expr:
    """Return the constant that must stand here."""
    token = cursor.token
    if token.kind is TokenKind.STRING:
        return Literal(LiteralKind.STRING, cursor.string("a string"), charset)
    if token.kind in _NUMBERS:
        return _NUMBERS[token.kind](cursor.next().text)
    if token.kind is TokenKind.HEX:
        digits = cursor.next().text.lower()
        return Literal(LiteralKind.HEX, digits.rjust(len(digits) + len(digits) % 2, "0"))
    if token.kind is TokenKind.BITS:
        return Literal(LiteralKind.BITS, cursor.next().text)
    word = cursor.take_any("NULL", "TRUE", "FALSE")
    if word == "NULL":
        return NULL
    if word:
        return Literal(LiteralKind.BOOLEAN, word)
    raise cursor.fail("a constant")


def parse_signed_literal(cursor: Cursor) -> Expr:
    """Return a constant, perhaps with a sign, that must stand here."""
    sign = cursor.take_any("-", "+")
    if not sign:
        introduced = parse_introducer(cursor)
        return introduced if introduced is not None else parse_literal(cursor)
    if cursor.token.kind not in _NUMBERS:
        raise cursor.fail("a number after the sign")
    return Compound(f"unary {sign}", (sign, parse_literal(cursor)))


def parse_introducer(cursor: Cursor) -> Expr | None:
    """Return a constant after `_charset` (`_latin1'x'`, N'x'), None when none stands here."""
    word = cursor.token
    after = cursor.peek().kind
    if word.kind is not TokenKind.WORD or not word.text.startswith("_") or after not in CONSTANTS:
        return None
    charset = find_charset(word.text[1:])
    if charset is None:
        return None
    cursor.next()
    return parse_literal(cursor, charset.name)


def interval(cursor: Cursor) -> Parts:
    """Return the parts of `INTERVAL amount unit`, which must stand here."""
    cursor.expect("INTERVAL")
    amount = cursor.rules.expression(cursor)
    return ("INTERVAL ", amount, " ", time_unit(cursor))


def time_unit(cursor: Cursor) -> str:
    """Return the unit of an interval, which must stand here."""
    word = cursor.token.upper.removeprefix("SQL_TSI_")
    if word not in TIME_UNITS:
        raise cursor.fail("a unit of time, such as DAY or HOUR_MINUTE")
    cursor.next()
    return word


def joined(items: tuple[Expr, ...], separator: str) -> Parts:
    """Return the items with the separator between them."""
    parts: list[Expr | str] = []
    for item in items:
        if parts:
            parts.append(separator)
        parts.append(item)
    return tuple(parts)


def arguments(cursor: Cursor) -> Parts:
    """Return the arguments of a call up to its closing parenthesis, none included."""
    if cursor.sees(")"):
        return ()
    return joined(cursor.list(lambda: cursor.rules.expression(cursor)), ", ")
