"""A consumer that is killed, paused and started again: real commands, one job."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from harness.errors import SetupError
from harness.model.observed import Outcome
from harness.runner.contract.job import ChangefeedJob, Job
from harness.runner.contract.job_file import KafkaJob, TopicJob
from harness.runner.manifest import Consumer
from harness.runner.run import Start
from harness.runner.sandbox import Sandbox, refuse_where_none_is
from harness.runner.supervised import KILLED, SupervisedConsumer

PROPERTIES = {"bootstrap.servers": "127.0.0.1:9", "isolation.level": "read_committed"}
KAFKA = KafkaJob("g", PROPERTIES, PROPERTIES)
BODY = """
import json, os, signal, time
job = json.load(open(os.environ["HARNESS_JOB"]))
feed, work = job["changefeeds"][0], job["work_dir"]
starts = os.path.join(work, "starts")
open(starts, "a").write(os.environ["HARNESS_INSTANCE"])
def done():
    path = os.path.join(job["out_dir"], feed["dir"], "status.json")
    open(path, "w").write('{"status": "done"}')
"""


Supervised = Callable[..., SupervisedConsumer]


@pytest.fixture(params=[None, Sandbox()], ids=["", "sandbox"])
def supervised(request: pytest.FixtureRequest, tmp_path: Path) -> Supervised:
    """Return what makes the attendant of a script, which runs as it is or in a sandbox."""
    sandbox: Sandbox | None = request.param
    if sandbox is not None:
        try:
            refuse_where_none_is()
        except SetupError as error:
            pytest.skip(str(error))

    def made(
        body: str, deadline_s: float = 30, should_abort: Callable[[], None] = lambda: None
    ) -> SupervisedConsumer:
        script = tmp_path / "consumer.py"
        script.write_text(BODY + body)
        topics = (TopicJob("t0", "ticdc", start_offsets=(0,), end_offsets=(1,)),)
        feeds = (ChangefeedJob("one", "0000", "open", topics),)
        job = Job(tmp_path / "run/work", tmp_path / "run/out", KAFKA, feeds, deadline_s)
        argv = (sys.executable, "-I", "-S", str(script))
        consumer = Consumer("test", argv, sandbox=sandbox)
        start = Start(tmp_path / "run", job)
        return SupervisedConsumer(consumer, start, {"PATH": os.environ["PATH"]}, 1.0, should_abort)

    return made


def until(reached: Callable[[], bool]) -> None:
    """Wait for a condition with a bound."""
    deadline = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_killed_and_started_again(tmp_path: Path, supervised: Supervised) -> None:
    """A second start finds the first one's work directory; how the first ended is forgotten."""
    starts = tmp_path / "run/work/starts"
    with supervised("if open(starts).read() == '1': time.sleep(600)\ndone()") as one:
        one.begin()
        until(starts.exists)
        one.kill()
        assert one.pids == ()
        one.begin()
        assert one.wait() == 0
        assert one.answer(0)["one"].outcome is Outcome.DONE
    assert starts.read_text() == "11"


def test_a_crash_point(supervised: Supervised) -> None:
    """A consumer that is told to die there is seen to have been killed."""
    body = "if 'HARNESS_CRASHPOINT' in os.environ: os.kill(os.getpid(), signal.SIGKILL)\ndone()"
    with supervised(body) as one:
        one.begin("write:2")
        assert one.wait() in KILLED
        one.begin()
        assert one.wait() == 0


def test_paused(tmp_path: Path, supervised: Supervised) -> None:
    """A paused consumer does nothing until its time has come, and then ends as ever."""
    go = tmp_path / "go"
    with supervised(f"while not os.path.exists({str(go)!r}): time.sleep(0.01)\ndone()") as one:
        one.begin()
        until((tmp_path / "run/work/starts").exists)
        one.pause(0.3)
        (pid,) = one.pids
        outer = psutil.Process(pid)

        def halted() -> bool:
            tree = [outer, *outer.children(recursive=True)]
            return all(process.status() == psutil.STATUS_STOPPED for process in tree)

        until(halted)
        go.touch()
        assert one.wait() == 0
        assert one.answer(0)["one"].outcome is Outcome.DONE


def test_several_instances(tmp_path: Path, supervised: Supervised) -> None:
    """Instances run at once, know their number, and all have to end well."""
    body = "done()\nif os.environ['HARNESS_INSTANCE'] == '2': raise SystemExit(3)"
    with supervised(body) as one:
        one.begin(instances=2)
        assert one.wait() == 3
        assert one.answer(3)["one"].outcome is Outcome.CRASH
    assert sorted((tmp_path / "run/work/starts").read_text()) == ["1", "2"]


def test_one_of_several_is_killed(tmp_path: Path, supervised: Supervised) -> None:
    """The first instance is killed and comes back under its number; the others go on."""
    go = tmp_path / "go"
    starts = tmp_path / "run/work/starts"
    body = f"while not os.path.exists({str(go)!r}): time.sleep(0.01)\ndone()"
    with supervised(body) as one:
        one.begin(instances=2)
        until(lambda: starts.exists() and len(starts.read_text()) == 2)
        one.kill()
        assert len(one.pids) == 1
        one.begin()
        until(lambda: len(starts.read_text()) == 3)
        go.touch()
        assert one.wait() == 0
    assert sorted(starts.read_text()) == ["1", "1", "2"]


def test_one_of_several_leaves_and_another_joins(tmp_path: Path, supervised: Supervised) -> None:
    """A killed instance is forgotten, a newcomer takes its number, and who failed is not."""
    go = tmp_path / "go"
    starts = tmp_path / "run/work/starts"
    body = f"""
if os.environ['HARNESS_INSTANCE'] == '2': raise SystemExit(3)
while not os.path.exists({str(go)!r}): time.sleep(0.01)
done()
"""
    with supervised(body) as one:
        one.begin(instances=3)
        until(lambda: len(one.pids) == 2 and len(starts.read_text()) == 3)
        one.kill()
        one.begin(instances=0)
        assert len(one.pids) == 1
        one.begin(instances=1)
        until(lambda: len(starts.read_text()) == 4)
        go.touch()
        assert one.wait() == 3
    assert sorted(starts.read_text()) == ["1", "1", "2", "3"]


def test_late(supervised: Supervised) -> None:
    """A consumer that hangs is late, and nothing of it is left."""
    with supervised("time.sleep(600)", deadline_s=0.3) as one:
        one.begin()
        (pid,) = one.pids
        assert one.wait() is None
        assert one.answer(None)["one"].outcome is Outcome.TIMEOUT
    assert not psutil.pid_exists(pid)


def test_a_run_that_is_given_up(supervised: Supervised) -> None:
    """When a service dies the consumer is ended and not blamed."""

    def abort() -> None:
        raise SetupError("kafka is dead")

    with supervised("time.sleep(600)", should_abort=abort) as one:
        one.begin()
        with pytest.raises(SetupError, match="kafka is dead"):
            one.wait()
    assert one.pids == ()
