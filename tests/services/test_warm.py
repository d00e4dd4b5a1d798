"""A warm set outlives its command, never a `down`; runs use it only while it is healthy."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path

import psutil
import pytest
from confluent_kafka.admin import AdminClient

from harness.errors import SetupError
from harness.services import Kafka, settings, source, warm
from tests.tree import ROOT

pytestmark = pytest.mark.services

DEADLINE_S = 60.0


@pytest.fixture
def directory(tmp_path: Path) -> Generator[Path]:
    """Return the directory of a warm set that is down again after the test, whatever happened."""
    place = tmp_path / ".harness" / "services"
    yield place
    warm.down(place)


def harness(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a directory of its own."""
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def left(tmp_path: Path) -> list[psutil.Process]:
    """Return the living processes that work for this directory."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or [])
        if str(tmp_path) in line and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def topics(kafka: Kafka) -> list[str]:
    """Return the topics of runs that a broker has."""
    found = AdminClient({**kafka.client, "log_level": 0}).list_topics(timeout=10).topics
    return [name for name in found if name.startswith("harness-")]


def until(reached: Callable[[], bool], what: str) -> None:
    """Wait for a condition with a deadline."""
    deadline = time.monotonic() + DEADLINE_S
    while not reached():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_a_set_serves_runs_until_it_is_taken_down(
    tmp_path: Path, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up, up again, a run that says that it uses it and leaves no topic, down, nothing left.

    Nor does what outlives the command hold a password out of its environment.
    """
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    first = harness(tmp_path, "services", "up", "--only", "kafka")
    assert first.returncode == 0, first.stderr
    state = warm.read(directory)
    assert state is not None
    assert state.trouble() == ""
    for process in (keeper := psutil.Process(state.pid), *keeper.children(recursive=True)):
        assert "DATABASE_PASSWORD" not in process.environ()
    again = harness(tmp_path, "services", "up", "--only", "kafka")
    assert "up already" in again.stdout
    assert warm.read(directory) == state
    status = harness(tmp_path, "services", "status", "--json")
    kafka = state.addresses["kafka"]
    assert json.loads(status.stdout)["services"] == {"kafka": str(kafka)}
    roots = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
    run = harness(tmp_path, "run", "dml.no-net-change", "--consumer", "reference", *roots)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"using the warm kafka at {kafka}" in run.stdout
    assert isinstance(kafka, Kafka)
    assert not topics(kafka)
    keeping = harness(
        tmp_path, "run", "dml.no-net-change", "--consumer=reference", "--keep-topics", *roots
    )
    assert keeping.returncode == 0
    assert topics(kafka)
    cold = harness(
        tmp_path, "run", "dml.no-net-change", "--consumer=reference", "--set=warm.use=false", *roots
    )
    assert "starting kafka" in cold.stdout
    assert harness(tmp_path, "services", "down").stdout == "down\n"
    assert harness(tmp_path, "services", "status").returncode == 3
    assert not left(tmp_path)
    assert "no warm set" in harness(tmp_path, "services", "down").stdout


def test_a_stale_state_is_not_believed(tmp_path: Path, directory: Path) -> None:
    """A keeper that was killed takes its services along; a run sees it, and `up` starts anew."""
    options = settings({}, env={}, here=tmp_path)
    state, _ = warm.up(directory, ["kafka"], options)
    used = source(options, tmp_path / ".harness").warm["kafka"]
    used.check()
    os.kill(state.pid, signal.SIGKILL)
    until(lambda: not left(tmp_path), "the guardian ends the broker")
    assert "is gone" in state.trouble()
    with pytest.raises(SetupError, match="warm set"):
        used.check()
    assert source(options, tmp_path / ".harness").warm == {}
    again, fresh = warm.up(directory, ["kafka"], options)
    assert fresh
    assert again.pid != state.pid


def test_a_set_ends_with_its_directory(tmp_path: Path, directory: Path) -> None:
    """Whoever removes the state file has ended the set."""
    warm.up(directory, ["kafka"], settings({}, env={}, here=tmp_path))
    (directory / warm.STATE).unlink()
    until(lambda: not left(tmp_path), "the keeper ends")


def test_a_forgotten_set_ends_by_itself(tmp_path: Path, directory: Path) -> None:
    """Without a run for longer than the idle time the keeper goes, and says so in its log."""
    options = settings({"warm.idle-hours": "0.001"}, env={}, here=tmp_path)  # 3.6 s
    warm.up(directory, ["kafka"], options)
    until(lambda: not left(tmp_path), "the keeper ends")
    assert "no run for" in (directory / warm.LOG).read_text()
    assert warm.read(directory) is None


def test_another_version_s_set_is_not_used(tmp_path: Path, directory: Path) -> None:
    """Services that other code started are of no use; the reason is said."""
    state, _ = warm.up(directory, ["kafka"], settings({}, env={}, here=tmp_path))
    document = json.loads((directory / warm.STATE).read_text())
    (directory / warm.STATE).write_text(json.dumps({**document, "made_from": "older"}))
    other = warm.read(directory)
    assert other is not None
    assert "another version" in other.trouble()
    assert warm.find(directory) == {}
    assert (directory / warm.STATE).stat().st_mode & 0o077 == 0
    assert state.alive


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"addresses": {"x": {}}}'])
def test_a_broken_state_file_is_no_set(tmp_path: Path, text: str) -> None:
    """Whatever stands in the file, reading it is no error."""
    (tmp_path / warm.STATE).write_text(text)
    assert warm.read(tmp_path) is None
    assert warm.find(tmp_path) == {}


def test_what_does_not_come_up_says_why(
    tmp_path: Path, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keeper's error is the command's, and nothing is left."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SetupError, match="Java"):
        warm.up(directory, ["kafka"], settings({}, env={}, here=tmp_path))
    assert not left(tmp_path)


def test_only_names_known_services(tmp_path: Path) -> None:
    """A service that there is not is a usage error that names those there are."""
    answer = harness(tmp_path, "services", "up", "--only", "kafka,mongodb")
    assert answer.returncode == 2
    assert "mongodb" in answer.stderr
    assert "registry" in answer.stderr
