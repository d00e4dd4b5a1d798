"""What a PARTITION BY clause says about the partition of a row, as far as it can be worked out.

Source: TiDB pkg/table/tables/partition.go, `locatePartitionCommon`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date

from harness.ddl.expressions import (
    MAXVALUE,
    ColumnRef,
    Compound,
    Expr,
    Literal,
    LiteralKind,
    restore_expression,
)
from harness.ddl.syntax import PartitionDef, Partitioning
from harness.model.partitioning import Dealing, Edge, Mark
from harness.model.table import Table

# MySQL counts days from year 0, Python from year 1.
_YEAR_0 = 365
FUNCTIONS = frozenset({"YEAR", "TO_DAYS"})
Marks = tuple[tuple[tuple[Mark, ...], ...], ...]


class _UnclearError(Exception):
    """The SQL of something that is not worked out."""


def dealing(table: Table, partitioning: Partitioning) -> Dealing:
    """Return how the clause deals the table's rows."""
    method = partitioning.method
    try:
        columns, function = (
            (method.columns, "") if method.expr is None else _expression(method.expr)
        )
    except _UnclearError as error:
        return Dealing((), unclear=str(error))
    if method.kind == "KEY" and not columns:
        primary = table.primary_key
        columns = primary.columns if primary is not None else ()
    if method.kind == "SYSTEM_TIME" or method.linear or partitioning.sub is not None:
        return Dealing(columns, unclear=f"PARTITION BY {method.kind}")
    return with_marks(Dealing(columns, function), partitioning.definitions, ())


def with_marks(dealt: Dealing, definitions: Iterable[PartitionDef], before: Marks) -> Dealing:
    """Return the dealing with the definitions' values behind those of `before`."""
    try:
        new = tuple(_marks(definition) for definition in definitions)
    except _UnclearError as error:
        return replace(dealt, unclear=str(error))
    return replace(dealt, marks=(*before, *new))


def _expression(expr: Expr) -> tuple[tuple[str, ...], str]:
    """Return the column that decides, and the function that it goes through."""
    if isinstance(expr, ColumnRef):
        return (expr.path[-1],), ""
    name, argument = _call(expr)
    if name in FUNCTIONS and isinstance(argument, ColumnRef):
        return (argument.path[-1],), name
    raise _UnclearError(restore_expression(expr))


def _call(expr: Expr) -> tuple[str, Expr | None]:
    """Return a call's function and its one argument; nothing of what is no such call."""
    if not isinstance(expr, Compound) or not expr.form.startswith("call "):
        return "", None
    arguments = [part for part in expr.parts if not isinstance(part, str)]
    return expr.form.removeprefix("call "), arguments[0] if len(arguments) == 1 else None


def _marks(definition: PartitionDef) -> tuple[tuple[Mark, ...], ...]:
    if definition.less_than is not None:
        return (tuple(map(_mark, definition.less_than)),)
    if definition.rows is not None:
        return tuple(tuple(map(_mark, row)) for row in definition.rows)
    return ((Edge.DEFAULT,),) if definition.word == "DEFAULT" else ()


_NUMBERS: Mapping[LiteralKind, int] = {LiteralKind.INTEGER: 10, LiteralKind.HEX: 16}


def _mark(expr: Expr) -> Mark:
    if expr == MAXVALUE:
        return Edge.MAXVALUE
    if isinstance(expr, Literal):
        return _constant(expr)
    if isinstance(expr, Compound) and expr.form == "default":
        return Edge.DEFAULT
    if isinstance(expr, Compound) and expr.form == "unary -" and len(expr.parts) == 2:
        number = _mark(expr.parts[1]) if not isinstance(expr.parts[1], str) else None
        if isinstance(number, int):
            return -number
    name, argument = _call(expr)
    if name in FUNCTIONS and isinstance(argument, Literal):
        value = called(name, argument.text)
        if value is not None:
            return value
    raise _UnclearError(restore_expression(expr))


def _constant(literal: Literal) -> Mark:
    if literal.kind is LiteralKind.NULL:
        return None
    if literal.kind in _NUMBERS:
        return int(literal.text, _NUMBERS[literal.kind])
    if literal.kind is LiteralKind.STRING:
        return literal.text
    raise _UnclearError(restore_expression(literal))


def called(function: str, day: str) -> int | None:
    """Return YEAR or TO_DAYS of a date in text; None where it is none that Python knows."""
    try:
        found = date.fromisoformat(day[:10])
    except ValueError:
        return None
    return found.year if function == "YEAR" else found.toordinal() + _YEAR_0
