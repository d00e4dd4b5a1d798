"""The real connector, once: it says what our encoder says, and sees what a wrong one would."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load
from harness.engine.catalogue.workspace import workspace
from harness.model.change import ChangeLog
from harness.model.settings import Settings
from harness.oracles.mariadb import configuration, oracle
from harness.oracles.mariadb.configuration import MARIADB, PROFILES, Connector
from harness.oracles.mariadb.predictions import Prediction, predicted
from harness.oracles.result import OracleResult, Status, lines
from harness.protocols.mysql import MYSQL
from harness.protocols.protocol import ProtocolSpec
from harness.record.lock import load_lock
from harness.scenario.document import Scenario
from harness.scenario.expand import Case
from tests.tree import ROOT

SPACE = workspace(ROOT)
# Keys that change, DDL in mid-stream, rows of every kind; one has steps that no database runs.
CHOSEN = ("keys.pk-chain", "ddl.columns-forced", "types.integers")


def asked(
    run_dir: Path, scenarios: Sequence[Scenario], connector: Connector = MARIADB
) -> OracleResult:
    """Ask the oracle about scenarios."""
    options = oracle.OracleOptions(
        MYSQL, run_dir, lambda _: None, lambda _done, _total: None, os.environ, connector
    )
    return oracle.ask(scenarios, lambda one: load_lock(one, SPACE.golden), options)


def chosen() -> dict[str, Scenario]:
    """Return a few scenarios by their ids."""
    return {one.id: one for one in load(SPACE) if one.id in CHOSEN}


def test_what_no_database_runs_is_listed(tmp_path: Path) -> None:
    """A scenario with stated steps needs no service to be refused, and has its reason."""
    stated = next(one for one in load(SPACE) if oracle.cannot(one))
    result = asked(tmp_path, [stated])
    assert (result.total, result.compared) == (len(PROFILES), 0)
    assert all("no database runs it" in one.reason for one in result.cases)


@pytest.mark.services
@pytest.mark.parametrize("connector", [MARIADB, configuration.MYSQL], ids=lambda one: one.oracle)
def test_the_connector_agrees_and_disagrees(
    connector: Connector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every case is equal but the one whose records are spoiled."""
    scenarios = chosen()

    def wrong(case: Case, settings: Settings, protocol: ProtocolSpec, log: ChangeLog) -> Prediction:
        made = predicted(case, settings, protocol, log)
        if case.scenario.id != CHOSEN[0]:
            return made
        first, *rest = made.messages
        return replace(made, messages=(replace(first, value=b"{}"), *rest))

    monkeypatch.setattr(oracle, "predicted", wrong)
    result = asked(tmp_path, list(scenarios.values()), connector)
    differing = {one.case.partition("[")[0] for one in result.of(Status.DIFFERS)}
    assert differing == {CHOSEN[0]}, "\n".join(lines(result))
    assert not result.passed
    assert result.headline() == "equal {0} / compared {1} / total {1}".format(
        (len(scenarios) - 1) * len(PROFILES), len(scenarios) * len(PROFILES)
    )
