"""How each action is done to a run: a function and a row for each, and the loop over them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.cimpl import NewPartitions

from harness.engine.deliver.fault_context import FaultContext
from harness.engine.deliver.leaders import elect_leader, end_leader
from harness.engine.deliver.producer import TIMEOUT_S, until
from harness.errors import HarnessBug, SetupError, plural
from harness.faults.actions import (
    Aborted,
    AddPartitions,
    Clean,
    Committed,
    ConsumerAction,
    DeleteBefore,
    ElectLeader,
    EndLeader,
    ForgetSchema,
    Instances,
    Join,
    Kill,
    LeftOpen,
    Pause,
    RestartBroker,
    StartRegistry,
    Step,
    StopRegistry,
    TroubleRegistry,
)
from harness.faults.choose import place
from harness.model.record import Record
from harness.services import retried
from harness.wire.confluent import confluent_unframe

ROLLS_MS = 60_000  # a message that is so much later than others opens a new segment
CLEANED_S = 120.0  # a broker looks for work every 15 s by default


def perform(context: FaultContext, steps: Iterable[Step]) -> None:
    """Do the steps in order; SetupError when a service does not do its part.

    What a service takes to go and to come back is not counted into the consumer's time.
    """
    for step in steps:
        if context.consumer is not None:
            context.consumer.supervised.look()  # a run that is given up performs no more
        if isinstance(step, Record):
            context.send(step)
            continue
        began = time.monotonic()
        HANDLERS[type(step)](context, step)
        if context.consumer is not None and step.demand.service:
            context.consumer.supervised.allow(time.monotonic() - began)
    context.producer.settle()


def committed(context: FaultContext, action: Committed) -> None:
    """Send messages in a transaction and commit it."""
    _transaction(context, action.records, commit=True)
    if context.consumer is not None:
        context.consumer.readable(len(action.records))


def aborted(context: FaultContext, action: Aborted) -> None:
    """Send messages in a transaction and abort it."""
    _transaction(context, action.records, commit=False)


def left_open(context: FaultContext, action: LeftOpen) -> None:
    """Send messages in a transaction that is left as it is; the broker ends it in its own time."""
    context.producer.left_open([context.named(record) for record in action.records])


def delete_before(context: FaultContext, action: DeleteBefore) -> None:
    """Let a partition begin at a later offset."""
    context.producer.settle()
    there = TopicPartition(context.names[action.topic], action.partition, action.offset)
    ask = partial(context.admin.delete_records, [there], request_timeout=TIMEOUT_S)
    _done(ask, "delete messages of", there.topic)


def clean(context: FaultContext, action: Clean) -> None:
    """Let the log cleaner compact a topic; return when of each key one message is left."""
    context.producer.settle()
    name = context.names[action.topic]
    latest = max([int(time.time() * 1000), *(one.timestamp or 0 for one in action.rolls)])
    rolls = [replace(one, timestamp=latest + ROLLS_MS) for one in action.rolls]
    _transaction(context, rolls, commit=False)
    until(
        lambda: all(context.keys_are_single(name, n) for _, n in map(place, action.rolls)),
        f"the log cleaner does not compact {name}",
        CLEANED_S,
    )


def add_partitions(context: FaultContext, action: AddPartitions) -> None:
    """Give a topic more partitions; the producers know them when this returns."""
    context.producer.settle()
    name, wanted = context.names[action.topic], action.total

    def ask() -> Mapping[str, Future[Any]]:
        """Ask for what is missing: an answer that got lost may have been a yes."""
        if len(context.partitions_of(name)) >= wanted:
            return {}
        new = [NewPartitions(name, wanted)]
        asked: Mapping[str, Future[Any]] = context.admin.create_partitions(
            new, request_timeout=TIMEOUT_S
        )
        return asked

    _done(ask, "add partitions to", name)
    until(
        lambda: len(context.partitions_of(name)) >= wanted,
        f"{name} does not come to have {plural(wanted, 'partition')}",
    )
    context.renew()


def restart_broker(context: FaultContext, action: RestartBroker) -> None:
    """Stop the broker under a consumer that is at work, and start it again with its data."""
    del action
    services = context.own_services
    context.caught_up()
    context.renew()
    services.halt("kafka")
    services.revive("kafka")


def stop_registry(context: FaultContext, action: StopRegistry) -> None:
    """Take the registry away once everything before is sent."""
    del action
    context.producer.settle()
    context.own_services.halt("registry")


def start_registry(context: FaultContext, action: StartRegistry) -> None:
    """Bring the registry back, not before a consumer could have missed it."""
    del action
    context.caught_up()
    context.own_services.revive("registry")


def trouble_registry(context: FaultContext, action: TroubleRegistry) -> None:
    """Let the registry's front answer late, or with errors at first, from now on."""
    if context.registry_front is None:
        raise HarnessBug("the registry is to be in trouble and nothing stands before it")
    context.registry_front.begin(action.milliseconds / 1000, action.errors, action.seed)


def forget_schema(context: FaultContext, action: ForgetSchema) -> None:
    """Let the registry's front have forgotten a schema, by the id that the registry gave it."""
    if context.registry_front is None:
        raise HarnessBug("the registry is to forget a schema and nothing stands before it")
    value = context.real(action.named_by).value
    assert value is not None
    context.registry_front.forget(confluent_unframe(value)[0])


def arm(context: FaultContext, action: ConsumerAction) -> None:
    """Leave to the consumer control what happens to a consumer at its moment."""
    if context.consumer is None:
        raise HarnessBug(f"{action} is for a consumer that runs meanwhile, and there is none")
    context.consumer.arm(action)


def _transaction(context: FaultContext, records: Sequence[Record], *, commit: bool) -> None:
    context.producer.transaction([context.named(record) for record in records], commit=commit)
    places = {place(record) for record in records}
    for record in records:
        context.grow(place(record), 1)
    for there in places:
        context.grow(there, 1)
    context.reached(places)


def _done(ask: Callable[[], Mapping[Any, Future[Any]]], what: str, topic: str) -> None:
    """Wait for what an administrative client asks of one topic; SetupError when it is refused."""
    try:
        retried(lambda: [one.result() for one in ask().values()], TIMEOUT_S)
    except KafkaException as error:
        raise SetupError(
            f"Kafka refused to {what} {topic}: {error.args[0].str()}",
            hint="give this user ALTER and DELETE on the topics of a run",
        ) from error


# Compaction is not here: `compaction.as_gaps` says how to fill a topic as if it had been.
HANDLERS: Mapping[type, Callable[[FaultContext, Any], None]] = MappingProxyType(
    {
        Aborted: aborted,
        AddPartitions: add_partitions,
        Clean: clean,
        Committed: committed,
        DeleteBefore: delete_before,
        ElectLeader: elect_leader,
        EndLeader: end_leader,
        ForgetSchema: forget_schema,
        Instances: arm,
        Join: arm,
        Kill: arm,
        LeftOpen: left_open,
        Pause: arm,
        RestartBroker: restart_broker,
        StartRegistry: start_registry,
        StopRegistry: stop_registry,
        TroubleRegistry: trouble_registry,
    }
)
