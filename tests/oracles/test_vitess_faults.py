"""What an oracle lacks, and what ends while it runs: a sentence, exit code 3, nothing left."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.errors import ExitCode, SetupError
from harness.model.change import ChangeLog
from harness.oracles import worker
from harness.oracles.vitess import oracle, run, vtgate
from harness.oracles.vitess.configuration import configuration
from harness.oracles.vitess.plays import Play
from harness.oracles.vitess.run import PlayResult, Stand
from harness.record.lock import load_lock
from harness.scenario.expand import Case
from harness.services.ports import HOST, free_ports
from tests.tree import ROOT

SPACE = workspace(ROOT)


def log_of(case: Case) -> ChangeLog:
    """Return the locked changes of a case."""
    return load_lock(case.scenario, SPACE.golden)


def pk_chain() -> list[Case]:
    """Return a few cases."""
    return [c for c in selected(load(SPACE), "vitess and pk-chain") if c.protocol == "vitess"]


def options_in(run_dir: Path, env: Mapping[str, str] = os.environ) -> oracle.OracleOptions:
    """Return what the oracle is asked with."""
    return oracle.OracleOptions("3.3.1", run_dir, lambda _: None, lambda _a, _b: None, env)


def failure(run_dir: Path, env: Mapping[str, str] = os.environ) -> SetupError:
    """Return how the oracle fails over a few cases."""
    with pytest.raises(SetupError) as caught:
        oracle.ask(pk_chain(), log_of, options_in(run_dir, env))
    assert caught.value.exit_code is ExitCode.ENVIRONMENT
    assert left_running(run_dir) == []
    return caught.value


def left_running(run_dir: Path) -> list[str]:
    """Return the command lines of processes that a run has left behind."""
    found: list[str] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(run_dir) in text:
            found.append(text)
    return found


@contextmanager
def repository_of(content: bytes) -> Generator[str]:
    """Serve the same content for every artifact; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:  # type: ignore[override]
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def away_from_home(tmp_path: Path, mirror: str) -> dict[str, str]:
    """Return an environment without a cache, and another repository."""
    given = {name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ}
    return {
        **given,
        "HOME": str(tmp_path),
        "HARNESS_CACHE_DIR": str(tmp_path / "cache"),
        "HARNESS_MAVEN_MIRROR": mirror,
    }


def test_a_missing_java_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    """Without Java nothing is downloaded, and what is needed is named."""
    env = {**away_from_home(tmp_path, "http://127.0.0.1:1"), "PATH": str(tmp_path)}
    env.pop("JAVA_HOME", None)
    error = failure(tmp_path, env)
    assert "Java" in error.what
    assert not (tmp_path / "cache").exists()


def test_an_artifact_that_cannot_be_fetched_is_named(tmp_path: Path) -> None:
    """A repository that does not answer is an environment at fault, and its address is said."""
    assert "127.0.0.1:1" in str(failure(tmp_path, away_from_home(tmp_path, "http://127.0.0.1:1")))


def test_an_artifact_with_other_content_is_refused(tmp_path: Path) -> None:
    """What is not what was locked is named, and none of it is kept under the artifact's name."""
    with repository_of(b"not a jar") as mirror:
        error = failure(tmp_path, away_from_home(tmp_path, mirror))
    assert "jar" in str(error)
    assert not list((tmp_path / "cache").rglob("*.jar"))


Run = Callable[[Stand, Sequence[Play]], Iterator[PlayResult]]


@pytest.mark.services
def test_a_worker_that_dies_is_reported_with_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that ends while plays run ends the run, with its exit code and its last lines."""
    play = run.results_of

    def dying(stand: Stand, plays: Sequence[Play]) -> Iterator[PlayResult]:
        child: Any = vars(stand.worker)["_child"]
        threading.Timer(3.0, os.kill, (child.pid, 9)).start()
        yield from play(stand, plays)

    monkeypatch.setattr(oracle, "results_of", dying)
    monkeypatch.setattr(run, "SETTLE_S", 60.0)
    error = failure(tmp_path)
    assert "the Connect worker was killed by signal 9" in error.what
    assert "    | " in error.what


@pytest.mark.services
def test_a_port_that_somebody_took_meanwhile_is_left_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker whose port is taken between its choice and its use is started on another."""
    with socket.create_server((HOST, 0)) as theirs:
        taken = [theirs.getsockname()[1]]
        monkeypatch.setattr(
            worker, "free_ports", lambda n: [taken.pop()] if taken else free_ports(n)
        )
        result = oracle.ask(pk_chain(), log_of, options_in(tmp_path))
    assert not taken
    assert result.equal == result.compared > 0


@pytest.mark.services
def test_a_vtgate_that_leaves_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends under its connectors is ours to answer for, no difference of theirs."""

    def leaving(stand: Stand, _: object) -> None:
        stand.gates.stop()

    def waiting(gate: vtgate.VtGate, *_: object) -> Iterator[object]:
        gate.stopped.wait()  # no play may be over before the server leaves
        yield from ()

    monkeypatch.setattr(vtgate.VtGate, "vstream", waiting)
    monkeypatch.setattr(run, "check_any_started", leaving)
    error = failure(tmp_path)
    assert "VTGate" in error.what
    assert "has left port" in error.what
    assert "    | " in error.what


@pytest.mark.services
def test_a_configuration_that_no_connector_starts_with_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the worker refuses every connector for one reason, no case is judged by it."""

    def wrong(*given: Any) -> dict[str, str]:
        return {**configuration(*given), "tasks.max": "none"}

    monkeypatch.setattr(run, "configuration", wrong)
    error = failure(tmp_path)
    assert "refuses each of" in error.what
    assert "tasks.max" in error.what
