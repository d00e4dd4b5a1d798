"""The real connector, once: it says what our encoder says, and sees what a wrong one would."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.errors import UsageError
from harness.model.change import ChangeLog
from harness.oracles.result import OracleResult, Status, lines
from harness.oracles.vitess import oracle, run
from harness.oracles.vitess import plays as planning
from harness.oracles.vitess.plays import Play
from harness.record.lock import load_lock
from harness.scenario.expand import Case
from tests.tree import ROOT

SPACE = workspace(ROOT)
CHOSEN = "vitess and (pk-chain or more-than-rows or (confluent and decimal-keys) or tasks-of)"


def log_of(case: Case) -> ChangeLog:
    """Return the locked changes of a case."""
    return load_lock(case.scenario, SPACE.golden)


def asked(run_dir: Path, cases: Sequence[Case], version: str = "3.3.1") -> OracleResult:
    """Ask the oracle about cases."""
    options = oracle.OracleOptions(
        version, run_dir, lambda _: None, lambda _done, _total: None, os.environ
    )
    return oracle.ask(cases, log_of, options)


def chosen() -> Sequence[Case]:
    """Return a few cases with keys, headers, heartbeats, DDL, tasks and Avro."""
    return [c for c in selected(load(SPACE), CHOSEN) if c.protocol == "vitess"]


def test_an_unknown_release_is_refused(tmp_path: Path) -> None:
    """A release that the oracle does not have is a mistake of usage, and the others are named."""
    with pytest.raises(UsageError, match=r"no connector '9\.9'"):
        asked(tmp_path, [], "9.9")


@pytest.fixture
def spoiled(monkeypatch: pytest.MonkeyPatch) -> str:
    """Let our records of one scenario be wrong whenever they are made, played again or not."""
    scenario = chosen()[0].scenario.id
    made = planning.play_of

    def wrong(name: str, cases: Sequence[Case], dialect: str, log: ChangeLog) -> Play:
        play = made(name, cases, dialect, log)
        if cases[0].scenario.id != scenario:
            return play
        first, *rest = play.expected
        return replace(play, expected=(replace(first, headers=()), *rest))

    monkeypatch.setattr(planning, "play_of", wrong)
    return scenario


@pytest.mark.services
@pytest.mark.parametrize("broken", [(), (0,)], ids=["at once", "played again"])
def test_the_connector_agrees_and_disagrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoiled: str, broken: Sequence[int]
) -> None:
    """Every case is equal but the spoiled one, whether or not its stream had to be played again."""
    cases = chosen()
    if broken:
        cases = [case for case in cases if case.scenario.id == spoiled]
        monkeypatch.setattr(
            run.PlayResult, "broken", property(lambda one: one.play.attempt in broken)
        )
    result = asked(tmp_path, cases)
    shown = "\n".join(lines(result))
    differing: Iterator[str] = (one.case for one in result.of(Status.DIFFERS))
    assert {case.partition("[")[0] for case in differing} == {spoiled}, shown
    assert {case.id for case in cases} <= {one.case for one in result.cases}, shown
    left = [one for one in result.cases if one.status is not Status.UNPLAYABLE]
    assert result.equal == len(left) - sum(c.scenario.id == spoiled for c in cases), shown
    assert not result.passed
