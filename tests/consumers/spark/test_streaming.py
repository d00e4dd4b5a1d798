"""The mode streaming: continuous micro-batches, ended by SIGTERM."""

from __future__ import annotations

import os
import signal

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewPartitions

from tests.consumers.spark.kitchen import DEADLINE_S, Kitchen, kill, wait_for
from tests.consumers.spark.messages import ddl, message, put, resolved

pytestmark = pytest.mark.spark

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"


def test_a_stream_goes_on_until_it_is_told_to_end(kitchen: Kitchen) -> None:
    """What comes behind the job's end offsets is applied, too; SIGTERM asks for the answer."""
    topic = kitchen.topic([[message(ddl(1, CREATE, 3)), message(put(2, 1, "a"), resolved(3))]])
    job = kitchen.job("streaming", {"feed": {"topics": [topic]}}, mode="streaming")
    commits = job.place / "work" / "checkpoint" / "commits"
    process = job.start()
    try:
        wait_for((commits / "0").exists, process)
        producer = Producer({"bootstrap.servers": kitchen.bootstrap})
        key, value = message(put(4, 2, "b"), resolved(5))
        producer.produce(topic["name"], key=key, value=value, partition=0)
        assert producer.flush(DEADLINE_S) == 0
        wait_for((commits / "1").exists, process)
        os.kill(process.pid, signal.SIGTERM)
        _, said = process.communicate(timeout=DEADLINE_S)
    finally:
        kill(process)
    assert (process.returncode, said) == (0, "")
    assert job.status("feed") == {"status": "done"}
    assert job.rows("feed", "test.t") == [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}]


def test_a_partition_that_comes_later_is_read(kitchen: Kitchen) -> None:
    """A job may name partitions that are not there yet: they are found without another start."""
    topic = kitchen.topic([[message(ddl(1, CREATE, 3)), message(put(2, 1, "a"), resolved(3))]])
    grown = {**topic, "partitions": 2, "start_offsets": [0, 0], "end_offsets": [2, 1]}
    job = kitchen.job("growing", {"feed": {"topics": [grown]}}, mode="streaming")
    commits = job.place / "work" / "checkpoint" / "commits"
    process = job.start()
    try:
        wait_for((commits / "0").exists, process)
        client = {"bootstrap.servers": kitchen.bootstrap}
        admin = AdminClient(client)
        added = admin.create_partitions([NewPartitions(topic["name"], 2)])
        added[topic["name"]].result(DEADLINE_S)
        producer = Producer(client)
        key, value = message(put(3, 2, "b"), resolved(3))
        producer.produce(topic["name"], key=key, value=value, partition=1)
        assert producer.flush(DEADLINE_S) == 0
        wait_for((commits / "1").exists, process)
        os.kill(process.pid, signal.SIGTERM)
        _, said = process.communicate(timeout=DEADLINE_S)
    finally:
        kill(process)
    assert (process.returncode, said) == (0, "")
    assert job.rows("feed", "test.t") == [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}]
