"""How messages leave: plainly, or in transactions that are committed or aborted.

An aborted message reaches the broker first. A producer that aborts at once never sends what it
still holds, so everything is flushed before either end of a transaction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaException, Producer

from harness.engine.deliver.sending import ALONE, Sender
from harness.errors import SetupError
from harness.model.record import Record

TIMEOUT_S = 60.0
LOOK_AROUND_S = 0.02
OPEN_MS = 900_000  # `transaction.max.timeout.ms`, the longest that brokers take by default
ERRORS = 3  # syslog's number; librdkafka warns of a coordinator that is only just coming up


class DeliveryProducer:
    """The producers of one filling; a record's topic is Kafka's own name by now."""

    def __init__(self, client: Mapping[str, str], name: str) -> None:
        """Take a client's properties, and a name of our own for transactions."""
        self._client = client
        self._name = name
        self._plain: Sender | None = None
        self._transactional: Any = None
        self._open: list[Any] = []

    def send(self, records: Iterable[Record]) -> None:
        """Hand records over in order; SetupError once the broker refused one."""
        if self._plain is None:
            self._plain = Sender({**self._client, **ALONE}, _same, offsets=False)
        self._plain.send(records)

    def settle(self) -> None:
        """Wait until the broker has everything; SetupError when it did not take it all."""
        if self._plain is not None:
            self._plain.finish()

    def transaction(self, records: Sequence[Record], *, commit: bool) -> None:
        """Send records in one transaction, and commit or abort it; SetupError when refused."""
        self.settle()
        try:
            producer = self._producer()
            _begun(producer, records)
            end = producer.commit_transaction if commit else producer.abort_transaction
            end(TIMEOUT_S)
        except KafkaException as error:
            raise _refused(error, self._name) from error

    def left_open(self, records: Sequence[Record]) -> None:
        """Send records in a transaction that is left open; SetupError when refused.

        The producer lives as long as this one, and never ends it: the broker does, when the
        transaction's time is over. That is after any run.
        """
        self.settle()
        name = f"{self._name}open.{len(self._open)}"
        try:
            producer = self._transactor(name, {"transaction.timeout.ms": OPEN_MS})
            _begun(producer, records)
        except KafkaException as error:
            raise _refused(error, name) from error
        self._open.append(producer)

    def renew(self) -> None:
        """Close the connections, once everything is sent; the next message opens others."""
        self.settle()
        self._plain = None
        self._transactional = None

    def _producer(self) -> Any:  # noqa: ANN401 - the driver has no types
        if self._transactional is None:
            self._transactional = self._transactor(self._name, {})
        return self._transactional

    def _transactor(self, name: str, more: Mapping[str, Any]) -> Any:  # noqa: ANN401 - no types
        producer = Producer(
            {
                "log_level": ERRORS,
                **self._client,
                "transactional.id": name,
                "linger.ms": 0,
                **more,
            }
        )
        producer.init_transactions(TIMEOUT_S)
        return producer


def _begun(producer: Any, records: Sequence[Record]) -> None:  # noqa: ANN401 - no types
    """Begin a transaction and send records in it; the broker has them when this returns."""
    producer.begin_transaction()
    for record in records:
        optional: dict[str, Any] = {}
        if record.headers:
            optional["headers"] = list(record.headers)
        if record.timestamp is not None:
            optional["timestamp"] = record.timestamp
        producer.produce(record.topic, record.value, record.key, record.partition, **optional)
    producer.flush(TIMEOUT_S)


def _refused(error: KafkaException, name: str) -> SetupError:
    return SetupError(
        f"Kafka refuses a transaction: {error.args[0].str()}",
        hint=f"this user needs WRITE and DESCRIBE on the transactional id {name}",
    )


def until(reached: Callable[[], bool], what: str, timeout_s: float = TIMEOUT_S) -> None:
    """Wait for a condition of the broker's; SetupError when it does not come about."""
    deadline = time.monotonic() + timeout_s
    while not reached():
        if time.monotonic() > deadline:
            raise SetupError(f"{what} within {timeout_s:g} s", hint="the broker's log says why")
        time.sleep(LOOK_AROUND_S)


def _same(topic: str) -> str:
    return topic
