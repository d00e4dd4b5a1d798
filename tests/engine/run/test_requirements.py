"""What is read in packs, what is read alone, and what a consumer has to declare for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from harness.engine.deliver.perform import HANDLERS
from harness.engine.plan.timing import first_live, happening, is_live, restarts
from harness.engine.run.consume import unmet
from harness.faults import FAULTS
from harness.faults.actions import (
    Action,
    AddPartitions,
    AfterCommits,
    AfterRecords,
    AtCrashPoint,
    Committed,
    Compact,
    DeleteBefore,
    ElectLeader,
    EndLeader,
    ForgetSchema,
    Instances,
    Join,
    Kill,
    Pause,
    Reached,
    RestartBroker,
    StartRegistry,
    Step,
    StopRegistry,
    TroubleRegistry,
)
from harness.model.record import Origin, Record
from harness.runner.manifest import Consumer, CrashPoint
from harness.services import Settings, settings

ONE = Record("t", 0, b"k", b"v", (Origin(1, 0, 0, "insert"),))
PLAIN = Consumer("plain", ("true",))
ABLE = Consumer(
    "able",
    ("true",),
    capabilities=frozenset({"commits", "growing-topics", "instances"}),
    crash_points=frozenset({"write"}),
)

# Steps -> whether a consumer reads meanwhile, and what a plain one lacks.
LIVE: Mapping[str, tuple[Sequence[Step], bool, str]] = {
    "plain": ([ONE, ONE], False, ""),
    "transactions": ([Committed((ONE,)), ONE], False, ""),
    "deletion": ([ONE, DeleteBefore("t", 0, 1), ONE], False, ""),
    "empty partitions": ([AddPartitions("t", 2), ONE], False, ""),
    "grown": ([ONE, AddPartitions("t", 2, stopped=True), ONE], False, ""),
    "growing": ([ONE, AddPartitions("t", 2), ONE], True, "growing-topics"),
    "killed": ([Kill(AfterRecords(1)), ONE], True, ""),
    "killed for good": (
        [Kill(AfterRecords(1), resume=False), ONE],
        True,
        "an answer of a consumer that is killed for good",
    ),
    "killed after a commit": ([Kill(AfterCommits(1)), ONE], True, "commits"),
    "killed at a point": ([Kill(AtCrashPoint("write", 1)), ONE], True, "crash-point:write"),
    "paused": ([Pause(AfterRecords(1), 5), ONE], True, ""),
    "paused after a commit": ([Pause(AfterCommits(1), 5), ONE], True, "commits"),
    "two": ([Instances(2), ONE], True, "instances"),
    "another joins": ([Join(AfterRecords(1)), ONE], True, "instances"),
    "another joins after a commit": ([Join(AfterCommits(1)), ONE], True, "commits"),
    "one of two leaves": (
        [Instances(2), Kill(AfterRecords(1), resume=False), ONE],
        True,
        "instances",
    ),
    "both leave for good": (
        [Join(AfterRecords(1)), *[Kill(AfterRecords(1), resume=False)] * 2, ONE],
        True,
        "an answer of a consumer that is killed for good",
    ),
    "broker": ([ONE, RestartBroker()], True, ""),
    "leaders": ([EndLeader(), ONE, ElectLeader()], True, ""),
    "registry": ([StopRegistry(), ONE, StartRegistry()], True, ""),
    "trouble": ([TroubleRegistry(1, 1, 0), ONE], True, ""),
    "forgotten": ([ForgetSchema("{}", ONE), ONE], True, ""),
}


@pytest.mark.parametrize("name", LIVE)
def test_live(name: str) -> None:
    """A consumer reads meanwhile where something happens to it; what it lacks is named."""
    steps, live, lacks = LIVE[name]
    assert is_live(steps) is live
    said = f"{lacks}, which plain does not declare" if lacks else ""
    assert unmet(steps, PLAIN, Settings()) == said
    if live:
        assert set(happening(steps).split(" and ")) <= set(FAULTS)
    if "for good" not in name:
        assert unmet(steps, ABLE, Settings()) == ""


@pytest.mark.parametrize("when", [AfterRecords(1), AfterCommits(1), AtCrashPoint("write", 1)])
def test_a_kill_for_good_is_refused_at_any_moment(when: Reached) -> None:
    """A consumer that declares every crash point gives no answer either once it is gone."""
    points = frozenset(CrashPoint)
    exact = replace(ABLE, crash_points=points)
    assert unmet([Kill(when), ONE], exact, Settings()) == ""
    gone = unmet([Kill(when, resume=False), ONE], exact, Settings())
    assert gone.startswith("an answer of a consumer that is killed for good")


def test_the_consumer_starts_when_deletion_is_over() -> None:
    """What deletes messages or adds partitions before anybody reads comes before the start."""
    steps: list[Step] = [Kill(AfterRecords(1)), ONE, DeleteBefore("t", 0, 1), ONE]
    assert first_live(steps) == 3
    assert first_live([AddPartitions("t", 2), ONE, AddPartitions("t", 3), ONE]) == 1
    assert first_live([ONE]) == 0


@pytest.mark.parametrize("name", ["broker", "leaders", "registry", "trouble", "forgotten"])
def test_services_that_are_not_ours(name: str, tmp_path: Path) -> None:
    """A cluster of somebody else's is never disturbed: the case does not apply, and says why.

    What a front does needs no services of the case's own.
    """
    steps, _, _ = LIVE[name]
    fronted = name in {"trouble", "forgotten"}
    assert restarts(steps) is not fronted
    service = "registry" if fronted or name == "registry" else "kafka"
    options = {
        "kafka.bootstrap.servers": "kafka:9092",
        "registry.url": "http://registry",
    }
    external = settings(options, here=tmp_path)
    assert unmet(steps, ABLE, external) == (
        f"a {service} that the run {'can put a front before' if fronted else 'may restart'}:"
        " this one is external"
    )


def test_every_action_is_performed() -> None:
    """There is a row for each action; compaction is made of others."""
    assert {*HANDLERS, Compact} == {*get_args(Action)}
