"""Promises of what `write_delta` can do: keep deleted rows, name tables in a catalog, tidy up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cdc_spark import Changefeed, UsageError, read_delta
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.delta.test_no_loss import CREATE, SOCKETS
from tests.cdc_spark.messages import column, ddl, gone, key, loose, message, put, resolved, row

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

FEED = Changefeed("open", {"t": 1})


def kept(lab: FilesLab, spark: Any, table: str = "t") -> list[tuple[Any, ...]]:
    """Return first column, commit ts and whether deleted, of all rows of a table."""
    frame = read_delta(spark, lab.root.as_uri(), versions=True)["test", table]
    found = [tuple(one) for one in frame.collect()]
    return sorted((one[0], int(one[-2]), one[-1]) for one in found)


def test_deleted_rows_stay_until_their_key_comes_again(place: Path, spark: Any) -> None:
    """With the time of what deleted them: a delete, a TRUNCATE; rows without a key too."""
    lab = FilesLab(place, FEED, options={"deletes": "soft"})
    rows = message(put(2, 1, "a"), put(2, 2, "b"), put(2, 3, "c"), loose(2, 7), loose(2, 7))
    lab.send(message(ddl(1, CREATE, 3)), rows, message(resolved(2)))
    lab.send(message(gone(3, 1), loose(3, 7, deleted=True), resolved(3)))
    lab.run(spark)
    assert lab.rows(spark) == [(2, "b"), (3, "c")]
    assert kept(lab, spark) == [(1, 3, True), (2, 2, False), (3, 2, False)]
    assert kept(lab, spark, "loose") == [("7", 2, False), ("7", 3, True)]
    lab.send(message(put(4, 1, "d"), loose(4, 7), resolved(4)))
    lab.run(spark)
    assert kept(lab, spark) == [(1, 4, False), (2, 2, False), (3, 2, False)]
    assert len(kept(lab, spark, "loose")) == 3
    lab.send(message(ddl(5, "TRUNCATE TABLE `test`.`t`", 11), put(6, 3, "e"), resolved(6)))
    lab.run(spark)
    assert lab.rows(spark) == [(3, "e")]
    assert kept(lab, spark) == [(1, 5, True), (2, 5, True), (3, 6, False)]


def test_what_becomes_of_deletes_may_change_at_a_restart(place: Path, spark: Any) -> None:
    """Rows that were kept stay kept, and out of sight, where later ones go."""
    soft = FilesLab(place, FEED, options={"deletes": "soft"})
    soft.send(message(ddl(1, CREATE, 3), put(2, 1, "a"), put(2, 2, "b"), gone(3, 1), resolved(3)))
    soft.run(spark)  # what was never there leaves nothing
    soft.send(message(put(4, 1, "a"), resolved(4)))
    soft.send(message(gone(5, 1), resolved(5)))
    soft.run(spark)
    hard = replace(soft, options={})
    hard.send(message(gone(6, 2), resolved(6)))
    hard.run(spark)
    assert hard.rows(spark) == []
    assert kept(hard, spark) == [(1, 5, True)]
    with pytest.raises(UsageError, match="deletes='never'"):
        replace(soft, options={"deletes": "never"}).run(spark)


def files_of(spark: Any, lab: FilesLab, path: str) -> tuple[int, int]:
    """Return how many files a Delta table has, and how many are in its directory."""
    place = lab.root / path
    (detail,) = spark.sql(f"DESCRIBE DETAIL delta.`{place.as_uri()}`").collect()
    # From Delta 4.4 on they stand in directories of their own.
    stored = [one for one in place.rglob("*.parquet") if "_delta_log" not in one.parts]
    return detail["numFiles"], len(stored)


def test_small_files_are_put_together_and_old_ones_go(place: Path, spark: Any) -> None:
    """Every so many micro-batches; rows, versions and what is late or double stay as they were."""
    plain = FilesLab(place, FEED, options={"deletes": "soft"})
    plain.send(message(ddl(1, CREATE, 3), put(2, 1, "a"), put(2, 2, "b"), resolved(2)))
    for number in (3, 4, 5):
        plain.send(message(put(number, number, "c"), resolved(number)))
    plain.send(message(gone(6, 1), resolved(6)))
    plain.run(spark)
    (path,) = [str(one.relative_to(plain.root)) for one in plain.root.glob("*/t-*")]
    live, there = files_of(spark, plain, path)
    before = kept(plain, spark)
    assert live > 1
    tidy = replace(plain, options={"deletes": "soft", "optimize_every": 3})
    tidy.send(message(put(6, 1, "a"), resolved(7)))  # batch 5: the sixth; a row that is late
    tidy.run(spark)
    assert files_of(spark, plain, path) == (1, there + 1)
    assert kept(plain, spark) == before
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    clean = replace(tidy, options={**tidy.options, "vacuum_h": 1e-6, "optimize_every": 1})
    try:
        clean.send(message(put(8, 2, "d"), put(8, 9, "e"), resolved(8)))
        clean.run(spark)
    finally:
        spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")
    assert files_of(spark, plain, path) == (1, 1)
    assert kept(plain, spark)[:2] == [(1, 6, True), (2, 8, False)]
    plain.send(message(put(9, 1, "f"), resolved(9)))
    plain.run(spark)
    assert [row[0] for row in plain.rows(spark)] == [1, 2, 3, 4, 5, 9]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"optimize_every": -1}, "optimize_every=-1"),
        ({"vacuum_h": 200}, "vacuum_h with optimize_every"),
        ({"optimize_every": 5, "vacuum_h": 24}, "168 or more"),
    ],
)
def test_upkeep_that_cannot_be_is_refused(
    place: Path, spark: Any, options: dict[str, Any], what: str
) -> None:
    """Before the query starts."""
    lab = FilesLab(place, FEED, options=options)
    lab.send(message(resolved(1)))
    with pytest.raises(UsageError) as found:
        lab.run(spark)
    assert what in str(found.value)


@pytest.fixture
def namespace(place: Path, spark: Any) -> Iterator[str]:
    """Return a namespace of the catalog."""
    spark.sql(f"CREATE SCHEMA sales LOCATION '{place / 'catalog'}'")
    yield "sales"
    spark.sql("DROP SCHEMA sales CASCADE")


def test_tables_have_their_names_in_the_catalog(place: Path, spark: Any, namespace: str) -> None:
    """Through DDL: a column, another name, a table of the old name, and none."""

    def shown() -> dict[str, list[tuple[Any, ...]]]:
        tables = [one["tableName"] for one in spark.sql(f"SHOW TABLES IN {namespace}").collect()]
        columns = {
            name: [one for one in spark.table(f"{namespace}.{name}").columns if one[0] != "_"]
            for name in tables
        }
        return {
            name: sorted(map(tuple, spark.table(f"{namespace}.{name}").select(*own).collect()))
            for name, own in columns.items()
        }

    lab = FilesLab(place, FEED, options={"catalog": lambda schema, name: f"sales.{schema}_{name}"})
    lab.send(message(ddl(1, CREATE, 3), put(2, 1, "a"), resolved(2)))
    lab.run(spark)
    assert shown() == {"test_t": [(1, "a")]}
    more = {"u": {"id": key(2), "v": column("b"), "w": column("c")}}
    added = "ALTER TABLE `test`.`t` ADD COLUMN `w` VARCHAR(16)"
    lab.send(message(ddl(3, added, 5), row(4, more), resolved(4)))
    renamed = "RENAME TABLE `test`.`t` TO `test`.`u`"
    lab.send(message(ddl(5, renamed, 14, table="u"), resolved(5)))
    lab.run(spark)
    assert shown() == {"test_u": [(1, "a", None), (2, "b", "c")]}
    spark.sql("DROP TABLE sales.test_u")  # by hand: the next start finds it missing
    lab.send(message(ddl(6, CREATE, 3), put(7, 3, "d"), resolved(7)))
    lab.run(spark)
    assert shown() == {"test_u": [(1, "a", None), (2, "b", "c")], "test_t": [(3, "d")]}
    lab.send(message(ddl(8, "DROP TABLE `test`.`u`", 4, table="u"), resolved(8)))
    again = ddl(9, "DROP TABLE `test`.`t`", 4), ddl(10, CREATE, 3), put(11, 4, "e"), resolved(11)
    lab.send(message(*again))
    lab.run(spark)
    assert shown() == {"test_t": [(4, "e")]}


def test_a_table_of_somebody_else_keeps_its_name(place: Path, spark: Any, namespace: str) -> None:
    """It is named, nothing is committed, and with another name the query goes on."""
    spark.sql(f"CREATE TABLE {namespace}.t (x INT) USING delta")
    lab = FilesLab(place, FEED, options={"catalog": lambda _, name: f"{namespace}.{name}"})
    lab.send(message(ddl(1, CREATE, 3), put(2, 1, "a"), resolved(2)))
    for _ in range(2):
        with pytest.raises(UsageError, match=r"sales\.t is another table"):
            lab.run(spark)
    assert spark.table(f"{namespace}.t").columns == ["x"]
    replace(lab, options={"catalog": lambda _, name: f"{namespace}.our_{name}"}).run(spark)
    assert spark.table(f"{namespace}.our_t").count() == 1


def test_two_tables_of_one_name_are_refused(place: Path, spark: Any) -> None:
    """The error names both."""
    lab = FilesLab(place, FEED, options={"catalog": lambda _schema, _name: "one"})
    lab.send(message(ddl(1, CREATE, 3), put(2, 1, "a"), loose(2, 7), resolved(2)))
    with pytest.raises(UsageError, match=r"test\.t and test\.loose have one name"):
        lab.run(spark)
