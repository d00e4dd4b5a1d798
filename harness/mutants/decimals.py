"""DECIMAL: digits, scale and sign."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, InvalidOperation

from harness.model.columns import Column, ColumnKind
from harness.model.values import Value
from harness.mutants.mutant import Mutant, of_type, sign
from harness.mutants.parts import Parts

# More digits than a DECIMAL has: nothing here may be lost by rounding.
_WIDE = Context(prec=200)


def _decimals(change: Callable[[Column, Decimal], Decimal]) -> Parts:
    def value(column: Column, raw: Value) -> Value:
        if column.kind is not ColumnKind.DECIMAL or raw is None:
            return raw
        try:
            number = Decimal(str(raw))
        except InvalidOperation:
            return raw
        changed = change(column, number)
        return raw if changed == number else f"{changed:f}"

    return Parts(value=value)


def _double(column: Column, number: Decimal) -> Decimal:
    scale = column.scale or 0
    return Decimal(f"{float(number):.{scale}f}")


def _zero_padded(column: Column, number: Decimal) -> Decimal:
    """Return what the two's complement reads as when zeros are put before it."""
    scale = column.scale or 0
    unscaled = int(number.scaleb(scale, _WIDE))
    size = (unscaled.bit_length() + 8) // 8
    return Decimal(unscaled % 2 ** (8 * size)).scaleb(-scale, _WIDE)


def _unsigned(column: Column, number: Decimal) -> Decimal:
    del column
    return abs(number)


def _whole(column: Column, number: Decimal) -> Decimal:
    del column
    return Decimal(int(number))


def _scale_two(column: Column, number: Decimal) -> Decimal:
    """Return the unscaled number at the scale 2, whatever the column's is."""
    return number.scaleb((column.scale or 0) - 2, _WIDE)


_DECIMAL = {
    **of_type("decimal"),
    "avro": "avro.type.decimal avro.type.decimal.string",
    "debezium-mysql": "debezium-mysql.type.decimal debezium-mysql.decimal.string"
    " debezium-mysql.decimal.double",
}
_SIGNS = (sign("wrong-value unreadable-value", r"\.type\.decimal"),)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "decimals-through-double",
        "decimals",
        "It reads DECIMAL as a 64-bit floating-point number and loses digits beyond the 15th.",
        {**_DECIMAL, "open": "open.value.bigint-exact"},
        _decimals(_double),
        _SIGNS,
        seen=("https://github.com/pingcap/tiflow/issues/12064",),
    ),
    Mutant(
        "zero-pad-decimal",
        "decimals",
        "It fills the bytes of a DECIMAL with zeros where its sign belongs: -1 turns into 255.",
        {**_DECIMAL, "avro": "avro.value.decimal-bytes avro.type.decimal.string"},
        _decimals(_zero_padded),
        _SIGNS,
        seen=("https://github.com/spiceai/spiceai/pull/11184",),
    ),
    Mutant(
        "decimal-sign-lost",
        "decimals",
        "It loses the sign of a DECIMAL.",
        _DECIMAL,
        _decimals(_unsigned),
        _SIGNS,
        seen=("https://github.com/spiceai/spiceai/pull/11184",),
    ),
    Mutant(
        "decimal-fraction-cut",
        "decimals",
        "It keeps the whole part of a DECIMAL only.",
        _DECIMAL,
        _decimals(_whole),
        _SIGNS,
    ),
    Mutant(
        "one-scale-for-all",
        "decimals",
        "It puts the point of every DECIMAL before the last two digits, whatever its scale.",
        _DECIMAL,
        _decimals(_scale_two),
        _SIGNS,
        seen=("https://github.com/pingcap/tiflow/issues/5554",),
    ),
)
