"""ENUM and SET: numbers that stand for names."""

from __future__ import annotations

from collections.abc import Callable

from harness.model.columns import Column, ColumnKind
from harness.model.values import Value
from harness.mutants.mutant import Mutant, of_type, sign
from harness.mutants.parts import Parts


def _numbers(change: Callable[[Column, int], int], kind: ColumnKind) -> Parts:
    """Return the parts of a mutant that changes the number behind a name, or names."""

    def value(column: Column, raw: Value) -> Value:
        if column.kind is not kind or not isinstance(raw, int | str):
            return raw
        number = raw if isinstance(raw, int) else _number(column, raw)
        if number is None:
            return raw
        changed = change(column, number)
        return raw if changed == number else changed

    return Parts(value=value)


def _number(column: Column, text: str) -> int | None:
    """Return the number of a member's name; None where the column has no such member."""
    if column.kind is ColumnKind.ENUM:
        return column.members.index(text) + 1 if text in column.members else None
    names = text.split(",") if text else []
    known = all(name in column.members for name in names)
    return sum(1 << column.members.index(name) for name in set(names)) if known else None


def _from_zero(column: Column, raw: int) -> int:
    del column
    return max(raw - 1, 0)


def _reversed(column: Column, raw: int) -> int:
    size = len(column.members)
    return sum(1 << (size - 1 - bit) for bit in range(size) if raw >> bit & 1)


def _first_only(column: Column, raw: int) -> int:
    del column
    return raw & -raw


_ENUM = (sign("wrong-value unreadable-value", r"\.type\.enum"),)
_SET = (sign("wrong-value unreadable-value", r"\.type\.set"),)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "enum-counted-from-zero",
        "enum and set",
        "It counts the members of an ENUM from 0, so that each value is its neighbour.",
        # A member with a comma makes a column of MariaDB one of texts to whoever reads its values.
        {
            **of_type("enum"),
            "debezium-mysql": "debezium-mysql.type.enum debezium-mysql.type.varchar",
        },
        _numbers(_from_zero, ColumnKind.ENUM),
        _ENUM,
        seen=("https://github.com/pingcap/tiflow/issues/8491",),
    ),
    Mutant(
        "set-bits-reversed",
        "enum and set",
        "It takes the highest bit of a SET for its first member.",
        of_type("set"),
        _numbers(_reversed, ColumnKind.SET),
        _SET,
        seen=("https://github.com/debezium/debezium-connector-vitess/pull/222",),
    ),
    Mutant(
        "set-of-one-member",
        "enum and set",
        "It keeps the first member of a SET and drops the others.",
        of_type("set"),
        _numbers(_first_only, ColumnKind.SET),
        _SET,
        seen=("https://github.com/vitessio/vitess/issues/15750",),
    ),
)
