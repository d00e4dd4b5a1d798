"""Topics as an oracle sees them: how far they are filled, what they hold, and their removal."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    NewTopic,  # pyright: ignore[reportPrivateImportUsage]
    OffsetSpec,  # pyright: ignore[reportPrivateImportUsage]
)

from harness.errors import REACH_KAFKA, SetupError, plural
from harness.oracles.compare import Message

# Seconds that a busy broker may take.
ASK_S: Final = 120.0
READ_S: Final = 180.0
FILLED: Final = ("harness.filled", b"")


class Topics:
    """The topics of one broker whose names begin with a play's name and a point."""

    def __init__(self, client: Mapping[str, str | int | float | bool]) -> None:
        """Take a client's properties."""
        self._client: dict[str, str | int | float | bool] = {**client, "log_level": 0}
        # Any: what the client's futures hold has no type.
        self._admin: Any = AdminClient(self._client)

    def ends(self, names: Iterable[str]) -> dict[str, dict[TopicPartition, int]]:
        """Return how many messages each partition holds, by play and partition; all at once."""
        wanted = set(names)
        partitions = [
            TopicPartition(topic, partition)
            for topic, described in self._topics().items()
            if topic.partition(".")[0] in wanted
            for partition in described.partitions
        ]
        found: dict[str, dict[TopicPartition, int]] = {name: {} for name in wanted}
        for place, end in self.at(partitions).items():
            found[place.topic.partition(".")[0]][place] = end
        return found

    def at(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return how many messages each of these partitions holds; 0 where there is no leader."""
        if not partitions:
            return {}
        latest: Any = OffsetSpec.latest()
        asked: dict[TopicPartition, Any] = dict.fromkeys(partitions, latest)
        futures: Any = self._admin.list_offsets(asked, request_timeout=ASK_S)
        found: dict[TopicPartition, int] = {}
        for place, future in futures.items():
            try:
                found[place] = int(future.result().offset)
            except KafkaException:  # a topic that is being created has no leader yet
                found[place] = 0
        return found

    def _topics(self) -> Mapping[str, Any]:
        try:
            return dict(self._admin.list_topics(timeout=ASK_S).topics)
        except KafkaException as error:
            raise SetupError(
                f"the broker does not say which topics it has: {error}", hint=REACH_KAFKA
            ) from error

    def read(self, ends: Mapping[TopicPartition, int]) -> list[Message]:
        """Return all messages of partitions up to their ends, the play's name off their topics."""
        return [
            replace(one, topic=one.topic.partition(".")[2]) for one in consumed(self._client, ends)
        ]

    def make(self, names: Iterable[str]) -> None:
        """Create topics of one partition; one that is there already is no error."""
        wanted = [NewTopic(name, 1, 1) for name in sorted({*names} - {*self._topics()})]
        made: Any = self._admin.create_topics(wanted, request_timeout=ASK_S) if wanted else {}
        for name, future in made.items():
            try:
                future.result()
            except KafkaException as error:
                raise SetupError(
                    f"the broker makes no topic {name}: {error}", hint=REACH_KAFKA
                ) from error

    def fill(self, ends: Mapping[TopicPartition, int]) -> None:
        """Write messages without key and value behind what is there, up to these ends.

        They have a header by which the run knows them; what a connector sends has it never.
        """
        there, producer = self.at(list(ends)), Producer(self._client)
        for place, end in ends.items():
            for _ in range(there[place], end):
                producer.produce(place.topic, partition=place.partition, headers=[FILLED])
        producer.flush(ASK_S)

    def remove(self, ends: Iterable[TopicPartition]) -> None:
        """Delete topics; one that is gone already is no error."""
        names = sorted({one.topic for one in ends})
        if names:
            removed: Any = self._admin.delete_topics(names, request_timeout=ASK_S)
            for future in removed.values():
                future.exception()


def consumed(
    client: Mapping[str, str | int | float | bool], ends: Mapping[TopicPartition, int]
) -> list[Message]:
    """Return all messages of partitions up to their ends; SetupError if they cannot be read."""
    left = {(one.topic, one.partition): end for one, end in ends.items() if end}
    found: list[Message] = []
    if not left:
        return found
    settings: dict[str, str | int | float | bool] = {
        **client,
        "group.id": "oracle",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
    }
    consumer = Consumer(settings)
    try:
        consumer.assign([TopicPartition(*place, 0) for place in left])
        deadline = time.monotonic() + READ_S
        while left and time.monotonic() < deadline:
            for one in consumer.consume(500, timeout=0.2):
                if one.error() is not None:
                    raise SetupError(
                        f"{one.topic()} cannot be read: {one.error()}", hint=REACH_KAFKA
                    )
                place = (str(one.topic()), int(one.partition() or 0))
                found.append(_message(one, *place))
                if int(one.offset() or 0) + 1 >= left.get(place, 0):
                    left.pop(place, None)
    finally:
        consumer.close()
    if left:
        raise SetupError(
            f"{plural(len(left), 'partition')} could not be read in {READ_S:g} s", hint=REACH_KAFKA
        )
    return found


def _message(one: Any, topic: str, partition: int) -> Message:  # noqa: ANN401 - the client's own
    headers = tuple((name, value) for name, value in one.headers() or ())
    return Message(topic, partition, one.key(), one.value(), headers)
