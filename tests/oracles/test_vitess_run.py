"""What says something of a case, and what is a busy machine's or a broken transport's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.engine.catalogue.workspace import workspace
from harness.oracles.vitess import run
from harness.oracles.vitess.plays import Play, again, plays
from harness.oracles.vitess.run import PlayResult, patience
from harness.record.lock import load_lock
from harness.scenario.expand import cases
from harness.scenario.load import load_all
from tests.tree import ROOT

MEMORY = "io.grpc.StatusRuntimeException: RESOURCE_EXHAUSTED: gRPC message exceeds maximum size 9"
CREATION = "org.apache.kafka.connect.errors.ConnectException: Timed out while creating topic(s)"
EMITTER = (
    "java.lang.IllegalStateException: DebeziumOpenLineageEmitter not initialized for connector"
)
STATEMENT = "java.lang.IllegalArgumentException: Illegal prefix '@' for column: @v"


@pytest.fixture(scope="module")
def play() -> Play:
    """Return a play that ends by itself."""
    space = workspace(ROOT)
    (scenario,) = load_all(space.scenarios, (space.scenarios / "keys/pk-chain.yaml",))
    chosen = [case for case in cases(scenario) if case.protocol == "vitess"]
    return plays(chosen, lambda case: load_lock(case.scenario, space.golden)).plays[0]


@pytest.mark.parametrize(
    ("stopped", "refused", "failed", "short", "broken"),
    [
        ("", "", "", False, False),
        ("", "", "", True, True),  # it waits for the rest of what is no message
        ("", "", MEMORY, True, True),
        ("", "", CREATION, True, True),
        ("", "", EMITTER, True, True),
        ("", "Request timed out", "", True, True),
        ("", "", STATEMENT, True, False),
        ("", "tasks.max is no number", "", True, False),
        ("stops", "", STATEMENT, False, False),
        ("stops", "", STATEMENT, True, True),  # it was not done handing over what it had queued
        ("stops", "", "", False, True),  # it has not stopped yet
        ("stops", "", MEMORY, False, True),
        ("stops", "a setting is missing", "", True, False),
    ],
)
def test_what_a_clock_decides_is_played_again(
    play: Play, *, stopped: str, refused: str, failed: str, short: bool, broken: bool
) -> None:
    """What a connector does of itself is an answer; what time or transport did to it is none."""
    messages = play.expected[:-1] if short else play.expected
    result = PlayResult(replace(play, stopped=stopped), refused, failed, messages=messages)
    assert result.broken is broken


def test_the_oftener_a_play_was_played_the_longer_it_may_be_silent(play: Play) -> None:
    """A machine that is too busy once is so again: each time there is more patience."""
    assert patience([play]) == run.IDLE_S
    assert patience([play, again(again(play))]) == 3 * run.IDLE_S
