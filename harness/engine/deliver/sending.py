"""Records on their way to Kafka: streamed, paced if asked, with what the broker took of them.

Nothing but librdkafka's own bounded queue holds a record here, so memory does not grow with their
number.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

from harness.errors import SetupError, plural
from harness.model.record import Record

FLUSH_S = 60.0
LAST_WORDS_S = 5.0  # an interrupted sender waits no longer for what the broker has in hand
POLL_EVERY = 2000
FULL_S = 0.1
# What waits is bounded in messages and in bytes: a long stream takes no more than a short one.
QUEUE: Mapping[str, Any] = {
    "linger.ms": 2,
    "queue.buffering.max.messages": 50_000,
    "queue.buffering.max.kbytes": 32_768,
    # syslog's number: a broker that comes and goes is part of a fault, and what the broker did not
    # take is reported by us.
    "log_level": 2,
}
# Every record once and in order. On a broker of our own a retry would hide a fault, and an
# idempotent producer waits a second for its id; on a cluster of several brokers both are right.
ALONE: Mapping[str, Any] = {
    **QUEUE,
    "acks": "all",
    "retries": 0,
    "max.in.flight.requests.per.connection": 1,
}
CLUSTER: Mapping[str, Any] = {
    **QUEUE,
    "acks": "all",
    "enable.idempotence": True,
}


@dataclass(slots=True)
class Taken:
    """What the broker took of one partition: the first and the last offset, and how many."""

    first: int
    last: int
    records: int = 1


class Sender:
    """One producer and the account of what it sent; `names` gives a canonical topic's real name.

    `client` holds the properties of the connection and how to produce (ALONE, CLUSTER). With
    `offsets` every record is accounted for by the offset that it got; without, only failures are
    heard of, which is quicker.
    """

    def __init__(
        self, client: Mapping[str, Any], names: Callable[[str], str], *, offsets: bool = True
    ) -> None:
        """Connect lazily, as librdkafka does; nothing is sent yet."""
        quiet = {} if offsets else {"delivery.report.only.error": True}
        self._producer: Any = Producer({**client, **quiet})
        self._bootstrap = client["bootstrap.servers"]
        self._names = names
        self._topics: dict[str, str] = {}
        self._failures: list[str] = []
        self.sent = 0
        self.taken: dict[tuple[str, int], Taken] = {}

    def send(self, records: Iterable[Record]) -> None:
        """Hand the records over in order; waits whenever the queue is full.

        Raises SetupError once the broker refused one.
        """
        produce, heard, topics = self._producer.produce, self._heard, self._topics
        for record in records:
            canonical = record.topic
            topic = topics.get(canonical)
            if topic is None:
                topic = topics[canonical] = self._names(canonical)
            while True:
                try:
                    # By position, and no more than there is: each argument has its price.
                    if record.headers or record.timestamp is not None:
                        produce(
                            topic,
                            record.value,
                            record.key,
                            record.partition,
                            heard,
                            **_more(record),
                        )
                    else:
                        produce(topic, record.value, record.key, record.partition, heard)
                    break
                except BufferError:
                    self._producer.poll(FULL_S)
            self.sent += 1
            if self.sent % POLL_EVERY == 0:
                self.poll()

    def poll(self) -> None:
        """Hear of what arrived; SetupError once the broker refused a record."""
        self._producer.poll(0)
        if self._failures:
            raise self._refused()

    def finish(self) -> None:
        """Wait until the broker has everything; SetupError when it did not take it all."""
        left = self._producer.flush(FLUSH_S)
        if left or self._failures:
            raise self._refused(left)

    def abandon(self) -> None:
        """Throw away what is still queued, and hear of what the broker has in hand."""
        self._producer.purge(in_queue=True, in_flight=False, blocking=True)
        self._producer.flush(LAST_WORDS_S)

    def _heard(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self._failures.append(f"{message.topic()}/{message.partition()}: {error}")
            return
        offset = message.offset() or 0
        place = (message.topic() or "", message.partition() or 0)
        taken = self.taken.get(place)
        if taken is None:
            self.taken[place] = Taken(offset, offset)
        else:
            taken.last = offset
            taken.records += 1

    def _refused(self, left: int = 0) -> SetupError:
        first = (self._failures or ["no answer"])[0]
        return SetupError(
            f"Kafka at {self._bootstrap} did not take {left or len(self._failures)} of "
            f"{plural(self.sent, 'record')}; first: {first}",
            hint="the broker's log says why; `harness doctor` looks at the connection",
        )


def _more(record: Record) -> dict[str, Any]:
    """Return what few records have."""
    more: dict[str, Any] = {}
    if record.headers:
        more["headers"] = list(record.headers)
    if record.timestamp is not None:
        more["timestamp"] = record.timestamp
    return more


def paced(
    records: Iterable[Record],
    per_second: float,
    wait: Callable[[float], None],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Record]:
    """Yield the records at a rate; `wait` is given the seconds until the next one is due.

    A record that comes late is not made up for by a burst longer than one second's worth.
    """
    due = clock()
    for record in records:
        now = clock()
        if now < due:
            wait(due - now)
        due = max(due, now - 1) + 1 / per_second
        yield record
