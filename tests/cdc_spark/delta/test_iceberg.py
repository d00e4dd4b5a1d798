"""The guide's writer for Iceberg: each step once, in the commit that has its number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdc_spark import Changefeed, Step
from docs.guides.examples.iceberg_tables import IcebergTables
from harness.services import sparks
from tests.cdc_spark.delta.files_lab import FilesLab, end_shared_session, started
from tests.cdc_spark.delta.test_no_loss import CREATE, SOCKETS
from tests.cdc_spark.delta.test_table_writer import ADDED, NUMBER, BrokenError, run
from tests.cdc_spark.messages import column, ddl, gone, key, message, put, resolved, row

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings(SOCKETS),
    pytest.mark.skipif(
        not sparks.RELEASES[sparks.own()].iceberg, reason="no Iceberg for this Spark is locked"
    ),
]
CATALOG = "spark.sql.catalog.lake"


@pytest.fixture(scope="module")
def lake(ended: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a session that has a catalog of Iceberg's, in the place of the shared one."""
    del ended
    end_shared_session()
    warehouse = tmp_path_factory.mktemp("lake").as_uri()
    settings = {
        CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        f"{CATALOG}.type": "hadoop",
        f"{CATALOG}.warehouse": warehouse,
        f"{CATALOG}.cache-enabled": "false",  # the query's session commits, this one reads
    }
    session = started("iceberg", **settings)
    yield session
    session.stop()


class Breaking(IcebergTables):
    """The guide's writer, that dies behind the commit of its second step of rows."""

    def rows(self, step: Step, schema: str, table: str, changes: Any) -> None:
        """Write rows; fail behind those that stand behind a statement."""
        super().rows(step, schema, table, changes)
        if step.number > 1:
            raise BrokenError


def test_each_step_is_one_commit(place: Path, lake: Any) -> None:
    """A micro-batch that comes again commits nothing that it had committed."""
    lab = FilesLab(place, Changefeed("open", {"t": 1}, buckets=2))
    lake.sql("CREATE TABLE lake.test.t (id INT, v STRING, n INT) USING iceberg")
    wide = {"u": {"id": key(3), "v": column("é"), "n": column(7, NUMBER)}}
    statement, rows = ddl(5, ADDED, 5), row(6, wide)
    lab.send(
        message(ddl(1, CREATE, 3), put(2, 1, "a"), put(2, 2, "b"), statement, rows, resolved(6))
    )
    with pytest.raises(Exception, match="t waits for a person: CREATE"):
        run(lab, lake, IcebergTables("lake"))
    done = {CREATE, ADDED}
    with pytest.raises(Exception, match="BrokenError"):
        run(lab, lake, Breaking("lake", done))
    run(lab, lake, IcebergTables("lake", done))
    assert commits(lake) == [(0, 1), (0, 3)]
    lab.send(message(gone(7, 2), put(8, 1, "x"), put(9, 1, "y"), resolved(9)))
    run(lab, lake, IcebergTables("lake", done))
    found = lake.sql("SELECT id, v, n FROM lake.test.t ORDER BY id").collect()
    assert [tuple(one) for one in found] == [(1, "y", None), (3, "é", 7)]
    assert commits(lake) == [(0, 1), (0, 3), (1, 0)]
    with pytest.raises(Exception, match="belongs to the query"):
        run(FilesLab(place, lab.changefeed, "another"), lake, IcebergTables("lake", done))


def commits(session: Any) -> list[tuple[int, int]]:
    """Return the steps that the snapshots of the table have, in their order."""
    found = session.sql("SELECT summary FROM lake.test.t.snapshots ORDER BY committed_at").collect()
    return [tuple(int(one[0][f"cdc.{name}"]) for name in ("batch", "number")) for one in found]
