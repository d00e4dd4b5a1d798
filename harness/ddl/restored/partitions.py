"""Partitioning as TiDB writes it back.

Source: TiDB pkg/parser/ast/ddl.go, `PartitionOptions`, `PartitionMethod`, `PartitionDefinition`.
"""

from __future__ import annotations

from harness.ddl.expressions import DEFAULT, Expr, quote_name
from harness.ddl.expressions import restore_expression as expression
from harness.ddl.restored.options import table_option
from harness.ddl.syntax import (
    PartitionDef,
    Partitioning,
    PartitionInterval,
    PartitionMethod,
    SubPartition,
)


def partitioning(written: Partitioning) -> str:
    """Return a PARTITION BY clause."""
    text = f"PARTITION BY {_method(written.method)}"
    if written.method.count and not written.definitions:
        text += f" PARTITIONS {written.method.count}"
    if written.sub is not None:
        text += f" SUBPARTITION BY {_method(written.sub)}"
        text += f" SUBPARTITIONS {count}" if (count := _subpartitions(written, written.sub)) else ""
    if written.definitions:
        text += f" ({','.join(partition(definition) for definition in written.definitions)})"
    if written.update_indexes:
        pairs = (
            f"{quote_name(name)} {'GLOBAL' if is_global else 'LOCAL'}"
            for name, is_global in written.update_indexes
        )
        text += f" UPDATE INDEXES ({','.join(pairs)})"
    return text


def _subpartitions(written: Partitioning, method: PartitionMethod) -> int:
    """Return how many subpartitions a partition has, counted where nobody said it."""
    first = written.definitions[0].subpartitions if written.definitions else ()
    return method.count or len(first)


def _method(method: PartitionMethod) -> str:
    text = ("LINEAR " if method.linear else "") + method.kind
    text += f" ALGORITHM = {method.algorithm}" if method.algorithm else ""
    if method.kind == "SYSTEM_TIME":
        if method.expr is not None:
            text += f" INTERVAL {expression(method.expr)} {method.unit}"
        return text + (f" LIMIT {method.limit}" if method.limit else "")
    if method.expr is not None:
        text += f" ({expression(method.expr)})"
    else:
        text += " COLUMNS" if method.kind in ("RANGE", "LIST") else ""
        text += f" ({','.join(quote_name(name) for name in method.columns)})"
    return text + (_interval(method.interval) if method.interval else "")


def _interval(interval: PartitionInterval) -> str:
    unit = f" {interval.unit}" if interval.unit else ""
    text = f" INTERVAL ({expression(interval.width)}{unit})"
    if interval.first is not None:
        text += f" FIRST PARTITION LESS THAN ({expression(interval.first)})"
    if interval.last is not None:
        text += f" LAST PARTITION LESS THAN ({expression(interval.last)})"
    text += " NULL PARTITION" if interval.null_partition else ""
    return text + (" MAXVALUE PARTITION" if interval.max_partition else "")


def partition(definition: PartitionDef) -> str:
    """Return one partition definition."""
    text = f"PARTITION {quote_name(definition.name)}{_clause(definition)}"
    text += "".join(f" {table_option(option)}" for option in definition.options)
    if definition.subpartitions:
        text += f" ({','.join(_subpartition(sub) for sub in definition.subpartitions)})"
    return text


def _clause(definition: PartitionDef) -> str:
    if definition.less_than is not None:
        return f" VALUES LESS THAN ({', '.join(expression(e) for e in definition.less_than)})"
    if definition.rows is not None:
        if definition.rows == ((DEFAULT,),):
            return " DEFAULT"
        return f" VALUES IN ({', '.join(_row(row) for row in definition.rows)})"
    return f" {definition.word}" if definition.word else ""


def _row(row: tuple[Expr, ...]) -> str:
    if len(row) == 1:
        return expression(row[0])
    return f"({', '.join(expression(value) for value in row)})"


def _subpartition(sub: SubPartition) -> str:
    options = "".join(f" {table_option(option)}" for option in sub.options)
    return f"SUBPARTITION {quote_name(sub.name)}{options}"
