"""Real commands, good and bad, each run to its end and told apart from all others.

Scripts are run with `python -I -S`, which starts fast. They share a prelude that reads the job.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.errors import HarnessBug, SetupError, UsageError
from harness.model.observed import Observed, Outcome
from harness.model.table import TableId
from harness.runner.contract.job import ChangefeedJob
from harness.runner.contract.job_file import KafkaJob, TopicJob
from harness.runner.manifest import Consumer
from harness.runner.run import RunPlan, run

PROPERTIES = {"bootstrap.servers": "127.0.0.1:9", "isolation.level": "read_committed"}
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "DB_PASSWORD": "hunter2"}
PRELUDE = """
import json, os, signal, subprocess, sys, time
job = json.load(open(os.environ["HARNESS_JOB"]))
def put(feed, file, content):
    path = os.path.join(job["out_dir"], feed["dir"], file)
    open(path, "wb").write(content if isinstance(content, bytes) else content.encode())
def done(feed):
    put(feed, "status.json", '{"status": "done"}')
first = job["changefeeds"][0]
"""
FINISH = "for feed in job['changefeeds']: done(feed)\n"


def script(tmp_path: Path, body: str, **declared: Any) -> Consumer:
    """Return a consumer that runs a Python script."""
    path = tmp_path / "consumer.py"
    path.write_text(PRELUDE + body)
    return Consumer("test", (sys.executable, "-I", "-S", str(path)), **declared)


def plan(tmp_path: Path, *ids: str, **changes: Any) -> RunPlan:
    """Return a plan over changefeeds of these ids, with a deadline that no test waits for."""
    topics = {
        feed: (TopicJob(f"t{number}", "ticdc", start_offsets=(0,), end_offsets=(1,)),)
        for number, feed in enumerate(ids or ("one",))
    }
    feeds = tuple(
        ChangefeedJob(feed, f"{number:04}", "open", topic)
        for number, (feed, topic) in enumerate(topics.items())
    )
    settings = {"deadline_s": 30, "grace_s": 5.0} | changes
    return RunPlan(feeds, KafkaJob("g", PROPERTIES, PROPERTIES), tmp_path / "run", **settings)


def run_one(tmp_path: Path, body: str, **changes: Any) -> Observed:
    """Run a script over one changefeed."""
    return run(script(tmp_path, body), plan(tmp_path, **changes), environment=ENVIRONMENT)["one"]


def test_a_good_consumer_is_heard(tmp_path: Path) -> None:
    """Tables come back, and what it printed on either stream is kept in order."""
    body = """
put(first, "tables/shop.t.jsonl", '{"a": 1}')
print("consumed", first["topics"][0]["end_offsets"], flush=True)
print("\\x1b[31mno error\\x1b[0m", file=sys.stderr)
"""
    observed = run_one(tmp_path, body + FINISH)
    assert observed.outcome is Outcome.DONE
    assert observed.tables == {TableId("shop", "t"): ({"a": 1},)}
    assert observed.log == "consumed [1]\nno error\n"
    assert (tmp_path / "run/0001/output.log").read_bytes().endswith(b"\x1b[31mno error\x1b[0m\n")


ANSWERS: Mapping[str, tuple[str, Outcome, str]] = {
    "done": ("", Outcome.DONE, ""),
    "gives up": (
        """put(feed, "status.json", '{"status": "error", "error": "bad magic"}')""",
        Outcome.ERROR,
        "bad magic",
    ),
    "cannot": (
        """put(feed, "status.json", '{"status": "not-applicable", "needs": "protocol:open"}')""",
        Outcome.NOT_APPLICABLE,
        "protocol:open",
    ),
    "nothing": ("os.remove(status)", Outcome.INVALID, "answers nothing: it exited 0 and wrote no"),
    "garbage": ("put(feed, table, 'garbage')", Outcome.INVALID, "line 1: not JSON at column 1"),
    "half": ("put(feed, table, '{}\\n{\"a')", Outcome.INVALID, "line 2: half-written"),
    "NaN": ("put(feed, table, '{\"a\": NaN}')", Outcome.INVALID, "NaN is not JSON"),
    "twice": ('put(feed, table, \'{"a": 1, "a": 1}\')', Outcome.INVALID, "'a' is there twice"),
    "type": ("put(feed, table, '[1]')", Outcome.INVALID, "[1] is not an object"),
    "bytes": ("put(feed, table, b'\\xff')", Outcome.INVALID, "byte 1 (0xff) is not UTF-8"),
    "huge": ("put(feed, table, ' ' * (17 << 20))", Outcome.INVALID, "line 1: longer than"),
    "no folder": (
        "import shutil; shutil.rmtree(os.path.dirname(status))",
        Outcome.INVALID,
        "answers nothing",
    ),
}


def test_one_bad_answer_leaves_its_neighbours_alone(tmp_path: Path) -> None:
    """In one packed run each changefeed comes to what was written for it, in words of its own."""
    spoil = {name: code for name, (code, _, _) in ANSWERS.items()}
    body = f"""
table = "tables/s.t.jsonl"
for feed in job["changefeeds"]:
    done(feed)
    status = os.path.join(job["out_dir"], feed["dir"], "status.json")
    exec({spoil!r}[feed["id"]])
"""
    consumer = script(tmp_path, body, max_changefeeds=100)
    observed = run(consumer, plan(tmp_path, *ANSWERS), environment=ENVIRONMENT)
    assert list(observed) == list(ANSWERS)
    assert {name: answer.outcome for name, answer in observed.items()} == {
        name: outcome for name, (_, outcome, _) in ANSWERS.items()
    }
    for name, (_, _, words) in ANSWERS.items():
        assert words in observed[name].detail


ENDS: Mapping[str, tuple[str, Outcome, str]] = {
    "exit 1": (
        "print('cannot connect'); sys.exit(1)",
        Outcome.CRASH,
        "exit code 1, without a status; its last words:\ncannot connect",
    ),
    "exit 0 in silence": ("", Outcome.INVALID, "wrote no 0000/status.json; it printed nothing"),
    "traceback": ("1 / 0", Outcome.CRASH, "ZeroDivisionError"),
    "killed": (
        "os.kill(os.getpid(), signal.SIGKILL)",
        Outcome.CRASH,
        "killed by SIGKILL (signal 9), without a status",
    ),
    "half a status": (
        "put(first, 'status.json', '{\"st'); sys.exit(3)",
        Outcome.CRASH,
        "exit code 3 (status.json: half-written",
    ),
    "exit 1 at the very end": (
        FINISH + "sys.exit(1)",
        Outcome.CRASH,
        "exit code 1, although every changefeed had its status",
    ),
    "wrong directory": (
        "os.mkdir(job['out_dir'] + '/one'); open(job['out_dir'] + '/one/status.json', 'w')",
        Outcome.INVALID,
        "wrote no 0000/status.json; out_dir holds 'one', not asked for",
    ),
}


@pytest.mark.parametrize(("body", "outcome", "words"), ENDS.values(), ids=ENDS)
def test_each_bad_end_has_its_own_words(
    tmp_path: Path, body: str, outcome: Outcome, words: str
) -> None:
    """Crash, signal, silence and misplaced answers cannot be mistaken for one another."""
    observed = run_one(tmp_path, body)
    assert observed.outcome is outcome
    assert words in observed.detail


LATE: Mapping[str, tuple[str, str]] = {
    "sleeps": ("print('still here', flush=True)\ntime.sleep(60)", "without a status; its last"),
    "ignores SIGTERM": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
        "without a status; it printed nothing",
    ),
    "never exits": (FINISH + "time.sleep(60)", "although every changefeed had its status"),
}


@pytest.mark.parametrize(("body", "words"), LATE.values(), ids=LATE)
def test_the_deadline_is_kept(tmp_path: Path, body: str, words: str) -> None:
    """What runs past its deadline is stopped, by force in the end, and is a timeout."""
    started = time.monotonic()
    observed = run_one(tmp_path, body, deadline_s=0.5, grace_s=0.2)
    assert time.monotonic() - started < 10
    assert observed.outcome is Outcome.TIMEOUT
    assert observed.detail.startswith("still running at its deadline of 0.5 s")
    assert words in observed.detail


def test_what_was_answered_before_the_deadline_counts(tmp_path: Path) -> None:
    """A packed run that hangs at its second changefeed has still answered its first."""
    consumer = script(tmp_path, "done(first)\ntime.sleep(60)", max_changefeeds=2)
    observed = run(consumer, plan(tmp_path, "a", "b", deadline_s=0.5), environment=ENVIRONMENT)
    assert [answer.outcome for answer in observed.values()] == [Outcome.DONE, Outcome.TIMEOUT]


LATECOMER = """
import subprocess
late = "import sys, time; time.sleep(1.5); open(sys.argv[1], 'w').write(sys.argv[2])"
status = os.path.join(job["out_dir"], first["dir"], "status.json")
subprocess.Popen([sys.executable, "-I", "-S", "-c", late, status, '{"status": "done"}'])
"""


def test_an_answer_that_comes_late_is_none(tmp_path: Path) -> None:
    """What a consumer leaves to a descendant is ended with it, and never becomes its answer."""
    observed = run_one(tmp_path, LATECOMER)
    assert observed.outcome is Outcome.INVALID
    assert "answers nothing: it exited 0 and wrote no 0000/status.json" in observed.detail
    time.sleep(2)
    assert not list((tmp_path / "run").rglob("status.json"))


def test_tables_that_were_not_given_are_kept_for_the_verdict(tmp_path: Path) -> None:
    """A table of nobody's is part of the answer: that it must not exist is a finding."""
    observed = run_one(tmp_path, """put(first, "tables/else.x.jsonl", '{"a": 1}')\n""" + FINISH)
    assert observed.outcome is Outcome.DONE
    assert observed.tables == {TableId("else", "x"): ({"a": 1},)}


def test_descendants_end_with_the_run(tmp_path: Path) -> None:
    """What a consumer leaves running, even in a session of its own, is gone when `run` returns."""
    body = """
command = ["sleep", "60"]
children = [subprocess.Popen(command), subprocess.Popen(command, start_new_session=True)]
open(os.path.join(job["work_dir"], "pids"), "w").write(json.dumps([c.pid for c in children]))
"""
    assert run_one(tmp_path, body + FINISH).outcome is Outcome.DONE
    pids = json.loads((tmp_path / "run/0001/work/pids").read_text())
    assert len(pids) == 2
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


def test_a_flood_of_output_costs_a_fixed_amount_of_disk(tmp_path: Path) -> None:
    """Of 50 MB the beginning and the end are kept, and the log says what is missing."""
    body = """
print("the very beginning")
for _ in range(800): sys.stdout.write("x" * 65535 + "\\n")
print("the very end")
"""
    observed = run_one(tmp_path, body + FINISH)
    log = (tmp_path / "run/0001/output.log").read_bytes()
    assert observed.outcome is Outcome.DONE
    assert len(log) < 1_000_000
    assert log.startswith(b"the very beginning\n")
    assert log.endswith(b"the very end\n")
    assert b"bytes left out" in log
    assert observed.log.endswith("the very end\n")
    assert len(observed.log) < 20_000


def test_our_environment_stays_ours(tmp_path: Path) -> None:
    """The consumer sees what the contract names and what it asked for; secrets do not leak."""
    body = """
open("seen", "w").write(json.dumps([dict(os.environ), os.getcwd(), os.listdir(".")]))
os.path.isdir(os.environ["TMPDIR"]) or sys.exit("no TMPDIR")
"""
    consumer = script(tmp_path, body + FINISH, environment={"MINE": "yes"})
    observed = run(consumer, plan(tmp_path), environment=ENVIRONMENT)["one"]
    assert observed.outcome is Outcome.DONE
    start = tmp_path / "run/0001"
    environment, directory, content = json.loads((start / "work/seen").read_text())
    environment.pop("LC_CTYPE", None)  # Python's own, when the locale is C (PEP 538)
    assert environment == {
        "PATH": ENVIRONMENT["PATH"],
        "HOME": "/nowhere",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TMPDIR": str(start / "tmp"),
        "MINE": "yes",
        "HARNESS_JOB": str(start / "job.json"),
    }
    assert directory == str(start / "work")
    assert content == ["seen"]
    assert not (start / "tmp").exists()


def no_interpreter(path: Path) -> None:
    """Write a script whose interpreter does not exist."""
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)


def no_first_line(path: Path) -> None:
    """Write a script that does not say how to run it."""
    path.write_text("print(1)\n")
    path.chmod(0o755)


def not_executable(path: Path) -> None:
    """Write a script that may not be executed."""
    path.write_text("#!/bin/sh\n")


def missing(path: Path) -> None:
    """Write nothing."""


@pytest.mark.parametrize("make", [no_interpreter, no_first_line, not_executable, missing])
def test_a_command_that_cannot_run_is_the_users_mistake(tmp_path: Path, make: Any) -> None:
    """Nothing is blamed on a consumer that never ran."""
    path = tmp_path / "command"
    make(path)
    with pytest.raises(UsageError, match="cannot be run") as refusal:
        run(Consumer("test", (str(path),)), plan(tmp_path), environment=ENVIRONMENT)
    assert str(path) in refusal.value.what


def test_nobody_is_blamed_when_the_environment_dies(tmp_path: Path) -> None:
    """When `should_abort` raises, the consumer is stopped and the error is what the caller gets."""
    died = SetupError("Kafka died")

    def kafka_died() -> None:
        if (tmp_path / "run/0001/work/pid").exists():
            raise died

    body = "open('pid.new', 'w').write(str(os.getpid())); os.rename('pid.new', 'pid')\n"
    for end in ("time.sleep(60)", "sys.exit(1)"):  # before and after the consumer noticed
        with pytest.raises(SetupError, match="Kafka died"):
            run(
                script(tmp_path, body + end),
                plan(tmp_path),
                environment=ENVIRONMENT,
                should_abort=kafka_died,
            )
        assert not psutil.pid_exists(int((tmp_path / "run/0001/work/pid").read_text()))
        (tmp_path / "run").rename(tmp_path / f"run {end}")


def test_many_changefeeds_are_split_into_starts(tmp_path: Path) -> None:
    """A consumer that takes two is started thrice for five, each time in a group of its own."""
    body = "print(job['kafka']['group_id'], [feed['id'] for feed in job['changefeeds']])\n"
    consumer = script(tmp_path, body + FINISH, max_changefeeds=2)
    observed = run(consumer, plan(tmp_path, *"abcde"), environment=ENVIRONMENT)
    assert {answer.outcome for answer in observed.values()} == {Outcome.DONE}
    assert list(dict.fromkeys(answer.log for answer in observed.values())) == [
        "g-0001 ['a', 'b']\n",
        "g-0002 ['c', 'd']\n",
        "g-0003 ['e']\n",
    ]


def test_starts_may_run_at_once(tmp_path: Path) -> None:
    """Two starts that wait for each other both end, which they cannot one after the other."""
    body = f"""
meeting = {str(tmp_path)!r} + "/met-"
open(meeting + first["id"], "w")
while not (os.path.exists(meeting + "a") and os.path.exists(meeting + "b")): time.sleep(0.01)
"""
    consumer = script(tmp_path, body + FINISH)
    observed = run(consumer, plan(tmp_path, "a", "b", parallelism=2), environment=ENVIRONMENT)
    assert list(observed) == ["a", "b"]
    assert {answer.outcome for answer in observed.values()} == {Outcome.DONE}


def test_an_interrupt_stops_every_start(tmp_path: Path) -> None:
    """Ctrl-C ends what runs, starts nothing more, and is raised to the caller."""
    consumer = script(tmp_path, "open('running', 'w')\ntime.sleep(60)")
    waiting = plan(tmp_path, *"abcd", parallelism=2)

    def interrupt() -> None:
        deadline = time.monotonic() + 20
        while not (tmp_path / "run/0002/work/running").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(consumer, waiting, environment=ENVIRONMENT)
    assert time.monotonic() - started < waiting.deadline_s / 2
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["0001", "0002"]
    ours = psutil.Process().children(recursive=True)
    assert not [child for child in ours if str(tmp_path) in " ".join(child.cmdline())]


def test_a_run_needs_a_place_of_its_own(tmp_path: Path) -> None:
    """A used directory is not reused: answers of another run must never be taken for this one's."""
    (tmp_path / "run/0001").mkdir(parents=True)
    with pytest.raises(SetupError, match="cannot prepare a run"):
        run_one(tmp_path, FINISH)


def test_ids_are_unique(tmp_path: Path) -> None:
    """Two changefeeds of one id would hide each other's answer, even in separate starts."""
    twice = plan(tmp_path, "a")
    feeds = (*twice.changefeeds, *twice.changefeeds)
    with pytest.raises(HarnessBug, match="not unique"):
        run(
            script(tmp_path, FINISH),
            RunPlan(feeds, twice.kafka, twice.run_dir, 1),
            environment=ENVIRONMENT,
        )
