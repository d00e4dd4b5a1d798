"""PARTITION BY clauses and partition definitions.

Source: TiDB pkg/parser/parser.y, `PartitionOpt`, `PartitionMethod`, `PartitionDefinition`,
`PartitionIntervalOpt`, `UpdateIndexesOpt`.
"""

from __future__ import annotations

from dataclasses import replace

from harness.ddl.errors import DdlError
from harness.ddl.expressions import DEFAULT, MAXVALUE, Compound, Expr
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.expressions import parse_expression, parse_operand
from harness.ddl.grammar.keys import parse_column_name
from harness.ddl.grammar.literals import TIME_UNITS, time_unit
from harness.ddl.grammar.options import parse_table_options
from harness.ddl.grammar.partition_rules import inconsistency
from harness.ddl.syntax import (
    PartitionDef,
    Partitioning,
    PartitionInterval,
    PartitionMethod,
    SubPartition,
)


def parse_partitioning(cursor: Cursor) -> Partitioning:
    """Return the PARTITION BY clause that must stand here."""
    at = cursor.offset
    cursor.expect("PARTITION", "BY")
    method = replace(_method(cursor), count=_count(cursor, "PARTITIONS"))
    sub = None
    if cursor.take("SUBPARTITION", "BY"):
        sub = replace(_method(cursor), count=_count(cursor, "SUBPARTITIONS"))
    definitions: tuple[PartitionDef, ...] = ()
    if cursor.sees("("):
        definitions = parse_definitions(cursor)
    if method.kind in ("HASH", "KEY") and not definitions and not method.count:
        method = replace(method, count=1)
    partitioning = Partitioning(method, sub, definitions, _update_indexes(cursor), at)
    wrong = inconsistency(partitioning)
    if wrong:
        raise DdlError.at(cursor.sql, at, wrong)
    return partitioning


def _count(cursor: Cursor, word: str) -> int:
    if not cursor.take(word):
        return 0
    at = cursor.offset
    count = cursor.number("a number of partitions")
    if not count:
        raise cursor.fail("at least 1", at=at)
    return count


def _method(cursor: Cursor) -> PartitionMethod:
    linear = cursor.take("LINEAR")
    kind = cursor.expect_any("HASH", "KEY", "RANGE", "LIST", "SYSTEM_TIME")
    if kind == "KEY":
        return _key_method(cursor, linear=linear)
    if kind == "SYSTEM_TIME":
        return _system_time(cursor)
    if kind != "HASH" and cursor.take_any("COLUMNS", "FIELDS"):
        columns = cursor.parenthesised(lambda: parse_column_name(cursor))
        method = PartitionMethod(kind, columns=columns)
    else:
        cursor.expect("(")
        method = PartitionMethod(kind, linear=linear, expr=parse_operand(cursor))
        cursor.expect(")")
    return replace(method, interval=_interval(cursor)) if kind == "RANGE" else method


def _key_method(cursor: Cursor, *, linear: bool) -> PartitionMethod:
    algorithm = 0
    if cursor.take("ALGORITHM", "="):
        algorithm = cursor.number("1 or 2")
    cursor.expect("(")
    columns: tuple[str, ...] = ()
    if not cursor.sees(")"):
        columns = cursor.list(lambda: parse_column_name(cursor))
    cursor.expect(")")
    return PartitionMethod("KEY", linear=linear, columns=columns, algorithm=algorithm)


def _system_time(cursor: Cursor) -> PartitionMethod:
    if cursor.take("INTERVAL"):
        amount = parse_expression(cursor)
        return PartitionMethod("SYSTEM_TIME", expr=amount, unit=time_unit(cursor))
    if cursor.take("LIMIT"):
        return PartitionMethod("SYSTEM_TIME", limit=cursor.number("a number of rows"))
    return PartitionMethod("SYSTEM_TIME")


def _interval(cursor: Cursor) -> PartitionInterval | None:
    at = cursor.offset
    if not cursor.take("INTERVAL"):
        return None
    cursor.expect("(")
    width = parse_operand(cursor)
    unit = time_unit(cursor) if cursor.token.upper in TIME_UNITS else ""
    cursor.expect(")")
    interval = PartitionInterval(width, unit, at=at)
    if cursor.take("FIRST", "PARTITION"):
        interval = replace(interval, first=parse_bound(cursor))
        cursor.expect("LAST", "PARTITION")
        interval = replace(interval, last=parse_bound(cursor))
    interval = replace(interval, null_partition=cursor.take("NULL", "PARTITION"))
    return replace(interval, max_partition=cursor.take("MAXVALUE", "PARTITION"))


def parse_bound(cursor: Cursor) -> Expr:
    """Return the one expression of LESS THAN (...), which must stand here."""
    cursor.expect("LESS", "THAN", "(")
    bound = parse_operand(cursor)
    cursor.expect(")")
    return bound


def parse_definitions(cursor: Cursor) -> tuple[PartitionDef, ...]:
    """Return the partition definitions in parentheses that must stand here."""
    return cursor.parenthesised(lambda: _definition(cursor))


def _definition(cursor: Cursor) -> PartitionDef:
    at = cursor.offset
    cursor.expect("PARTITION")
    definition = _values(cursor, PartitionDef(cursor.name("a partition"), at=at))
    options = parse_table_options(cursor, commas=False)
    subpartitions: tuple[SubPartition, ...] = ()
    if cursor.sees("("):
        subpartitions = cursor.parenthesised(lambda: _subpartition(cursor))
    return replace(definition, options=options, subpartitions=subpartitions)


def _values(cursor: Cursor, definition: PartitionDef) -> PartitionDef:
    if cursor.take("VALUES", "LESS", "THAN"):
        if cursor.take("MAXVALUE"):
            return replace(definition, less_than=(MAXVALUE,))
        return replace(definition, less_than=cursor.parenthesised(lambda: _bound(cursor)))
    if cursor.take("VALUES", "IN"):
        return replace(definition, rows=cursor.parenthesised(lambda: _list_row(cursor)))
    return replace(definition, word=cursor.take_any("DEFAULT", "HISTORY", "CURRENT"))


def _bound(cursor: Cursor) -> Expr:
    return MAXVALUE if cursor.take("MAXVALUE") else parse_operand(cursor)


def _list_row(cursor: Cursor) -> tuple[Expr, ...]:
    if cursor.take("DEFAULT"):
        return (DEFAULT,)
    value = _bound(cursor)
    if isinstance(value, Compound) and value.form == "row":
        return tuple(part for part in value.parts if not isinstance(part, str))
    return (value,)


def _subpartition(cursor: Cursor) -> SubPartition:
    cursor.expect("SUBPARTITION")
    name = cursor.name("a subpartition")
    return SubPartition(name, parse_table_options(cursor, commas=False))


def _update_indexes(cursor: Cursor) -> tuple[tuple[str, bool], ...]:
    if not cursor.take("UPDATE", "INDEXES"):
        return ()
    return cursor.parenthesised(lambda: _update_index(cursor))


def _update_index(cursor: Cursor) -> tuple[str, bool]:
    name = cursor.name("an index")
    return name, cursor.expect_any("GLOBAL", "LOCAL") == "GLOBAL"
