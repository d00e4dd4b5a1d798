"""Real commands that do several jobs in one start, and such as do not."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from harness.model.observed import Observed, Outcome
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import KafkaJob, TopicJob
from harness.runner.manifest import Capability, Consumer
from harness.runner.run import RunPlan, run
from harness.runner.several import dealt

BODY = """
import json, os, sys, time
listing = os.environ.get("HARNESS_JOBS")
paths = open(listing).read().split() if listing else [os.environ["HARNESS_JOB"]]
for path in paths:
    job = json.load(open(path))
    (feed,) = job["changefeeds"]
    print(feed["id"], job["kafka"]["group_id"], len(paths), flush=True)
    if feed["id"] in sys.argv[1]:
        sys.exit(3)
    if feed["id"] in sys.argv[2]:
        time.sleep(60)
    with open(os.path.join(job["out_dir"], feed["dir"], "status.json"), "w") as file:
        file.write('{"status": "done"}')
"""
PROPERTIES = {"bootstrap.servers": "127.0.0.1:9", "isolation.level": "read_committed"}
JOBS = frozenset({Capability.JOBS})


def answers(
    tmp_path: Path,
    ids: str,
    dying: str = "",
    hanging: str = "",
    deadline_s: float = 30,
    **declared: Any,
) -> dict[str, Observed]:
    """Run a consumer that dies or hangs at some changefeeds; return its answers."""
    script = tmp_path / "consumer.py"
    script.write_text(BODY)
    consumer = Consumer(
        "test", (sys.executable, "-I", "-S", str(script), dying, hanging), **declared
    )
    topics = (TopicJob("t", "ticdc", start_offsets=(0,), end_offsets=(1,)),)
    feeds = tuple(ChangefeedJob(one, f"{n:04}", "open", topics) for n, one in enumerate(ids))
    plan = RunPlan(feeds, KafkaJob("g", PROPERTIES, PROPERTIES), tmp_path / "run", deadline_s)
    return run(consumer, plan, environment=dict(os.environ))


def outcomes(answered: dict[str, Observed]) -> dict[str, Outcome]:
    """Return how each changefeed ended."""
    return {name: one.outcome for name, one in answered.items()}


def test_without_the_capability_each_job_is_a_start(tmp_path: Path) -> None:
    """A consumer that does not declare it never meets a second job."""
    answered = answers(tmp_path, "abc")
    assert [one.log for one in answered.values()] == [
        "a g-0001 1\n",
        "b g-0002 1\n",
        "c g-0003 1\n",
    ]
    assert set(outcomes(answered).values()) == {Outcome.DONE}


def test_one_start_does_many_jobs(tmp_path: Path) -> None:
    """Where the consumer can, all jobs are one start, each with directories of its own."""
    answered = answers(tmp_path, "abc", capabilities=JOBS)
    assert {one.log for one in answered.values()} == {"a g-0001 3\nb g-0002 3\nc g-0003 3\n"}
    assert set(outcomes(answered).values()) == {Outcome.DONE}
    jobs = sorted((tmp_path / "run").glob("*/job.json"))
    works = {json.loads(job.read_text())["work_dir"] for job in jobs}
    assert len(jobs) == len(works) == 3


def test_a_start_that_dies_is_blamed_on_the_job_it_was_at(tmp_path: Path) -> None:
    """Jobs before it have their answers, those behind it get another start."""
    answered = answers(tmp_path, "abcde", dying="bd", capabilities=JOBS)
    assert outcomes(answered) == {
        "a": Outcome.DONE,
        "b": Outcome.CRASH,
        "c": Outcome.DONE,
        "d": Outcome.CRASH,
        "e": Outcome.DONE,
    }
    assert answered["e"].log == "e g-0005 1\n"


def test_a_job_that_hangs_is_late_by_itself(tmp_path: Path) -> None:
    """Each job has the whole deadline, and one that is late takes no other with it."""
    answered = answers(tmp_path, "abc", hanging="b", deadline_s=8, capabilities=JOBS)
    assert outcomes(answered) == {"a": Outcome.DONE, "b": Outcome.TIMEOUT, "c": Outcome.DONE}


def test_starts_are_dealt_to_as_many_hands_as_there_are() -> None:
    """Every start once, in hands of equal size, none of them too many."""
    for count in (1, 2, 7, 450):
        for hands in (1, 2, 4):
            groups = dealt(range(count), hands)
            assert sorted(one for group in groups for one in group) == list(range(count))
            assert max(map(len, groups)) - min(map(len, groups)) <= 1
            assert len(groups) >= min(hands, count)
            assert max(map(len, groups)) <= 200
