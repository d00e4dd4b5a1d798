"""Promises of Delta's types: what is stored is what came, or stands beside its column."""

from __future__ import annotations

from decimal import Decimal

import pytest

from cdc_spark.apply.schema import FAMILIES, Column, Family
from cdc_spark.apply.values import Value, normal
from cdc_spark.delta.columns import Field, field_of, loaded, stored, undefined

TYPES = [
    (Column("c", "tinyint"), "tinyint"),
    (Column("c", "tinyint", unsigned=True), "smallint"),
    (Column("c", "mediumint", unsigned=True), "int"),
    (Column("c", "int", unsigned=True), "bigint"),
    (Column("c", "bigint"), "bigint"),
    (Column("c", "bigint", unsigned=True), "decimal(20,0)"),
    (Column("c", "decimal", length=38, scale=30), "decimal(38,30)"),
    (Column("c", "decimal", length=65, scale=30), "string"),
    (Column("c", "timestamp", scale=3), "timestamp_ntz"),
    (Column("c", "varbinary", length=4), "binary"),
    (Column("c", "enum", members=("a",)), "string"),
    (Column("c", "time"), "string"),
]
UNSIGNED = Column("c", "bigint", unsigned=True)
FITTING: list[tuple[Column, Value]] = [
    (Column("c", "tinyint"), -128),
    (UNSIGNED, 2**64 - 1),
    (Column("c", "bit", length=64), 2**63),
    (Column("c", "decimal", length=5, scale=2), "-123.40"),
    (Column("c", "decimal", length=65, scale=30), "1" * 30 + ".5"),
    (Column("c", "double"), 0.1),
    (Column("c", "date"), "2024-02-29"),
    (Column("c", "datetime", scale=3), "2024-02-29 23:59:59.120"),
    (Column("c", "datetime", scale=0), "0999-01-01 00:00:00"),
    (Column("c", "blob"), "00ff"),
    (Column("c", "enum", members=("a", "b")), 2),
    (Column("c", "set", members=("a", "b")), 3),
    (Column("c", "time", scale=1), "-838:59:59.9"),
    (Column("c", "json"), '{"a": 1}'),
]
UNFITTING: list[tuple[Column, Value]] = [
    (Column("c", "tinyint"), 128),
    (UNSIGNED, 10**20),
    (Column("c", "decimal", length=3, scale=1), "123.4"),
    (Column("c", "decimal", length=3, scale=1), "1.25"),
    (Column("c", "date"), "0000-00-00"),
    (Column("c", "date"), "2024-00-01"),
    (Column("c", "datetime", scale=6), "0000-00-00 00:00:00.000000"),
    (Column("c", "datetime", scale=0), "2024-01-01 00:00:00.5"),
    (Column("c", "blob"), "not hex"),
    (Column("c", "enum", members=("a",)), 7),
]


@pytest.mark.parametrize(("column", "kind"), TYPES)
def test_columns_have_types(column: Column, kind: str) -> None:
    """Each type of MySQL's has one that holds all its values, where Spark has one."""
    assert field_of(column).type == kind


def test_every_kind_has_a_type() -> None:
    """No column is without a type, and what has none of its own is text."""
    kinds = {kind: field_of(Column("c", kind)).type for kind in FAMILIES}
    texts = {kind for kind, found in kinds.items() if found == "string"}
    assert {FAMILIES[kind] for kind in texts} == {
        Family.TEXT,
        Family.ENUM,
        Family.SET,
        Family.TIME,
        Family.JSON,
        Family.VECTOR,
        Family.DECIMAL,  # one whose digits nobody told
    }


@pytest.mark.parametrize(("column", "value"), FITTING)
def test_values_come_back(column: Column, value: Value) -> None:
    """A value that fits its type is read back as it came."""
    held, rest = stored(field_of(column), value)
    assert rest is None
    assert held is not None
    assert normal(column, loaded(field_of(column), held, {})) == normal(column, value)


@pytest.mark.parametrize(("column", "value"), UNFITTING)
def test_values_without_a_typed_form_are_kept_beside(column: Column, value: Value) -> None:
    """A value that its type cannot hold is NULL there, and comes back all the same."""
    field = field_of(column)
    assert stored(field, value) == (None, value)
    assert loaded(field, None, {"c": value}) == value


def test_columns_that_nobody_defined_are_text() -> None:
    """Numbers have their digits, NULL is NULL."""
    field: Field = undefined("c")
    assert [stored(field, value)[0] for value in (2**64, "x", None)] == [str(2**64), "x", None]


def test_decimals_are_decimals() -> None:
    """A decimal is stored as a number with its scale's digits."""
    column = Column("c", "decimal", length=5, scale=2)
    assert stored(field_of(column), "1.5") == (Decimal("1.50"), None)
