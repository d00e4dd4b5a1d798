"""A look into topics before a third party reads them: who writes its configuration needs one.

A job tells no types for tables that the stream creates. A person would have them from the
upstream's DDL; these adapters have them from the records, and from the registry. It needs
confluent-kafka.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from adapter import Json
from confluent_kafka import Consumer, TopicPartition

TIMEOUT_S = 30.0


def ends(topic: Json) -> dict[int, int]:
    """Return the end offset of each partition that has anything to read."""
    spans = enumerate(zip(topic["start_offsets"], topic["end_offsets"], strict=True))
    return {number: end for number, (start, end) in spans if start < end}


def records(order: Json, topic: Json) -> list[tuple[bytes | None, bytes]]:
    """Return key and value of a topic's records, without tombstones."""
    kafka = order["kafka"]["librdkafka"] | {"group.id": order["kafka"]["group_id"] + "-look"}
    consumer = Consumer(kafka | {"enable.auto.commit": False, "enable.partition.eof": True})
    starts, name = topic["start_offsets"], topic["name"]
    open_ones = set(ends(topic))
    consumer.assign([TopicPartition(name, number, starts[number]) for number in open_ones])
    found = []
    while open_ones:
        message = consumer.poll(TIMEOUT_S)
        if message is None or message.error():
            open_ones.discard(message.partition() if message else next(iter(open_ones)))
        elif message.value():
            found.append((message.key(), message.value()))
    consumer.close()
    return found


def schemas(order: Json, topic: Json, side: str) -> Iterator[Json]:
    """Yield the Avro schemas that the registry has of a topic's `key` or `value`, oldest first."""
    versions = f"{order['registry']['url']}/subjects/{topic['name']}-{side}/versions"
    try:
        for number in _get(versions):
            yield json.loads(_get(f"{versions}/{number}")["schema"])
    except urllib.error.HTTPError:
        return  # no record of it came


def _get(url: str) -> Any:  # noqa: ANN401 - JSON
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
        return json.load(answer)
