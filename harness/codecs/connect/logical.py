"""What Connect's logical types are made of.

Source: Kafka 4.1 connect-api `Decimal.fromLogical`: the unscaled value as big-endian two's
complement of the fewest bytes; vectors `ubig.precise`, `tx.ordered`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from harness.codecs.connect.errors import DATA_EXCEPTION, stopped
from harness.codecs.connect.schema import Schema

DECIMAL: Final = "org.apache.kafka.connect.data.Decimal"
DATE: Final = "org.apache.kafka.connect.data.Date"
TIME: Final = "org.apache.kafka.connect.data.Time"
TIMESTAMP: Final = "org.apache.kafka.connect.data.Timestamp"
SCALE: Final = "scale"


def scale_of(schema: Schema) -> int:
    """Return a Decimal schema's scale; DataException without one."""
    text = dict(schema.parameters).get(SCALE)
    if text is None:
        raise stopped(DATA_EXCEPTION, "Invalid Decimal schema: scale parameter not found.")
    try:
        return int(text)
    except ValueError as error:
        raise stopped(
            DATA_EXCEPTION, "Invalid scale parameter found in Decimal schema: "
        ) from error


def unscaled_bytes(schema: Schema, value: Decimal) -> bytes:
    """Return a Decimal's bytes; DataException when its scale is not the schema's."""
    number, scale = unscaled(value), -_exponent(value)
    if scale != scale_of(schema):
        raise stopped(
            DATA_EXCEPTION,
            f"Decimal value has mismatching scale for given Decimal schema. Schema has scale "
            f"{scale_of(schema)}, value has scale {scale}.",
        )
    # One bit more for the sign; -128 needs none.
    size = (number if number >= 0 else ~number).bit_length() // 8 + 1
    return number.to_bytes(size, "big", signed=True)


def unscaled(value: Decimal) -> int:
    """Return a decimal's digits as a whole number."""
    sign, digits, _ = value.as_tuple()
    number = int("".join(map(str, digits)) or "0")
    return -number if sign else number


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise stopped(DATA_EXCEPTION, f"{value} is no BigDecimal")
    return exponent
