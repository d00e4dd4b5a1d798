"""Evaluating an expression over one row.

Three-valued logic: a comparison with NULL is NULL, and NULL is neither true nor false. A row is
taken for ignored only when the whole expression is the integer 1, as the vendor tests it: the
condition `v` over a column ignores rows with v = 1, not those with v = 2.

Source: tiflow c7b2588 pkg/filter/expr_filter.go `skipDMLByExpression`; TiDB pkg/expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from harness.ddl import ColumnRef, Compound, Expr, Literal, LiteralKind
from harness.model.columns import ColumnKind
from harness.model.table import Table
from harness.model.values import Row
from harness.sources.tidb.expressions.compare import common_collation, compare, fold
from harness.sources.tidb.expressions.datum import Datum, Inexpressible, Named, Text, datum
from harness.sources.tidb.expressions.numbers import arithmetic, negative, number, truth


def ignores(expr: Expr, table: Table, row: Row) -> bool:
    """Return whether an expression is the integer 1 over a row; Inexpressible where we cannot."""
    value = _evaluate(expr, table, row)
    if isinstance(value, Named):
        value = value.number
    return isinstance(value, int) and value == 1 and not _bits_alone(expr, table)


def _bits_alone(expr: Expr, table: Table) -> bool:
    """Return whether an expression is a BIT column: its datum has bytes and the integer 0.

    What computes with it takes its number. Source: TiDB pkg/types/datum.go `SetMysqlBit`.
    """
    while isinstance(expr, Compound) and expr.form == "paren":
        (expr,) = _operands(expr)
    return isinstance(expr, ColumnRef) and table.column(expr.path[-1]).kind is ColumnKind.BIT


def _evaluate(expr: Expr, table: Table, row: Row) -> Datum:
    match expr:
        case Literal():
            return _LITERALS[expr.kind](expr.text)
        case ColumnRef():
            position = table.position(expr.path[-1])
            return datum(table.columns[position], row[position])
        case Compound():
            form, _, operator = expr.form.partition(" ")
            if form == "call":
                return _call(operator, expr, table, row)
            return _FORMS[form](expr, table, row)


_LITERALS: Mapping[LiteralKind, Callable[[str], Datum]] = {
    LiteralKind.NULL: lambda _: None,
    LiteralKind.BOOLEAN: lambda text: int(text == "TRUE"),
    LiteralKind.INTEGER: int,
    LiteralKind.DECIMAL: Decimal,
    LiteralKind.FLOAT: float,
    LiteralKind.STRING: Text,
}


def _operands(expr: Compound) -> list[Expr]:
    return [part for part in expr.parts if not isinstance(part, str)]


def _texts(expr: Compound) -> str:
    """Return the plain text between the operands: the operator with its words."""
    return " ".join(part.strip() for part in expr.parts if isinstance(part, str))


def _values(expr: Compound, table: Table, row: Row) -> list[Datum]:
    return [_evaluate(operand, table, row) for operand in _operands(expr)]


def _as_datum(value: bool | None) -> Datum:  # noqa: FBT001 - the third value is None
    return None if value is None else int(value)


def _negated(value: bool | None, text: str) -> Datum:  # noqa: FBT001 - likewise
    """Return the value, or its opposite where the text between the operands says NOT."""
    if value is None:
        return None
    return int(not value) if text.startswith("NOT") else int(value)


# ---- logic ------------------------------------------------------------------------------------


def _binary(expr: Compound, table: Table, row: Row) -> Datum:
    operator = _texts(expr)
    left, right = _values(expr, table, row)
    if operator in _LOGICAL:
        return _as_datum(_LOGICAL[operator](truth(left), truth(right)))
    return arithmetic(operator, left, right)


def _and(left: bool | None, right: bool | None) -> bool | None:  # noqa: FBT001 - likewise
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _or(left: bool | None, right: bool | None) -> bool | None:  # noqa: FBT001 - likewise
    if left or right:
        return True
    return None if left is None or right is None else False


def _xor(left: bool | None, right: bool | None) -> bool | None:  # noqa: FBT001 - likewise
    return None if left is None or right is None else left != right


_LOGICAL: Mapping[str, Callable[[bool | None, bool | None], bool | None]] = {
    "AND": _and,
    "OR": _or,
    "XOR": _xor,
}


def _not(expr: Compound, table: Table, row: Row) -> Datum:
    (value,) = _values(expr, table, row)
    return _negated(truth(value), "NOT")


def _unary(expr: Compound, table: Table, row: Row) -> Datum:
    (value,) = _values(expr, table, row)
    sign = expr.form.partition(" ")[2]
    if sign == "!":
        return _negated(truth(value), "NOT")
    return negative(value) if sign == "-" else number(value)


# ---- predicates -------------------------------------------------------------------------------


def _comparison(expr: Compound, table: Table, row: Row) -> Datum:
    left, right = _values(expr, table, row)
    operator = _texts(expr)
    if operator == "<=>" and (left is None or right is None):
        return int(left is None and right is None)
    order = compare(left, right)
    return None if order is None else int(_ORDERS[operator](order))


_ORDERS: Mapping[str, Callable[[int], bool]] = {
    "=": lambda order: order == 0,
    "<=>": lambda order: order == 0,
    "!=": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def _is(expr: Compound, table: Table, row: Row) -> Datum:
    (operand,) = _operands(expr)
    *negation, what = _texts(expr).split()[1:]
    if what == "NULL" and isinstance(operand, ColumnRef):
        held: bool | None = row[table.position(operand.path[-1])] is None
    else:
        value = _evaluate(operand, table, row)
        held = value is None if what == "NULL" else truth(value) is (what == "TRUE")
    return int(held is not bool(negation))


def _in(expr: Compound, table: Table, row: Row) -> Datum:
    """TiDB turns a list of mixed types into one comparison each, joined by OR."""
    value, *items = _values(expr, table, row)
    found: bool | None = False
    for item in items:
        order = compare(value, item)
        found = _or(found, None if order is None else order == 0)
    return _negated(found, _texts(expr))


def _between(expr: Compound, table: Table, row: Row) -> Datum:
    value, low, high = _values(expr, table, row)
    above, below = compare(value, low), compare(value, high)
    within = _and(
        None if above is None else above >= 0,
        None if below is None else below <= 0,
    )
    return _negated(within, _texts(expr))


def _like(expr: Compound, table: Table, row: Row) -> Datum:
    value, pattern = _values(expr, table, row)
    if value is None or pattern is None:
        return None
    if not isinstance(value, Text | Named) or not isinstance(pattern, Text):
        raise Inexpressible("LIKE over values that are no texts")
    text = value.name if isinstance(value, Named) else value
    collation = common_collation(text, pattern)
    words = _texts(expr)
    escape = words.rpartition("ESCAPE '")[2][:1] if "ESCAPE" in words else "\\"
    regex = _like_regex(fold(collation, pattern.text), fold(collation, escape))
    matched = re.fullmatch(regex, fold(collation, text.text), re.DOTALL) is not None
    return _negated(matched, words)


def _like_regex(pattern: str, escape: str) -> str:
    """Return a LIKE pattern as a regular expression; nothing else in it is special."""
    regex, literal = "", False
    for character in pattern:
        if literal or (character not in ("%", "_") and character != escape):
            regex, literal = regex + re.escape(character), False
        elif character == escape:
            literal = True
        else:
            regex += ".*" if character == "%" else "."
    return regex + (re.escape(escape) if literal else "")


# ---- choices ----------------------------------------------------------------------------------


def _case(expr: Compound, table: Table, row: Row) -> Datum:
    """CASE [value] WHEN ... THEN ... [ELSE ...] END: the words between the operands say which."""
    words = [part.strip() for part in expr.parts if isinstance(part, str)]
    values = _values(expr, table, row)
    keywords = [word for word in words if word in ("WHEN", "THEN", "ELSE")]
    simple = len(values) > len(keywords)
    subject = values.pop(0) if simple else None
    otherwise = values.pop() if "ELSE" in keywords else None
    whens, thens = values[::2], values[1::2]
    _of_one_kind([*thens, otherwise])
    for when, then in zip(whens, thens, strict=True):
        if compare(subject, when) == 0 if simple else truth(when):
            return then
    return otherwise


def _call(name: str, expr: Compound, table: Table, row: Row) -> Datum:
    values = _values(expr, table, row)
    if name == "NULLIF":
        left, right = values
        return None if compare(left, right) == 0 else left
    if name == "IF":
        condition, *values = values
        _of_one_kind(values)
        return values[0] if truth(condition) else values[1]
    _of_one_kind(values)
    return next((value for value in values if value is not None), None)


def _of_one_kind(values: Sequence[Datum]) -> None:
    """Refuse a choice between kinds of values: its type is a third one."""
    kinds = {int if isinstance(value, int) else type(value) for value in values}
    if len(kinds - {type(None)}) > 1:
        raise Inexpressible("a choice between values of different types")


_FORMS: Mapping[str, Callable[[Compound, Table, Row], Datum]] = {
    "paren": lambda expr, table, row: _values(expr, table, row)[0],
    "binary": _binary,
    "comparison": _comparison,
    "not": _not,
    "unary": _unary,
    "is": _is,
    "in": _in,
    "between": _between,
    "like": _like,
    "case": _case,
}
