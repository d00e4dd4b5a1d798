"""The same answers under other zones, encodings and partitions: cases drawn by a seed."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.repartitioned import repartition
from harness.engine.catalogue.workspace import workspace
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.run.context import RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.run.preflight import ready
from harness.model.finding import FINDINGS, Judgement
from harness.protocols import OWN
from harness.runner.commands import Whereabouts
from harness.runner.targets import parse
from harness.scenario.expand import Case

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[3]
SEED, EACH, PARTITIONS = 2024, 12, 4
# Half an hour off the hour, behind and ahead of UTC; and files that are ASCII unless told.
ELSEWHERE = {
    "spark.sql.session.timeZone": "America/St_Johns",
    "spark.driver.extraJavaOptions": "-Duser.timezone=America/St_Johns -Dfile.encoding=US-ASCII",
}


def drawn(cases: tuple[Case, ...]) -> list[Case]:
    """Return some cases of each protocol that were written for another number of partitions."""
    random = Random(SEED)
    others = [case for case in cases if case.partitions != PARTITIONS and case.delivery is None]
    return [
        case
        for protocol in OWN
        for case in random.sample([one for one in others if one.protocol == protocol], EACH)
    ]


def test_zones_encodings_and_partitions_change_no_answer(tmp_path: Path) -> None:
    """Python in Kathmandu, Java in St. John's, ASCII files, four partitions: every case passes."""
    space = workspace(ROOT, ROOT / "scenarios", ROOT / "golden")
    chosen = drawn(selected(load(space), "types or encoding or keys or ordering"))
    laid = repartition(space, chosen, PARTITIONS)
    spark = ready(parse("spark", Whereabouts.here()), lambda _: None)
    zones = {"TZ": "Asia/Kathmandu", "HARNESS_SPARK_CONF": json.dumps(ELSEWHERE)}
    context = RunContext(
        RunIdentity("zones", tmp_path / "run"),
        replace(spark, environment={**spark.environment, **zones}),
        dict(os.environ),
        EventBus(),
    )
    verdicts = certify(CatalogueCases(space, laid.cases, planned=laid.plans), context).verdicts
    judged = Counter(verdict.judgement for verdict in verdicts)
    assert not [verdict for verdict in verdicts if verdict.judgement in FINDINGS]
    assert judged[Judgement.PASS] > 2 * EACH
