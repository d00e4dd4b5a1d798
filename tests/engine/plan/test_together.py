"""Promises about deliveries that are performed as one: nothing happens earlier than alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.engine.plan.together import occasion, together
from harness.faults.actions import (
    AddPartitions,
    AfterCommits,
    AfterRecords,
    AtCrashPoint,
    Committed,
    Instances,
    Kill,
    Pause,
    RestartBroker,
    StartRegistry,
    Step,
    StopRegistry,
    TroubleRegistry,
)
from harness.model.record import Record


def sent(name: str, count: int) -> list[Step]:
    """Return messages of a topic, by their order."""
    return [Record(name, 0, f"{name}{number}".encode(), b"", ()) for number in range(count)]


def order(*deliveries: Sequence[Step]) -> list[str]:
    """Return steps of deliveries as one: messages by key, actions and to which they are done."""
    found: list[str] = []
    for number, step in together(deliveries):
        if isinstance(step, Record):
            assert step.topic == "abc"[number or 0]
            found.append((step.key or b"").decode())
        else:
            found.append(f"{'all' if number is None else number}: {step}")
    return found


def killed(*counts: int) -> list[Step]:
    """Return kills, each once so many messages were read."""
    return [Kill(AfterRecords(count)) for count in counts]


def test_a_service_goes_once_when_each_delivery_is_there() -> None:
    """What is sent before it alone is sent before it together, and nothing else."""
    one = [*sent("a", 2), StopRegistry(), *sent("a", 3)[2:], StartRegistry()]
    two = [*sent("b", 1), StopRegistry(), *sent("b", 3)[1:], StartRegistry()]
    assert occasion(one) == occasion(two)
    stops, starts = f"all: {StopRegistry()}", f"all: {StartRegistry()}"
    assert order(one, two) == ["a0", "a1", "b0", stops, "a2", "b1", "b2", starts]


def test_a_kill_comes_once_all_have_been_sent_as_much() -> None:
    """The moments of a delivery count its own messages, whichever is written first."""
    one, two = [*killed(3, 1), *sent("a", 4)], [*killed(1, 2), *sent("b", 3)]
    assert occasion(one) == occasion(two)
    first, second = (f"all: {Kill(AfterRecords(count))}" for count in (1 + 1, 3 + 2))
    assert order(one, two) == ["a0", "b0", first, "a1", "a2", "b1", second, "a3", "b2"]


def test_the_topics_of_each_grow() -> None:
    """What happens to a delivery's own topics happens in each of them."""
    grown = [AddPartitions(name, 4) for name in "ab"]
    one, two = [*sent("a", 1), grown[0]], [grown[1], *sent("b", 1)]
    assert order(one, two) == ["a0", f"0: {grown[0]}", f"1: {grown[1]}", "b0"]


def test_one_alone_is_as_it_was_written() -> None:
    """Also what cannot be shared."""
    one = [*killed(1), Instances(2), *sent("a", 2)]
    assert [turn.step for turn in together([one])] == one


@pytest.mark.parametrize(
    "steps",
    [
        [Kill(AtCrashPoint("write", 1))],
        [Kill(AfterCommits(1))],
        [Kill(AfterRecords(1), resume=False)],
        [Instances(2)],
        [Committed(())],
        [AddPartitions("a", 4, stopped=True)],
    ],
)
def test_what_is_of_one_delivery_alone_is_not_shared(steps: list[Step]) -> None:
    """A crash point's count, a commit's, a transaction, several instances."""
    assert occasion([*steps, *sent("a", 1)]) is None


def test_what_differs_is_not_shared() -> None:
    """Another length, another number of times, another order."""
    pauses: list[list[Step]] = [[Pause(AfterRecords(1), ms)] for ms in (1, 2)]
    kinds = ((1, 0), (1, 1), (2, 1))
    troubles: list[list[Step]] = [[TroubleRegistry(ms, errors, 1)] for ms, errors in kinds]
    restarts: list[list[Step]] = [[RestartBroker()], [RestartBroker()] * 2]
    every = [*pauses, *troubles, *restarts, killed(1), killed(1, 2)]
    assert len({occasion(one) for one in every}) == len(every)
    assert occasion([TroubleRegistry(1, 0, 1)]) == occasion([TroubleRegistry(1, 0, 2)])
