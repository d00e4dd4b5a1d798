"""The promise that nothing is lost, with Kafka's own offsets; and what the health command says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

import cdc_spark
from cdc_spark import Changefeed
from cdc_spark.errors import PoisonError
from tests.cdc_spark.delta.files_lab import FilesLab
from tests.cdc_spark.delta.test_no_loss import FIRST, POISON, SOCKETS, later
from tests.cdc_spark.job_factory import DEADLINE_S, JobFactory
from tests.cdc_spark.messages import Message, message, put

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(SOCKETS)]

HEADERS = [("h", b"\0\xff")]


def produce(jobs: JobFactory, topic: str, *messages: Message) -> None:
    """Send messages with headers to partition 0."""
    producer = Producer({"bootstrap.servers": jobs.bootstrap})
    for key, value in messages:
        producer.produce(topic, key=key, value=value, partition=0, headers=HEADERS)
    assert producer.flush(DEADLINE_S) == 0


def test_poison_in_kafka_fails_every_start_until_it_is_skipped(
    jobs: JobFactory, place: Path, spark: Any
) -> None:
    """Rows that come between the starts are there in the end; the letter can be sent again."""
    topic = jobs.topic([[FIRST]])["name"]
    options = {"kafka.bootstrap.servers": jobs.bootstrap, "includeHeaders": "true"}
    stream = spark.readStream.format("kafka").options(**options, subscribe=topic)
    messages = stream.option("startingOffsets", "earliest").load()
    lab = FilesLab(place, Changefeed("open", {topic: 1}))
    lab.apply(messages)
    produce(jobs, topic, later(3, "b"), POISON, later(4, "c"), message(put(9, 9, "held")))
    for number in (5, 6):
        with pytest.raises(PoisonError, match=f"topic {topic}, partition 0, offset 2"):
            lab.apply(messages)
        produce(jobs, topic, later(number, "d"))
    where = (place / "checkpoint").as_uri()
    stopped = cdc_spark.health(where)
    assert (stopped["batch"], stopped["begun"]) == (0, 1)
    assert stopped["partitions"] == [{"topic": topic, "partition": 0, "read": 1, "planned": 5}]
    lab.differing(skip=[(topic, 0, 2)]).apply(messages)
    assert [row[0] for row in lab.rows(spark)] == [1, 3, 4, 5, 6]
    found = cdc_spark.health(where, spark=spark, root=lab.root.as_uri())
    assert found["partitions"] == [
        {"topic": topic, "partition": 0, "read": 7, "held": 1, "watermark": 6}
    ]
    assert (found["begun"], found["dead_letters"], found["tables"]["number"]) == (None, 1, 1)
    assert found["state"]["oldest_held"] == 9
    letters = cdc_spark.read_dead_letters(spark, lab.root.as_uri())
    again = letters.select("topic", "partition", "key", "value", "headers")
    again.write.format("kafka").options(**options).save()
    sent = spark.read.format("kafka").options(**options, subscribe=topic).load()
    (letter, last) = sent.where("offset IN (2, 7)").orderBy("offset").collect()
    assert (letter.key, letter.value, letter.headers) == (last.key, last.value, last.headers)
    assert [(one.key, bytes(one.value)) for one in letter.headers] == HEADERS
    assert cdc_spark.decode_open(letters, poison="dead_letter").count() == 1
