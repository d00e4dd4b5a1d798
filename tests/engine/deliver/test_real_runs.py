"""What can be done to a run, done: real Kafka and registry, the reference consumer."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

from harness.engine.catalogue.workspace import workspace
from harness.engine.pipeline import CatalogueCases, certify
from harness.engine.plan.case import Plan
from harness.engine.run.context import Limits, RunContext, RunIdentity
from harness.engine.run.event_bus import EventBus
from harness.model.finding import Judgement, Verdict
from harness.runner.commands import Whereabouts
from harness.runner.manifest import Capability, Consumer
from harness.runner.targets import parse
from tests.engine.deliver.deliveries import planned

pytestmark = pytest.mark.services

AT_LEAST_ONCE = "allowed-by: {open: kafka.at-least-once, avro: kafka.at-least-once}"
GAPS = "allowed-by: {open: kafka.offsets-have-gaps, avro: kafka.offsets-have-gaps}"
OPEN = f"""\
  aborted: [{{aborted: {{records: 2}}, {GAPS}}}]
  tried: [{{aborted: {{transaction: two, records: 1}}, {GAPS}}}]
  transactional: [{{transactional: {{records: 3}}, {GAPS}}}]
  expired: [{{expired: {{records: 5}}, {GAPS}}}]
  killed: [{{kill: {{after-records: 4}}, {AT_LEAST_ONCE}}}]
  killed-writing: [{{kill: {{at: write, hit: 2}}, {AT_LEAST_ONCE}}}]
  never: [{{kill: {{at: write, hit: 99}}, {AT_LEAST_ONCE}}}]
  killed-committing: [{{kill: {{after-commits: 1}}, {AT_LEAST_ONCE}}}]
  slow: [{{slow-consumer: {{after-records: 4, milliseconds: 300}}, {AT_LEAST_ONCE}}}]
  two: [{{instances: {{count: 2}}, allowed-by: {{open: kafka.group-members-change}}}}]
  joined: [{{join: {{after-records: 4}}, allowed-by: {{open: kafka.group-members-change}}}}]
  grown: [{{grow: {{from: three, consumer: stopped}}, seen-in: "https://example.org/"}}]
  growing: [{{grow: {{from: three}}, seen-in: "https://example.org/"}}]
  broker: [{{broker-restart: {{after: two}}, allowed-by: {{open: kafka.brokers-fail}}}}]
  led: [{{leader-moves: {{from: two, to: two}}, allowed-by: {{open: kafka.brokers-fail}}}}]
  lost: [{{retention: {{to: one}}, hostile: true}}]
  cut: [{{truncated: {{transaction: two}}, hostile: true}}]
  all-at-once:
    - {{expired: {{records: 2}}, {GAPS}}}
    - {{transactional: {{records: 2}}, {GAPS}}}
    - {{kill: {{after-records: 5}}, {AT_LEAST_ONCE}}}
"""
OLDER_GONE = "allowed-by: {avro: kafka.compaction.older-gone}"
GROWS = "allowed-by: {avro: kafka.partitions-grow}"
AWAY = "allowed-by: {avro: registry.may-be-away}"
AVRO = f"""\
  compacted: [{{compacted: {{}}, {OLDER_GONE}}}]
  thinned: [{{compacted: {{tombstones: expired}}, {OLDER_GONE}}}]
  cleaned: [{{compacted: {{by: cleaner}}, {OLDER_GONE}}}]
  forgotten: [{{registry-forgets: {{transaction: two}}, hostile: true}}]
  empty: [{{empty-partitions: {{count: 2}}, {GROWS}}}]
  grown: [{{grow: {{from: three}}, {GROWS}}}]
  registry-down: [{{registry-down: {{from: two, to: two}}, {AWAY}}}]
  registry-restart: [{{registry-restart: {{after: one}}, {AWAY}}}]
  id: [{{unknown-schema-id: {{transaction: two, place: instead}}, hostile: true}}]
"""


# Certification of the catalogue does something of each of these kinds as well, to Spark. So at each
# push there are a share, and those of which more is said than that they pass; at night all of them.
EACH = 1 if settings().max_examples >= 1000 else 4
OTHERWISE = {"killed-committing", "never", "grown", "growing", "lost", "cut", "forgotten"}
REFERENCE = parse("reference", Whereabouts.here())
COMMITTING = Consumer(
    "committing",
    (sys.executable, str(Path(__file__).with_name("committing.py"))),
    environment=REFERENCE.environment,
    capabilities=frozenset({Capability.COMMITS}),
)


# The reference consumer, which writes down which instance is started.
STARTS = """
import json, os, pathlib, sys
from harness.reference_consumer.__main__ import main
job = json.loads(pathlib.Path(os.environ["HARNESS_JOB"]).read_text())
with pathlib.Path(job["work_dir"], "starts").open("a") as starts:
    starts.write(os.environ["HARNESS_INSTANCE"])
sys.exit(main())
"""


def run(plans: Sequence[Plan], root: Path, consumer: Consumer = REFERENCE) -> Mapping[str, Verdict]:
    """Run plans over a consumer; return the verdicts by delivery."""
    context = RunContext(
        RunIdentity("e1", root / "run"),
        consumer,
        dict(os.environ),
        EventBus(),
        limits=Limits(60),
    )
    cases = CatalogueCases(workspace(root, root), [plan.case for plan in plans], planned=plans)
    verdicts = certify(cases, context).verdicts
    return {p.case.delivery or "plain": v for p, v in zip(plans, verdicts, strict=True)}


def share(plans: Mapping[str, Plan]) -> Sequence[Plan]:
    """Return those plans that this run does."""
    passing = [name for name in plans if name not in OTHERWISE]
    return [plan for name, plan in plans.items() if name in {*passing[::EACH], *OTHERWISE}]


def judgements(verdicts: Mapping[str, Verdict]) -> Mapping[str, tuple[Judgement, str]]:
    """Return what was said of each delivery that did not simply pass."""
    return {
        name: (one.judgement, one.detail or str(one.findings))
        for name, one in verdicts.items()
        if one.judgement is not Judgement.PASS
    }


def test_open(tmp_path: Path) -> None:
    """Whatever the broker and the consumer suffer, the tables are right.

    That topics of the Open Protocol grow is in no document, so it is shown apart.
    """
    plans = share(planned(tmp_path, "open", 2, OPEN))
    verdicts = run(plans, tmp_path)
    assert judgements(verdicts) == {
        "killed-committing": (
            Judgement.NOT_APPLICABLE,
            "needs commits, which reference does not declare",
        ),
        "never": (
            Judgement.INCONCLUSIVE,
            "it ended before the moment came at which something was to happen: write:99",
        ),
        "grown": (Judgement.BEYOND, "()"),
        "growing": (Judgement.BEYOND, "()"),
    }
    assert "ticdc/" in verdicts["lost"].detail
    assert "ticdc/" in verdicts["cut"].detail


def test_avro(tmp_path: Path) -> None:
    """Compaction, empty partitions and a registry that goes and comes back change nothing."""
    plans = share(planned(tmp_path, "avro", 1, AVRO))
    assert judgements(run(plans, tmp_path)) == {}


def test_after_commits(tmp_path: Path) -> None:
    """A consumer that commits is killed after its n-th commit, seen from outside."""
    killed = f"  killed: [{{kill: {{after-commits: 2}}, {AT_LEAST_ONCE}}}]"
    plan = planned(tmp_path, "open", 1, killed)["killed"]
    assert judgements(run([plan], tmp_path, COMMITTING)) == {}
    (starts,) = tmp_path.rglob("starts")
    assert starts.read_text() == "started\n" * 2


def test_at_a_crash_point_of_several_all_come_back(tmp_path: Path) -> None:
    """Each instance kills itself there, whoever works at the time, and each is started again."""
    script = tmp_path / "starts.py"
    script.write_text(STARTS)
    consumer = replace(REFERENCE, argv=(sys.executable, str(script)))
    both = f"""\
  both:
    - {{instances: {{count: 2}}, allowed-by: {{open: kafka.group-members-change}}}}
    - {{kill: {{at: write}}, {AT_LEAST_ONCE}}}
"""
    plan = planned(tmp_path, "open", 1, both)["both"]
    assert judgements(run([plan], tmp_path, consumer)) == {}
    (starts,) = tmp_path.rglob("work/starts")
    assert sorted(starts.read_text()) == ["1", "1", "2", "2"]
