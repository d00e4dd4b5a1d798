"""Consumers and services that misbehave, through the whole command line: told apart, no pass."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import psutil
import pytest

pytestmark = pytest.mark.services

ROOT = Path(__file__).resolve().parents[2]
CASE = "dml.no-net-change"
PRELUDE = """
import json, os, sys, time
job = json.load(open(os.environ["HARNESS_JOB"]))
feed = job["changefeeds"][0]
out = os.path.join(job["out_dir"], feed["dir"])
def status(**fields): json.dump(fields, open(os.path.join(out, "status.json"), "w"))
"""
MISBEHAVIOURS = {
    "answers nothing": ("", "invalid", "status.json"),
    "exits 1": ("sys.exit(1)", "crash", "1"),
    "is killed": ("os.kill(os.getpid(), 9)", "crash", "SIGKILL"),
    "hangs": ("time.sleep(600)", "timeout", ""),
    "writes garbage": ('open(os.path.join(out, "status.json"), "w").write("{oops")', "invalid", ""),
    "gives up": ('status(status="error", error="no idea")', "fail", "no idea"),
    "answers empty tables": ('status(status="done")', "fail", "lacks the row"),
}


def certify(tmp_path: Path, body: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Certify a consumer written here; runs in a directory of its own."""
    script = tmp_path / "consumer.py"
    script.write_text(PRELUDE + textwrap.dedent(body), encoding="utf-8")
    return subprocess.run(
        [*command_line(CASE), "--json", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def command_line(case: str) -> list[str]:
    """Return the command that certifies the consumer in the current directory over one case."""
    target = f"exec:{sys.executable} ./consumer.py"
    roots = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
    return [sys.executable, "-m", "harness", "certify", target, "-k", case, *roots]


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is true, or the time is up; the caller asserts."""
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)


def left_running(tmp_path: Path) -> list[str]:
    """Return the command lines of processes that still work in or for the directory."""
    found: list[str] = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        if str(tmp_path) in line:
            found.append(line)
    return found


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_a_consumer_that_misbehaves_is_reported_apart_and_exits_1(
    name: str, tmp_path: Path
) -> None:
    """A consumer that misbehaves has a verdict of its own, exits 1, leaves nothing running."""
    body, judgement, text = MISBEHAVIOURS[name]
    done = certify(tmp_path, body, "--deadline", "6")
    assert done.returncode == 1, done.stderr
    answer: dict[str, Any] = orjson.loads(done.stdout)
    (case,) = answer["cases"]
    assert case["verdict"]["judgement"] == judgement
    messages = " ".join(finding["message"] for finding in case["verdict"]["findings"])
    assert text in messages
    assert done.stderr.rstrip().splitlines()[-1].startswith("passed 0 / applicable 1 / total 1 (")
    assert left_running(tmp_path) == []


STRIKE = """
import psutil, signal
harness = next(one for one in psutil.Process().parents() if "certify" in one.cmdline())
(kafka,) = (one for one in harness.children(recursive=True) if "kafka.Kafka" in one.cmdline())
"""
ANSWER = 'os.execv(sys.executable, [sys.executable, "-m", "harness.reference_consumer"])\n'


def events(tmp_path: Path) -> list[dict[str, Any]]:
    """Return the events of the one run in the directory."""
    (path,) = tmp_path.glob(".harness/runs/*/events.ndjson")
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def test_kafka_dying_again_and_again_is_the_environments_fault(tmp_path: Path) -> None:
    """When Kafka dies under a consumer each time the run ends with 3 and blames nobody.

    The signal and the log are named, and the last event says why.
    """
    done = certify(tmp_path, STRIKE + "kafka.kill(); time.sleep(60)", "--deadline", "50")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "kafka was killed by signal 9 in the middle of the run" in done.stderr
    assert re.search(r"the end of \S+kafka\.log", done.stderr)
    assert "passed" not in done.stdout
    assert left_running(tmp_path) == []
    found = events(tmp_path)
    assert [one["service"] for one in found if one.get("state") == "lost"] == ["kafka", "kafka"]
    assert found[-1]["event"] == "run-aborted"
    assert "signal 9" in found[-1]["why"]


def test_a_run_goes_on_with_a_new_kafka(tmp_path: Path) -> None:
    """When Kafka dies once, the run begins again what was not answered, and says so."""
    once = f"""
if not os.path.exists({str(tmp_path / "struck")!r}):
    open({str(tmp_path / "struck")!r}, "w").close()
    kafka.kill()
    time.sleep(60)
"""
    done = certify(tmp_path, STRIKE + once + ANSWER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kafka was killed by signal 9" in done.stderr
    assert [one["service"] for one in events(tmp_path) if one.get("state") == "lost"] == ["kafka"]
    assert left_running(tmp_path) == []


def test_what_a_signal_halts_goes_on(tmp_path: Path) -> None:
    """A consumer that halts Kafka and its own guardian keeps nobody waiting."""
    halt = "kafka.suspend(); os.kill(os.getppid(), signal.SIGSTOP)\n"
    done = certify(tmp_path, STRIKE + halt + ANSWER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kafka: java was halted by a signal, and goes on" in done.stderr
    assert left_running(tmp_path) == []


def test_a_target_that_cannot_run_is_a_usage_error_before_anything_starts(tmp_path: Path) -> None:
    """A command that does not exist exits 2 at once, with a hint."""
    done = subprocess.run(
        [sys.executable, "-m", "harness", "certify", "exec:./nobody"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "nobody" in done.stderr
    assert "Traceback" not in done.stderr


@contextmanager
def consuming(tmp_path: Path, argv: Sequence[str]) -> Generator[subprocess.Popen[str]]:
    """Yield a run whose consumer has been started, and waits for ten minutes."""
    ready = tmp_path / "ready"
    body = f"open({str(ready)!r}, 'w').close(); time.sleep(600)"
    (tmp_path / "consumer.py").write_text(PRELUDE + body, encoding="utf-8")
    with subprocess.Popen(
        argv,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        until(lambda: ready.exists() or child.poll() is not None)
        yield child


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything(tmp_path: Path, number: signal.Signals) -> None:
    """Ended in the middle of a run, it stops services and consumer, and is not a verdict.

    The reports are whole and say that the run is not.
    """
    reports = {"html": tmp_path / "r.html", "junit": tmp_path / "r.xml"}
    for path in reports.values():
        path.write_text("an older report", encoding="utf-8")
    words = [word for name, path in reports.items() for word in (f"--{name}", str(path))]
    with consuming(tmp_path, [*command_line(CASE), *words]) as child:
        assert {path.read_text("utf-8") for path in reports.values()} == {"an older report"}
        child.send_signal(number)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 128 + number, err
    assert reports["html"].read_text("utf-8").rstrip().endswith("</html>")
    assert 'type="unfinished"' in reports["junit"].read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir() if "part" in path.name) == []
    assert "interrupted" in err
    assert "passed" not in out
    assert left_running(tmp_path) == []


def test_signals_that_were_ignored_from_the_start_end_nothing(tmp_path: Path) -> None:
    """A run that `nohup` or a shell's `&` started goes on after these, and ends by SIGTERM."""
    ignoring = ["sh", "-c", 'trap "" INT HUP; exec "$@"', "sh"]
    with consuming(tmp_path, [*ignoring, *command_line(CASE)]) as child:
        for number in (signal.SIGINT, signal.SIGHUP):
            child.send_signal(number)
        time.sleep(1)  # an end begins at once
        assert child.poll() is None
        child.terminate()
        _, err = child.communicate(timeout=60)
    assert child.returncode == 128 + signal.SIGTERM, err
    assert left_running(tmp_path) == []


@pytest.mark.skipif(os.cpu_count() == 1, reason="on one core cases run one after the other")
def test_a_signal_stops_cases_that_run_side_by_side(tmp_path: Path) -> None:
    """Ended while two consumers run alone, each with what is done to it, it stops both, at once."""
    body = "open(os.path.join(job['work_dir'], 'ready'), 'w').close(); time.sleep(600)"
    (tmp_path / "consumer.py").write_text(PRELUDE + body, encoding="utf-8")
    with subprocess.Popen(
        command_line("'wait[open,p1,once]' or 'wait[open,p1,twice]'"),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        until(lambda: len(list(tmp_path.rglob("ready"))) > 1 or child.poll() is not None)
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        try:
            _, err = child.communicate(timeout=60)
        finally:
            child.kill()  # or it would be waited for without a bound
    assert len(list(tmp_path.rglob("ready"))) == 2, err
    assert child.returncode == 128 + signal.SIGINT, err
    assert time.monotonic() - began < 30
    assert left_running(tmp_path) == []


def test_a_killed_harness_leaves_nothing_running(tmp_path: Path) -> None:
    """After kill -9 of the harness in the middle of a run, Kafka and the consumer go too."""
    ready = tmp_path / "ready"
    body = f"open({str(ready)!r}, 'w').close(); time.sleep(600)"
    (tmp_path / "consumer.py").write_text(PRELUDE + body, encoding="utf-8")
    with subprocess.Popen(
        [*command_line(CASE), "--deadline", "300"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as child:
        until(lambda: ready.exists() or child.poll() is not None)
        assert child.poll() is None
        child.kill()
    until(lambda: not left_running(tmp_path))
    assert left_running(tmp_path) == []
