"""Promises about what a table's log says: the same by Java and by SQL, which Connect has alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdc_spark.delta import delta_log
from cdc_spark.delta.writes import VERSION, Place
from tests.cdc_spark.delta.test_no_loss import SOCKETS

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]


def nothing(*_: object) -> None:
    """Say what Java says where there is none."""


def test_version_and_what_is_noted_by_java_and_by_sql(
    place: Path, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that is not there has noted nothing, nor has a new one; then the last note counts."""
    table = Place(spark, (place / "a`table").as_uri(), "app")
    found = [(table.log_version(), table.done())]
    table.append(spark.createDataFrame([(1,)], "id int"), 1)
    found.append((table.log_version(), table.done()))
    for number in (7, 9):
        spark.sql(f"ALTER TABLE {table.name} SET TBLPROPERTIES ('{VERSION}' = '{number}')")
    found.append((table.log_version(), table.done()))
    assert found == [(-1, 0), (0, 0), (2, 9)]
    assert delta_log._snapshot(spark, table.uri) is not None
    monkeypatch.setattr(delta_log, "_snapshot", nothing)
    assert (table.log_version(), table.done()) == (2, 9)
