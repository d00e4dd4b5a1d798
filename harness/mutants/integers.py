"""Whole numbers: their sign, their width, and the detour through a floating-point number."""

from __future__ import annotations

import re
from collections.abc import Callable

from harness.model.columns import INTEGERS, Column, ColumnKind
from harness.model.values import Value
from harness.mutants.mutant import Mutant, of_type, sign
from harness.mutants.parts import Parts

Change = Callable[[Column, int], Value]
_DIGITS = re.compile(r"-?\d+\Z", re.ASCII)


def whole(change: Change, *kinds: ColumnKind) -> Parts:
    """Return the parts of a mutant that changes whole numbers of these kinds, all without any."""
    wanted = frozenset(kinds) or INTEGERS

    def value(column: Column, raw: Value) -> Value:
        if column.kind not in wanted:
            return raw
        # Some settings carry numbers as digits.
        number = int(raw) if isinstance(raw, str) and _DIGITS.match(raw) else raw
        if not isinstance(number, int):
            return raw
        changed = change(column, number)
        return raw if changed == number else changed

    return Parts(value=value)


def _signed(bits: int) -> Change:
    def change(column: Column, raw: int) -> Value:
        return raw - 2**bits if column.unsigned and raw >= 2 ** (bits - 1) else raw

    return change


def _narrow(column: Column, raw: int) -> Value:
    del column
    return (raw + 2**31) % 2**32 - 2**31


def _double(column: Column, raw: int) -> Value:
    del column
    return int(float(raw))


def _flag(column: Column, raw: int) -> Value:
    del column
    return int(raw != 0)


def _year(column: Column, raw: int) -> Value:
    del column
    return 2000 + raw % 100 if raw else raw


def _decimal_bits(column: Column, raw: int) -> Value:
    del column
    return int(f"{raw:b}") % 2**64


_BIGINT = {
    **of_type("bigint"),
    "avro": "avro.type.bigint avro.type.bigint.unsigned-long avro.type.bigint.unsigned-overflow"
    " avro.type.bigint.unsigned-string",
    "vitess": "vitess.type.bigint vitess.bigint-unsigned.string vitess.bigint-unsigned.long"
    " vitess.bigint-unsigned.precise",
    "debezium-mysql": "debezium-mysql.type.bigint debezium-mysql.bigint-unsigned.long"
    " debezium-mysql.bigint-unsigned.precise",
}
_WRONG = "wrong-value unreadable-value"
_ROWS_TOO = "wrong-value unreadable-value missing-row extra-row duplicate-row"
# The clause of a type ends in its name, in each protocol.
_BIGINT_SIGN = r"\.type\.bigint"

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "signed-64",
        "integers",
        "It reads BIGINT UNSIGNED as a signed number, so that what is above 2^63 turns negative.",
        _BIGINT,
        whole(_signed(64), ColumnKind.BIGINT),
        (sign(_WRONG, _BIGINT_SIGN), sign("wrong-value", r"is -\d+, not \d+")),
        seen=(
            "https://github.com/pingcap/tiflow/pull/153",
            "https://github.com/apache/flink-cdc/issues/798",
        ),
    ),
    Mutant(
        "signed-32",
        "integers",
        "It reads INT UNSIGNED as a signed number, so that what is above 2^31 turns negative.",
        {**of_type("int"), "avro": "avro.type.int.unsigned"},
        whole(_signed(32), ColumnKind.INT),
        (sign(_WRONG, r"\.type\.int\b"),),
        seen=("https://github.com/pingcap/tiflow/issues/2648",),
    ),
    Mutant(
        "signed-8",
        "integers",
        "It reads TINYINT UNSIGNED as a signed byte, so that 255 turns into -1.",
        of_type("tinyint"),
        whole(_signed(8), ColumnKind.TINYINT),
        (sign(_WRONG, r"\.type\.tinyint"),),
        seen=("https://github.com/pingcap/tiflow/issues/2648",),
    ),
    Mutant(
        "bigint-in-32-bits",
        "integers",
        "It keeps BIGINT in 32 bits and loses what is above.",
        _BIGINT,
        whole(_narrow, ColumnKind.BIGINT),
        (sign(_WRONG, _BIGINT_SIGN),),
    ),
    Mutant(
        "integers-through-double",
        "integers",
        "It reads whole numbers as a JSON number of 64-bit floating point: 2^53 + 1 becomes 2^53.",
        {**_BIGINT, "open": "open.value.bigint-exact"},
        whole(_double, ColumnKind.BIGINT),
        (sign(_ROWS_TOO, _BIGINT_SIGN),),
        seen=("https://github.com/pingcap/tiflow/issues/12064",),
    ),
    Mutant(
        "tinyint-is-boolean",
        "integers",
        "It takes every TINYINT for a truth value, 0 or 1.",
        of_type("tinyint"),
        whole(_flag, ColumnKind.TINYINT),
        (sign(_WRONG, r"\.type\.tinyint"),),
    ),
    Mutant(
        "year-of-two-digits",
        "integers",
        "It keeps the last two digits of a YEAR and takes them for this century's.",
        of_type("year"),
        whole(_year, ColumnKind.YEAR),
        (sign(_WRONG, r"\.type\.year"),),
    ),
    Mutant(
        "bit-digits-as-decimal",
        "integers",
        "It reads the binary digits of a BIT as a decimal number.",
        of_type("bit"),
        whole(_decimal_bits, ColumnKind.BIT),
        (sign(_WRONG, r"\.type\.bit\b"),),
        ("open", "avro"),
        ("https://github.com/pingcap/tiflow/pull/4790",),
    ),
)
