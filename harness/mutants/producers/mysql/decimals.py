"""DECIMAL and BIGINT UNSIGNED as Connect's Decimal: its name, its scale, its digits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from harness.codecs.connect.logical import DECIMAL, SCALE, scale_of, unscaled_bytes
from harness.codecs.connect.schema import UNSET, Schema
from harness.codecs.debezium.columns import Conversion
from harness.codecs.debezium_mysql.values import PRECISION
from harness.model.columns import ColumnKind
from harness.mutants.producers.mysql.edits import conversions, of, row

_MOST: Final = of(ColumnKind.BIGINT, unsigned=True)
_OTHER: Final = "org.apache.kafka.connect.data.Number"


def _with_values(found: Conversion, schema: Schema, change: Callable[[Any], Any]) -> Conversion:
    """Return the conversion with another schema and other values, its default too."""
    read, default = found.parse, found.schema.default
    if default is not UNSET and default is not None:
        schema = replace(schema, default=change(default))
    return replace(found, schema=schema, parse=lambda cell: change(read(cell)))


def _renamed(found: Conversion) -> Conversion:
    """Return the conversion by which the bytes of a Decimal travel under another name."""
    own = found.schema
    if own.name != DECIMAL:
        return found
    return _with_values(found, replace(own, name=_OTHER), lambda value: unscaled_bytes(own, value))


def _shifted(value: Decimal) -> Decimal:
    """Return the number of the same digits, of which one more stands behind the point."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return Decimal((sign, digits, exponent - 1))


def _of_a_greater_scale(found: Conversion) -> Conversion:
    """Return the conversion by which the bytes of a Decimal travel with a scale greater by 1."""
    own = found.schema
    if own.name != DECIMAL:
        return found
    greater = str(scale_of(own) + 1)
    parameters = tuple((n, greater if n == SCALE else text) for n, text in own.parameters)
    return _with_values(found, replace(own, parameters=parameters), _shifted)


def _of_19_digits(found: Conversion) -> Conversion:
    parameters = tuple(
        (name, "19" if name == PRECISION else value) for name, value in found.schema.parameters
    )
    return replace(found, schema=replace(found.schema, parameters=parameters))


ROWS: Final = (
    row(
        "decimal-by-another-name",
        "type.decimal",
        "It gives the schema of DECIMAL another name and writes its digits as bytes.",
        conversions(of(ColumnKind.DECIMAL), _renamed),
    ),
    row(
        "decimal-of-a-greater-scale",
        "type.decimal",
        "It declares a DECIMAL with a scale that is greater by 1, and writes the same digits.",
        conversions(of(ColumnKind.DECIMAL), _of_a_greater_scale),
    ),
    row(
        "unsigned-precise-of-scale-1",
        "bigint-unsigned.precise",
        "It declares the Decimal of a BIGINT UNSIGNED with scale 1, and writes the same digits.",
        conversions(_MOST, _of_a_greater_scale),
    ),
    row(
        "unsigned-precise-of-19-digits",
        "bigint-unsigned.precise",
        "It declares the Decimal of a BIGINT UNSIGNED with 19 digits.",
        conversions(_MOST, _of_19_digits),
    ),
)
