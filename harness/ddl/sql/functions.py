"""Expressions that start with a word: functions, CASE, CAST, EXISTS, typed literals.

Functions keep the name that was written, in upper case; a few have a syntax of their own inside the
parentheses, and TiDB gives a few another name.
Source: TiDB pkg/parser/parser.y, `FunctionCallKeyword`, `FunctionCallNonKeyword`;
pkg/parser/ast/functions.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.ddl.charsets import find_charset
from harness.ddl.sql.aggregates import AGGREGATES, WINDOW_WORDS, parse_window
from harness.ddl.sql.cursor import RESERVED, Cursor, words
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.literals import (
    arguments,
    interval,
    parse_introducer,
    parse_literal,
    time_unit,
)
from harness.ddl.sql.tree import NULL, ColumnRef, Compound, Expr, Parts, call, joined, quote_string

_CONSTANT_WORDS = frozenset({"NULL", "TRUE", "FALSE"})
_TYPED_LITERALS = frozenset({"DATE", "TIME", "TIMESTAMP"})
# Functions that may stand without parentheses; TiDB writes these back with them.
_BARE = words(
    """
    CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURRENT_ROLE LOCALTIME
    LOCALTIMESTAMP UTC_DATE UTC_TIME UTC_TIMESTAMP
    """
)
# Reserved words that are functions when a parenthesis follows.
_RESERVED_FUNCTIONS = words(
    """
    CHAR DATABASE IF INSERT INTERVAL LEFT MOD REPEAT REPLACE RIGHT VALUES DEFAULT CONVERT
    """
)
_RENAMED = {
    "CHAR": "CHAR_FUNC",
    "INSERT": "INSERT_FUNC",
    "STD": "STDDEV_POP",
    "STDDEV": "STDDEV_POP",
    "VARIANCE": "VAR_POP",
}


def parse_call(cursor: Cursor) -> Expr | None:
    """Return the expression that starts with the current word, None when that is only a name."""
    word = cursor.token.upper
    constant = parse_literal(cursor) if word in _CONSTANT_WORDS else parse_introducer(cursor)
    if constant is not None:
        return constant
    if word in _TYPED_LITERALS and cursor.peek().kind is TokenKind.STRING:
        cursor.next()
        return Compound("typed literal", (f"{word} ", quote_string(cursor.string("a literal"))))
    if word in _WORD_RULES:
        return _WORD_RULES[word](cursor)
    if word in _BARE:
        return _bare(cursor, word)
    if cursor.peek().upper != "(" or (word in RESERVED and word not in _RESERVED_FUNCTIONS):
        return None
    return _function(cursor, word)


def _bare(cursor: Cursor, word: str) -> Expr:
    if cursor.peek().upper == "(":
        return _function(cursor, word)
    cursor.next()
    return call(word)


def _function(cursor: Cursor, word: str) -> Expr:
    cursor.next()
    cursor.expect("(")
    rule = _ARGUMENT_RULES.get(word, AGGREGATES.get(word, arguments))
    parts = rule(cursor)
    cursor.expect(")")
    if word == "MOD" and len(parts) == 3:
        return Compound("binary", (parts[0], "%", parts[2]))
    found = call(_RENAMED.get(word, word), *parts)
    return parse_window(cursor, found) if cursor.sees_any(*WINDOW_WORDS) else found


def _expression(cursor: Cursor) -> Expr:
    return cursor.rules.expression(cursor)


# ---- arguments with a syntax of their own ---------------------------------------------------


def _char(cursor: Cursor) -> Parts:
    items = cursor.list(lambda: _expression(cursor))
    if cursor.take("USING"):
        return (*joined(items, ", "), ", ", quote_string(_charset(cursor)))
    return (*joined(items, ", "), ", ", NULL)


def _charset(cursor: Cursor) -> str:
    name = cursor.string_or_name("the name of a character set")
    charset = find_charset(name)
    return charset.name if charset else name.lower()


def _convert(cursor: Cursor) -> Parts:
    value = _expression(cursor)
    if cursor.take("USING"):
        return (value, " USING ", quote_string(_charset(cursor)))
    return (value, ", ", _cast_type(cursor.expect(",")))


def _cast(cursor: Cursor) -> Parts:
    return (_expression(cursor), " AS ", _cast_type(cursor.expect("AS")))


_CAST_TYPES = (
    *("SIGNED", "UNSIGNED", "DATE", "DATETIME", "TIME", "YEAR", "JSON", "DOUBLE", "REAL", "FLOAT"),
    *("BINARY", "CHAR", "CHARACTER", "NCHAR", "DECIMAL", "VECTOR"),
)
_CAST_ALIASES = {"REAL": "DOUBLE", "CHARACTER": "CHAR", "NCHAR": "CHAR"}
_LONGEST_FLOAT = 24


def _cast_type(cursor: Cursor) -> str:
    word = cursor.expect_any(*_CAST_TYPES)
    if word in ("SIGNED", "UNSIGNED"):
        cursor.take_any("INTEGER", "INT")
    kind = _CAST_ALIASES.get(word, word)
    size = _cast_size(cursor, word)
    if size == "(wide)":
        kind, size = "DOUBLE", ""
    charset = _cast_charset(cursor) if word in ("CHAR", "CHARACTER") else ""
    # Characters without a character set are bytes (parser.y, `CastType`).
    if charset == "binary":
        kind, charset = "BINARY", ""
    return kind + size + charset + (" ARRAY" if cursor.take("ARRAY") else "")


def _cast_size(cursor: Cursor, word: str) -> str:
    if word == "VECTOR" and cursor.take("<"):
        cursor.expect("FLOAT", ">")
    if not cursor.sees("("):
        return "(10)" if word == "DECIMAL" else ""
    sizes = cursor.parenthesised(lambda: cursor.number("a length"))
    if word == "DECIMAL":
        sizes = tuple(size for index, size in enumerate(sizes) if index == 0 or size)
    if word == "FLOAT":
        return "(wide)" if sizes[0] > _LONGEST_FLOAT else ""
    if word == "VECTOR" or (word in ("TIME", "DATETIME") and sizes == (0,)):
        return ""
    return f"({', '.join(str(size) for size in sizes)})"


def _cast_charset(cursor: Cursor) -> str:
    """Return ` CHARSET NAME`, nothing for the usual one, `binary` for bytes."""
    is_binary = cursor.take("BINARY")
    charset = "utf8mb4"
    if cursor.take("CHARSET") or cursor.take("CHARACTER", "SET"):
        charset = _charset(cursor)
    if is_binary or charset == "binary":
        return "binary"
    return f" CHARSET {charset.upper()}" if charset != "utf8mb4" else ""


def _date_arithmetic(cursor: Cursor) -> Parts:
    base = _expression(cursor)
    cursor.expect(",")
    if cursor.sees("INTERVAL"):
        return (base, ", ", *interval(cursor))
    return (base, ", INTERVAL ", _expression(cursor), " DAY")


def _extract(cursor: Cursor) -> Parts:
    return (f"{time_unit(cursor)} FROM ", _expression(cursor.expect("FROM")))


def _unit_first(cursor: Cursor) -> Parts:
    return (f"{time_unit(cursor)}, ", *arguments(cursor.expect(",")))


def _position(cursor: Cursor) -> Parts:
    # The needle must not swallow IN as a predicate.
    return (cursor.rules.operand(cursor), " IN ", _expression(cursor.expect("IN")))


def _column(cursor: Cursor) -> Expr:
    path = [cursor.name("a column")]
    while cursor.take("."):
        path.append(cursor.part_after_dot("a column"))
    return ColumnRef(tuple(path))


def _substring(cursor: Cursor) -> Parts:
    parts: list[Expr] = [_expression(cursor)]
    while cursor.take_any("FROM", "FOR", ","):
        parts.append(_expression(cursor))
    return joined(tuple(parts), ", ")


def _trim(cursor: Cursor) -> Parts:
    direction = cursor.take_any("BOTH", "LEADING", "TRAILING")
    if direction and cursor.take("FROM"):
        return (f"{direction} _UTF8MB4' ' FROM ", _expression(cursor))
    first = _expression(cursor)
    if not cursor.take("FROM"):
        return (first,)
    prefix = f"{direction} " if direction else ""
    return (prefix, first, " FROM ", _expression(cursor))


def _weight_string(cursor: Cursor) -> Parts:
    value = _expression(cursor)
    if not cursor.take("AS"):
        return (value,)
    kind = cursor.expect_any("CHAR", "BINARY")
    (size,) = cursor.parenthesised(lambda: cursor.number("a length"))
    return (value, f" AS {kind}({size})")


def _get_format(cursor: Cursor) -> Parts:
    kind = cursor.expect_any("DATE", "TIME", "DATETIME", "TIMESTAMP")
    name = "DATETIME" if kind == "TIMESTAMP" else kind
    return (f"{name}, ", _expression(cursor.expect(",")))


_ARGUMENT_RULES: Mapping[str, Callable[[Cursor], Parts]] = {
    "CHAR": _char,
    "CONVERT": _convert,
    "CAST": _cast,
    **dict.fromkeys(("ADDDATE", "SUBDATE", "DATE_ADD", "DATE_SUB"), _date_arithmetic),
    "EXTRACT": _extract,
    "TIMESTAMPADD": _unit_first,
    "TIMESTAMPDIFF": _unit_first,
    "POSITION": _position,
    **dict.fromkeys(("SUBSTRING", "SUBSTR", "MID"), _substring),
    "TRIM": _trim,
    "WEIGHT_STRING": _weight_string,
    "GET_FORMAT": _get_format,
}


# ---- words with a syntax of their own ---------------------------------------------------------


def _case(cursor: Cursor) -> Expr:
    cursor.expect("CASE")
    parts: list[Expr | str] = ["CASE"]
    if not cursor.sees("WHEN"):
        parts += [" ", _expression(cursor)]
    cursor.expect("WHEN")
    parts += [" WHEN ", _expression(cursor), " THEN ", _expression(cursor.expect("THEN"))]
    while cursor.take("WHEN"):
        parts += [" WHEN ", _expression(cursor), " THEN ", _expression(cursor.expect("THEN"))]
    if cursor.take("ELSE"):
        parts += [" ELSE ", _expression(cursor)]
    cursor.expect("END")
    return Compound("case", (*parts, " END"))


def _row(cursor: Cursor) -> Expr | None:
    if cursor.peek().upper != "(":
        return None
    cursor.next()
    items = cursor.parenthesised(lambda: _expression(cursor))
    return Compound("row", ("ROW(", *joined(items, ","), ")"))


def _match(cursor: Cursor) -> Expr:
    columns = cursor.expect("MATCH").parenthesised(lambda: _column(cursor))
    cursor.expect("AGAINST", "(")
    against = cursor.rules.operand(cursor)
    if cursor.take("IN", "BOOLEAN", "MODE"):
        mode = " IN BOOLEAN MODE"
    else:
        cursor.take("IN", "NATURAL", "LANGUAGE", "MODE")
        mode = " WITH QUERY EXPANSION" if cursor.take("WITH", "QUERY", "EXPANSION") else ""
    cursor.expect(")")
    parts = ("MATCH (", *joined(columns, ","), ") AGAINST (", against, f"{mode})")
    return Compound("match", parts)


_WORD_RULES: Mapping[str, Callable[[Cursor], Expr | None]] = {
    "CASE": _case,
    "EXISTS": lambda c: Compound("exists", ("EXISTS ", c.rules.subquery(c.expect("EXISTS")))),
    "ROW": _row,
    "MATCH": _match,
}
