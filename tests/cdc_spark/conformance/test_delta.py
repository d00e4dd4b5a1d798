"""Promises of the production sink: real Kafka, real Delta, kill -9 at each kind of crash point."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness import services
from tests.cdc_spark.avro_messages import Publisher
from tests.cdc_spark.conformance.test_run import POISON
from tests.cdc_spark.conformance.test_run_rows import avro, marker, record
from tests.cdc_spark.conftest import quiet
from tests.cdc_spark.delta.streams import statements
from tests.cdc_spark.job_factory import Job, JobFactory
from tests.cdc_spark.messages import (
    message,
    put,
    resolved,
)
from tests.cdc_spark.registry_server import published

pytestmark = pytest.mark.spark

KILLED = -9
SETTINGS = {"provide.transaction.metadata": "true"}

STATEMENT_ROWS: dict[str, list[dict[str, Any]]] = {
    "test.u": [
        {"id": 1, "w": "a", "d": "0000-00-00", "m": "5"},
        {"id": 3, "w": "c", "d": None, "m": "5"},
        {"id": 4, "w": "x", "d": "2024-02-29", "m": "9"},
    ],
    "test.t": [{"id": 9, "v": "n", "d": None}],
    "test.loose": [{"n": "7"}, {"n": "9"}],
}


def feeds(jobs: JobFactory, source: Publisher) -> dict[str, Mapping[str, Any]]:
    """Return changefeeds of each protocol."""
    defaults = {"protocol": "avro", "complete": None}
    streams = avro(source)
    data = [record("c", None, {"id": 1, "v": "a"}, "t1", 1)]
    data.append(record("u", {"id": 1, "v": "a"}, {"id": 1, "v": "b"}, "t2", 1))
    data.append(record("c", None, {"id": 2, "v": "open"}, "t3", 1))
    ends = {**jobs.topic([[marker("t1", 1), marker("t2", 1)]]), "role": "transaction"}
    return {
        "statements": {"topics": [jobs.topic([statements()])]},
        "poisoned": {"topics": [jobs.topic([[message(put(2, 1, "a"), resolved(2)), POISON]])]},
        "avro": {**defaults, "topics": [jobs.topic([streams["avro"]])]},
        "vitess": {
            "protocol": "vitess",
            "complete": None,
            "settings": SETTINGS,
            "topics": [jobs.topic([data]), ends],
        },
    }


@pytest.fixture(scope="module")
def source() -> Publisher:
    """Return what publishes the schemas."""
    return Publisher()


@pytest.fixture(scope="module")
def registry(source: Publisher) -> Iterator[dict[str, Any]]:
    """Return the registry as job.json has it."""
    with published(source) as url:
        yield {"url": url, "properties": {}}


@pytest.fixture(scope="module")
def delta(jobs: JobFactory) -> dict[str, str]:
    """Return the environment of a run into Delta."""
    jars = [jobs.jars, *(str(path) for path in services.jars("delta", on_event=quiet))]
    return {
        "HARNESS_SPARK_SINK": "delta",
        "HARNESS_SPARK_JARS": os.pathsep.join(jars),
    }


@pytest.fixture(scope="module")
def job(
    jobs: JobFactory, source: Publisher, registry: dict[str, Any], delta: dict[str, str]
) -> Job:
    """Return a job that was killed between two writes, then before its checkpoint, then run.

    Each time the checkpoint lacks the commit: the batch comes again, at last with all written.
    """
    job = jobs.job("delta", feeds(jobs, source), registry=registry)
    commits = job.place / "work" / "checkpoint" / "commits"
    for point in ("write:5", "commit:1"):
        assert job.run(**delta, HARNESS_CRASHPOINT=point)[0] == KILLED
        assert not list(commits.glob("[0-9]*"))
    assert job.run(**delta) == (0, "")
    return job


def test_every_kind_of_ddl_keeps_the_tables(job: Job) -> None:
    """Columns and tables come, change, move and go, values stay; what is not complete waits."""
    assert job.status("statements") == {"status": "done"}
    for table, wanted in STATEMENT_ROWS.items():
        assert job.rows("statements", table) == sorted(wanted, key=repr)
    tables = job.place / "out" / "statements" / "tables"
    assert {path.stem for path in tables.iterdir()} == set(STATEMENT_ROWS)
    assert len(job.lines("statements", "ddl")) == 11


def test_each_protocol_becomes_delta_tables(job: Job) -> None:
    """Replays, shapes that rows tell and open transactions give the right tables."""
    wanted = [{"id": 2, "v": "é", "n": 7}, {"id": 3, "v": "c", "n": 1}]
    assert job.rows("avro", "shop.t") == wanted
    assert job.rows("vitess", "ks.t") == [{"id": 1, "v": "b"}]


def test_poison_stops_its_own_changefeed(job: Job) -> None:
    """The error names its place; what came before it stands, and neighbours are done."""
    status = job.status("poisoned")
    assert status["status"] == "error"
    assert "partition 0, offset 1)" in status["error"]


def versions(job: Job) -> Counter[tuple[str, str, int]]:
    """Return how often each table's log has each version of ours."""
    found: Counter[tuple[str, str, int]] = Counter()
    for log in Path(job.place, "work", "delta").rglob("_delta_log/*.json"):
        for line in log.read_text().splitlines():
            entry = json.loads(line).get("txn")
            if entry is not None:
                found[str(log.parent), entry["appId"], entry["version"]] += 1
    return found


def test_nothing_was_written_twice(job: Job) -> None:
    """Each version is in a table's history once, also where the batch that wrote it came again."""
    assert set(versions(job).values()) == {1}
