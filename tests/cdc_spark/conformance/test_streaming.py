"""The mode streaming: continuous micro-batches, ended by SIGTERM."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewPartitions

from tests.cdc_spark.job_factory import DEADLINE_S, Job, JobFactory, kill, wait_for
from tests.cdc_spark.messages import Frame, ddl, message, put, resolved

pytestmark = pytest.mark.spark

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"


@contextmanager
def streaming(jobs: JobFactory, name: str, topic: Mapping[str, Any]) -> Generator[Job]:
    """Start a job in the mode streaming; when its first micro-batch is over, let the body go on.

    When a second one is over as well it gets SIGTERM, and is to end well.
    """
    job = jobs.job(name, {"feed": {"topics": [topic]}}, mode="streaming")
    commits = job.place / "work" / "checkpoint" / "commits"
    process = job.start()
    try:
        wait_for((commits / "0").exists, process)
        yield job
        wait_for((commits / "1").exists, process)
        os.kill(process.pid, signal.SIGTERM)
        _, said = process.communicate(timeout=DEADLINE_S)
    finally:
        kill(process)
    assert (process.returncode, said) == (0, "")


def sent(jobs: JobFactory, topic: Mapping[str, Any], partition: int, *frames: Frame) -> None:
    """Send one message."""
    producer = Producer({"bootstrap.servers": jobs.bootstrap})
    key, value = message(*frames)
    producer.produce(topic["name"], key=key, value=value, partition=partition)
    assert producer.flush(DEADLINE_S) == 0


def test_a_stream_goes_on_until_it_is_stopped(jobs: JobFactory) -> None:
    """What comes behind the job's end offsets is applied, too; SIGTERM asks for the answer."""
    topic = jobs.topic([[message(ddl(1, CREATE, 3)), message(put(2, 1, "a"), resolved(3))]])
    with streaming(jobs, "streaming", topic) as job:
        sent(jobs, topic, 0, put(4, 2, "b"), resolved(5))
    assert job.status("feed") == {"status": "done"}
    assert job.rows("feed", "test.t") == [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}]


def test_a_partition_that_comes_later_is_read(jobs: JobFactory) -> None:
    """A job may name partitions that are not there yet: they are found without another start."""
    topic = jobs.topic([[message(ddl(1, CREATE, 3)), message(put(2, 1, "a"), resolved(3))]])
    grown = {**topic, "partitions": 2, "start_offsets": [0, 0], "end_offsets": [2, 1]}
    with streaming(jobs, "growing", grown) as job:
        admin = AdminClient({"bootstrap.servers": jobs.bootstrap})
        added = admin.create_partitions([NewPartitions(topic["name"], 2)])
        added[topic["name"]].result(DEADLINE_S)
        sent(jobs, topic, 1, put(3, 2, "b"), resolved(3))
    assert job.rows("feed", "test.t") == [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}]
