"""Aggregate functions and windows, and the ORDER BY that both share with queries.

Source: TiDB pkg/parser/parser.y, `SumExpr`, `WindowFuncCall`, `WindowSpec`;
pkg/parser/ast/functions.go, `AggregateFuncExpr`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.ddl.sql.cursor import Cursor, words
from harness.ddl.sql.literals import arguments, interval
from harness.ddl.sql.tree import Compound, Expr, Literal, LiteralKind, Parts, joined, quote_name


def _aggregate(cursor: Cursor) -> Parts:
    distinct = ("DISTINCT ",) if cursor.take_any("DISTINCT", "DISTINCTROW") else ()
    cursor.take("ALL")
    return (*distinct, *arguments(cursor))


def _count(cursor: Cursor) -> Parts:
    if cursor.take("*"):
        return ("1",)
    return _aggregate(cursor)


def _group_concat(cursor: Cursor) -> Parts:
    parts = [*_aggregate(cursor)]
    if cursor.sees("ORDER", "BY"):
        parts += [" ", *order_by(cursor)]
    separator = cursor.string("a separator") if cursor.take("SEPARATOR") else ","
    return (*parts, " SEPARATOR ", Literal(LiteralKind.STRING, separator))


AGGREGATES: Mapping[str, Callable[[Cursor], Parts]] = {
    "COUNT": _count,
    "GROUP_CONCAT": _group_concat,
    **dict.fromkeys(
        words(
            """
            SUM AVG MIN MAX BIT_AND BIT_OR BIT_XOR STD STDDEV STDDEV_POP STDDEV_SAMP VAR_POP
            VAR_SAMP VARIANCE JSON_ARRAYAGG JSON_OBJECTAGG APPROX_COUNT_DISTINCT
            """
        ),
        _aggregate,
    ),
}


def order_by(cursor: Cursor) -> Parts:
    """Return the parts of `ORDER BY ...`, which must stand here."""
    cursor.expect("ORDER", "BY")
    return ("ORDER BY ", *joined(cursor.list(lambda: by_item(cursor)), ","))


def by_item(cursor: Cursor) -> Expr:
    """Return one item of ORDER BY or GROUP BY; ASC is not written back."""
    expr = cursor.rules.expression(cursor)
    if cursor.take("DESC"):
        return Compound("descending", (expr, " DESC"))
    cursor.take("ASC")
    return expr


# FROM may follow any call in a SELECT; it belongs to the call before FIRST and LAST alone.
WINDOW_WORDS = ("OVER", "IGNORE", "RESPECT")


def parse_window(cursor: Cursor, call: Compound) -> Expr:
    """Return the call with the OVER clause (and what precedes it) that must stand here."""
    if cursor.take("IGNORE", "NULLS"):
        call = Compound(call.form, (*call.parts, " IGNORE NULLS"))
    else:
        cursor.take("RESPECT", "NULLS")
    if cursor.expect("OVER").sees("("):
        return Compound("window", (call, " OVER ", *window_spec(cursor)))
    return Compound("window", (call, " OVER ", quote_name(cursor.name("a window"))))


def window_spec(cursor: Cursor) -> Parts:
    """Return the parts of a window definition in parentheses, which must stand here."""
    cursor.expect("(")
    clauses: list[Parts] = []
    if cursor.sees_name() and not cursor.sees_any("PARTITION", "ROWS", "RANGE", "GROUPS"):
        clauses.append((quote_name(cursor.name("a window")),))
    if cursor.take("PARTITION", "BY"):
        items = joined(cursor.list(lambda: by_item(cursor)), ", ")
        clauses.append(("PARTITION BY ", *items))
    if cursor.sees("ORDER", "BY"):
        clauses.append(order_by(cursor))
    unit = cursor.take_any("ROWS", "RANGE", "GROUPS")
    if unit:
        clauses.append((f"{unit} ", *_frame(cursor)))
    cursor.expect(")")
    parts: list[Expr | str] = ["("]
    for number, clause in enumerate(clauses):
        parts += [" " if number else "", *clause]
    return (*parts, ")")


def _frame(cursor: Cursor) -> Parts:
    if cursor.take("BETWEEN"):
        return ("BETWEEN ", *_bound(cursor), " AND ", *_bound(cursor.expect("AND")))
    return ("BETWEEN ", *_bound(cursor), " AND CURRENT ROW")


def _bound(cursor: Cursor) -> Parts:
    if cursor.take("CURRENT", "ROW"):
        return ("CURRENT ROW",)
    if cursor.take("UNBOUNDED"):
        amount: Parts = ("UNBOUNDED",)
    else:
        amount = interval(cursor) if cursor.sees("INTERVAL") else (cursor.rules.expression(cursor),)
    return (*amount, " ", cursor.expect_any("PRECEDING", "FOLLOWING"))
