"""Processes that share a piece of work end with the one that shared it out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from harness.engine.catalogue.parallel import spread
from tests.tree import ROOT

BOUND_S = 60.0
PROGRAM = """
import os, sys, time
from pathlib import Path
from harness.engine.catalogue.parallel import spread
from harness.engine.mutation.forked import in_child
here = Path(sys.argv[1])
def work(number):
    (here / str(os.getpid())).touch()
    time.sleep(600)
if sys.argv[2] == "pool":
    list(spread(work, range(4), 2))
else:
    in_child(lambda: work(0))
"""


def until(true: Callable[[], bool]) -> None:
    """Wait until something is true, with a bound."""
    deadline = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def lives(pid: int) -> bool:
    """Return whether a process is there and does something."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
@pytest.mark.parametrize(("kind", "count"), [("pool", 2), ("child", 1)])
def test_a_killed_parent_leaves_no_worker(tmp_path: Path, kind: str, count: int) -> None:
    """After kill -9 of the parent its workers are gone, in the middle of their work."""
    words = [sys.executable, "-c", PROGRAM, str(tmp_path), kind]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, env=env) as parent:
        until(lambda: len(list(tmp_path.iterdir())) == count)
        workers = [int(path.name) for path in tmp_path.iterdir()]
        parent.kill()
    until(lambda: not any(map(lives, workers)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_workers_without_a_word(tmp_path: Path, number: signal.Signals) -> None:
    """A signal to all of them, as a terminal sends it, is told of by the parent alone."""
    words = [sys.executable, "-c", PROGRAM, str(tmp_path), "pool"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        words, env=env, start_new_session=True, stderr=subprocess.PIPE, text=True
    ) as parent:
        until(lambda: len(list(tmp_path.iterdir())) == 2)
        os.killpg(parent.pid, number)
        _, said = parent.communicate(timeout=BOUND_S)
    assert "Process ForkProcess" not in said


CLOSED = """
import os, signal, sys, threading, time
from pathlib import Path
from harness.engine.catalogue.parallel import spread
go = Path(sys.argv[1], "go")
def work(number):
    while number and not go.exists():
        time.sleep(0.01)
    if number:
        os.kill(os.getpid(), signal.SIGTERM)
answers = spread(work, range(8), 2)
next(answers)
threading.Timer(0.5, go.touch).start()
answers.close()
"""


def test_workers_that_end_while_the_rest_is_left_out_leave_no_traceback(tmp_path: Path) -> None:
    """Ctrl-C ends the workers as well: what was not begun is left out, and nothing is printed."""
    words = [sys.executable, "-c", CLOSED, str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        words, env=env, capture_output=True, text=True, timeout=BOUND_S, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0


def test_what_the_parent_ignores_ends_no_worker(tmp_path: Path) -> None:
    """Started by `nohup` or a shell's `&`, a parent that goes on keeps its workers."""
    ignoring = ["sh", "-c", 'trap "" INT HUP; exec "$@"', "sh"]
    words = [*ignoring, sys.executable, "-c", PROGRAM, str(tmp_path), "pool"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, env=env, start_new_session=True) as parent:
        until(lambda: len(list(tmp_path.iterdir())) == 2)
        workers = [int(path.name) for path in tmp_path.iterdir()]
        for number in (signal.SIGINT, signal.SIGHUP):
            os.killpg(parent.pid, number)
        time.sleep(0.5)  # a signal ends a process at once
        assert all(map(lives, workers))
        os.killpg(parent.pid, signal.SIGTERM)
        parent.wait(BOUND_S)
    until(lambda: not any(map(lives, workers)))


def test_the_answers_keep_the_order() -> None:
    """However long each takes, answers come as their items stand."""
    assert list(spread(lambda number: number * 2, range(20), 2)) == list(range(0, 40, 2))
