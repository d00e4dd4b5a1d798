"""Promises of tables that are altered: by any type of column, and in the batch that makes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cdc_spark
from cdc_spark import Changefeed
from cdc_spark.delta.born import SETTING
from cdc_spark.errors import UsageError
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.delta.streams import between
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


def in_order(frame: Any) -> list[str]:
    """Return all rows of a table, whatever the order of its columns."""
    return sorted(str(sorted(row.asDict().items())) for row in frame.collect())


def test_a_new_table_is_one_commit_or_one_of_each_operation(place: Path, spark: Any) -> None:
    """Its rows are the same, whether what comes between them is done in memory or in Delta."""
    rows, commits = [], []
    for few in ("0", "10000"):
        lab = FilesLab(place / few, Changefeed("open", {"t": 1}), options={"deletes": "soft"})
        lab.send(*between())
        spark.conf.set(SETTING, few)
        try:
            lab.run(spark)
        finally:
            spark.conf.unset(SETTING)
        tables = cdc_spark.read_delta(spark, lab.root.as_uri(), versions=True)
        rows.append({name: in_order(held) for name, held in tables.items()})
        logs = lab.root.rglob("_delta_log/*.json")
        commits.append(sum(not one.parents[1].name.startswith("_") for one in logs))
    assert rows[0] == rows[1]
    assert set(rows[0]) == {("test", "t"), ("test", "loose"), ("test", "p")}
    assert commits[1] == 3 < commits[0]


def test_a_number_of_changes_that_is_none_is_refused(place: Path, spark: Any) -> None:
    """Before anything is written."""
    spark.conf.set(SETTING, "many")
    try:
        with pytest.raises(UsageError, match="newTableChanges is 'many'"):
            started(place, spark)
    finally:
        spark.conf.unset(SETTING)
