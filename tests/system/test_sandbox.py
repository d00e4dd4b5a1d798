"""A consumer that looks for what is right finds it, and in a sandbox it does not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.engine.catalogue.workspace import workspace
from harness.engine.run.in_sandbox import in_sandbox
from harness.errors import SetupError
from harness.runner.manifest import Consumer
from harness.runner.sandbox import refuse_where_none_is
from harness.services import settings
from tests.system.sessions import session, start_by_hand, until
from tests.tree import ROOT

pytestmark = pytest.mark.services

CASE = "dml.no-net-change[open,p1]"
ROOTS = ("--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden"))
# It answers as the reference consumer does, and prints what it has found besides.
EVERYTHING = ["golden", "scenarios", "home", "job", "port"]
SNOOPS = """
import json, os, socket, sys
from harness.reference_consumer.__main__ import main
code = main()
found = []
for name, path in json.loads(sys.argv[1]).items():
    if os.path.exists(path) and (os.path.isfile(path) or os.listdir(path)):
        found.append(name)
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=10)
    found.append("port")
except OSError:
    pass
print("FOUND", json.dumps(found), flush=True)
sys.exit(main())
"""


@pytest.fixture(scope="module", autouse=True)
def where_there_is_one() -> None:
    """Skip where the machine makes none; the command says so there."""
    try:
        refuse_where_none_is()
    except SetupError as error:
        pytest.skip(str(error))


@contextmanager
def snooping(tmp_path: Path) -> Generator[Path]:
    """Yield a directory with the manifest of a consumer that looks for what is there."""
    home, here = tmp_path / "home", tmp_path / "here"
    job = here / ".harness" / "earlier" / "job.json"
    for path in (home / "secret", job):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (here / "snoops.py").write_text(SNOOPS, encoding="utf-8")
    wanted = {
        "golden": str(ROOT / "golden"),
        "scenarios": str(ROOT / "scenarios"),
        "home": str(home / "secret"),
        "job": str(job),
    }
    with socket.create_server(("127.0.0.1", 0)) as server:
        words = [sys.executable, "./snoops.py", json.dumps(wanted), str(server.getsockname()[1])]
        manifest = {"manifest": 1, "name": "snoops", "command": words}
        manifest["capabilities"] = ["instances"]
        manifest["environment"] = {"PYTHONPATH": str(ROOT)}
        (here / "consumer.yaml").write_text(json.dumps(manifest), encoding="utf-8")
        yield here


def run_in(here: Path, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command line of the harness in a directory."""
    return subprocess.run(
        words,
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def found_in(here: Path) -> list[str]:
    """Return what each start of the consumer printed that it has found."""
    logs = [log.read_text() for log in (here / ".harness").rglob("output.log")]
    return [line for log in logs for line in log.splitlines() if line.startswith("FOUND")]


@pytest.mark.parametrize(
    ("options", "found"), [([], EVERYTHING), (["--sandbox"], [])], ids=["without", "in a sandbox"]
)
def test_what_a_consumer_finds(tmp_path: Path, options: list[str], found: list[str]) -> None:
    """It passes both times; what it should not see is there for it only without the option."""
    with snooping(tmp_path) as here:
        command = [sys.executable, "-m", "harness", "certify", "consumer.yaml", "-k", CASE]
        done = run_in(here, [*command, *ROOTS, *options])
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(found_in(here)) == {f"FOUND {json.dumps(found)}"}


@pytest.mark.parametrize(
    ("options", "found"), [([], EVERYTHING), (["--sandbox"], [])], ids=["without", "in a sandbox"]
)
def test_what_it_finds_when_started_by_hand(
    tmp_path: Path, options: list[str], found: list[str]
) -> None:
    """The command that `debug` prints makes the sandbox itself."""
    words = [sys.executable, "-m", "harness", "debug", CASE, "consumer.yaml", "--judge-when-done"]
    with (
        snooping(tmp_path) as here,
        session([*words, *ROOTS, *options], here) as (process, output),
    ):
        said = start_by_hand(shown := until(output, "its status has it judged"))
        verdict = output.read()
        assert process.wait(60) == 0, shown + verdict
    assert f"FOUND {json.dumps(found)}\n" in said


def test_disturbed_consumers_pass(tmp_path: Path) -> None:
    """One that is killed, one that is halted and one of two: each start of theirs is in a sandbox.

    They read and answer there as elsewhere.
    """
    words = [sys.executable, "-m", "harness", "certify", "consumer.yaml"]
    cases = ("transport.consumers-come-and-go", "-k", "open", "--sandbox", "--json")
    with snooping(tmp_path) as here:
        done = run_in(here, [*words, *cases, *ROOTS])
    assert done.returncode == 0, done.stdout + done.stderr
    verdicts = {one["case"]: one["verdict"] for one in json.loads(done.stdout)["cases"]}
    assert {name.rpartition(",")[2] for name in verdicts} == {
        "p2]",
        "killed]",
        "halted]",
        "several]",
    }
    assert {one["judgement"] for one in verdicts.values()} == {"pass"}
    said = found_in(here)
    assert set(said) == {"FOUND []"}
    assert len(said) > len(verdicts)  # a start behind the kill, and two instances


def test_watch_refuses_what_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    """An image is refused before a service starts, not at each round."""
    assert main(["watch", "image:any", "--sandbox", "-k", CASE, *ROOTS]) == 2
    assert "a sandbox is for a command" in capsys.readouterr().err


def test_git_has_the_goldens_too(tmp_path: Path) -> None:
    """What Git holds beside the roots is hidden as they are, and a manifest's directory shown."""
    for name in ("golden", "scenarios"):
        (tmp_path / name).mkdir()
    (tmp_path / "consumer.yaml").touch()
    consumer = Consumer("one", ("true",), target=str(tmp_path / "consumer.yaml"))
    inside = in_sandbox(consumer, workspace(tmp_path), settings({}, here=tmp_path)).sandbox
    assert inside is not None
    assert {str(tmp_path / name) for name in (".git", "golden", "scenarios")} < set(inside.hidden)
    assert inside.shown == (str(tmp_path / "consumer.yaml"),)
