"""Where the delivery of one changefeed is performed: its topics, its producers, its consumer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from harness.engine.deliver.consumer_control import ConsumerControl
from harness.engine.deliver.producer import LOOK_AROUND_S, TIMEOUT_S, DeliveryProducer, until
from harness.engine.deliver.topics import CRITICAL
from harness.errors import HarnessBug, SetupError
from harness.faults.choose import Place, place
from harness.model.record import Record
from harness.services import RegistryFront, Services, retried

READ_AT_ONCE = 1000  # messages


@dataclass(slots=True)
class FaultContext:
    """What actions work upon.

    `names` gives a canonical topic's name in Kafka, `real` a record as it is sent. `services` can
    be halted where a delivery asks for that; `consumer` is there where one reads meanwhile,
    `registry_front` where its way to the registry is to be disturbed.
    """

    client: Mapping[str, str]
    names: Mapping[str, str]
    producer: DeliveryProducer
    real: Callable[[Record], Record]
    services: Services | None = None
    consumer: ConsumerControl | None = None
    registry_front: RegistryFront | None = None
    ends: dict[Place, int] = field(default_factory=dict[Place, int])
    _admin: Any = None
    _asker: Any = None

    def send(self, record: Record) -> None:
        """Send one message plainly."""
        self.producer.send((self.named(record),))
        self.grow(place(record), 1)
        if self.consumer is not None:
            self.consumer.readable(1)

    def caught_up(self) -> None:
        """Wait until all before is sent, and a consumer, where one reads meanwhile, is at work."""
        self.producer.settle()
        if self.consumer is not None:
            self.consumer.wait_until_working()

    @property
    def own_services(self) -> Services:
        """Return the services that can be halted; a plan that halts others is our mistake."""
        if self.services is None:
            raise HarnessBug("a service is to be restarted that is not ours")
        return self.services

    def named(self, record: Record) -> Record:
        """Return a record as Kafka gets it."""
        return replace(self.real(record), topic=self.names[record.topic])

    def grow(self, there: Place, offsets: int) -> None:
        """Count offsets that a partition has got."""
        self.ends[there] = self.ends.get(there, 0) + offsets

    def reached(self, places: Iterable[Place]) -> None:
        """Wait until the markers of a transaction are in its partitions: they come on their own."""
        wanted = {(self.names[topic], n): self.ends[topic, n] for topic, n in places}
        until(
            lambda: all(self.end_of(*there) >= end for there, end in wanted.items()),
            f"a transaction's markers do not come to {', '.join(self.names.values())}",
        )

    def end_of(self, topic: str, partition: int) -> int:
        """Return where what can be read of a partition (by its name in Kafka) ends."""
        if self._asker is None:
            # Never a member of its group.
            conf = {"log_level": CRITICAL, "group.id": "offsets"}
            self._asker = Consumer({**self.client, **conf})
        there = TopicPartition(topic, partition)
        try:
            ask = partial(self._asker.get_watermark_offsets, there, timeout=TIMEOUT_S)
            _, end = retried(ask, TIMEOUT_S)
        except KafkaException as error:
            raise SetupError(
                f"Kafka did not report the end of {topic}/{partition}: {error.args[0].str()}",
                hint="the broker's log says why",
            ) from error
        return int(end)

    def partitions_of(self, topic: str) -> Sequence[Any]:
        """Return what the broker says of a topic's partitions (by its name in Kafka)."""
        ask = partial(self.admin.list_topics, topic, TIMEOUT_S)
        try:
            return list(retried(ask, TIMEOUT_S).topics[topic].partitions.values())
        except KafkaException as error:
            raise SetupError(
                f"Kafka did not describe {topic}: {error.args[0].str()}",
                hint="the broker's log says why",
            ) from error

    def keys_are_single(self, topic: str, partition: int) -> bool:
        """Return whether of each key one message can be read in a partition (by Kafka's name)."""
        end, found = self.end_of(topic, partition), list[bytes | None]()
        self._asker.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
        try:
            until(
                lambda: self._read(found) >= end, f"{topic}/{partition} cannot be read to its end"
            )
        finally:
            self._asker.unassign()
        return len(found) == len(set(found))

    def _read(self, keys: list[bytes | None]) -> int:
        """Add the keys of what is read next; return the position."""
        read = self._asker.consume(READ_AT_ONCE, LOOK_AROUND_S)
        keys += [one.key() for one in read if one.error() is None]
        (there,) = self._asker.position(self._asker.assignment())
        return int(there.offset)

    @property
    def admin(self) -> Any:  # noqa: ANN401 - the driver has no types
        """Return the administrative client: one for all, which lives as long as the context."""
        if self._admin is None:
            self._admin = AdminClient({**self.client, "log_level": CRITICAL})
        return self._admin

    def renew(self) -> None:
        """Connect anew: to a broker that comes back, or to topics that have grown."""
        self.producer.renew()
        if self._asker is not None:
            self._asker.close()
            self._asker = None
