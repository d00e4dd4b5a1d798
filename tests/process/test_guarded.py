"""Real processes, started, signalled and abandoned: nothing may be left, and nothing mistold."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from harness.process import Guarded, spawn

DEADLINE_S = 20.0

# Escapes in every way a process can: own session, own group, orphaned, deaf to polite signals.
ESCAPIST = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(sys.argv[1] + ".part", "w") as out:
            out.write(str(os.getpid()))
        os.rename(sys.argv[1] + ".part", sys.argv[1])
        time.sleep(600)
    os._exit(0)
os.wait()
"""
STAY = """
signal.signal(signal.SIGTERM, signal.SIG_DFL)
time.sleep(600)
"""
HARNESS = """
import os, sys, time
from pathlib import Path
from harness.process import spawn
here = Path(sys.argv[1])
child = spawn([sys.executable, "-c", sys.argv[2] + sys.argv[3], str(here / "escaped")], cwd=here,
    env={}, stdout=here / "out", stderr=here / "err", scratch=[here / "scratch"])
(here / "started").write_text(str(child.pid))
time.sleep(600)
"""


def run(tmp_path: Path, code: str, *argv: str) -> Guarded:
    """Start Python code under guard, its output in `out` and `err`."""
    return spawn(
        [sys.executable, "-c", code, *argv],
        cwd=tmp_path,
        env={"GREETING": "hello"},
        stdout=tmp_path / "out",
        stderr=tmp_path / "err",
    )


def until(reached: Callable[[], bool], what: str) -> None:
    """Wait for a condition with a deadline."""
    deadline = time.monotonic() + DEADLINE_S
    while not reached():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def ended(pid: int) -> bool:
    """Return whether a process is gone, or at most a zombie that somebody else must collect."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("pass", 0),
        ("raise SystemExit(3)", 3),
        ("import os; os._exit(255)", 255),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("import os; os.abort()", -signal.SIGABRT),
    ],
)
def test_exit_status_is_exact(tmp_path: Path, code: str, status: int) -> None:
    """Exit codes and deaths by signal are told as `subprocess` tells them, again and again."""
    with run(tmp_path, code) as child:
        assert child.wait(DEADLINE_S) == status
        assert child.poll() == status
    assert child.stop() == status
    assert child.poll() == status


def test_output_environment_and_directory_are_as_asked(tmp_path: Path) -> None:
    """The child sees exactly the given environment and directory; its output is in the files."""
    code = (
        "import os, sys; print(os.environ['GREETING'], os.getcwd(), 'HOME' in os.environ);"
        "print(sys.stdin.read() == '', file=sys.stderr)"
    )
    with run(tmp_path, code) as child:
        assert child.wait(DEADLINE_S) == 0
    assert (tmp_path / "out").read_text() == f"hello {tmp_path} False\n"
    assert (tmp_path / "err").read_text() == "True\n"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_guardian_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password in our environment reaches neither the child nor what guards it."""
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    with run(tmp_path, "import time; time.sleep(600)") as child:
        guardian = psutil.Process(child.pid).parent()
        assert guardian is not None
        assert guardian.pid != os.getpid()
        for pid in (child.pid, guardian.pid):
            assert b"hunter2" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_output_of_a_second_run_is_appended(tmp_path: Path) -> None:
    """A resumed command does not overwrite what its first run printed."""
    for _ in range(2):
        with run(tmp_path, "print(1)") as child:
            child.wait(DEADLINE_S)
    assert (tmp_path / "out").read_text() == "1\n1\n"


def test_signal_dispositions_are_those_of_a_fresh_process(tmp_path: Path) -> None:
    """No signal that Python or the guardian ignores stays ignored in the child."""
    code = (
        "import signal; print([s.name for s in signal.Signals"
        " if s.name not in ('SIGPIPE', 'SIGXFSZ') and signal.getsignal(s) == signal.SIG_IGN])"
    )
    with run(tmp_path, code) as child:
        child.wait(DEADLINE_S)
    assert (tmp_path / "out").read_text() == "[]\n"
    with spawn(
        ["sh", "-c", "kill -PIPE $$"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        stdout=tmp_path / "out",
        stderr=tmp_path / "err",
    ) as shell:
        assert shell.wait(DEADLINE_S) == -signal.SIGPIPE


def test_wait_is_bounded(tmp_path: Path) -> None:
    """A child that runs on raises TimeoutError from wait, and poll says that it runs."""
    with run(tmp_path, "import time; time.sleep(600)") as child:
        with pytest.raises(TimeoutError, match="still runs"):
            child.wait(0.05)
        assert child.poll() is None
        assert psutil.pid_exists(child.pid)
    assert child.poll() == -signal.SIGTERM
    assert ended(child.pid)


def test_polite_child_may_end_in_its_own_way(tmp_path: Path) -> None:
    """Stop sends SIGTERM first, and a child that handles it keeps its own exit code."""
    code = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7));"
        "print('ready', flush=True); time.sleep(600)"
    )
    child = run(tmp_path, code)
    until(lambda: (tmp_path / "out").read_text() == "ready\n", "the child's handler is set")
    assert child.stop() == 7


def test_signal_reaches_the_whole_group(tmp_path: Path) -> None:
    """A kill -9 through signal takes the child's children of the same group along."""
    code = (
        "import os, time\nif not os.fork(): print(os.getpid(), flush=True); time.sleep(600)\n"
        "os.wait()"
    )
    with run(tmp_path, code) as child:
        until(lambda: (tmp_path / "out").read_text().endswith("\n"), "the grandchild runs")
        child.signal(signal.SIGKILL)
        assert child.wait(DEADLINE_S) == -signal.SIGKILL
        grandchild = int((tmp_path / "out").read_text())
        until(lambda: ended(grandchild), "the grandchild ends with its group")
        child.signal(signal.SIGTERM)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows subreapers")
@pytest.mark.parametrize("tail", ["", "\ntime.sleep(600)"])
def test_escaped_grandchild_is_gone_after_stop(tmp_path: Path, tail: str) -> None:
    """A grandchild with its own session, deaf to SIGTERM, ends; whether or not its parent has."""
    child = run(tmp_path, ESCAPIST + tail, str(tmp_path / "escaped"))
    until((tmp_path / "escaped").exists, "the grandchild has escaped")
    grandchild = int((tmp_path / "escaped").read_text())
    assert not ended(grandchild)
    assert child.stop(grace_s=0.1) in {0, -signal.SIGKILL}
    assert ended(grandchild)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows subreapers")
@pytest.mark.parametrize(
    ("signum", "tail"),
    [
        (signal.SIGKILL, ""),
        (signal.SIGKILL, STAY),
        (signal.SIGTERM, STAY),
        (signal.SIGINT, STAY),
    ],
)
def test_nothing_outlives_a_killed_harness(
    tmp_path: Path, signum: signal.Signals, tail: str
) -> None:
    """However the harness dies: child and escaped grandchild end and the scratch is deleted."""
    (tmp_path / "scratch" / "deep").mkdir(parents=True)
    (tmp_path / "scratch" / "deep" / "data").write_text("x")
    harness = subprocess.Popen([sys.executable, "-c", HARNESS, str(tmp_path), ESCAPIST, tail])
    try:
        until((tmp_path / "started").exists, "the harness has started its child")
        until((tmp_path / "escaped").exists, "the grandchild has escaped")
        guardian = psutil.Process(harness.pid).children()[0].pid
        pids = [int((tmp_path / name).read_text() or 0) for name in ("started", "escaped")]
        harness.send_signal(signum)
    finally:
        if not (tmp_path / "escaped").exists():
            harness.kill()
        harness.wait()
    until(lambda: not (tmp_path / "scratch").exists(), "the scratch directory is deleted")
    until(lambda: all(ended(pid) for pid in [*pids, guardian]), "all processes end")
    assert (tmp_path / "out").exists()


def test_scratch_is_the_callers_after_an_orderly_stop(tmp_path: Path) -> None:
    """Stop leaves the scratch directory, so that a post-mortem can read it."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    spawn(
        ["true"],
        cwd=tmp_path,
        env=dict(os.environ),
        stdout=tmp_path / "out",
        stderr=tmp_path / "err",
        scratch=[scratch],
    ).stop()
    assert scratch.is_dir()


@pytest.mark.parametrize(
    ("argv", "cwd", "missing"),
    [
        (["no-such-command"], ".", "no-such-command"),
        (["./no-such-command"], ".", "no-such-command"),
        (["true"], "no-such-directory", "no-such-directory"),
    ],
    ids=["command", "path", "directory"],
)
def test_what_cannot_start_is_an_oserror(
    tmp_path: Path, argv: list[str], cwd: str, missing: str
) -> None:
    """A missing command or directory raises what `subprocess` raises, and names it."""
    with pytest.raises(FileNotFoundError) as caught:
        spawn(
            argv,
            cwd=tmp_path / cwd,
            env=dict(os.environ),
            stdout=tmp_path / "out",
            stderr=tmp_path / "err",
        )
    assert missing in str(caught.value.filename)


def test_a_nul_character_is_an_oserror(tmp_path: Path) -> None:
    """An argument that no system call can carry is refused, not silently exit code 127."""
    with pytest.raises(OSError, match="Invalid argument"):
        run(tmp_path, "pass", "nul \0 character")


def test_killed_guardian_takes_its_child_along(tmp_path: Path) -> None:
    """When the guardian is killed from outside, the child ends too and the error says so."""
    child = run(tmp_path, "import time; time.sleep(600)")
    guardian = psutil.Process(child.pid).parent()
    assert guardian is not None
    guardian.kill()
    with pytest.raises(Exception, match="killed from outside"):
        child.wait(DEADLINE_S)
    until(lambda: ended(child.pid), "the child ends with its guardian")
    with pytest.raises(Exception, match="killed from outside"):
        child.stop()


def test_a_look_sees_a_death_that_was_not_reported_yet(tmp_path: Path) -> None:
    """A guardian that was halted is let go on, and nobody takes a dead child for a living one."""
    with run(tmp_path, "import time; time.sleep(600)") as child:
        guardian = psutil.Process(child.pid).parent()
        assert guardian is not None
        assert child.look() is None
        guardian.suspend()
        os.kill(child.pid, signal.SIGKILL)
        dead = psutil.STATUS_ZOMBIE
        until(lambda: psutil.Process(child.pid).status() == dead, "the child is dead")
        assert child.poll() is None
        assert child.look() == -signal.SIGKILL
    assert child.look() == -signal.SIGKILL


def test_threads_may_share_a_child(tmp_path: Path) -> None:
    """A waiter in another thread is released by stop."""
    child = run(tmp_path, "import time; time.sleep(600)")
    statuses: list[int] = []
    waiter = threading.Thread(target=lambda: statuses.append(child.wait(DEADLINE_S)))
    waiter.start()
    assert child.stop() == -signal.SIGTERM
    waiter.join(DEADLINE_S)
    assert statuses == [-signal.SIGTERM]


def test_huge_arguments_and_odd_bytes_arrive(tmp_path: Path) -> None:
    """Arguments beyond a pipe's buffer, line breaks and undecodable bytes arrive unchanged."""
    odd = os.fsdecode(b"\xff\n")
    code = "import os, sys; print([len(sys.argv[1]), os.fsencode(sys.argv[2])])"
    with run(tmp_path, code, "x" * 100_000, odd) as child:
        assert child.wait(DEADLINE_S) == 0
    assert (tmp_path / "out").read_text() == "[100000, b'\\xff\\n']\n"
