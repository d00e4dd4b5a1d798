"""The promise that rows of a large micro-batch are typed in tasks of their buckets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdc_spark import Changefeed
from cdc_spark.delta import sink
from cdc_spark.delta.writes import Place
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.delta.test_no_loss import CREATE, SOCKETS
from tests.cdc_spark.messages import ddl, gone, loose, message, put, resolved

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

BUCKETS, ROWS = 2, 40


@pytest.fixture
def tasks(spark: Any) -> Iterator[None]:
    """Give a shuffle as many tasks as there are buckets."""
    name = "spark.sql.shuffle.partitions"
    before = spark.conf.get(name)
    spark.conf.set(name, str(BUCKETS))
    yield
    spark.conf.set(name, before)


@pytest.mark.usefixtures("tasks")
@pytest.mark.parametrize("spread_from", [1, 10_000])
def test_rows_are_typed_in_their_buckets(
    place: Path, spark: Any, spread_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables are the same; how many tasks have rows of a table follows from how many rows."""
    used: list[tuple[str, int]] = []
    write = Place.write

    def counted(self: Place, one: Any, applied: Any) -> None:
        tasks = applied.selectExpr("spark_partition_id() AS task").distinct().count()
        used.append((one.table, tasks))
        write(self, one, applied)

    monkeypatch.setattr(Place, "write", counted)
    monkeypatch.setattr(sink, "SPREAD_FROM", spread_from)
    lab = FilesLab(place, Changefeed("open", {"t": 1}, buckets=BUCKETS))
    rows = [put(2 + at, at % ROWS, f"{at}") for at in range(2 * ROWS)]
    lab.send(message(ddl(1, CREATE, 3), *rows[:ROWS], loose(2, 7), loose(2, 7), resolved(ROWS + 1)))
    lab.send(message(*rows[ROWS:], gone(3 * ROWS, 0), loose(3 * ROWS, 7, deleted=True)))
    lab.send(message(resolved(3 * ROWS)))
    lab.run(spark)
    assert lab.rows(spark) == sorted(((at, f"{at + ROWS}") for at in range(1, ROWS)), key=repr)
    assert lab.rows(spark, "loose") == [("7",)]
    assert {tasks for table, tasks in used if table == "t"} == {BUCKETS if spread_from == 1 else 1}
