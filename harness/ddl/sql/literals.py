"""Constants and intervals: what both expressions and calls are made of.

Source: MySQL 8.0 reference manual §9.1 and §9.5; TiDB pkg/parser/parser.y, `Literal`, `TimeUnit`.
"""

from __future__ import annotations

from harness.ddl.charsets import find_charset
from harness.ddl.sql.cursor import Cursor, words
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.tree import NULL, Compound, Expr, Literal, LiteralKind, Parts, joined

# The character set of a string in a job, which TiDB writes before it.
STRING_CHARSET = "utf8mb4"

TIME_UNITS = words(
    """
    MICROSECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR SECOND_MICROSECOND
    MINUTE_MICROSECOND MINUTE_SECOND HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE DAY_MICROSECOND
    DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH
    """
)


def _integer(digits: str) -> Literal:
    """Past 64 bits TiDB keeps an integer as a decimal."""
    value = int(digits)
    kind = LiteralKind.INTEGER if value < 2**64 else LiteralKind.DECIMAL
    return Literal(kind, str(value))


def _decimal(text: str) -> Literal:
    """`.50` is `0.50`, `1.` is `1`, `007.5` is `7.5`."""
    whole, _, fraction = text.partition(".")
    digits = whole.lstrip("0") or "0"
    return Literal(LiteralKind.DECIMAL, f"{digits}.{fraction}" if fraction else digits)


def _float(text: str) -> Literal:
    """Write a number with an exponent in the shortest form: `1e+10`, `1.5e-03`."""
    value = float(text)
    candidates = (f"{value:.{precision}e}" for precision in range(17))
    return Literal(LiteralKind.FLOAT, next(short for short in candidates if float(short) == value))


_NUMBERS = {
    TokenKind.INTEGER: _integer,
    TokenKind.DECIMAL: _decimal,
    TokenKind.FLOAT: _float,
}
CONSTANTS = frozenset({*_NUMBERS, TokenKind.STRING, TokenKind.HEX, TokenKind.BITS})


def even_digits(digits: str) -> str:
    """Return hexadecimal digits of whole bytes."""
    return digits.rjust(len(digits) + len(digits) % 2, "0")


def parse_literal(cursor: Cursor, charset: str = STRING_CHARSET) -> Expr:
    """Return the constant that must stand here."""
    kind = cursor.token.kind
    if kind is TokenKind.STRING:
        return Literal(LiteralKind.STRING, cursor.string("a string"), charset)
    if kind in _NUMBERS:
        return _NUMBERS[kind](cursor.next().text)
    if kind is TokenKind.HEX:
        return Literal(LiteralKind.HEX, even_digits(cursor.next().text.lower()))
    if kind is TokenKind.BITS:
        return Literal(LiteralKind.BITS, cursor.next().text)
    word = cursor.take_any("NULL", "TRUE", "FALSE")
    if not word:
        raise cursor.fail("a constant")
    return NULL if word == "NULL" else Literal(LiteralKind.BOOLEAN, word)


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


def arguments(cursor: Cursor) -> Parts:
    """Return the arguments of a call up to its closing parenthesis, none included."""
    if cursor.sees(")"):
        return ()
    return joined(cursor.list(lambda: cursor.rules.expression(cursor)), ", ")
