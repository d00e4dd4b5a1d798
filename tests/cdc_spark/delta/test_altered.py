"""The promise of tables that are altered: a column of any type comes to a table that has rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cdc_spark
from tests.cdc_spark.delta.test_no_loss import SOCKETS, started
from tests.cdc_spark.messages import ddl, gone, message, put, resolved

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

TYPES = {
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INT": "int",
    "BIGINT": "bigint",
    "BIGINT UNSIGNED": "decimal(20,0)",
    "DOUBLE": "double",
    "DECIMAL(9,2)": "decimal(9,2)",
    "VARCHAR(9)": "string",
    "VARBINARY(9)": "binary",
    "DATE": "date",
    "DATETIME(3)": "timestamp_ntz",
}
ADDED, CHANGED = 5, 12  # codes of DDL


def altered(place: Path, spark: Any, statement: str, code: int) -> dict[str, str]:
    """Return the types of a table's columns after a statement behind its rows."""
    lab = started(place, spark)
    query = f"ALTER TABLE `test`.`t` {statement}"
    lab.send(message(gone(3, 1), put(3, 2, None), ddl(4, query, code), resolved(4)))
    lab.run(spark)
    return dict(cdc_spark.read_delta(spark, lab.root.as_uri())["test", "t"].dtypes)


def test_a_column_of_any_type_is_added(place: Path, spark: Any) -> None:
    """Also of a type that Delta has as a feature of the table."""
    added = ", ".join(f"ADD COLUMN `{sql}` {sql}" for sql in TYPES)
    types = altered(place, spark, added, code=ADDED)
    assert {sql: types[sql] for sql in TYPES} == TYPES


@pytest.mark.parametrize("sql", ["DATETIME(3)", "VARBINARY(9)"])
def test_a_column_becomes_one_of_another_type(place: Path, spark: Any, sql: str) -> None:
    """Then the table is written anew, under a schema that it did not have."""
    types = altered(place, spark, f"MODIFY COLUMN `v` {sql}", code=CHANGED)
    assert types["v"] == TYPES[sql]
