"""The specifications of ALTER TABLE that are about partitions.

Source: TiDB pkg/parser/parser.y, `AlterTableSpec`, `AlterTablePartitionOpt`.
"""

from __future__ import annotations

from harness.ddl.alterations import (
    AddPartitions,
    Alteration,
    CoalescePartitions,
    DropPartitions,
    ExchangePartition,
    PartitionBy,
    PartitionPlacement,
    PlainSpec,
    RemovePartitioning,
    ReorganizePartitions,
    TruncatePartitions,
)
from harness.ddl.expressions import quote_name, restore_expression
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.options import parse_table_options
from harness.ddl.grammar.partitions import parse_bound, parse_definitions, parse_partitioning


def _no_binlog(cursor: Cursor) -> bool:
    return bool(cursor.take_any("NO_WRITE_TO_BINLOG", "LOCAL"))


def _names(cursor: Cursor) -> tuple[str, ...]:
    """Return partition names, or none for ALL."""
    if cursor.take("ALL"):
        return ()
    return cursor.list(lambda: cursor.name("a partition"))


def add_partition(cursor: Cursor) -> Alteration:
    """Read ADD PARTITION, of which ADD is read."""
    at = cursor.offset
    cursor.expect("PARTITION")
    guarded = cursor.if_not_exists()
    no_binlog = _no_binlog(cursor)
    if cursor.take("PARTITIONS"):
        return AddPartitions(None, cursor.number("a number of partitions"), guarded, no_binlog, at)
    definitions = parse_definitions(cursor) if cursor.sees("(") else None
    return AddPartitions(definitions, 0, guarded, no_binlog, at)


def drop_partition(cursor: Cursor) -> Alteration:
    """Read DROP PARTITION, of which DROP is read."""
    at = cursor.offset
    cursor.expect("PARTITION")
    guarded = cursor.if_exists()
    return DropPartitions(cursor.list(lambda: cursor.name("a partition")), guarded, at)


def truncate(cursor: Cursor) -> Alteration:
    """Read TRUNCATE PARTITION."""
    at = cursor.offset
    cursor.expect("TRUNCATE", "PARTITION")
    return TruncatePartitions(_names(cursor), at)


def coalesce(cursor: Cursor) -> Alteration:
    """Read COALESCE PARTITION."""
    at = cursor.offset
    cursor.expect("COALESCE", "PARTITION")
    no_binlog = _no_binlog(cursor)
    return CoalescePartitions(cursor.number("a number of partitions"), no_binlog, at)


def exchange(cursor: Cursor) -> Alteration:
    """Read EXCHANGE PARTITION ... WITH TABLE."""
    at = cursor.offset
    cursor.expect("EXCHANGE", "PARTITION")
    name = cursor.name("a partition")
    cursor.expect("WITH", "TABLE")
    table = cursor.table()
    validation = not cursor.take("WITHOUT", "VALIDATION")
    if validation:
        cursor.take("WITH", "VALIDATION")
    return ExchangePartition(name, table, validation, at)


def reorganize(cursor: Cursor) -> Alteration:
    """Read REORGANIZE PARTITION ... INTO."""
    at = cursor.offset
    cursor.expect("REORGANIZE", "PARTITION")
    no_binlog = _no_binlog(cursor)
    if not cursor.sees_name():
        return ReorganizePartitions((), (), no_binlog, at)
    names = cursor.list(lambda: cursor.name("a partition"))
    cursor.expect("INTO")
    return ReorganizePartitions(names, parse_definitions(cursor), no_binlog, at)


def partition_by(cursor: Cursor) -> Alteration:
    """Read PARTITION BY."""
    return PartitionBy(parse_partitioning(cursor))


def remove_partitioning(cursor: Cursor) -> Alteration:
    """Read REMOVE PARTITIONING."""
    at = cursor.offset
    cursor.expect("REMOVE", "PARTITIONING")
    return RemovePartitioning(at)


def placement(cursor: Cursor, name: str) -> Alteration:
    """Read the options after PARTITION `name`."""
    at = cursor.offset
    options = parse_table_options(cursor, commas=False)
    if not options:
        raise cursor.fail("ATTRIBUTES or PLACEMENT POLICY")
    return PartitionPlacement(name, options, at)


_WITHOUT_BINLOG = frozenset({"OPTIMIZE", "REPAIR", "REBUILD"})


def administer(cursor: Cursor) -> Alteration:
    """Read CHECK, OPTIMIZE, REPAIR, REBUILD, IMPORT or DISCARD PARTITION."""
    verb = cursor.next().upper
    cursor.expect("PARTITION")
    word = "NO_WRITE_TO_BINLOG " if verb in _WITHOUT_BINLOG and _no_binlog(cursor) else ""
    names = ",".join(quote_name(name) for name in _names(cursor)) or "ALL"
    tail = ""
    if verb in ("IMPORT", "DISCARD"):
        cursor.expect("TABLESPACE")
        tail = " TABLESPACE"
    return PlainSpec(f"{verb} PARTITION {word}{names}{tail}")


_EDGES = {
    "FIRST": ("FIRST", "PARTITION"),
    "LAST": ("LAST", "PARTITION"),
    "SPLIT": ("SPLIT", "MAXVALUE", "PARTITION"),
    "MERGE": ("MERGE", "FIRST", "PARTITION"),
}


def interval_edge(cursor: Cursor) -> Alteration:
    """Read TiDB's shorthands for interval partitions: FIRST, LAST, SPLIT MAXVALUE, MERGE FIRST."""
    words = _EDGES[cursor.token.upper]
    cursor.expect(*words)
    bound = restore_expression(parse_bound(cursor))
    _no_binlog(cursor)
    return PlainSpec(f"{' '.join(words)} LESS THAN ({bound})")
