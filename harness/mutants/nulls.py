"""NULL: what is taken for it, and what it is taken for."""

from __future__ import annotations

from harness.model.canonical import canonical
from harness.model.columns import CHARACTERS, INTEGERS, Column, ColumnKind
from harness.model.values import Value
from harness.mutants.mutant import NULLS, Mutant, sign
from harness.mutants.parts import Parts

_NUMBERS = INTEGERS | {ColumnKind.DECIMAL, ColumnKind.FLOAT, ColumnKind.DOUBLE}


def _default(column: Column, raw: Value) -> Value:
    default = column.default
    if raw is not None or default is None or default.is_expression or default.text is None:
        return raw
    try:
        return canonical(column, default.text)
    except ValueError:  # a literal in another spelling
        return raw


def _zero(column: Column, raw: Value) -> Value:
    return 0 if raw is None and column.kind in _NUMBERS else raw


def _empty(column: Column, raw: Value) -> Value:
    return "" if raw is None and column.kind in CHARACTERS else raw


def _falsy(column: Column, raw: Value) -> Value:
    return None if raw == 0 and column.kind in _NUMBERS and column.nullable else raw


ROWS: tuple[Mutant, ...] = (
    Mutant(
        "default-for-null",
        "nulls",
        "It puts a column's default where the row says NULL.",
        NULLS,
        Parts(value=_default),
        (sign("wrong-value", r"not NULL|not null"),),
        seen=(
            "https://github.com/airbytehq/airbyte/issues/28968",
            "https://github.com/debezium/debezium/pull/6039",
        ),
    ),
    Mutant(
        "null-is-zero",
        "nulls",
        "It reads NULL as 0 in columns of numbers.",
        NULLS,
        Parts(value=_zero),
        (sign("wrong-value", r"is .?0[.0]*.?, not (NULL|null)"),),
        seen=("https://github.com/pingcap/tiflow/issues/4736",),
    ),
    Mutant(
        "null-is-empty-text",
        "nulls",
        "It reads NULL as the empty text.",
        NULLS,
        Parts(value=_empty),
        (sign("wrong-value", r"not (NULL|null)"),),
    ),
    Mutant(
        "zero-is-null",
        "nulls",
        "It takes 0 for a value that is missing.",
        NULLS,
        Parts(value=_falsy),
        (sign("wrong-value", r"is (NULL|null), not"),),
    ),
)
