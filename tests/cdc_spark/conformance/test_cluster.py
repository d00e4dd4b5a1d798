"""The same answers on a cluster: a driver, and executors that share no memory with it."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.run.context import RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.engine.run.preflight import ready
from harness.model.finding import Judgement
from harness.protocols import OWN
from harness.runner.commands import Whereabouts
from harness.runner.targets import parse
from harness.services.ports import HOST
from tests.cdc_spark.conformance.standalone_cluster import SHORT, standalone_cluster

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[3]
SEED, EACH, WORKERS = 17, 6, 2


def test_two_workers_give_the_answers(tmp_path: Path) -> None:
    """Cases of each protocol pass, and executors of both workers had tasks in it."""
    random = Random(SEED)
    space = workspace(ROOT, ROOT / "scenarios", ROOT / "golden")
    cases = selected(load(space), "keys or ddl")
    chosen = [
        case
        for protocol in OWN
        for case in random.sample([one for one in cases if one.protocol == protocol], EACH)
    ]
    spark = ready(parse("spark", Whereabouts.here()), lambda _: None)
    (tmp_path / "events").mkdir()
    conf = {
        "spark.driver.bindAddress": HOST,
        "spark.driver.host": HOST,
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": SHORT,
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (tmp_path / "events").as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    with standalone_cluster(tmp_path / "cluster", WORKERS) as url:
        there = {"HARNESS_SPARK_MASTER": url, "HARNESS_SPARK_CONF": json.dumps(conf)}
        context = RunContext(
            RunIdentity("cluster", tmp_path / "run"),
            replace(spark, environment={**spark.environment, **there}),
            dict(os.environ),
            EventBus(),
        )
        verdicts = certify(CatalogueCases(space, chosen), context).verdicts
    judged = Counter(verdict.judgement for verdict in verdicts)
    assert set(judged) <= {Judgement.PASS, Judgement.NOT_APPLICABLE}, verdicts
    assert judged[Judgement.PASS] > 2 * EACH
    assert executors(tmp_path / "events") == {str(number) for number in range(WORKERS)}


def executors(logs: Path) -> set[str]:
    """Return the executors that have ended tasks, from Spark's event logs."""
    events = (json.loads(line) for log in logs.iterdir() for line in log.read_text().splitlines())
    return {
        event["Task Info"]["Executor ID"]
        for event in events
        if event["Event"] == "SparkListenerTaskEnd"
    }
