"""PARTITION BY clauses and partition definitions.

Source: TiDB pkg/parser/parser.y, `PartitionOpt`, `PartitionMethod`, `PartitionDefinition`,
`UpdateIndexesOpt`; pkg/parser/ast/ddl.go, `PartitionOptions.Restore`, `PartitionOptions.Validate`
and the clauses' own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from harness.ddl.definitions.interval_partitions import (
    PartitionInterval,
    parse_bound,
    parse_interval,
)
from harness.ddl.definitions.options import TableOption, parse_table_options, restore_options
from harness.ddl.errors import DdlError
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.expressions import parse_expression, parse_operand
from harness.ddl.sql.literals import time_unit
from harness.ddl.sql.tree import (
    DEFAULT,
    MAXVALUE,
    Compound,
    Expr,
    quote_name,
    quote_names,
    restore_all,
)


@dataclass(frozen=True, slots=True)
class SubPartition:
    """One subpartition's name and options."""

    name: str
    options: tuple[TableOption, ...] = ()

    def restore(self) -> str:
        """Return the subpartition as TiDB writes it."""
        return f"SUBPARTITION {quote_name(self.name)}{restore_options(self.options)}"


@dataclass(frozen=True, slots=True)
class PartitionDef:
    """One partition: VALUES LESS THAN (`less_than`), VALUES IN (`rows`), or a bare `word`."""

    name: str
    less_than: tuple[Expr, ...] | None = None
    rows: tuple[tuple[Expr, ...], ...] | None = None
    word: str = ""
    options: tuple[TableOption, ...] = ()
    subpartitions: tuple[SubPartition, ...] = ()
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the definition as TiDB writes it."""
        text = f"PARTITION {quote_name(self.name)}{self._values()}{restore_options(self.options)}"
        if not self.subpartitions:
            return text
        return f"{text} ({','.join(sub.restore() for sub in self.subpartitions)})"

    def _values(self) -> str:
        if self.less_than is not None:
            return f" VALUES LESS THAN ({restore_all(self.less_than)})"
        if self.rows == ((DEFAULT,),):
            return " DEFAULT"
        if self.rows is not None:
            rows = (f"({restore_all(r)})" if len(r) != 1 else r[0].restore() for r in self.rows)
            return f" VALUES IN ({', '.join(rows)})"
        return f" {self.word}" if self.word else ""


@dataclass(frozen=True, slots=True)
class PartitionMethod:
    """How rows are dealt to partitions; `kind` is HASH, KEY, RANGE, LIST or SYSTEM_TIME."""

    kind: str
    linear: bool = False
    expr: Expr | None = None
    columns: tuple[str, ...] = ()
    algorithm: int = 0
    count: int = 0
    unit: str = ""
    limit: int = 0
    interval: PartitionInterval | None = None

    def restore(self) -> str:
        """Return the method as TiDB writes it, without the number of partitions."""
        text = ("LINEAR " if self.linear else "") + self.kind
        text += f" ALGORITHM = {self.algorithm}" if self.algorithm else ""
        if self.kind == "SYSTEM_TIME":
            text += f" INTERVAL {self.expr.restore()} {self.unit}" if self.expr is not None else ""
            return text + (f" LIMIT {self.limit}" if self.limit else "")
        if self.expr is not None:
            text += f" ({self.expr.restore()})"
        else:
            text += " COLUMNS" if self.kind in ("RANGE", "LIST") else ""
            text += f" ({quote_names(self.columns)})"
        return text + (self.interval.restore() if self.interval else "")


@dataclass(frozen=True, slots=True)
class Partitioning:
    """A whole PARTITION BY clause."""

    method: PartitionMethod
    sub: PartitionMethod | None = None
    definitions: tuple[PartitionDef, ...] = ()
    update_indexes: tuple[tuple[str, bool], ...] = ()
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the clause as TiDB writes it."""
        text = f"PARTITION BY {self.method.restore()}"
        if self.method.count and not self.definitions:
            text += f" PARTITIONS {self.method.count}"
        if self.sub is not None:
            # Subpartitions are counted where nobody said how many there are.
            first = self.definitions[0].subpartitions if self.definitions else ()
            count = self.sub.count or len(first)
            text += f" SUBPARTITION BY {self.sub.restore()}"
            text += f" SUBPARTITIONS {count}" if count else ""
        if self.definitions:
            text += f" {restore_definitions(self.definitions, ',')}"
        if self.update_indexes:
            pairs = (
                f"{quote_name(name)} {'GLOBAL' if is_global else 'LOCAL'}"
                for name, is_global in self.update_indexes
            )
            text += f" UPDATE INDEXES ({','.join(pairs)})"
        return text


def restore_definitions(definitions: tuple[PartitionDef, ...], separator: str = ", ") -> str:
    """Return partition definitions in parentheses, as TiDB writes them."""
    return f"({separator.join(definition.restore() for definition in definitions)})"


# ---- reading -------------------------------------------------------------------------------------


def parse_partitioning(cursor: Cursor) -> Partitioning:
    """Return the PARTITION BY clause that must stand here."""
    at = cursor.offset
    cursor.expect("PARTITION", "BY")
    method = replace(_method(cursor), count=_count(cursor, "PARTITIONS"))
    sub = None
    if cursor.take("SUBPARTITION", "BY"):
        sub = replace(_method(cursor), count=_count(cursor, "SUBPARTITIONS"))
    definitions = parse_definitions(cursor) if cursor.sees("(") else ()
    if method.kind in ("HASH", "KEY") and not definitions and not method.count:
        method = replace(method, count=1)
    update_indexes: tuple[tuple[str, bool], ...] = ()
    if cursor.take("UPDATE", "INDEXES"):
        update_indexes = cursor.parenthesised(lambda: _update_index(cursor))
    partitioning = Partitioning(method, sub, definitions, update_indexes, at)
    wrong = _inconsistency(partitioning)
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
        algorithm = cursor.number("1 or 2") if cursor.take("ALGORITHM", "=") else 0
        columns = cursor.parenthesised(cursor.column, may_be_empty=True)
        return PartitionMethod(kind, linear=linear, columns=columns, algorithm=algorithm)
    if kind == "SYSTEM_TIME":
        return _system_time(cursor)
    if kind != "HASH" and cursor.take_any("COLUMNS", "FIELDS"):
        method = PartitionMethod(kind, columns=cursor.columns())
    else:
        method = PartitionMethod(kind, linear=linear, expr=cursor.enclosed(parse_operand))
    return replace(method, interval=parse_interval(cursor)) if kind == "RANGE" else method


def _system_time(cursor: Cursor) -> PartitionMethod:
    if cursor.take("INTERVAL"):
        amount = parse_expression(cursor)
        return PartitionMethod("SYSTEM_TIME", expr=amount, unit=time_unit(cursor))
    if cursor.take("LIMIT"):
        return PartitionMethod("SYSTEM_TIME", limit=cursor.number("a number of rows"))
    return PartitionMethod("SYSTEM_TIME")


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
        return replace(definition, less_than=cursor.parenthesised(lambda: parse_bound(cursor)))
    if cursor.take("VALUES", "IN"):
        return replace(definition, rows=cursor.parenthesised(lambda: _list_row(cursor)))
    return replace(definition, word=cursor.take_any("DEFAULT", "HISTORY", "CURRENT"))


def _list_row(cursor: Cursor) -> tuple[Expr, ...]:
    if cursor.take("DEFAULT"):
        return (DEFAULT,)
    value = parse_bound(cursor)
    if isinstance(value, Compound) and value.form == "row":
        return tuple(part for part in value.parts if not isinstance(part, str))
    return (value,)


def _subpartition(cursor: Cursor) -> SubPartition:
    name = cursor.expect("SUBPARTITION").name("a subpartition")
    return SubPartition(name, parse_table_options(cursor, commas=False))


def _update_index(cursor: Cursor) -> tuple[str, bool]:
    name = cursor.name("an index")
    return name, cursor.expect_any("GLOBAL", "LOCAL") == "GLOBAL"


# ---- whether the parts fit each other, in MySQL's words ------------------------------------------

_WRONG_COLUMNS = "Inconsistency in usage of column lists for partitioning"
_WRONG_COUNT = "Wrong number of {}partitions defined, mismatch with previous setting"


def _inconsistency(partitioning: Partitioning) -> str:
    """Return what is wrong with the clause, empty when nothing is."""
    method, definitions = partitioning.method, partitioning.definitions
    if method.count and definitions and method.count != len(definitions):
        return _WRONG_COUNT.format("")
    if method.kind in ("RANGE", "LIST") and not definitions and method.interval is None:
        return f"For {method.kind} partitions each partition must be defined"
    if method.kind == "SYSTEM_TIME" and len(definitions) < 2:
        return "Wrong partitions: must have at least one HISTORY and exactly one last CURRENT"
    columns = len(method.columns)
    found = (_wrong_values(method.kind, columns, definition) for definition in definitions)
    return next((wrong for wrong in found if wrong), "") or _wrong_subpartitions(partitioning)


def _wrong_subpartitions(partitioning: Partitioning) -> str:
    counts = {len(definition.subpartitions) for definition in partitioning.definitions}
    if len(counts) > 1:
        return _WRONG_COUNT.format("sub")
    count = counts.pop() if counts else 0
    if partitioning.sub is None:
        return "It is only possible to mix RANGE/LIST partitioning with HASH/KEY" if count else ""
    if partitioning.sub.kind not in ("HASH", "KEY"):
        return "Subpartitions can only be hash partitions and by key"
    wrong = partitioning.sub.count and count and partitioning.sub.count != count
    return _WRONG_COUNT.format("sub") if wrong else ""


def _wrong_values(kind: str, columns: int, definition: PartitionDef) -> str:
    if definition.less_than is not None:
        return _wrong_less_than(kind, columns, definition.less_than)
    if definition.rows is not None or definition.word == "DEFAULT":
        return _wrong_rows(kind, columns, definition.rows or ())
    if definition.word:
        wrong = "Wrong partitioning type, expected type: SYSTEM_TIME"
        return "" if kind == "SYSTEM_TIME" else wrong
    if kind == "RANGE":
        return "Syntax error: RANGE PARTITIONING requires definition of VALUES LESS THAN"
    if kind == "LIST":
        return "Syntax error: LIST PARTITIONING requires definition of VALUES IN"
    return ""


def _wrong_less_than(kind: str, columns: int, bounds: tuple[Expr, ...]) -> str:
    if kind != "RANGE":
        return "Only RANGE PARTITIONING can use VALUES LESS THAN in partition definition"
    if not columns and len(bounds) != 1:
        return "Cannot have more than one value for this type of RANGE partitioning"
    return _WRONG_COLUMNS if columns and len(bounds) != columns else ""


def _wrong_rows(kind: str, columns: int, rows: tuple[tuple[Expr, ...], ...]) -> str:
    if kind != "LIST":
        return "Only LIST PARTITIONING can use VALUES IN in partition definition"
    sizes = {len(row) for row in rows if row != (DEFAULT,)}
    if len(sizes) > 1:
        return _WRONG_COLUMNS
    size = sizes.pop() if sizes else 0
    if not columns and size > 1:
        return "Row expressions in VALUES IN only allowed for multi-field column partitioning"
    return _WRONG_COLUMNS if columns and size and size != columns else ""
