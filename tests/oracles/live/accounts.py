"""Scenes of live runs, made of locks: as if a connector had sent what we predict."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from harness.engine.catalogue.choose import load
from harness.engine.catalogue.workspace import workspace
from harness.engine.run.external_topics.source import Snapshot
from harness.model.values import Row
from harness.oracles.live.scenes import Performed, Play, Scene
from harness.oracles.live.verdicts import Account, account, case_of
from harness.oracles.mariadb.predictions import predicted
from harness.oracles.mariadb.statements import Execution
from harness.protocols.mysql import MYSQL
from harness.record.lock import load_lock
from harness.scenario.document import Scenario
from tests.tree import ROOT

SPACE = workspace(ROOT)
PREFIX = "live0_0"


def scenario(name: str = "keys.pk-chain") -> Scenario:
    """Return a scenario of the catalogue."""
    (found,) = load(SPACE, [Path(name)])
    return found


def known(
    *rows: Row,
    name: str = "keys.pk-chain",
    fault: str = "",
    failed: str = "",
    steps: int = 99,
    spoiled: bool = False,
    refused: str = "",
    restated: bool = False,
) -> Account:
    """Return the account of a scenario whose SELECT says these rows of shop.t.

    What was sent is what we predict of its first `steps` steps, `spoiled` by another value, or with
    another statement behind it (`restated`).
    """
    play = Play(0, scenario(name), fault)
    log = load_lock(play.scenario, SPACE.golden)
    case = case_of(play, MYSQL)
    cut = replace(log, changes=log.changes[:steps])
    ours = predicted(case, {"topic.prefix": PREFIX}, MYSQL, cut)
    table = next(one.table.table for one in ours.rows)
    truth = Snapshot({table.id: table}, {table.id: Counter(rows)})
    done = Performed(play, PREFIX, Execution([], [], refused), truth, "", steps, failed)
    sent = ours.messages
    if spoiled:
        sent = (*sent[:-1], replace(sent[-1], value=b"{}"))
    if restated:
        (statement,) = (one for one in sent if one.topic == PREFIX and b"CREATE TABLE" in one.value)
        sent = (*sent, replace(statement, value=b"{}"))
    now = time.time_ns()
    return account(Scene(done, (), sent), log, MYSQL, (now, now))
