"""The promise of results that are read without Spark: they are what Delta reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdc_spark.conformance import delta_results
from cdc_spark.delta import ledger
from cdc_spark.delta.sketch import load
from cdc_spark.delta.writes import Place
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.delta.test_killed import ROWS, filled
from tests.cdc_spark.delta.test_no_loss import SOCKETS
from tests.cdc_spark.messages import gone, loose, message, resolved

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]


def by_both(
    lab: FilesLab, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> list[list[tuple[int, str]]]:
    """Return all rows of a lab's tables, as the log has them and as Delta has them."""
    known = ledger.load(Place(spark, f"{lab.root.as_uri()}/{ledger.NAME}", "test"))
    sketches = [load(text) for texts in known.tables.values() for text in texts]
    tables = [
        (number, one, Place(spark, f"{lab.root.as_uri()}/{one.path}", "test"))
        for number, one in enumerate(sketches)
        if one.made
    ]
    assert len(tables) == 2
    assert all(delta_results.small_table(place.uri) for _, _, place in tables)
    small = sorted(delta_results.table_rows(tables))
    monkeypatch.setattr(delta_results, "small_table", lambda _: None)
    return [small, sorted(delta_results.table_rows(tables))]


def test_small_tables_are_read_as_delta_reads_them(
    place: Path, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever their logs have: rows that were merged and went, columns that came and were renamed.

    The rows in files that the log has taken back, and the names of columns in files, are others.
    """
    lab = filled(place)
    lab.send(message(gone(9, 1), loose(9, 7, deleted=True), resolved(9)))
    lab.run(spark)
    by_log, by_delta = by_both(lab, spark, monkeypatch)
    assert by_log == by_delta
    assert len(by_log) == (len(ROWS) - 1) + 2


def test_what_only_delta_reads_is_left_to_it(place: Path, spark: Any) -> None:
    """A checkpoint of the log, and rows that a vector of deletions hides."""
    vectors = place / "vectors"
    name = f"delta.`{vectors}`"
    properties = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    spark.sql(f"CREATE TABLE {name} (`id` INT) USING delta {properties}")
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id FROM range(9)")
    assert delta_results.small_table(vectors.as_uri()) is not None
    spark.sql(f"DELETE FROM {name} WHERE id = 3")
    assert delta_results.small_table(vectors.as_uri()) is None
    often = place / "often"
    frame = spark.range(1)
    frame.write.format("delta").option("delta.checkpointInterval", "1").save(often.as_uri())
    frame.write.format("delta").mode("append").save(often.as_uri())
    assert delta_results.small_table(often.as_uri()) is None
