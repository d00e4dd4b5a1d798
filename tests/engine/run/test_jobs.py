"""What a consumer is given does not say which case it reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.deliver.produce import filled_topics
from harness.engine.plan.case import Plan
from harness.engine.run import jobs
from harness.engine.run.batch import batched
from harness.model.finding import Judgement, Verdict
from harness.model.observed import Observed, Outcome
from harness.runner.contract.job import Job
from harness.runner.contract.job_file import KafkaJob
from tests.engine.plan.test_case import planned


@pytest.fixture
def plans(tmp_path: Path) -> Mapping[str, Plan]:
    """Return the plans of a scenario's cases, by id."""
    return planned(tmp_path)


def test_no_part_of_a_job_names_the_case(plans: Mapping[str, Plan], tmp_path: Path) -> None:
    """Neither its scenario, nor its variant, nor what will happen to it is in job.json."""
    properties = {"bootstrap.servers": "127.0.0.1:9", "isolation.level": "read_committed"}
    for plan, index in zip(plans.values(), jobs.opaque(len(plans)), strict=True):
        case = plan.case
        named = replace(case, id="secret.scenario[variant]")
        feed = jobs.changefeed(
            replace(plan, case=named), index, filled_topics(plan, f"harness-0-{index}")
        )
        job = Job(tmp_path, tmp_path / "out", KafkaJob("g", properties, properties), (feed,), 9)
        text = json.dumps(job.to_json()).replace(str(tmp_path), "")
        assert not [word for word in ("secret", "scenario", "variant") if word in text]
        assert feed.seen_as in text


def test_numbers_are_others_in_each_run() -> None:
    """Two runs have hardly a number in common, and within a run each is there once."""
    first, second = jobs.opaque(1000), jobs.opaque(1000)
    assert len(set(first)) == 1000
    assert list(first) != list(second)
    assert sorted(first) != list(first)


def test_the_report_says_which_id_a_case_had(plans: Mapping[str, Plan]) -> None:
    """Whoever looks for a case's topics and logs finds its number in the answer."""
    feeds = [
        jobs.changefeed(plan, index, filled_topics(plan, "x"))
        for index, plan in enumerate(plans.values())
    ]
    observed = {feed.id: Observed(Outcome.DONE) for feed in feeds}
    verdicts = {feed.id: Verdict(feed.id, Judgement.PASS) for feed in feeds}
    answers = batched(observed, verdicts, {}, seen=jobs.seen(feeds))
    assert {case: one.changefeed for case, one in answers.items()} == {
        feed.id: feed.seen_as for feed in feeds
    }
