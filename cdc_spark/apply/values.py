"""Values of rows in the contract's JSON: settled, compared, and read as decimals or members.

Two spellings of one value have one `normal` text; bytes are text only where a definition, or
their being UTF-8, says so.
"""

from __future__ import annotations

from decimal import Decimal, localcontext

from cdc_spark.apply.schema import Column, Family
from cdc_spark.errors import DecodingError

Value = int | float | str | None
WireValue = int | float | str | list[str] | None
_DIGITS_MAX = 200  # more than DECIMAL(65,30) and BIGINT need


def settle(column: Column | None, value: WireValue) -> Value:
    """Return a wire value with bytes of unknown nature (`[hex]`) made text or hexadecimal.

    The definition decides; without one, bytes that are UTF-8 are text.
    """
    if not isinstance(value, list):
        return value
    raw = bytes.fromhex(value[0])
    if column is not None and column.family is Family.BYTES:
        return raw.hex()
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        if column is None:
            return raw.hex()
        raise DecodingError(f"column {column.name!r} is text but holds {raw[:20].hex()}") from error


def normal(column: Column | None, value: Value) -> str | None:
    """Return text that is equal for equal values, however they are spelled.

    A value that does not fit its definition is its own text.
    """
    try:
        return _normal(column, value)
    except (ValueError, ArithmeticError):
        return str(value)


def _normal(column: Column | None, value: Value) -> str | None:
    if value is None or (column is not None and column.family in (Family.TEXT, Family.BYTES)):
        return None if value is None else str(value)
    if column is None:
        return repr(value) if isinstance(value, float) else str(value)
    if column.family is Family.FLOAT:
        return repr(float(value))
    if column.family is Family.DECIMAL:
        return decimal_text(str(value), column.scale or 0)
    if column.family in (Family.ENUM, Family.SET) and isinstance(value, str):
        return str(member_number(column, value))
    return str(value)


def decimal_text(text: str, scale: int) -> str:
    """Return a decimal number padded to its scale; ValueError when digits would be lost."""
    with localcontext() as context:
        context.prec = _DIGITS_MAX
        number = Decimal(text)
        scaled = number.quantize(Decimal(1).scaleb(-scale))
        if scaled != number:
            raise ValueError(text)
        return f"{scaled or abs(scaled):f}"


def member_number(column: Column, text: str) -> int:
    """Return an ENUM's index or a SET's mask from member text; ValueError for other text."""
    if text.isdigit() and text not in column.members:
        return int(text)
    if column.family is Family.ENUM:
        return column.members.index(text) + 1 if text else 0
    return sum(1 << column.members.index(member) for member in text.split(",") if member)


def member_text(column: Column, value: Value) -> str:
    """Return member text for an ENUM's index or a SET's mask (member text stays as it is)."""
    number = value if isinstance(value, int) else member_number(column, str(value))
    if column.family is Family.ENUM:
        return column.members[number - 1] if number else ""
    return ",".join(name for bit, name in enumerate(column.members) if number >> bit & 1)
