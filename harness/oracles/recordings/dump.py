"""Topics of a cluster as the messages of a recording, the schemas that they name beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from harness.errors import UsageError
from harness.oracles.compare import Message
from harness.oracles.framed import SchemaOf, schema_id
from harness.oracles.topics import ASK_S, consumed
from harness.services import retried

Client = Mapping[str, str | int | float | bool]


def dumped(client: Client, topics: Sequence[str], schema_of: SchemaOf | None) -> list[Message]:
    """Return what topics hold now, by topic and partition; UsageError for one that is not there.

    Without `schema_of` frames are left as they are.
    """
    ends = _ends({**client, "log_level": 0}, topics)
    messages = sorted(
        consumed(client, ends), key=lambda one: (topics.index(one.topic), one.partition)
    )
    if schema_of is None:
        return messages
    return [
        replace(
            one,
            key_schema=_named(one.key, schema_of),
            value_schema=_named(one.value, schema_of),
        )
        for one in messages
    ]


def _ends(client: Client, topics: Sequence[str]) -> dict[TopicPartition, int]:
    admin: Any = AdminClient(dict(client))
    there = admin.list_topics(timeout=ASK_S).topics
    for topic in topics:
        if topic not in there or there[topic].error is not None:
            raise UsageError(
                f"there is no topic {topic!r}",
                expected="one of " + ", ".join(sorted(n for n in there if not n.startswith("__"))),
            )
    consumer = Consumer({**client, "group.id": "oracle", "enable.auto.commit": False})
    ends: dict[TopicPartition, int] = {}
    try:
        for topic in topics:
            for number in there[topic].partitions:
                place = TopicPartition(topic, number)
                ask = partial(consumer.get_watermark_offsets, place, timeout=ASK_S)
                low, high = retried(ask, ASK_S)
                ends[place] = high if high > low else 0
    finally:
        consumer.close()
    return ends


def _named(content: bytes | None, schema_of: SchemaOf) -> str | None:
    number = schema_id(content)
    return None if number is None else schema_of(number)
