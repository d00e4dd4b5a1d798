"""TiDB's shorthand for equally wide range partitions: INTERVAL (...) FIRST ... LAST PARTITION.

Source: TiDB pkg/parser/parser.y, `PartitionIntervalOpt`; pkg/ddl/partition.go,
`generatePartitionDefinitionsFromInterval`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from harness.ddl.errors import Refused
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.expressions import parse_operand
from harness.ddl.sql.literals import TIME_UNITS, time_unit
from harness.ddl.sql.tree import MAXVALUE, Compound, Expr, Literal, LiteralKind

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}:\d{2})?\Z")
_PARTITIONS_MAX = 8192
_NO_STEPS = "INTERVAL: the last partition must follow the first by whole steps"
_TOO_MANY = "Too many partitions (including subpartitions) were defined"


@dataclass(frozen=True, slots=True)
class PartitionInterval:
    """The shorthand; `unit` is empty for numbers."""

    width: Expr
    unit: str = ""
    first: Expr | None = None
    last: Expr | None = None
    null_partition: bool = False
    max_partition: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the shorthand as TiDB writes it, with a space before it."""
        unit = f" {self.unit}" if self.unit else ""
        text = f" INTERVAL ({self.width.restore()}{unit})"
        if self.first is not None:
            text += f" FIRST PARTITION LESS THAN ({self.first.restore()})"
        if self.last is not None:
            text += f" LAST PARTITION LESS THAN ({self.last.restore()})"
        text += " NULL PARTITION" if self.null_partition else ""
        return text + (" MAXVALUE PARTITION" if self.max_partition else "")

    def partitions(self) -> tuple[tuple[str, Expr], ...]:
        """Return name and bound of each partition that the shorthand means; Refused for none."""
        try:
            bounds = _bounds(self)
        except ValueError as error:
            raise Refused(self.at, str(error)) from None
        labels = (bound.text if isinstance(bound, Literal) else bound.restore() for bound in bounds)
        lowest = Literal(LiteralKind.INTEGER, str(-(2**63)))
        return (
            *((("P_NULL", lowest),) if self.null_partition else ()),
            *((f"P_LT_{label}", bound) for label, bound in zip(labels, bounds, strict=True)),
            *((("P_MAXVALUE", MAXVALUE),) if self.max_partition else ()),
        )


def parse_interval(cursor: Cursor) -> PartitionInterval | None:
    """Return the shorthand that starts here, None when none does."""
    at = cursor.offset
    if not cursor.take("INTERVAL"):
        return None
    width, unit = cursor.enclosed(_width)
    first = last = None
    if cursor.take("FIRST", "PARTITION"):
        first = parse_less_than(cursor)
        last = parse_less_than(cursor.expect("LAST", "PARTITION"))
    null_partition = cursor.take("NULL", "PARTITION")
    max_partition = cursor.take("MAXVALUE", "PARTITION")
    return PartitionInterval(width, unit, first, last, null_partition, max_partition, at)


def _width(cursor: Cursor) -> tuple[Expr, str]:
    width = parse_operand(cursor)
    return width, time_unit(cursor) if cursor.token.upper in TIME_UNITS else ""


def parse_less_than(cursor: Cursor) -> Expr:
    """Return the one expression of LESS THAN (...), which must stand here."""
    cursor.expect("LESS", "THAN")
    return cursor.enclosed(parse_operand)


def parse_bound(cursor: Cursor) -> Expr:
    """Return MAXVALUE or an expression, which must stand here."""
    return MAXVALUE if cursor.take("MAXVALUE") else parse_operand(cursor)


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
    text = expr.restore()
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
