"""Whether the parts of a PARTITION BY clause fit each other, in MySQL's words.

Source: TiDB pkg/parser/ast/ddl.go, `PartitionOptions.Validate` and the clauses' `Validate`.
"""

from __future__ import annotations

from harness.ddl.expressions import DEFAULT, Expr
from harness.ddl.syntax import PartitionDef, Partitioning

_WRONG_COLUMNS = "Inconsistency in usage of column lists for partitioning"


def inconsistency(partitioning: Partitioning) -> str:
    """Return what is wrong with the clause, empty when nothing is."""
    method, definitions = partitioning.method, partitioning.definitions
    if method.count and definitions and method.count != len(definitions):
        return "Wrong number of partitions defined, mismatch with previous setting"
    if method.kind in ("RANGE", "LIST") and not definitions and method.interval is None:
        return f"For {method.kind} partitions each partition must be defined"
    if method.kind == "SYSTEM_TIME" and len(definitions) < 2:
        return "Wrong partitions: must have at least one HISTORY and exactly one last CURRENT"
    columns = len(method.columns)
    found = (_definition(method.kind, columns, definition) for definition in definitions)
    return next((wrong for wrong in found if wrong), "") or _subpartitions(partitioning)


def _subpartitions(partitioning: Partitioning) -> str:
    counts = {len(definition.subpartitions) for definition in partitioning.definitions}
    if len(counts) > 1:
        return "Wrong number of subpartitions defined, mismatch with previous setting"
    count = counts.pop() if counts else 0
    if partitioning.sub is None:
        return "It is only possible to mix RANGE/LIST partitioning with HASH/KEY" if count else ""
    if partitioning.sub.kind not in ("HASH", "KEY"):
        return "Subpartitions can only be hash partitions and by key"
    if partitioning.sub.count and count and partitioning.sub.count != count:
        return "Wrong number of subpartitions defined, mismatch with previous setting"
    return ""


def _definition(kind: str, columns: int, definition: PartitionDef) -> str:
    if definition.less_than is not None:
        return _less_than(kind, columns, definition.less_than)
    if definition.rows is not None or definition.word == "DEFAULT":
        return _rows(kind, columns, definition.rows or ())
    if definition.word:
        wrong = "Wrong partitioning type, expected type: SYSTEM_TIME"
        return "" if kind == "SYSTEM_TIME" else wrong
    if kind == "RANGE":
        return "Syntax error: RANGE PARTITIONING requires definition of VALUES LESS THAN"
    if kind == "LIST":
        return "Syntax error: LIST PARTITIONING requires definition of VALUES IN"
    return ""


def _less_than(kind: str, columns: int, bounds: tuple[Expr, ...]) -> str:
    if kind != "RANGE":
        return "Only RANGE PARTITIONING can use VALUES LESS THAN in partition definition"
    if not columns and len(bounds) != 1:
        return "Cannot have more than one value for this type of RANGE partitioning"
    return _WRONG_COLUMNS if columns and len(bounds) != columns else ""


def _rows(kind: str, columns: int, rows: tuple[tuple[Expr, ...], ...]) -> str:
    if kind != "LIST":
        return "Only LIST PARTITIONING can use VALUES IN in partition definition"
    sizes = {len(row) for row in rows if row != (DEFAULT,)}
    if len(sizes) > 1:
        return _WRONG_COLUMNS
    size = sizes.pop() if sizes else 0
    if not columns and size > 1:
        return "Row expressions in VALUES IN only allowed for multi-field column partitioning"
    return _WRONG_COLUMNS if columns and size and size != columns else ""
