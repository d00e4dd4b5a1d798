"""What a table keeps of a PARTITION BY clause: names, and how rows are dealt to partitions.

Source: TiDB pkg/ddl/partition.go, `buildTablePartitionInfo`; pkg/table/tables/partition.go,
`locatePartitionCommon`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date

from harness.ddl.definitions.dependencies import mentioned
from harness.ddl.definitions.partitioning import PartitionDef, Partitioning
from harness.ddl.errors import Refused, unknown_column
from harness.ddl.sql.tree import MAXVALUE, ColumnRef, Compound, Expr, Literal, LiteralKind
from harness.model.partitioning import Dealing, Edge, Mark
from harness.model.table import Table


def expanded(partitioning: Partitioning) -> Partitioning:
    """Return the clause with TiDB's interval shorthand written out as definitions."""
    interval = partitioning.method.interval
    if interval is None:
        return partitioning
    definitions = (PartitionDef(name, less_than=(bound,)) for name, bound in interval.partitions())
    return replace(
        partitioning,
        method=replace(partitioning.method, interval=None),
        definitions=(*definitions, *partitioning.definitions),
    )


def with_partitions(table: Table, partitioning: Partitioning) -> Table:
    """Return the table partitioned so, its partitions without ids yet.

    Hash and key partitions without names are p0, p1, ...
    """
    _refuse_keys(table, partitioning)
    names = tuple(f"p{number}" for number in range(partitioning.method.count))
    if partitioning.definitions:
        names = tuple(definition.name for definition in partitioning.definitions)
        refuse_repeated(names, partitioning.definitions[0].at)
    kind = partitioning.method.kind
    dealing = _dealing(table, partitioning)
    return replace(table, partitions=names, partition_kind=kind, dealing=dealing)


def refuse_repeated(names: tuple[str, ...], at: int) -> None:
    """Raise Refused when a name occurs twice (MySQL 1517)."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise Refused(at, f"Duplicate partition name {name}")
        seen.add(name.lower())


def _refuse_keys(table: Table, partitioning: Partitioning) -> None:
    """Raise Refused unless every unique key holds all columns that decide about the partition."""
    method = partitioning.method
    text = method.expr.restore() if method.expr is not None else ""
    wanted = {name.lower() for name in method.columns} | set(mentioned(text))
    known = table.column_names
    for name in sorted(wanted - {column.lower() for column in known}):
        raise unknown_column(partitioning.at, name, "partition function", known)
    to_global = {name.lower() for name, is_global in partitioning.update_indexes if is_global}
    for index in table.indexes:
        whole = {part.column.lower() for part in index.parts if part.column and not part.length}
        is_global = index.is_global or index.name.lower() in to_global
        if index.unique and not is_global and not wanted <= whole:
            kind = "PRIMARY KEY" if index.primary else "UNIQUE INDEX"
            what = f"A {kind} must include all columns in the table's partitioning function"
            missing = ", ".join(sorted(wanted - whole))
            raise Refused(partitioning.at, what, hint=f"{index.name} lacks {missing}")


# MySQL counts days from year 0, Python from year 1.
_YEAR_0 = 365
FUNCTIONS = frozenset({"YEAR", "TO_DAYS"})
Marks = tuple[tuple[tuple[Mark, ...], ...], ...]


class _UnclearError(Exception):
    """The SQL of something that is not worked out."""


def _dealing(table: Table, partitioning: Partitioning) -> Dealing:
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
    raise _UnclearError(expr.restore())


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
        value = date_function(name, argument.text)
        if value is not None:
            return value
    raise _UnclearError(expr.restore())


def _constant(literal: Literal) -> Mark:
    if literal.kind is LiteralKind.NULL:
        return None
    if literal.kind in _NUMBERS:
        return int(literal.text, _NUMBERS[literal.kind])
    if literal.kind is LiteralKind.STRING:
        return literal.text
    raise _UnclearError(literal.restore())


def date_function(function: str, day: str) -> int | None:
    """Return YEAR or TO_DAYS of a date in text; None where it is none that Python knows."""
    try:
        found = date.fromisoformat(day[:10])
    except ValueError:
        return None
    return found.year if function == "YEAR" else found.toordinal() + _YEAR_0
