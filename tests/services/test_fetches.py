"""What was fetched is kept by topic: what happens to one consumer says nothing of another's."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from harness.services import Fetches, Services, counted

MINE, OTHER = UUID(int=1), UUID(int=2)


def test_a_restart_is_one_consumer_s() -> None:
    """Only the topics of the consumer that was killed, by name and by id, are asked for again."""
    fetches = Fetches()
    for offset in (0, 4):
        fetches.ask((one, 0, offset) for one in ("mine", MINE.bytes, "other", OTHER.bytes))
        fetches.add((one, 0, offset + 4) for one in ("mine", MINE.bytes, "other", OTHER.bytes))
    fetches.restarted({"mine", MINE.bytes})
    assert fetches.again_from("mine", MINE, 0) == 8
    assert fetches.again_from("other", OTHER, 0) is None
    fetches.ask([("mine", 0, 4), (OTHER.bytes, 0, 8)])
    assert fetches.again_from("mine", MINE, 0) == 4
    fetches.restarted({"other", OTHER.bytes})
    assert (fetches.again_from("mine", MINE, 0), fetches.again_from("other", OTHER, 0)) == (4, 8)
    assert fetches.end("other", OTHER, 0) == 8


@pytest.mark.services
def test_what_a_client_has_done_is_seen(shared: Callable[..., Services]) -> None:
    """It begins with asking where a topic ends, as Spark does; messages are handed out later."""
    name, kafka = "begins-empty", shared("kafka").kafka
    admin = AdminClient(kafka.client)
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)
    with counted(kafka) as (front, fetches):
        consumer = Consumer({**front.client, "group.id": name})
        consumer.list_topics(name, timeout=30)
        assert not fetches.begun.is_set()
        assert consumer.get_watermark_offsets(TopicPartition(name, 0), timeout=30) == (0, 0)
        assert fetches.begun.is_set()
        consumer.assign([TopicPartition(name, 0, 0)])
        assert consumer.poll(1) is None
        assert not fetches.handed.is_set()
        producer = Producer(kafka.client)
        producer.produce(name, b"one")
        producer.flush(30)
        assert consumer.poll(30) is not None
        assert fetches.handed.is_set()
        consumer.close()
