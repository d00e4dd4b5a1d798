"""What is done to the broker: transactions, deletion, more partitions, a restart."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.cimpl import NewPartitions

from harness.engine.deliver.fault_context import Stage
from harness.engine.deliver.producer import TIMEOUT_S, until
from harness.errors import HarnessBug, SetupError
from harness.faults.actions import Aborted, AddPartitions, Committed, DeleteBefore, RestartBroker
from harness.faults.choose import place
from harness.model.record import Record


def committed(stage: Stage, action: Committed) -> None:
    """Send messages in a transaction and commit it."""
    _transaction(stage, action.records, commit=True)
    if stage.audience is not None:
        stage.audience.heard(len(action.records))


def aborted(stage: Stage, action: Aborted) -> None:
    """Send messages in a transaction and abort it."""
    _transaction(stage, action.records, commit=False)


def delete_before(stage: Stage, action: DeleteBefore) -> None:
    """Let a partition begin at a later offset."""
    stage.outlet.settle()
    there = TopicPartition(stage.names[action.topic], action.partition, action.offset)
    _done(stage.admin.delete_records([there], request_timeout=TIMEOUT_S), "delete messages of")


def add_partitions(stage: Stage, action: AddPartitions) -> None:
    """Give a topic more partitions; the producers know them when this returns."""
    stage.outlet.settle()
    name, admin = stage.names[action.topic], stage.admin
    there = len(admin.list_topics(name, TIMEOUT_S).topics[name].partitions)
    if there < action.total:
        wanted = [NewPartitions(name, action.total)]
        _done(admin.create_partitions(wanted, request_timeout=TIMEOUT_S), "add partitions to")
    until(
        lambda: len(admin.list_topics(name, TIMEOUT_S).topics[name].partitions) >= action.total,
        f"{name} does not come to have {action.total} partitions",
    )
    stage.renew()


def restart_broker(stage: Stage, action: RestartBroker) -> None:
    """Stop the broker under a consumer that is at work, and start it again with its data."""
    del action
    if stage.services is None:
        raise HarnessBug("a broker is to be restarted that is not ours")
    stage.outlet.settle()
    if stage.audience is not None:
        stage.audience.met()
    stage.renew()
    stage.services.halt("kafka")
    stage.services.revive("kafka")


def _transaction(stage: Stage, records: Sequence[Record], *, commit: bool) -> None:
    stage.outlet.transaction([stage.named(record) for record in records], commit=commit)
    places = {place(record) for record in records}
    for record in records:
        stage.grow(place(record), 1)
    for there in places:
        stage.grow(there, 1)
    stage.reached(places)


def _done(futures: dict[Any, Future[Any]], what: str) -> None:
    for topic, future in futures.items():
        try:
            future.result()
        except KafkaException as error:
            raise SetupError(
                f"Kafka refused to {what} {topic}: {error.args[0].str()}",
                hint="give this user ALTER and DELETE on the topics of a run",
            ) from error
