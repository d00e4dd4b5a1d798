"""No false alarm, through the engine's plan: whatever is allowed, a right consumer passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from harness.engine.deliver.produce import filled_topics
from harness.engine.plan.case import Plan, plan
from harness.engine.plan.stream_problems import stream_problems
from harness.engine.run import jobs
from harness.errors import ScenarioError
from harness.faults.fault import Disturbance
from harness.model.change import Change
from harness.model.finding import Judgement, Verdict
from harness.reference_consumer.answer import Changefeed
from harness.runner.contract import results
from harness.scenario.document import DeliveryStep
from harness.scenario.expand import Case
from harness.scenario.expand import cases as expanded
from harness.scenario.load import load
from harness.verdict.judge import judge
from tests.changelogs import log
from tests.faults.deliveries import MOST, allowed, composed, drawing, options
from tests.reference_consumer.test_fold_property import CREATE, change_logs

MANY = settings(
    max_examples=max(60, settings().max_examples // 2),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# Change logs of each form, and how often each is delivered: hundreds of deliveries in all, and
# tens of thousands under the profile `nightly`.
EACH = settings(MANY, max_examples=settings().max_examples // 8)
DELIVERIES = 12
TEXT = """\
id: a
title: Any change log
clauses: [kafka.at-least-once]
matrix: {{protocol: [{protocol}], partitions: [{partitions}]}}
databases: [shop]
settings: {settings}
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)
expect: {{tables: {{shop.t: []}}}}
"""
# Form -> protocol, partitions, settings.
FORMS: Mapping[str, tuple[str, int, str]] = {
    "open": ("open", 1, "{}"),
    "open-p3": (
        "open",
        3,
        "{open: {sink.dispatchers: [{matcher: ['*.*'], partition: index-value}]}}",
    ),
    "avro": ("avro", 1, "{}"),
    "avro-extended": ("avro", 1, "{avro: {enable-tidb-extension: true}}"),
    "vitess": ("vitess", 2, "{}"),
    "debezium-mysql": ("debezium-mysql", 2, "{}"),
}


@cache
def case(form: str) -> Case:
    """Return a case of a form whose delivery is still to be drawn."""
    protocol, partitions, given_settings = FORMS[form]
    with TemporaryDirectory() as directory:
        path = Path(directory) / "a.yaml"
        text = TEXT.format(protocol=protocol, partitions=partitions, settings=given_settings)
        path.write_text(text, encoding="utf-8")
        return expanded(load(path, Path(directory)))[0]


def disturbed(form: str, steps: Sequence[DeliveryStep], changes: Sequence[Change]) -> Plan:
    """Plan the case with these delivery steps."""
    plain = case(form)
    scenario = replace(plain.scenario, delivery={"drawn": tuple(steps)})
    return plan(replace(plain, scenario=scenario, delivery="drawn"), log(*changes))


@st.composite
def plans(draw: st.DrawFn, form: str, create: str = "clustered") -> Plan:
    """Draw a change log and allowed faults; those with nothing to act on are left out."""
    changes = draw(change_logs(CREATE[create]))
    names = [str(getattr(change, "name", "none")) for change in changes]
    protocol = FORMS[form][0]
    wanted: list[Disturbance] = draw(st.lists(st.sampled_from(allowed(protocol)), max_size=MOST))
    steps: list[DeliveryStep] = []
    found = disturbed(form, steps, changes)
    # What is done to the run comes after what is done to records.
    for fault in sorted(wanted, key=lambda one: one.act is not None):
        step = DeliveryStep(fault.name, options(drawing(draw), fault, protocol, names), 1)
        try:
            found = disturbed(form, [*steps, step], changes)
        except ScenarioError:
            continue
        steps.append(step)
    return found


def verdict(planned: Plan, random: Random) -> Verdict:
    """Let the reference consumer read a delivery in some order, and judge what it answers."""
    topics = filled_topics(planned, "x")
    feed: Mapping[str, Any] = to_builtins(jobs.changefeed(planned, 0, topics).to_file(Path()))
    consumer = Changefeed(feed, wire=planned.wire)
    names = {topic.canonical: topic.name for topic in topics}
    logs = {there: list(log.read) for there, log in planned.delivery.logs.items()}
    turns = [there for there, read in logs.items() for _ in read]
    random.shuffle(turns)
    for topic, partition in turns:
        one = logs[topic, partition].pop(0)
        pair = (one.record.key, one.record.value)
        consumer.take(names[topic], partition, one.offset, pair)
    with TemporaryDirectory() as directory:
        consumer.answer(Path(directory))
        return judge(planned.judged, planned.expected, results.read(Path(directory)))


@pytest.mark.parametrize("form", FORMS)
@MANY
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_what_is_allowed_passes(form: str, data: st.DataObject, seed: int) -> None:
    """Any change log, any allowed faults, any order of reading the partitions: pass."""
    found = verdict(data.draw(plans(form)), Random(seed))
    assert found.judgement is Judgement.PASS, (found.detail, found.findings)


@pytest.mark.parametrize("form", FORMS)
@EACH
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_many_deliveries_pass(form: str, data: st.DataObject, seed: int) -> None:
    """Any change log, delivered in many ways that the seed alone decides: pass each time."""
    changes = data.draw(change_logs(CREATE["clustered"]))
    names = [str(getattr(change, "name", "none")) for change in changes]
    plain = disturbed(form, (), changes)
    for number in range(DELIVERIES):
        random = Random(f"{seed}/{number}")
        found = composed(random, plain.records, FORMS[form][0], names)
        steps = [DeliveryStep(fault, given, 1) for fault, given in found]
        with suppress(ScenarioError):  # a step that finds nothing to act on under the case's seed
            planned = disturbed(form, steps, changes)
            if any(stream_problems([planned])):  # what `harness check` refuses
                continue
            judged = verdict(planned, random)
            assert judged.judgement is Judgement.PASS, (seed, number, steps, judged)


@MANY
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_keyless_duplicates_are_undecided(data: st.DataObject, seed: int) -> None:
    """Where copies of a row without a key cannot be told apart, that is said, and no more."""
    planned = data.draw(plans("avro", "keyless"))
    found = verdict(planned, Random(seed))
    repeated = any(len(places) > 1 for places in planned.judged.places.values())
    allowed_ones = {Judgement.PASS, Judgement.UNDECIDED} if repeated else {Judgement.PASS}
    assert found.judgement in allowed_ones, (found.detail, found.findings)
