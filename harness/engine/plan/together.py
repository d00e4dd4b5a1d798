"""Deliveries to which the same happens, as one: what a start of a consumer costs is paid once.

| step | done |
| --- | --- |
| a message | in its delivery's order, its delivery's actions where they were |
| what happens to the consumer or to a service | once, when each delivery has come to its place |
| what happens to a delivery's own topics | to those of each, at the same place |
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from harness.engine.plan.timing import first_live
from harness.faults.actions import (
    Action,
    AddPartitions,
    AfterRecords,
    ElectLeader,
    EndLeader,
    Kill,
    Pause,
    RestartBroker,
    StartRegistry,
    Step,
    StopRegistry,
    TroubleRegistry,
)
from harness.model.record import Record


class Turn(NamedTuple):
    """A step, and the number of the delivery that it is of; None: of all of them."""

    delivery: int | None
    step: Step


class _Stop(NamedTuple):
    """An action, and how many messages of its delivery come before it."""

    messages: int
    action: Action


def occasion(steps: Sequence[Step]) -> Hashable | None:
    """Return what happens in a delivery; those of which it is equal can be performed as one.

    None for a delivery that shares with none.
    """
    if first_live(steps):
        return None
    found = [_shared(stop.action) for stop in _stops(steps)]
    return None if None in found else tuple(found)


def _shared(action: Action) -> Hashable | None:
    match action:
        case Kill(AfterRecords(), resume=True) | AddPartitions():
            return (type(action),)
        case RestartBroker() | EndLeader() | ElectLeader() | StopRegistry() | StartRegistry():
            return (type(action),)
        case Pause(AfterRecords(), milliseconds):
            return Pause, milliseconds
        case TroubleRegistry(milliseconds, errors):
            return TroubleRegistry, milliseconds, errors
        case _:
            return None


def _stops(steps: Sequence[Step]) -> list[_Stop]:
    """Return the actions of a delivery in the order in which their moments come."""
    found: list[_Stop] = []
    sent = 0
    for step in steps:
        if isinstance(step, Record):
            sent += 1
        elif isinstance(step, Kill | Pause) and isinstance(step.when, AfterRecords):
            found.append(_Stop(step.when.count, step))
        else:
            found.append(_Stop(sent, step))
    return sorted(found, key=lambda stop: stop.messages)


def together(deliveries: Sequence[Sequence[Step]]) -> Iterator[Turn]:
    """Yield the steps of deliveries of one occasion; one alone is as it is."""
    if len(deliveries) == 1:
        yield from (Turn(0, step) for step in deliveries[0])
        return
    left = [iter([step for step in steps if isinstance(step, Record)]) for steps in deliveries]
    sent = [0] * len(left)
    for stops in zip(*map(_stops, deliveries), strict=True):
        for number, stop in enumerate(stops):
            while sent[number] < stop.messages:
                yield Turn(number, next(left[number]))
                sent[number] += 1
        yield from _once([stop.action for stop in stops], sum(sent))
    for number, rest in enumerate(left):
        yield from (Turn(number, record) for record in rest)


def _once(actions: Sequence[Action], messages: int) -> Iterator[Turn]:
    """Yield what is done for all where each has its action; `messages` of all came before."""
    match actions[0]:
        case AddPartitions():
            yield from (Turn(number, action) for number, action in enumerate(actions))
        case Kill() | Pause() as first:
            yield Turn(None, replace(first, when=AfterRecords(messages)))
        case first:
            yield Turn(None, first)
