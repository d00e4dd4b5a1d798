"""The promise that one changefeed is the work of all cores, as Spark's own log of events has it."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from harness import services
from tests.cdc_spark.conftest import quiet
from tests.cdc_spark.job_factory import JobFactory
from tests.cdc_spark.messages import Message, ddl, message, put, resolved

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


def stages_of(jobs: JobFactory, rows: int, **environment: str) -> list[list[int]]:
    """Return the records by task of each stage that touches all rows of a changefeed."""
    each = rows // CORES
    parts: list[list[Message]] = []
    for part in range(CORES):
        puts = [message(put(2 + at, part * rows + at, "a")) for at in range(each)]
        parts.append([message(ddl(1, CREATE, 3)), *puts, message(resolved(99_999))])
    job = jobs.job(f"tasks-{rows}", {"feed": {"topics": [jobs.topic(parts)]}})
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
        **environment,
    )
    assert (code, said) == (0, "")
    assert len(job.rows("feed", "test.t")) == rows
    return [one for one in records_by_stage(log.iterdir()) if sum(one) >= rows]


def side_by_side(records: list[int]) -> bool:
    """Return whether as many tasks as cores have a fair share of the records."""
    return sum(number >= sum(records) // CORES // 2 for number in records) >= CORES


def test_every_stage_that_touches_rows_has_as_many_tasks_as_cores(jobs: JobFactory) -> None:
    """Reading, holding, folding: no stage has its rows in one task."""
    stages = stages_of(jobs, ROWS)
    assert len(stages) >= 3
    assert all(map(side_by_side, stages)), stages


def test_into_delta_only_the_numbers_are_given_by_one_task(jobs: JobFactory) -> None:
    """Reading, holding, making rows ready for the table: each has as many tasks as cores.

    Rows are numbered in the order of the whole changefeed, DDL among them: one task sorts them.
    """
    from cdc_spark.delta.sink import MANY  # noqa: PLC0415 - only where Spark is

    jars = [jobs.jars, *(str(path) for path in services.jars("delta", on_event=quiet))]
    delta = {"HARNESS_SPARK_SINK": "delta", "HARNESS_SPARK_JARS": os.pathsep.join(jars)}
    stages = stages_of(jobs, MANY + ROWS, **delta)
    assert sum(not side_by_side(records) for records in stages) == 1, stages
    assert sum(map(side_by_side, stages)) >= 3, stages
