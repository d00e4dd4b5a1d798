"""Expressions: precedence climbing, with TiDB's layout chosen where each construct is read.

Precedence decides which operands an operator takes; the parts keep their written order, so reading
and writing back is loss-free but for TiDB's own rewritings: `now()` in a default, `a -> '$.x'`,
`d + INTERVAL 1 DAY`, `COUNT(*)`, `MOD(a, b)`, `a <> b`, `a || b`.

Source: MySQL 8.0 reference manual §12.4.1; TiDB pkg/parser/parser.y, `Expression`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.functions import parse_call
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.literals import CONSTANTS, STRING_CHARSET, interval, parse_literal
from harness.ddl.sql.tree import (
    ColumnRef,
    Compound,
    Expr,
    Literal,
    LiteralKind,
    call,
    joined,
    quote_string,
)

# Weakest first; each level is left-associative.
_LOGICAL = (
    {"OR": " OR ", "||": " OR "},
    {"XOR": " XOR "},
    {"AND": " AND ", "&&": " AND "},
)
_COMPARISONS = {sign: sign for sign in ("=", "<=>", ">=", "<=", "<", ">", "!=")} | {"<>": "!="}
_ARITHMETIC = (
    {"|": "|"},
    {"&": "&"},
    {"<<": "<<", ">>": ">>"},
    {"+": "+", "-": "-"},
    {"*": "*", "/": "/", "%": "%", "DIV": " DIV ", "MOD": "%"},
    {"^": "^"},
)
_ADDITIVE = 3


def parse_expression(cursor: Cursor) -> Expr:
    """Return the expression that must stand here; DdlError otherwise."""
    return _logical(cursor, 0)


def parse_operand(cursor: Cursor) -> Expr:
    """Return an expression without comparison or logical operators (TiDB's BitExpr)."""
    return _arithmetic(cursor, 0)


def _logical(cursor: Cursor, level: int) -> Expr:
    if level == len(_LOGICAL):
        return _negation(cursor)
    left = _logical(cursor, level + 1)
    while operator := cursor.take_any(*_LOGICAL[level]):
        right = _logical(cursor, level + 1)
        left = Compound("binary", (left, _LOGICAL[level][operator], right))
    return left


def _negation(cursor: Cursor) -> Expr:
    if cursor.sees("NOT") and not cursor.sees("NOT", "EXISTS"):
        cursor.next()
        return Compound("not", ("NOT ", _negation(cursor)))
    if cursor.take("NOT"):
        return Compound("not exists", ("NOT ", _negation(cursor)))
    return _truth(cursor)


def _truth(cursor: Cursor) -> Expr:
    """Comparisons and IS, which bind alike, from left to right."""
    left = _predicate(cursor)
    while True:
        if cursor.take("IS"):
            left = _is(cursor, left)
        elif operator := cursor.take_any(*_COMPARISONS):
            sign = _COMPARISONS[operator]
            quantifier = cursor.take_any("ALL", "ANY", "SOME")
            if quantifier:
                sign += "ALL " if quantifier == "ALL" else "ANY "
            left = Compound("comparison", (left, sign, _predicate(cursor)))
        else:
            return left


def _is(cursor: Cursor, left: Expr) -> Expr:
    negated = " NOT" if cursor.take("NOT") else ""
    what = cursor.expect_any("NULL", "TRUE", "FALSE", "UNKNOWN")
    return Compound("is", (left, f" IS{negated} {'NULL' if what == 'UNKNOWN' else what}"))


def _predicate(cursor: Cursor) -> Expr:
    """Return an operand with what may follow it: [NOT] IN, BETWEEN, LIKE, REGEXP; MEMBER OF."""
    left = _arithmetic(cursor, 0)
    if cursor.take("MEMBER"):
        cursor.take("OF")
        array = cursor.enclosed(parse_expression)
        return Compound("member of", (left, " MEMBER OF (", array, ")"))
    negated = ""
    if cursor.sees("NOT") and cursor.peek().upper in _PREDICATES:
        cursor.next()
        negated = " NOT"
    word = cursor.take_any(*_PREDICATES)
    return _PREDICATES[word](cursor, left, negated) if word else left


def _in(cursor: Cursor, left: Expr, negated: str) -> Expr:
    if cursor.sees("(") and cursor.sees_query(1):
        return Compound("in", (left, f"{negated} IN ", cursor.rules.subquery(cursor)))
    items = cursor.parenthesised(lambda: parse_expression(cursor))
    return Compound("in", (left, f"{negated} IN (", *joined(items, ","), ")"))


def _between(cursor: Cursor, left: Expr, negated: str) -> Expr:
    low, high = _arithmetic(cursor, 0), _predicate(cursor.expect("AND"))
    return Compound("between", (left, f"{negated} BETWEEN ", low, " AND ", high))


def _like(word: str, cursor: Cursor, left: Expr, negated: str) -> Expr:
    pattern = _arithmetic(cursor, 0)
    escape = ""
    if cursor.take("ESCAPE"):
        character = cursor.string("the escape character")
        escape = "" if character == "\\" else f" ESCAPE {quote_string(character)}"
    return Compound("like", (left, f"{negated} {word} ", pattern, escape))


def _regexp(cursor: Cursor, left: Expr, negated: str) -> Expr:
    return Compound("regexp", (left, f"{negated} REGEXP ", _arithmetic(cursor, 0)))


_PREDICATES: Mapping[str, Callable[[Cursor, Expr, str], Expr]] = {
    "IN": _in,
    "BETWEEN": _between,
    "LIKE": partial(_like, "LIKE"),
    "ILIKE": partial(_like, "ILIKE"),
    "REGEXP": _regexp,
    "RLIKE": _regexp,
}


def _arithmetic(cursor: Cursor, level: int) -> Expr:
    if level == len(_ARITHMETIC):
        return _unary(cursor)
    left = _interval_first(cursor) if level == _ADDITIVE else None
    if left is None:
        left = _arithmetic(cursor, level + 1)
    operators = _ARITHMETIC[level]
    while cursor.sees_any(*operators):
        operator = cursor.next().upper
        if level == _ADDITIVE and cursor.sees("INTERVAL") and not cursor.sees("INTERVAL", "("):
            left = _date_arithmetic(cursor, left, operator)
        else:
            right = _arithmetic(cursor, level + 1)
            left = Compound("binary", (left, operators[operator], right))
    return left


def _interval_first(cursor: Cursor) -> Expr | None:
    """Read `INTERVAL 1 DAY + d`, which TiDB turns into DATE_ADD."""
    if not cursor.sees("INTERVAL") or cursor.sees("INTERVAL", "("):
        return None
    amount = interval(cursor)
    cursor.expect("+")
    return call("DATE_ADD", _arithmetic(cursor, _ADDITIVE + 1), ", ", *amount)


def _date_arithmetic(cursor: Cursor, left: Expr, operator: str) -> Expr:
    return call("DATE_ADD" if operator == "+" else "DATE_SUB", left, ", ", *interval(cursor))


def _unary(cursor: Cursor) -> Expr:
    operator = cursor.take_any("-", "+", "~", "!", "BINARY")
    if operator:
        text = "BINARY " if operator == "BINARY" else operator
        return Compound(f"unary {operator}", (text, _unary(cursor)))
    expr = _primary(cursor)
    while cursor.take("COLLATE"):
        collation = cursor.string_or_name("the name of a collation").lower()
        expr = Compound("collate", (expr, f" COLLATE {collation}"))
    return expr


def _primary(cursor: Cursor) -> Expr:
    token = cursor.token
    if token.kind in CONSTANTS:
        return parse_literal(cursor)
    if token.kind is TokenKind.VARIABLE:
        return Compound("variable", (cursor.next().text,))
    bracketed = _BRACKETS.get(token.upper)
    if bracketed is not None:
        return bracketed(cursor)
    called = parse_call(cursor) if token.kind is TokenKind.WORD else None
    if called is not None:
        return called
    return _named(cursor)


def _named(cursor: Cursor) -> Expr:
    token = cursor.token
    if token.kind is TokenKind.QUOTED_NAME and cursor.peek().upper == "(":
        return _named_call(cursor)
    if cursor.sees_name():
        return _column(cursor)
    hint = ""
    if token.kind is TokenKind.WORD:
        hint = f"{token.upper} is a reserved word: to name a column, write it in `back quotes`"
    raise cursor.fail("an expression", hint=hint)


def _parenthesis(cursor: Cursor) -> Expr:
    if cursor.sees_query(1):
        return cursor.rules.subquery(cursor)
    items = cursor.parenthesised(lambda: parse_expression(cursor))
    if len(items) == 1:
        return Compound("paren", ("(", *items, ")"))
    return Compound("row", ("ROW(", *joined(items, ","), ")"))


def _odbc_literal(cursor: Cursor) -> Expr:
    """Read `{d '2020-01-01'}` and the like, which TiDB writes as DATE '2020-01-01'.

    Any other name is forgotten, and any expression may follow it: `{fn now()}`.
    """
    kind = cursor.expect("{").name("d, t or ts").lower()
    if kind in _ODBC and cursor.token.kind is TokenKind.STRING:
        text = quote_string(cursor.string("a date or time"))
        expr: Expr = Compound("typed literal", (_ODBC[kind], text))
    else:
        expr = parse_expression(cursor)
    cursor.expect("}")
    return expr


_ODBC = {"d": "DATE ", "t": "TIME ", "ts": "TIMESTAMP "}


_BRACKETS: Mapping[str, Callable[[Cursor], Expr]] = {"(": _parenthesis, "{": _odbc_literal}


def _named_call(cursor: Cursor) -> Expr:
    """Read a call of a function whose name is quoted; TiDB takes the quotes off."""
    name = cursor.next().text.upper()
    items = cursor.parenthesised(lambda: parse_expression(cursor), may_be_empty=True)
    return call(name, *joined(items, ", "))


def _column(cursor: Cursor) -> Expr:
    path = [cursor.name("a column")]
    while cursor.sees(".") and len(path) < 3 and cursor.peek().upper != "*":
        cursor.next()
        path.append(cursor.part_after_dot("a column"))
    column = ColumnRef(tuple(path))
    arrow = cursor.take_any("->", "->>")
    if not arrow:
        return column
    text = Literal(LiteralKind.STRING, cursor.string("a JSON path"), STRING_CHARSET)
    extract = call("JSON_EXTRACT", column, ", ", text)
    return extract if arrow == "->" else call("JSON_UNQUOTE", extract)
