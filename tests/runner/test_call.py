"""A Python function is a consumer like any other, and one that cannot be loaded is none at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.model.observed import Observed, Outcome
from harness.runner.commands import Whereabouts
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import KafkaJob, TopicJob
from harness.runner.run import RunPlan, run
from harness.runner.targets import parse

MODULE = """
import sys
from pathlib import Path

CONSTANT = 7

def consume(job):
    for feed in job["changefeeds"]:
        Path(job["out_dir"], feed["dir"], "status.json").write_text('{"status": "done"}')

def fail(job):
    raise ValueError("no such partition")

def leave(job):
    sys.exit(3)

def leave_as_if_not_loaded(job):
    sys.exit(69)

def leave_in_words(job):
    sys.exit("enough")
"""


def call(tmp_path: Path, target: str) -> Observed:
    """Run a function of a module in the user's directory over one changefeed."""
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text("import nowhere_to_be_found")
    (tmp_path / "failing.py").write_text("1 / 0")
    properties = {"bootstrap.servers": "127.0.0.1:9", "isolation.level": "read_committed"}
    feed = ChangefeedJob("one", "0000", "open", (TopicJob("t", "t", (0,), (1,)),))
    kafka = KafkaJob("g", properties, properties)
    environment = {"PATH": os.environ["PATH"]}
    consumer = parse(target, Whereabouts(tmp_path, environment))
    return run(consumer, RunPlan((feed,), kafka, tmp_path / "run", 30), environment=environment)[
        "one"
    ]


def test_a_function_gets_the_job(tmp_path: Path) -> None:
    """It is called with the job as a dict, and answers through files."""
    observed = call(tmp_path, "py:mine:consume")
    assert observed.outcome is Outcome.DONE
    assert observed.log == ""


FAILS = {
    "fail": ("exit code 70", "mine:fail raised ValueError: no such partition"),
    "leave": ("exit code 3", "it printed nothing"),
    "leave_as_if_not_loaded": ("exit code 70", "it printed nothing"),
    "leave_in_words": ("exit code 1", "enough"),
}


@pytest.mark.parametrize(("function", "words"), FAILS.items(), ids=FAILS)
def test_a_function_that_fails_is_a_crash(
    tmp_path: Path, function: str, words: tuple[str, str]
) -> None:
    """The exit code and the function's own words are the detail, without frames of ours."""
    observed = call(tmp_path, f"py:mine:{function}")
    assert observed.outcome is Outcome.CRASH
    assert all(part in observed.detail for part in words)
    assert "harness/runner/call.py" not in observed.detail


UNLOADABLE = {
    "py:nowhere:fn": "cannot import nowhere: there is no module 'nowhere'",
    "py:broken:fn": "cannot import broken: there is no module 'nowhere_to_be_found'",
    "py:failing:fn": "importing failing failed with ZeroDivisionError",
    "py:mine:consum": "mine has no consum; did you mean mine:consume?",
    "py:mine:xyz": "mine has no xyz\n",
    "py:mine:CONSTANT": "mine:CONSTANT is int, not a function",
}


@pytest.mark.parametrize(("target", "words"), UNLOADABLE.items(), ids=UNLOADABLE)
def test_a_function_that_cannot_be_loaded_is_the_users_mistake(
    tmp_path: Path, target: str, words: str
) -> None:
    """A misspelt target is a usage error with the reason, never a finding about a consumer."""
    with pytest.raises(UsageError, match="cannot be loaded") as refusal:
        call(tmp_path, target)
    assert words in refusal.value.hint + "\n"
    assert "harness/runner/call.py" not in refusal.value.hint
