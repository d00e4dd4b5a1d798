"""Connectors that lose or repeat changes where they go on after a stop, and only there.

What Connect has stored is no part of a scenario: the tests of restarts run a connector twice, the
second time under a patch. Where Kafka is away, a scenario's broker restarts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.debezium_vitess.tasks import TaskPlan
from harness.faults.actions import RestartBroker, Step
from harness.model.record import Record
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch

CODEC: Final = "harness.codecs.debezium_vitess"
STATE: Final = f"{CODEC}.encode:Connector._state"
OFFSET: Final = f"{CODEC}.offsets:OffsetContext.offset"
BROKER: Final = "harness.faults.broker:broker_restart"
UNSEEN: Final = "what Connect has stored is no part of a scenario; tests restart connectors"
_LAST_NUMBER: Final = re.compile(r"\d+\Z")


def under_way() -> Patch:
    """Return the patch that stores the position of a transaction before its commit."""

    def changed(original: Callable[[Any], dict[str, Any]], state: Any) -> dict[str, Any]:  # noqa: ANN401 an OffsetContext
        return {**original(state), "vgtid": state.current.text}

    return patch(OFFSET, lambda original: partial(changed, original))


def _of_one_shard(original: Callable[[Any], dict[str, Any]], state: Any) -> dict[str, Any]:  # noqa: ANN401 an OffsetContext
    """Return an offset that holds the GTID of a shard alone."""
    found = original(state)
    return {**found, "vgtid": json.loads(found["vgtid"])[0]["gtid"]}


def _going_on(change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Patch:
    """Return the patch by which a connector that goes on reads another offset than is stored."""

    def changed(original: Callable[..., Any], self: Any, plan: TaskPlan) -> Any:  # noqa: ANN401 a method
        stored = plan.stored and change({**plan.stored})
        return original(self, replace(plan, stored=stored))

    return patch(STATE, lambda original: partial(changed, original))


def _moved(by: int, stored: dict[str, Any]) -> dict[str, Any]:
    """Return an offset so many transactions further on in each shard."""
    entries = json.loads(stored["vgtid"])
    for entry in entries:
        entry["gtid"] = _LAST_NUMBER.sub(lambda last: str(int(last[0]) + by), entry["gtid"])
    return {**stored, "vgtid": json.dumps(entries, separators=(",", ":"))}


def _transaction(step: Step) -> str | None:
    """Return the transaction that a message is of, None for what is no message of a row."""
    return step.origins[0].transaction if isinstance(step, Record) and step.origins else None


def _lost_while_away(original: Callable[..., tuple[Step, ...]]) -> Callable[..., Any]:
    """Lose the transaction that is sent first once the broker is back."""

    def restarted(*given: Any) -> tuple[Step, ...]:  # noqa: ANN401 as the fault is called
        steps = original(*given)
        at = next(n for n, step in enumerate(steps) if isinstance(step, RestartBroker))
        rest = steps[at + 1 :]
        name = next(filter(None, map(_transaction, rest)), None)
        return (*steps[: at + 1], *(step for step in rest if _transaction(step) != name))

    return restarted


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-stores-a-gtid",
        "vitess.offset.is-vgtid",
        "It stores the GTID of a shard for its position.",
        patch(OFFSET, lambda original: partial(_of_one_shard, original)),
    ),
    WrongProducer(
        "vitess-stored-position-ignored",
        "vitess.offset.resume",
        "It goes on from where it first started, whatever is stored.",
        _going_on(lambda _: None),
        equivalent=UNSEEN,
    ),
    WrongProducer(
        "vitess-repeats-what-was-stored",
        "vitess.stop.graceful",
        "It goes on one transaction before the position that was stored when it was stopped.",
        _going_on(partial(_moved, -1)),
        equivalent=UNSEEN,
    ),
    WrongProducer(
        "vitess-loses-a-transaction-stopped",
        "vitess.stop.catches-up",
        "It loses the first transaction that was committed while it was stopped.",
        _going_on(partial(_moved, 1)),
        equivalent=UNSEEN,
    ),
    WrongProducer(
        "vitess-loses-a-transaction-crashed",
        "vitess.stop.unavailable",
        "It stores the position of a transaction that VTGate's end cuts off, and loses its rest.",
        under_way(),
        equivalent=UNSEEN,
    ),
    WrongProducer(
        "vitess-loses-a-transaction-away",
        "vitess.stop.kafka-away",
        "It loses the transaction that it was to send while Kafka was away.",
        patch(BROKER, _lost_while_away),
        broker=True,
    ),
)
