"""What becomes of a stored row when its table changes shape.

A column that was added later reads back as its origin default, else NULL, else the type's zero
value (tiflow c7b2588 cdc/entry/mounter.go:853 `getDefaultOrZeroValue`). A column whose type
changed keeps its value in the new type's canonical form; what has no exact form there is refused,
not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from harness.model.canonical import canonical
from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind, Default
from harness.model.table import Table
from harness.model.values import Row, Value

MEMBERS = frozenset({ColumnKind.ENUM, ColumnKind.SET})
_ZERO_TEXT: Mapping[ColumnKind, str | int | bytes] = {
    **dict.fromkeys(INTEGERS, 0),
    **dict.fromkeys(CHARACTERS, ""),
    **dict.fromkeys(BINARIES, b""),
    ColumnKind.FLOAT: 0,
    ColumnKind.DOUBLE: 0,
    ColumnKind.DECIMAL: "0",
    ColumnKind.BIT: 0,
    ColumnKind.YEAR: 0,
    ColumnKind.ENUM: 1,
    ColumnKind.SET: 0,
    ColumnKind.DATE: "0000-00-00",
    ColumnKind.TIME: "00:00:00",
    ColumnKind.DATETIME: "0000-00-00 00:00:00",
    ColumnKind.TIMESTAMP: "0000-00-00 00:00:00",
    ColumnKind.JSON: "null",
    ColumnKind.VECTOR: "[]",
}


def default_value(column: Column, default: Default | None) -> Value:
    """Return the canonical value of a literal default; ValueError for an expression."""
    if default is None or default.text is None:
        return None
    if default.is_expression:
        raise ValueError(f"the default {default.text} of {column.name!r} is not a literal")
    if default.is_binary:
        raw = bytes.fromhex(default.text)
        if column.kind in BINARIES:
            return canonical(column, raw)
        if column.kind in CHARACTERS:
            return canonical(column, raw.decode())
        return canonical(column, int.from_bytes(raw, "big"))
    if column.kind in BINARIES:
        return canonical(column, default.text.encode())
    return canonical(column, default.text)


def zero_value(column: Column) -> Value:
    """Return the value that a NOT NULL column without a default takes in rows stored before it."""
    return canonical(column, _ZERO_TEXT[column.kind])


def added_value(column: Column) -> Value:
    """Return what a row that was stored before the column was added reads back as."""
    if column.origin_default is not None and column.origin_default.text is not None:
        return default_value(column, column.origin_default)
    return None if column.nullable else zero_value(column)


def converted(old: Column, new: Column, value: Value) -> Value:
    """Return `value` of `old` as `new` stores it; ValueError when that is not exact."""
    if value is None:
        return None if new.nullable else zero_value(new)
    if isinstance(value, bytes):
        return canonical(new, value if new.kind in BINARIES else value.decode())
    if old.kind in MEMBERS and new.kind in CHARACTERS | BINARIES | MEMBERS:
        value = _member_text(old, value)
    if new.kind in BINARIES:
        return canonical(new, _as_text(value).encode())
    if new.kind in CHARACTERS:
        return canonical(new, _as_text(value))
    return canonical(new, Decimal(str(value)) if old.kind is ColumnKind.DECIMAL else value)


def _as_text(value: Value) -> str:
    if isinstance(value, float):
        # MySQL and TiDB print the same digits as Python only where no exponent is near.
        if not value or 1e-4 <= abs(value) < 1e15:
            return repr(value).removesuffix(".0")
        raise ValueError(f"the text of {value} differs from database to database")
    return str(value)


def _member_text(column: Column, value: Value) -> str:
    number = int(value or 0)
    if column.kind is ColumnKind.ENUM:
        return column.members[number - 1] if number else ""
    return ",".join(m for bit, m in enumerate(column.members) if number >> bit & 1)


def keeps_rows(before: Table, after: Table) -> bool:
    """Return whether a table still holds its rows after a DDL statement.

    A new physical id means an empty table, as after TRUNCATE, unless the rows were copied into
    partitions, or out of them (TiDB pkg/ddl/partition.go `onReorganizePartition`).
    """
    moved = (before.partition_kind, before.partitions) != (after.partition_kind, after.partitions)
    return before.physical_id == after.physical_id or moved


def reshape(before: Table, after: Table, row: Row) -> Row:
    """Return a row of `before` as `after` stores it; raise ValueError when it has no exact form.

    Columns are matched by TiDB's column id; by the former one where a change of type rewrote the
    data.
    """
    by_id: dict[int | None, int] = {column.id: n for n, column in enumerate(before.columns)}
    values: list[Value] = []
    for column in after.columns:
        ordinal = by_id.get(column.id, by_id.get(column.former_id))
        if ordinal is None:
            values.append(added_value(column))
        else:
            old = before.columns[ordinal]
            value = row[ordinal]
            values.append(value if old == column else converted(old, column, value))
    return tuple(values)
