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
from harness.oracles.result import OracleResult, Status
from harness.oracles.vitess import oracle
from harness.oracles.vitess.plays import Play, Plays, plays
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


@pytest.mark.services
def test_the_connector_agrees_and_disagrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every case is equal but the one whose expected records are spoiled before the comparison."""
    cases = chosen()
    spoiled = cases[0].scenario.id

    def wrong(play: Play) -> Play:
        first, *rest = play.expected
        return replace(play, expected=(replace(first, headers=()), *rest))

    def planned(given: Sequence[Case], logs: object, dialect: str) -> Plays:
        del logs
        found = plays(given, log_of, dialect)
        changed = (p if p.cases[0].scenario.id != spoiled else wrong(p) for p in found.plays)
        return replace(found, plays=tuple(changed))

    monkeypatch.setattr(oracle, "plays", planned)
    result = asked(tmp_path, cases)
    differing: Iterator[str] = (one.case for one in result.of(Status.DIFFERS))
    assert {case.partition("[")[0] for case in differing} == {spoiled}
    assert {case.id for case in cases} <= {one.case for one in result.cases}
    left = [one for one in result.cases if one.status is not Status.UNPLAYABLE]
    assert result.equal == len(left) - sum(case.scenario.id == spoiled for case in cases)
    assert not result.passed
