"""A consumer in a sandbox reaches its program, its job and its services, and nothing else."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from harness.errors import SetupError, UsageError
from harness.runner.contract.job import ChangefeedJob, Job
from harness.runner.contract.job_file import KafkaJob, TopicJob
from harness.runner.sandbox import PROGRAM, Sandbox, refuse_where_none_is

TRIES = """
import json, os, signal, socket, subprocess, sys
wanted = json.load(sys.stdin)
found = {}
def tried(name, action):
    try:
        found[name] = action()
    except OSError as error:
        found[name] = type(error).__name__
def asked(port):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as there:
        there.sendall(b"x")
        there.shutdown(socket.SHUT_WR)
        return there.makefile("rb").read().decode()
def written(path):
    with open(os.path.join(path, "new"), "w") as file:
        file.write("x")
    return "written"
tried("own port", lambda: asked(wanted["port"]))
tried("other port", lambda: asked(wanted["other"]))
tried("secret", lambda: open(wanted["secret"]).read())
tried("given", lambda: open(wanted["given"]).read())
tried("work", lambda: written(wanted["work"]))
tried("program", lambda: written(os.path.dirname(sys.argv[0])))
tried("system", lambda: written("/usr"))
devices = os.listdir("/dev")
tried("disks", lambda: [name for name in devices if name.startswith(("sd", "vd", "nvme"))])
tried("shared memory", lambda: os.listdir("/dev/shm"))
tried("killed", lambda: os.kill(wanted["parent"], 0))
subprocess.run(["umount", "-l", wanted["hidden"]], capture_output=True)
tried("secret uncovered", lambda: open(wanted["secret"]).read())
print(json.dumps(found))
sys.exit(7)
"""


@pytest.fixture(scope="module", autouse=True)
def where_there_is_one() -> None:
    """Skip where the machine makes none; the command says so there."""
    try:
        refuse_where_none_is()
    except SetupError as error:
        pytest.skip(str(error))


@contextmanager
def answering(word: bytes) -> Generator[int]:
    """Answer each connection by a word once it has said all; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            while True:
                try:
                    there, _ = server.accept()
                except OSError:
                    return
                with there:
                    while there.recv(10):
                        pass
                    there.sendall(word)

        threading.Thread(target=answer, daemon=True).start()
        yield int(server.getsockname()[1])
        server.shutdown(socket.SHUT_RDWR)


def job_of(directory: Path, port: int, host: str = "127.0.0.1") -> Job:
    """Return a job in a directory, whose broker has this port."""
    properties = {"bootstrap.servers": f"{host}:{port}", "isolation.level": "read_committed"}
    topics = (TopicJob("t0", "ticdc", start_offsets=(0,), end_offsets=(1,)),)
    feeds = (ChangefeedJob("one", "0000", "open", topics),)
    kafka = KafkaJob("g", properties, properties)
    return Job(directory / "work", directory / "out", kafka, feeds, 30)


def test_it_reaches_its_own_and_nothing_else(tmp_path: Path) -> None:
    """Its service answers and its directories take files; secrets, ports and processes are gone."""
    start, program = tmp_path / "runs" / "0001", tmp_path / "program"
    for path in (start / "work", start / "out", start / "tmp", program):
        path.mkdir(parents=True)
    (tmp_path / "runs" / "secret").write_text("right tables")
    (start / "job.json").write_text("{}")
    script = program / "tries.py"
    script.write_text(TRIES)
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(start / "tmp")}
    with answering(b"broker") as port, answering(b"other") as other:
        sandbox = Sandbox((str(tmp_path / "runs"),))
        command, job = [sys.executable, str(script)], job_of(start, port)
        argv = sandbox.around(command, job, [start / "job.json"], env, {})
        wanted = {
            "port": port,
            "other": other,
            "secret": str(tmp_path / "runs" / "secret"),
            "given": str(start / "job.json"),
            "work": str(start / "work"),
            "parent": os.getpid(),
            "hidden": str(tmp_path / "runs"),
        }
        done = subprocess.run(
            argv,
            input=json.dumps(wanted),
            cwd=start / "work",
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 7, done.stderr
    assert json.loads(done.stdout) == {
        "own port": "broker",
        "other port": "ConnectionRefusedError",
        "secret": "FileNotFoundError",
        "given": "{}",
        "work": "written",
        "program": "OSError",
        "system": "OSError",
        "disks": [],
        "shared memory": [],
        "killed": "ProcessLookupError",
        "secret uncovered": "FileNotFoundError",
    }
    assert (start / "work" / "new").read_text() == "x"
    assert not (program / "new").exists()


@pytest.mark.parametrize("number", [9, 15])
def test_a_signal_s_end_is_told(tmp_path: Path, number: int) -> None:
    """A command that kills itself ends the sandbox with 128 and the signal's number."""
    for name in ("work", "out", "tmp"):
        (tmp_path / name).mkdir()
    words = ["sh", "-c", f"kill -{number} $$"]
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path / "tmp")}
    argv = Sandbox().around(words, job_of(tmp_path, 9), [], env, {})
    done = subprocess.run(argv, cwd=tmp_path / "work", env=env, check=False, timeout=120)
    assert done.returncode == 128 + number


def test_a_service_elsewhere_is_refused(tmp_path: Path) -> None:
    """What the sandbox cannot lead to is an error before the consumer starts."""
    with pytest.raises(UsageError, match="another"):
        Sandbox().around(["true"], job_of(tmp_path, 9092, "kafka.test"), [], {"TMPDIR": "/x"}, {})


def test_a_machine_without_namespaces_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `unshare` is not found or refused, the error says which and what else there is."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SetupError, match="unshare") as refused:
        refuse_where_none_is()
    assert "image:NAME" in refused.value.hint
    assert PROGRAM[0] == sys.executable


def test_nothing_of_it_outlives_a_kill(tmp_path: Path) -> None:
    """SIGKILL of the outermost process ends the command, without a guardian."""
    for name in ("work", "out", "tmp"):
        (tmp_path / name).mkdir()
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path / "tmp")}
    words = [
        sys.executable,
        "-c",
        "import time; print(1, flush=True); time.sleep(600)",
        str(tmp_path),
    ]
    argv = Sandbox().around(words, job_of(tmp_path, 9), [], env, {})

    def alive() -> int:
        lines = (process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"]))
        return sum(str(tmp_path) in " ".join(line) for line in lines)

    with subprocess.Popen(argv, cwd=tmp_path / "work", env=env, stdout=subprocess.PIPE) as outer:
        assert outer.stdout is not None
        assert outer.stdout.readline() == b"1\n"
        assert alive() > 1
        outer.kill()
    deadline = time.monotonic() + 20
    while alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive()


def test_a_home_is_not_shown_for_a_program_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a program in the home its file is shown, of one below it the directory."""
    home, own = tmp_path / "home", tmp_path / "home" / "own"
    own.mkdir(parents=True)
    for path in (home / "one", own / "two", home / "jar"):
        path.touch()
    monkeypatch.setenv("HOME", str(home))
    words = [str(home / "one"), str(own / "two")]
    named = {"JARS": str(home / "jar"), "ALL": str(home), "LONG": "/x" * 5000}
    argv = Sandbox().around(words, job_of(tmp_path, 9), [], {"TMPDIR": "/x"}, named)
    shown = json.loads(argv[len(PROGRAM)])["shown"]
    below = [path for path in shown if Path(path).is_relative_to(tmp_path)]
    assert below == [str(home / "jar"), str(home / "one"), str(own)]
