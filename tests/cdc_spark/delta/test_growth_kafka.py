"""Promises of what grows under a running query, on Kafka: partitions, topics, tables, schemas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from cdc_spark import Changefeed, error_of, in_order, read_delta, write_delta
from cdc_spark.errors import GrowthError
from tests.cdc_spark.delta.test_no_loss import CREATE, SOCKETS
from tests.cdc_spark.job_factory import DEADLINE_S, JobFactory, Record
from tests.cdc_spark.messages import column, ddl, key, message, put, resolved, row
from tests.cdc_spark.vitess_records import change, plain

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

ELSEWHERE = "CREATE TABLE `new`.`n` (`id` INT PRIMARY KEY,`v` VARCHAR(16))"
WIDER = "ALTER TABLE `test`.`t` ADD COLUMN `w` VARCHAR(16)"


def inserted(number: int) -> tuple[bytes | None, bytes | None]:
    """Return a row's insert, as the connector for Vitess sends it."""
    return plain({"id": number}), plain(change("c", None, {"id": number, "v": "a"}))


class Growing:
    """Topics with one prefix, and a query that reads all of them by their pattern."""

    def __init__(self, jobs: JobFactory, place: Path, spark: Any) -> None:
        """Name nothing yet."""
        self.prefix = f"growing-{place.name}"
        self.client = {"bootstrap.servers": jobs.bootstrap}
        self.admin = AdminClient(self.client)
        self.place, self.spark = place, spark

    def create(self, name: str, partitions: int = 1) -> str:
        """Make a topic."""
        topic = f"{self.prefix}-{name}"
        self.admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(DEADLINE_S)
        return topic

    def grow(self, topic: str, partitions: int) -> None:
        """Give a topic more partitions."""
        self.admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(DEADLINE_S)

    def send(self, topic: str, partition: int, messages: Sequence[Record]) -> None:
        """Send messages to a partition."""
        producer = Producer(self.client)
        for one, value in messages:
            producer.produce(topic, key=one, value=value, partition=partition)
        assert producer.flush(DEADLINE_S) == 0

    def start(self, changefeed: Changefeed) -> Any:
        """Start the query, which goes on until it is stopped."""
        stream = self.spark.readStream.format("kafka").option("startingOffsets", "earliest")
        stream = stream.option("kafka.bootstrap.servers", self.client["bootstrap.servers"])
        messages = stream.option("subscribePattern", f"{re.escape(self.prefix)}-.*").load()
        writer = write_delta(
            in_order(messages, changefeed),
            changefeed,
            root=(self.place / "tables").as_uri(),
            checkpoint=(self.place / "checkpoint").as_uri(),
        )
        return writer.start()

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of all tables by their whole names."""
        found = read_delta(self.spark, (self.place / "tables").as_uri())
        return {
            ".".join(name): sorted(tuple(one) for one in frame.collect())
            for name, frame in found.items()
        }


def test_a_running_query_reads_what_comes(jobs: JobFactory, place: Path, spark: Any) -> None:
    """A partition, a table in another schema, a column, a topic that was named before."""
    lab = Growing(jobs, place, spark)
    first = lab.create("a")
    lab.send(first, 0, [message(ddl(1, CREATE, 3), put(2, 1, "a"), resolved(2))])
    query = lab.start(Changefeed("open", {first: 1, f"{lab.prefix}-b": 0}))
    try:
        query.processAllAvailable()
        lab.grow(first, 2)
        lab.send(first, 1, [message(put(3, 2, "b"), resolved(4))])
        query.processAllAvailable()
        lab.send(first, 0, [message(put(4, 3, "c"), resolved(4))])
        query.processAllAvailable()
        assert lab.rows() == {"test.t": [(1, "a"), (2, "b"), (3, "c")]}
        second = lab.create("b")
        image = {"u": {"id": key(7), "v": column("x")}}
        created = message(ddl(5, ELSEWHERE, 3, table="n", schema="new"))
        lab.send(second, 0, [created, message(row(6, image, "n", "new"), resolved(8))])
        query.processAllAvailable()
        wide = {"u": {"id": key(4), "v": column("d"), "w": column("e")}}
        for partition in (0, 1):
            lab.send(first, partition, [message(ddl(7, WIDER, 5), row(8, wide), resolved(8))])
        query.processAllAvailable()
        rows = [(1, "a", None), (2, "b", None), (3, "c", None), (4, "d", "e")]
        assert lab.rows() == {"test.t": rows, "new.n": [(7, "x")]}
    finally:
        query.stop()


def test_a_topic_that_nobody_named_is_read_after_a_restart(
    jobs: JobFactory, place: Path, spark: Any
) -> None:
    """Its pattern matches it: an error says what to declare, and not a row is lost."""
    lab = Growing(jobs, place, spark)
    first = lab.create("a")
    lab.send(first, 0, [inserted(1)])
    query = lab.start(Changefeed("vitess", {first: 1}))
    try:
        query.processAllAvailable()
        lab.grow(first, 3)
        lab.send(first, 2, [inserted(2)])
        query.processAllAvailable()
        assert [len(rows) for rows in lab.rows().values()] == [2]
        second = lab.create("b", 2)
        lab.send(second, 1, [inserted(3)])
        with pytest.raises(Exception, match="GrowthError") as failed:
            query.processAllAvailable()
    finally:
        query.stop()
    error = error_of(failed.value)
    assert isinstance(error, GrowthError)
    assert f"topic {second}, partition 1, offset 0" in str(error)
    query = lab.start(Changefeed("vitess", {first: 1, second: 1}))
    try:
        query.processAllAvailable()
        assert [len(rows) for rows in lab.rows().values()] == [3]
    finally:
        query.stop()
