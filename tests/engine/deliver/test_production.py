"""What is refused before a broker is asked: shared topics, and steps that no topic can carry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.deliver.production import Production, ProductionOptions
from harness.errors import ScenarioError, UsageError
from harness.services import Kafka
from tests.engine.plan.test_case import TEXT, planned

NOWHERE = Kafka("localhost:1")
KILLED = "    - kill: {after-records: 2}\n      allowed-by: {open: kafka.at-least-once}\n"


def test_two_streams_never_share_a_topic(tmp_path: Path) -> None:
    """Two cases that would fill one topic are refused, unless the prefix parts them."""
    plan = planned(tmp_path)[None]
    scenario = replace(plan.case.scenario, id="b")
    other = replace(plan, case=replace(plan.case, scenario=scenario, id="b[open,p2]"))
    with pytest.raises(UsageError, match=r"would both fill the topic x\.ticdc"):
        Production(ProductionOptions(NOWHERE, "x."), [plan, other])
    apart = Production(ProductionOptions(NOWHERE, "x.{scenario}."), [plan, other])
    assert apart.total == 2 * len(plan.delivered)
    assert apart.account().filled == ()


def test_only_messages_are_sent(tmp_path: Path) -> None:
    """A delivery that does something to the run is refused at the step's line."""
    steps = TEXT.split("  again:\n")[1].split("expect:")[0]
    plan = planned(tmp_path, TEXT.replace(steps, KILLED))["again"]
    with pytest.raises(ScenarioError) as caught:
        Production(ProductionOptions(NOWHERE), [plan])
    (problem,) = caught.value.problems
    assert problem.location.line == 13
    assert "`kill` acts on the run" in problem.what
