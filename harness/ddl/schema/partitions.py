"""Partition names and definitions: what a PARTITION BY clause amounts to.

Source: TiDB pkg/ddl/partition.go, `buildTablePartitionInfo`,
`generatePartitionDefinitionsFromInterval`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import replace
from datetime import datetime, timedelta

from harness.ddl.expressions import (
    MAXVALUE,
    Compound,
    Expr,
    Literal,
    LiteralKind,
    restore_expression,
)
from harness.ddl.schema.dealing import dealing
from harness.ddl.schema.dependencies import mentioned
from harness.ddl.schema.refusals import Refused, unknown_in
from harness.ddl.syntax import PartitionDef, Partitioning, PartitionInterval
from harness.model.table import Table

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}:\d{2})?\Z")
_PARTITIONS_MAX = 8192
_NO_STEPS = "INTERVAL: the last partition must follow the first by whole steps"
_TOO_MANY = "Too many partitions (including subpartitions) were defined"


def partition_names(partitioning: Partitioning) -> tuple[str, ...]:
    """Return the partitions' names; hash and key partitions without names are p0, p1, ..."""
    if partitioning.definitions:
        names = tuple(definition.name for definition in partitioning.definitions)
        refuse_repeated(names, partitioning.definitions[0].at)
        return names
    return tuple(f"p{number}" for number in range(partitioning.method.count))


def refuse_repeated(names: tuple[str, ...], at: int) -> None:
    """Raise Refused when a name occurs twice (MySQL 1517)."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise Refused(at, f"Duplicate partition name {name}")
        seen.add(name.lower())


def with_partitions(table: Table, partitioning: Partitioning) -> Table:
    """Return the table partitioned so, its partitions without ids yet."""
    _refuse_keys(table, partitioning)
    kind = partitioning.method.kind
    return replace(
        table,
        partitions=partition_names(partitioning),
        partition_kind=kind,
        dealing=dealing(table, partitioning),
    )


def _refuse_keys(table: Table, partitioning: Partitioning) -> None:
    """Raise Refused unless every unique key holds all columns that decide about the partition."""
    method = partitioning.method
    text = restore_expression(method.expr) if method.expr is not None else ""
    wanted = {name.lower() for name in method.columns} | set(mentioned(text))
    known = tuple(column.name for column in table.columns)
    for name in sorted(wanted - {column.lower() for column in known}):
        raise unknown_in(partitioning.at, name, "partition function", known)
    to_global = {name.lower() for name, is_global in partitioning.update_indexes if is_global}
    for index in table.indexes:
        whole = {part.column.lower() for part in index.parts if part.column and not part.length}
        is_global = index.is_global or index.name.lower() in to_global
        if index.unique and not is_global and not wanted <= whole:
            kind = "PRIMARY KEY" if index.primary else "UNIQUE INDEX"
            what = f"A {kind} must include all columns in the table's partitioning function"
            missing = ", ".join(sorted(wanted - whole))
            raise Refused(partitioning.at, what, hint=f"{index.name} lacks {missing}")


def expanded(partitioning: Partitioning) -> Partitioning:
    """Return the clause with TiDB's interval shorthand written out as definitions."""
    interval = partitioning.method.interval
    if interval is None:
        return partitioning
    try:
        bounds = _bounds(interval)
    except ValueError as error:
        raise Refused(interval.at, str(error)) from None
    definitions = [PartitionDef(f"P_LT_{_label(bound)}", less_than=(bound,)) for bound in bounds]
    if interval.null_partition:
        lowest = Literal(LiteralKind.INTEGER, str(-(2**63)))
        definitions.insert(0, PartitionDef("P_NULL", less_than=(lowest,)))
    if interval.max_partition:
        definitions.append(PartitionDef("P_MAXVALUE", less_than=(MAXVALUE,)))
    return replace(
        partitioning,
        method=replace(partitioning.method, interval=None),
        definitions=(*definitions, *partitioning.definitions),
    )


def _label(bound: Expr) -> str:
    return bound.text if isinstance(bound, Literal) else restore_expression(bound)


def _bounds(interval: PartitionInterval) -> tuple[Expr, ...]:
    if interval.first is None or interval.last is None:
        raise ValueError("INTERVAL partitions need FIRST PARTITION and LAST PARTITION")
    if interval.unit:
        return _time_bounds(interval)
    first, last, width = (_number(e) for e in (interval.first, interval.last, interval.width))
    if width <= 0 or last < first or (last - first) % width:
        raise ValueError(_NO_STEPS)
    if (last - first) // width >= _PARTITIONS_MAX:
        raise ValueError(_TOO_MANY)
    return tuple(_integer(number) for number in range(first, last + 1, width))


def _integer(number: int) -> Expr:
    literal = Literal(LiteralKind.INTEGER, str(abs(number)))
    return literal if number >= 0 else Compound("unary -", ("-", literal))


def _number(expr: Expr) -> int:
    text = restore_expression(expr)
    if not re.fullmatch(r"-?\d+", text):
        raise ValueError(f"INTERVAL: {text} is not an integer")
    return int(text)


_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 604800}


def _time_bounds(interval: PartitionInterval) -> tuple[Expr, ...]:
    first, last = _moment(interval.first), _moment(interval.last)
    step = _number(interval.width)
    if step <= 0:
        raise ValueError(_NO_STEPS)
    timed = isinstance(interval.first, Literal) and ":" in interval.first.text
    bounds: list[Expr] = []
    for number in range(_PARTITIONS_MAX):
        moment = _later(first, step * number, interval.unit)
        if moment > last:
            raise ValueError(_NO_STEPS)
        bounds.append(_moment_literal(moment, timed=timed))
        if moment == last:
            return tuple(bounds)
    raise ValueError(_TOO_MANY)


def _moment(expr: Expr | None) -> datetime:
    text = expr.text if isinstance(expr, Literal) and _DATE.match(expr.text) else ""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("INTERVAL: the bounds must be dates in quotes") from None


def _later(moment: datetime, amount: int, unit: str) -> datetime:
    try:
        if unit in _MONTHS:
            months = moment.year * 12 + moment.month - 1 + amount * _MONTHS[unit]
            year, month = months // 12, months % 12 + 1
            day = min(moment.day, monthrange(year, month)[1])
            return moment.replace(year=year, month=month, day=day)
        if unit in _SECONDS:
            return moment + timedelta(seconds=amount * _SECONDS[unit])
    except (ValueError, OverflowError):
        raise ValueError(_NO_STEPS) from None
    raise ValueError(f"INTERVAL: partitions cannot be {unit} wide")


def _moment_literal(moment: datetime, *, timed: bool) -> Expr:
    text = moment.isoformat(" ") if timed else moment.date().isoformat()
    return Literal(LiteralKind.STRING, text, "utf8mb4")
