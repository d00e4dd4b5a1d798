"""Promises of what DDL makes of values that are stored already."""

from __future__ import annotations

from typing import Any

import pytest

from cdc_spark.apply.column_sql import column
from cdc_spark.apply.conversions import converted
from cdc_spark.apply.defaults import added
from cdc_spark.apply.schema import FAMILIES, Column
from cdc_spark.apply.values import Value, normal, settle
from cdc_spark.apply.words import words
from cdc_spark.errors import DecodingError


def defined(sql: str) -> Column:
    """Return a column from its definition."""
    return column(words(f"c {sql}"))


# Definition of an added column -> what older rows read back as.
ADDED: dict[str, Value] = {
    "INT": None,
    "INT NOT NULL": 0,
    "INT DEFAULT 5": 5,
    "BIGINT UNSIGNED DEFAULT 18446744073709551615": 18446744073709551615,
    "INT DEFAULT '7'": 7,
    "INT DEFAULT x'10'": 16,
    "BIT(3) DEFAULT b'101'": 5,
    "DECIMAL(10,2) DEFAULT 1.5": "1.50",
    "DECIMAL(10,2) NOT NULL": "0",
    "DOUBLE DEFAULT 1e3": 1000.0,
    "VARCHAR(5) DEFAULT 'a''b'": "a'b",
    "VARCHAR(5) NOT NULL": "",
    "VARCHAR(5) DEFAULT x'4142'": "AB",
    "VARBINARY(5) DEFAULT 'ab'": "6162",
    "BINARY(3) DEFAULT x'41'": "410000",
    "ENUM('a','b') NOT NULL": 1,
    "ENUM('a','b') DEFAULT 'b'": 2,
    "SET('a','b') DEFAULT 'a,b'": 3,
    "DATE DEFAULT '2024-02-29'": "2024-02-29",
    "DATETIME DEFAULT '2024-02-29'": "2024-02-29 00:00:00",
    "DATETIME NOT NULL": "0000-00-00 00:00:00",
    "JSON NOT NULL": "null",
    "YEAR NOT NULL": 0,
}

# (old definition, new definition, value) -> value after MODIFY COLUMN.
CONVERTED: list[tuple[str, str, Value, Value]] = [
    ("INT", "BIGINT", 5, 5),
    ("INT", "VARCHAR(10)", -5, "-5"),
    ("INT", "DECIMAL(10,2)", 5, "5.00"),
    ("INT", "DOUBLE", 5, 5.0),
    ("DECIMAL(10,2)", "DECIMAL(12,4)", "1.50", "1.5000"),
    ("DECIMAL(10,2)", "INT", "5.00", 5),
    ("DECIMAL(10,2)", "VARCHAR(10)", "1.50", "1.50"),
    ("VARCHAR(10)", "INT", "12", 12),
    ("VARCHAR(10)", "TEXT", "x", "x"),
    ("VARCHAR(10)", "VARBINARY(10)", "x", "78"),
    ("VARBINARY(10)", "BINARY(2)", "78", "7800"),
    ("VARBINARY(10)", "VARCHAR(10)", "78", "x"),
    ("ENUM('a','b')", "ENUM('b','a')", 1, 2),
    ("ENUM('a','b')", "VARCHAR(5)", 2, "b"),
    ("SET('a','b')", "SET('x','a','b')", 3, 6),
    ("SET('a','b')", "VARCHAR(5)", 3, "a,b"),
    ("VARCHAR(5)", "ENUM('a','b')", "b", 2),
    ("DATETIME", "DATETIME(3)", "2024-02-29 01:02:03", "2024-02-29 01:02:03.000"),
    ("DATETIME(3)", "DATETIME", "2024-02-29 01:02:03.000", "2024-02-29 01:02:03"),
    ("DATE", "DATETIME", "2024-02-29", "2024-02-29 00:00:00"),
    ("DATETIME", "DATE", "2024-02-29 00:00:00", "2024-02-29"),
    ("INT", "JSON", None, None),
]

REFUSED: list[tuple[str, str, Value]] = [
    ("DECIMAL(10,2)", "INT", "5.50"),
    ("DECIMAL(10,2)", "DECIMAL(10,1)", "5.55"),
    ("VARCHAR(10)", "INT", "x"),
    ("ENUM('a','b')", "ENUM('a')", 2),
    ("VARBINARY(5)", "VARCHAR(5)", "ff"),
    ("DATETIME(3)", "DATETIME", "2024-02-29 01:02:03.500"),
    ("DATETIME", "DATE", "2024-02-29 01:00:00"),
    ("FLOAT", "VARCHAR(20)", 1.5),
    ("JSON", "INT", "1"),
]


@pytest.mark.parametrize("definition", ADDED)
def test_added_columns(definition: str) -> None:
    """Rows from before read back the literal default, NULL, or the zero value."""
    assert added(defined(definition)) == ADDED[definition]


def test_every_family_has_a_zero_value() -> None:
    """A NOT NULL column of any kind can be added."""
    for kind in FAMILIES:
        assert added(Column("c", kind, members=("a",), nullable=False)) is not None


@pytest.mark.parametrize("definition", ["INT DEFAULT (1 + 1)", "TIMESTAMP DEFAULT NOW()"])
def test_computed_defaults_are_refused(definition: str) -> None:
    """What only the database knows is not invented."""
    with pytest.raises(DecodingError, match="known to the database only"):
        added(defined(definition))


@pytest.mark.parametrize("definition", ["INT DEFAULT 'x'", "DATE DEFAULT 20240229"])
def test_impossible_defaults_are_refused(definition: str) -> None:
    """A default that does not fit its column is an error, not a guess."""
    with pytest.raises(DecodingError, match="is not a default"):
        added(defined(definition))


@pytest.mark.parametrize(("old", "new", "before", "after"), CONVERTED)
def test_modified_columns(old: str, new: str, before: Value, after: Value) -> None:
    """A value with an exact form under the new definition takes it."""
    assert converted(defined(old), defined(new), before) == after


@pytest.mark.parametrize(("old", "new", "value"), REFUSED)
def test_inexact_conversions_are_refused(old: str, new: str, value: Value) -> None:
    """Nothing is rounded or cut."""
    with pytest.raises(DecodingError, match="no exact form"):
        converted(defined(old), defined(new), value)


def test_unknown_columns_convert_only_where_nothing_can_go_wrong() -> None:
    """Without the old definition an integer may become a wider one; text may be bytes."""
    assert converted(None, defined("BIGINT"), 5) == 5
    with pytest.raises(DecodingError, match="unknown"):
        converted(None, defined("TEXT"), "61")


# (definition, one spelling, another spelling of the same value)
SPELLINGS: list[tuple[str, Any, Any]] = [
    ("BIGINT UNSIGNED", 18446744073709551615, "18446744073709551615"),
    ("DECIMAL(10,2)", "1.5", "1.50"),
    ("DECIMAL(10,2)", "0.00", "-0.00"),
    ("DOUBLE", 1, 1.0),
    ("ENUM('a','b')", 2, "b"),
    ("SET('a','b')", 3, "a,b"),
]


@pytest.mark.parametrize(("definition", "one", "other"), SPELLINGS)
def test_equal_values_have_one_normal_text(definition: str, one: Any, other: Any) -> None:
    """A row is found under its key however the key is spelled."""
    assert normal(defined(definition), one) == normal(defined(definition), other)


def test_bytes_of_unknown_nature_are_settled_by_the_definition() -> None:
    """The same base64 is text in one column and bytes in another; without one, UTF-8 is text."""
    assert settle(defined("VARCHAR(5)"), ["6161"]) == "aa"
    assert settle(defined("VARBINARY(5)"), ["6161"]) == "6161"
    assert settle(None, ["6161"]) == "aa"
    assert settle(None, ["ff"]) == "ff"
    with pytest.raises(DecodingError):
        settle(defined("VARCHAR(5)"), ["ff"])
