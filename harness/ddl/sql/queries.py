"""Queries inside DDL: the SELECT of a view, of CREATE TABLE ... AS, and subqueries.

The layout is TiDB's: fields between bare commas, every alias with AS, each join inside the join to
its right in parentheses, GROUP BY and ORDER BY with bare commas.
Source: TiDB pkg/parser/ast/dml.go, `SelectStmt.Restore`, `Join.Restore`, `SetOprStmt.Restore`.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.ddl.sql.aggregates import by_item, order_by, window_spec
from harness.ddl.sql.cursor import Cursor, Rules
from harness.ddl.sql.expressions import parse_expression, parse_operand
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.tree import (
    Compound,
    Expr,
    Parts,
    TableRef,
    joined,
    quote_name,
    quote_names,
)

# In the order in which TiDB writes them back.
_MODIFIERS = (
    "HIGH_PRIORITY",
    "SQL_SMALL_RESULT",
    "SQL_BIG_RESULT",
    "SQL_BUFFER_RESULT",
    "SQL_NO_CACHE",
    "SQL_CALC_FOUND_ROWS",
    "DISTINCT",
    "ALL",
    "STRAIGHT_JOIN",
)
_SET_OPERATORS = ("UNION", "EXCEPT", "INTERSECT")


def parse_query(cursor: Cursor) -> Compound:
    """Return the query, with WITH, set operators, ORDER BY and LIMIT, that must stand here."""
    parts: list[Expr | str] = [*_with(cursor)]
    first = _query_term(cursor)
    if not cursor.sees_any(*_SET_OPERATORS):
        return Compound("query", (*parts, first, *_tail(cursor)))
    parts.append(first)
    while operator := cursor.take_any(*_SET_OPERATORS):
        cursor.take_any("DISTINCT", "DISTINCTROW")
        every = " ALL" if cursor.take("ALL") else ""
        parts += [f" {operator}{every} ", _query_term(cursor)]
    return Compound("set operation", (*parts, *_tail(cursor)))


def parse_subquery(cursor: Cursor) -> Expr:
    """Return the query in parentheses that must stand here."""
    return Compound("subquery", ("(", cursor.enclosed(parse_query), ")"))


RULES = Rules(expression=parse_expression, operand=parse_operand, subquery=parse_subquery)


@dataclass(frozen=True, slots=True)
class Select:
    """A query inside DDL: its tree, and the tables that it reads (for whoever guards schemas)."""

    expr: Expr
    tables: tuple[TableRef, ...] = ()


def parse_select(cursor: Cursor) -> Select:
    """Return the query that must stand here, with the tables that it reads."""
    already = len(cursor.tables)
    return Select(parse_query(cursor), tuple(cursor.tables[already:]))


def _query_term(cursor: Cursor) -> Expr:
    if cursor.sees("("):
        return parse_subquery(cursor)
    if cursor.take("TABLE"):
        return Compound("select", ("TABLE ", _table_name(cursor)))
    if cursor.take("VALUES"):
        rows = cursor.list(lambda: _values_row(cursor))
        return Compound("select", ("VALUES ", *joined(rows, ", ")))
    return _select(cursor)


def _values_row(cursor: Cursor) -> Expr:
    items = cursor.expect("ROW").parenthesised(lambda: parse_expression(cursor))
    return Compound("row", ("ROW(", *joined(items, ","), ")"))


def _with(cursor: Cursor) -> Parts:
    if not cursor.take("WITH"):
        return ()
    recursive = "RECURSIVE " if cursor.take("RECURSIVE") else ""
    tables = cursor.list(lambda: _common_table(cursor))
    return (f"WITH {recursive}", *joined(tables, ", "), " ")


def _common_table(cursor: Cursor) -> Expr:
    name = quote_name(cursor.name("a common table"))
    columns = ""
    if cursor.sees("("):
        names = cursor.parenthesised(lambda: cursor.name("a column"))
        columns = f" ({quote_names(names, ', ')})"
    query = parse_subquery(cursor.expect("AS"))
    return Compound("common table", (f"{name}{columns} AS ", query))


def _select(cursor: Cursor) -> Expr:
    cursor.expect("SELECT")
    found: set[str] = set()
    while modifier := cursor.take_any(*_MODIFIERS, "SQL_CACHE", "DISTINCTROW"):
        found.add("DISTINCT" if modifier == "DISTINCTROW" else modifier)
    parts: list[Expr | str] = ["SELECT ", *(f"{word} " for word in _MODIFIERS if word in found)]
    parts += joined(cursor.list(lambda: _field(cursor)), ",")
    parts += _from(cursor)
    if cursor.take("WHERE"):
        parts += [" WHERE ", parse_expression(cursor)]
    if cursor.take("GROUP", "BY"):
        parts += [" GROUP BY ", *joined(cursor.list(lambda: by_item(cursor)), ",")]
        parts.append(" WITH ROLLUP" if cursor.take("WITH", "ROLLUP") else "")
    if cursor.take("HAVING"):
        parts += [" HAVING ", parse_expression(cursor)]
    if cursor.take("WINDOW"):
        parts += [" WINDOW ", *joined(cursor.list(lambda: _named_window(cursor)), ",")]
    return Compound("select", tuple(parts))


def _named_window(cursor: Cursor) -> Expr:
    name = quote_name(cursor.name("a window"))
    return Compound("named window", (f"{name} AS ", *window_spec(cursor.expect("AS"))))


def _tail(cursor: Cursor) -> Parts:
    parts: list[Expr | str] = []
    if cursor.sees("ORDER", "BY"):
        parts += [" ", *order_by(cursor)]
    if cursor.take("LIMIT"):
        limit = str(cursor.number("a number of rows"))
        if cursor.take(","):
            limit += f",{cursor.number('a number of rows')}"
        elif cursor.take("OFFSET"):
            limit = f"{cursor.number('an offset')},{limit}"
        parts.append(f" LIMIT {limit}")
    if cursor.take("FETCH"):
        parts.append(f" LIMIT {_fetched(cursor)}")
    if cursor.take("FOR", "UPDATE"):
        parts.append(" FOR UPDATE")
    return tuple(parts)


def _fetched(cursor: Cursor) -> int:
    cursor.expect_any("FIRST", "NEXT")
    count = 1 if cursor.sees_any("ROW", "ROWS") else cursor.number("a number of rows")
    cursor.expect_any("ROW", "ROWS")
    cursor.expect("ONLY")
    return count


def _field(cursor: Cursor) -> Expr:
    if cursor.take("*"):
        return Compound("star", ("*",))
    star = _qualified_star(cursor)
    if star is not None:
        return star
    expr = parse_expression(cursor)
    if cursor.take("AS"):
        is_string = cursor.token.kind is TokenKind.STRING
        alias = cursor.string("an alias") if is_string else cursor.part_after_dot("an alias")
        return Compound("field", (expr, f" AS {quote_name(alias)}"))
    if cursor.sees_name() or cursor.token.kind is TokenKind.STRING:
        return Compound("field", (expr, f" AS {quote_name(cursor.next().text)}"))
    return expr


def _qualified_star(cursor: Cursor) -> Expr | None:
    dots = 0
    while cursor.peek(2 * dots + 1).upper == "." and dots < 2:
        dots += 1
        if cursor.peek(2 * dots).upper == "*":
            break
    else:
        return None
    names = [quote_name(cursor.name("a table"))]
    while cursor.take(".") and not cursor.take("*"):
        names.append(quote_name(cursor.part_after_dot("a table")))
    return Compound("star", (".".join(names) + ".*",))


# ---- FROM -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Source:
    """A table, derived table or join; TiDB puts a join inside another one in parentheses."""

    parts: Parts
    is_join: bool = False
    is_derived: bool = False

    def operand(self) -> Parts:
        return ("(", *self.parts, ")") if self.is_join else self.parts


def _from(cursor: Cursor) -> Parts:
    if not cursor.take("FROM"):
        return (" FROM DUAL",) if cursor.sees("WHERE") else ()
    if cursor.take("DUAL"):
        return (" FROM DUAL",) if cursor.sees("WHERE") else ()
    return (" FROM ", *_table_list(cursor).parts)


def _table_list(cursor: Cursor) -> _Source:
    """Read tables between commas: only after a derived table does the comma stay a comma."""
    source = _joined_table(cursor)
    while cursor.take(","):
        right = _joined_table(cursor)
        left = (*source.parts, ", ") if source.is_derived else ("(", *source.parts, ") JOIN ")
        source = _Source((*left, *right.operand()), is_join=True)
    return source


# The words of a join; CROSS, INNER and OUTER are not written back.
_JOINS = (
    *("JOIN", "INNER JOIN", "CROSS JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN"),
    *("RIGHT OUTER JOIN", "NATURAL JOIN", "NATURAL INNER JOIN", "NATURAL LEFT JOIN"),
    *("NATURAL LEFT OUTER JOIN", "NATURAL RIGHT JOIN", "NATURAL RIGHT OUTER JOIN", "STRAIGHT_JOIN"),
)
_UNWRITTEN = ("CROSS", "INNER", "OUTER")
_JOIN_WORDS = {
    tuple(join.split()): f" {' '.join(word for word in join.split() if word not in _UNWRITTEN)} "
    for join in _JOINS
}


def _joined_table(cursor: Cursor) -> _Source:
    source = _table_factor(cursor)
    while True:
        joiner = next((text for words, text in _JOIN_WORDS.items() if cursor.take(*words)), "")
        if not joiner:
            return source
        right = _table_factor(cursor)
        parts: Parts = (*source.operand(), joiner, *right.operand())
        if cursor.take("ON"):
            parts = (*parts, " ON ", parse_expression(cursor))
        elif cursor.take("USING"):
            names = cursor.parenthesised(lambda: cursor.name("a column"))
            parts = (*parts, f" USING ({quote_names(names)})")
        source = _Source(parts, is_join=True)


def _table_factor(cursor: Cursor) -> _Source:
    if cursor.sees_subquery():
        query = cursor.attempt(parse_subquery)
        if query is not None:
            return _Source((query, *_alias(cursor)), is_derived=True)
    if cursor.take("("):
        inner = _table_list(cursor)
        cursor.expect(")")
        return inner
    name = _table_name(cursor)
    partitions: Parts = ()
    if cursor.take("PARTITION"):
        names = cursor.parenthesised(lambda: cursor.name("a partition"))
        partitions = (f" PARTITION({quote_names(names, ', ')})",)
    alias = _alias(cursor)
    return _Source((name, *partitions, *alias, *_index_hints(cursor)))


def _alias(cursor: Cursor) -> Parts:
    if cursor.take("AS") or (cursor.sees_name() and not cursor.sees_any("PARTITION", "WINDOW")):
        return (f" AS {quote_name(cursor.name('an alias'))}",)
    return ()


def _index_hints(cursor: Cursor) -> Parts:
    parts: list[str] = []
    while verb := cursor.take_any("USE", "FORCE", "IGNORE"):
        cursor.expect_any("INDEX", "KEY")
        scope = ""
        if cursor.take("FOR"):
            scope = " FOR " + cursor.expect_any("JOIN", "ORDER", "GROUP")
            scope += " BY" if cursor.take("BY") else ""
        names = cursor.parenthesised(lambda: cursor.part_after_dot("an index"), may_be_empty=True)
        parts.append(f" {verb} INDEX{scope} ({quote_names(names, ', ')})")
    return tuple(parts)


def _table_name(cursor: Cursor) -> Expr:
    return Compound("table", (cursor.table().restore(),))
