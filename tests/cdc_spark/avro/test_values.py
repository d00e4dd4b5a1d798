"""Defaults of Avro schemas as older rows have them."""

from __future__ import annotations

import pytest

from cdc_spark.avro.values import Default, default_of


@pytest.mark.parametrize(
    ("kind", "avro_type", "default", "value"),
    [
        ("FLOAT", "float", 100000002004087730000, 1.0000000200408773e20),
        ("DOUBLE", "double", 2, 2.0),
        ("INT", "int", 7, 7),
        ("BIGINT UNSIGNED", "long", -1, 2**64 - 1),
        ("INT", "int", None, None),
    ],
)
def test_a_default_is_a_value_of_its_column(
    kind: str, avro_type: str, default: object, value: Default
) -> None:
    """A float's default is a float, although JSON may write it without a point."""
    found = default_of(kind, avro_type, default)
    assert found == value
    assert type(found) is type(value)
