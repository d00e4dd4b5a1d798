"""Partition names and definitions: what a PARTITION BY clause amounts to.

Source: TiDB pkg/ddl/partition.go, `buildTablePartitionInfo`,
`generatePartitionDefinitionsFromInterval`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import replace
from datetime import date

from harness.ddl.expressions import (
    MAXVALUE,
    Compound,
    Expr,
    Literal,
    LiteralKind,
    restore_expression,
)
from harness.ddl.schema.refusals import Refused
from harness.ddl.syntax import PartitionDef, Partitioning, PartitionInterval
from harness.model.table import Table

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?: (\d{2}):(\d{2}):(\d{2}))?\Z")
_INTERVAL_PARTITIONS_MAX = 8192


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
    method = partitioning.method
    if method.kind in ("RANGE", "LIST") and not partitioning.definitions:
        what = f"For {method.kind} partitions each partition must be defined"
        raise Refused(0, what)
    return replace(table, partitions=partition_names(partitioning), partition_kind=method.kind)


def expanded(partitioning: Partitioning) -> Partitioning:
    """Return the clause with TiDB's interval shorthand written out as definitions."""
    interval = partitioning.method.interval
    if interval is None:
        return partitioning
    bounds = _bounds(interval)
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
        raise Refused(0, "INTERVAL partitions need FIRST PARTITION and LAST PARTITION")
    if interval.unit:
        return _time_bounds(interval)
    first, last, width = (_number(e) for e in (interval.first, interval.last, interval.width))
    if width <= 0 or last < first or (last - first) // width >= _INTERVAL_PARTITIONS_MAX:
        raise Refused(0, "INTERVAL: the last partition must follow the first by whole steps")
    if (last - first) % width:
        raise Refused(0, "INTERVAL: the last partition is not a whole number of steps away")
    return tuple(_integer(number) for number in range(first, last + 1, width))


def _integer(number: int) -> Expr:
    literal = Literal(LiteralKind.INTEGER, str(abs(number)))
    return literal if number >= 0 else Compound("unary -", ("-", literal))


def _number(expr: Expr) -> int:
    text = restore_expression(expr)
    if not re.fullmatch(r"-?\d+", text):
        raise Refused(0, f"INTERVAL: {text} is not an integer")
    return int(text)


_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 604800}


def _time_bounds(interval: PartitionInterval) -> tuple[Expr, ...]:
    first, last = _moment(interval.first), _moment(interval.last)
    step = _number(interval.width)
    timed = isinstance(interval.first, Literal) and ":" in interval.first.text
    bounds: list[Expr] = []
    for number in range(_INTERVAL_PARTITIONS_MAX):
        moment = _later(first, step * number, interval.unit)
        bounds.append(_moment_literal(moment, timed=timed))
        if moment >= last:
            break
    return tuple(bounds)


def _moment(expr: Expr | None) -> tuple[int, int, int, int]:
    """Return (year, month, day, second of the day) of a date literal."""
    match = _DATE.match(expr.text) if isinstance(expr, Literal) else None
    if match is None:
        raise Refused(0, "INTERVAL: the bounds must be dates in quotes")
    year, month, day, *clock = (int(group or 0) for group in match.groups())
    return year, month, day, clock[0] * 3600 + clock[1] * 60 + clock[2]


def _later(moment: tuple[int, int, int, int], amount: int, unit: str) -> tuple[int, int, int, int]:
    year, month, day, second = moment
    if unit in _MONTHS:
        months = year * 12 + month - 1 + amount * _MONTHS[unit]
        year, month = months // 12, months % 12 + 1
        return year, month, min(day, monthrange(year, month)[1]), second
    if unit not in _SECONDS:
        raise Refused(0, f"INTERVAL: partitions cannot be {unit} wide")
    total = date(year, month, day).toordinal() * 86400 + second + amount * _SECONDS[unit]
    later = date.fromordinal(total // 86400)
    return later.year, later.month, later.day, total % 86400


def _moment_literal(moment: tuple[int, int, int, int], *, timed: bool) -> Expr:
    year, month, day, second = moment
    text = f"{year:04d}-{month:02d}-{day:02d}"
    if timed:
        text += f" {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return Literal(LiteralKind.STRING, text, "utf8mb4")
