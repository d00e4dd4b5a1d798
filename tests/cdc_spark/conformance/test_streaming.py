"""The mode streaming: continuous micro-batches, ended by SIGTERM."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewPartitions

from tests.cdc_spark.job_factory import DEADLINE_S, Job, JobFactory, kill, wait_for
from tests.cdc_spark.messages import Frame, ddl, message, put, resolved

pytestmark = pytest.mark.spark

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"


def sent(jobs: JobFactory, topic: Mapping[str, Any], partition: int, *frames: Frame) -> None:
    """Send one message."""
    producer = Producer({"bootstrap.servers": jobs.bootstrap})
    key, value = message(*frames)
    producer.produce(topic["name"], key=key, value=value, partition=partition)
    assert producer.flush(DEADLINE_S) == 0


@pytest.fixture(scope="module")
def job(jobs: JobFactory) -> Job:
    """Return a job whose topic grew, and got messages behind its end, before it was stopped.

    The first partition that it names is there when it starts. Each time it has done a micro-batch
    it gets something more to read; when it has done the last it gets SIGTERM, and is to end well.
    """
    topic = jobs.topic([[message(ddl(1, CREATE, 3)), message(put(2, 1, "a"), resolved(3))]])
    grown = {**topic, "partitions": 2, "start_offsets": [0, 0], "end_offsets": [2, 1]}
    job = jobs.job("streaming", {"feed": {"topics": [grown]}}, mode="streaming")
    commits = job.place / "work" / "checkpoint" / "commits"
    process = job.start()
    try:
        wait_for((commits / "0").exists, process)
        admin = AdminClient({"bootstrap.servers": jobs.bootstrap})
        added = admin.create_partitions([NewPartitions(topic["name"], 2)])
        added[topic["name"]].result(DEADLINE_S)
        sent(jobs, topic, 1, put(3, 2, "b"), resolved(5))
        wait_for((commits / "1").exists, process)
        sent(jobs, topic, 0, put(4, 3, "c"), resolved(5))
        wait_for((commits / "2").exists, process)
        os.kill(process.pid, signal.SIGTERM)
        _, said = process.communicate(timeout=DEADLINE_S)
    finally:
        kill(process)
    assert (process.returncode, said) == (0, "")
    return job


def test_a_stream_goes_on_until_it_is_stopped(job: Job) -> None:
    """What comes behind the job's end offsets is applied, too; SIGTERM asks for the answer."""
    assert job.status("feed") == {"status": "done"}
    assert {"id": 3, "v": "c"} in job.rows("feed", "test.t")


def test_a_partition_that_comes_later_is_read(job: Job) -> None:
    """A job may name partitions that are not there yet: they are found without another start."""
    rows = [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}, {"id": 3, "v": "c"}]
    assert job.rows("feed", "test.t") == rows
