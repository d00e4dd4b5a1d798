"""The promise that one changefeed is the work of all cores, as Spark's own log of events has it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.cdc_spark.job_factory import JobFactory
from tests.cdc_spark.messages import ddl, message, put, resolved

pytestmark = pytest.mark.spark

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"
CORES, ROWS = 4, 400


def records_by_stage(files: Iterable[Path]) -> list[list[int]]:
    """Return how many records the tasks of each stage read: from Kafka, from files, or shuffled."""
    found: dict[int, list[int]] = defaultdict(list)
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            event: dict[str, Any] = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                read = event["Task Metrics"]
                records = read["Input Metrics"]["Records Read"]
                records += read["Shuffle Read Metrics"]["Total Records Read"]
                found[event["Stage ID"]].append(records)
    return list(found.values())


def test_every_stage_that_touches_rows_has_as_many_tasks_as_cores(jobs: JobFactory) -> None:
    """Reading, holding, folding: no stage has its rows in one task."""
    rows = [
        [message(put(2 + at, part * ROWS + at, "a")) for at in range(ROWS // CORES)]
        for part in range(CORES)
    ]
    parts = [[message(ddl(1, CREATE, 3)), *some, message(resolved(9999))] for some in rows]
    job = jobs.job("tasks", {"feed": {"topics": [jobs.topic(parts)]}})
    log = job.place / "events"
    log.mkdir()
    settings = {
        "spark.master": f"local[{CORES}]",
        "spark.sql.shuffle.partitions": f"{CORES}",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.dir": log.as_uri(),
    }
    code, said = job.run(
        HARNESS_SPARK_CONF=json.dumps(settings),
        HARNESS_SPARK_BUCKETS=f"{CORES}",
        HARNESS_SPARK_EVENTS="0",
    )
    assert (code, said) == (0, "")
    assert len(job.rows("feed", "test.t")) == ROWS
    stages = [one for one in records_by_stage(log.iterdir()) if sum(one) >= ROWS]
    assert len(stages) >= 3
    for records in stages:
        assert sum(number >= ROWS // CORES // 2 for number in records) >= CORES, stages
