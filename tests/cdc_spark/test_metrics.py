"""Promises of the figures: what a batch read and applied, and how far behind it is."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cdc_spark.messages import ddl, message, put, resolved
from tests.cdc_spark.vitess_records import change, plain

# PySpark's client leaves sockets to its collector; one may be collected while any test runs.
SOCKETS = "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"
BASE = (1_700_000_000_000 << 18) + 1
WAIT_S = 60.0


def test_figures_are_those_of_the_batches(spark: Any, tmp_path: Path) -> None:
    """Rows, DDL and poison are counted once, whatever the buckets; lag is to the resolved ts."""
    from cdc_spark import CdcSparkError, Changefeed, Metrics  # noqa: PLC0415 - only where Spark is
    from tests.cdc_spark.delta.files_lab import FilesLab  # noqa: PLC0415 - as above

    heard: list[Any] = []
    listener = Metrics(heard.append)
    spark.streams.addListener(listener)
    lab = FilesLab(tmp_path, Changefeed("open", {"t": 1}, poison="dead_letter", buckets=3))
    first = message(ddl(BASE, CREATE, 3), put(BASE + 1, 1, "a"), put(BASE + 2, 2, "b"))
    lab.send(first, (b"not", b"ours"), message(put(BASE + 9, 3, "held"), resolved(BASE + 5)))
    lab.send(message(put(BASE + 1, 1, "a"), resolved(BASE + 5)))
    try:
        lab.run(spark)
        until(lambda: [one["event"] for one in heard].count("ended") == 1)
        batches = [one for one in heard if one["event"] == "batch" and one["rows_read"]]
        assert [one["rows_read"] for one in batches] == [3, 1]
        assert [one["rows_applied"] for one in batches] == [2, 0]
        assert [one["ddl_read"] for one in batches] == [1, 0]
        assert [one["ddl_applied"] for one in batches] == [1, 0]
        assert [one["poison"] for one in batches] == [1, 0]
        assert [one["resolved_read"] for one in batches] == [1, 1]
        assert [one["resolved_ts"] for one in batches] == [BASE + 5] * 2
        assert [one["newest_ts"] for one in batches] == [BASE + 9, BASE + 1]
        assert all(one["lag_seconds"] > 1_000_000 for one in batches)
        assert all(one["seconds"] > 0 and one["messages"] for one in batches)
        heard.clear()
        lab.send((b"not", b"ours"))
        with pytest.raises(CdcSparkError, match="partition 0, offset 4"):
            lab.differing(poison="fail").run(spark)
        until(lambda: [one["event"] for one in heard].count("ended") == 1)
        (ended,) = (one for one in heard if one["event"] == "ended")
        assert "partition 0, offset 4" in ended["error"]
    finally:
        spark.streams.removeListener(listener)


def test_rows_that_are_netted_where_they_are_decoded_are_read(spark: Any, tmp_path: Path) -> None:
    """All are counted as read, and the last of each key takes effect."""
    from cdc_spark import Changefeed, Metrics  # noqa: PLC0415 - only where Spark is
    from tests.cdc_spark.delta.files_lab import FilesLab  # noqa: PLC0415 - as above

    heard: list[Any] = []
    listener = Metrics(heard.append)
    spark.streams.addListener(listener)
    lab = FilesLab(tmp_path, Changefeed("vitess", {"t": 1}, net=True, buckets=2))
    rows = [{"id": at % 3, "v": f"{at}"} for at in range(90)]
    lab.send(*((plain({"id": row["id"]}), plain(change("c", None, row))) for row in rows))
    try:
        lab.run(spark)
        until(lambda: [one["event"] for one in heard].count("ended") == 1)
        (batch,) = (one for one in heard if one["event"] == "batch")
        assert (batch["rows_read"], batch["rows_applied"]) == (90, 3)
    finally:
        spark.streams.removeListener(listener)


def test_a_partition_that_is_silent_gives_no_lag() -> None:
    """The resolved ts is the least of all partitions, and unknown before each has one."""
    from cdc_spark.figures import BATCH, READ, figures  # noqa: PLC0415 - only where Spark is

    known: dict[str, int] = {}
    seen = progress({f"{READ} t": {"rows_read": 1, "resolved_0_0": at(BASE), "resolved_0_1": None}})
    first = figures(seen, known)
    assert (first["resolved_ts"], first["lag_seconds"]) == (None, None)
    seen = progress({f"{READ} t": {"resolved_0_0": None, "resolved_0_1": at(BASE + 1)}})
    second = figures(seen, known)
    assert second["resolved_ts"] == BASE
    assert second["lag_seconds"] == pytest.approx(100.0, abs=0.001)
    assert set(first) == set(BATCH)


def test_vitess_s_times_are_milliseconds() -> None:
    """Without resolved events the lag is to the newest row."""
    from cdc_spark.figures import READ, figures  # noqa: PLC0415 - only where Spark is

    found = figures(progress({f"{READ} t": {"newest": at(1_700_000_000_000)}}), {})
    assert found["lag_seconds"] == 100.0
    assert found["behind"] == 7


def test_a_line_of_json_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Without a function of one's own the logger has the figures."""
    from cdc_spark.metrics import LOGGER, log  # noqa: PLC0415 - only where Spark is

    with caplog.at_level(logging.INFO, LOGGER):
        log({"event": "started", "query": "q"})
    assert json.loads(caplog.messages[0]) == {"event": "started", "query": "q"}


def at(ts: int) -> int:
    """Return a commit ts as the plan has it."""
    return ts - 2**63


def progress(observed: dict[str, Any]) -> dict[str, Any]:
    """Return a progress as Spark writes it."""
    return {
        "id": "i",
        "name": None,
        "batchId": 3,
        "timestamp": "2023-11-14T22:15:00.000Z",
        "numInputRows": 1,
        "durationMs": {"triggerExecution": 1500},
        "sources": [{"endOffset": {"t": {"0": 3}}, "latestOffset": {"t": {"0": 8, "1": 2}}}],
        "stateOperators": [],
        "observedMetrics": observed,
    }


def until(reached: Callable[[], bool]) -> None:
    """Wait for what Spark tells its listeners in its own time."""
    end = time.monotonic() + WAIT_S
    while not reached() and time.monotonic() < end:
        time.sleep(0.02)
    assert reached()
