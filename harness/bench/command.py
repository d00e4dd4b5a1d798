"""Runs a command, timing it and watching the memory of everything that it starts."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryFile

import psutil

from harness.errors import SetupError

LOOK_S = 0.05
MEGABYTE = 1024 * 1024
TAIL = 2000


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did; `peak_mb` is by the role that `roles` found for a process."""

    seconds: float
    stdout: bytes
    peak_mb: Mapping[str, float] = field(default_factory=dict[str, float])


def harness(*arguments: str) -> list[str]:
    """Return a harness command line that runs this very installation."""
    return [sys.executable, "-m", "harness", *arguments]


def timed(argv: Sequence[str], times: int = 5) -> float:
    """Return the median wall time in seconds of a quick command, after one unmeasured run."""
    seconds: list[float] = []
    for number in range(times + 1):
        began = time.perf_counter()
        done = subprocess.run(argv, capture_output=True, check=False)
        if done.returncode != 0:
            raise _failed(argv, done.returncode, done.stderr)
        if number:
            seconds.append(time.perf_counter() - began)
    return sorted(seconds)[len(seconds) // 2]


def watched(
    argv: Sequence[str], roles: Mapping[str, str], env: Mapping[str, str] | None = None
) -> Ran:
    """Run a command and watch its processes; `roles` maps a role to a part of a command line.

    What it prints goes to files: a pipe that nobody empties would stop it. A role that no process
    had is an error, not a memory of 0.
    """
    began = time.perf_counter()
    peak = dict.fromkeys(["harness", *roles], 0.0)
    with (
        TemporaryFile() as printed,
        TemporaryFile() as said,
        subprocess.Popen(argv, stdout=printed, stderr=said, env=env) as child,
    ):
        process = psutil.Process(child.pid)
        while child.poll() is None:
            _look(process, roles, peak)
            time.sleep(LOOK_S)
        printed.seek(0)
        out = printed.read()
        if child.returncode != 0:
            said.seek(0)
            raise _failed(argv, child.returncode, said.read().strip() or out)
    for role, part in roles.items():
        if not peak[role]:
            raise SetupError(
                f"no process of `{' '.join(argv)}` had `{part}` in its command line",
                expected=f"one whose memory is measured as {role}",
            )
    return Ran(time.perf_counter() - began, out, peak)


def _look(process: psutil.Process, roles: Mapping[str, str], peak: dict[str, float]) -> None:
    try:
        peak["harness"] = max(peak["harness"], process.memory_info().rss / MEGABYTE)
        for child in process.children(recursive=True):
            line = " ".join(child.cmdline())
            for role, part in roles.items():
                if part in line:
                    peak[role] = max(peak[role], child.memory_info().rss / MEGABYTE)
    except psutil.Error:
        return  # a process that ended while we looked at it has no memory to measure


def _failed(argv: Sequence[str], status: int, output: bytes) -> SetupError:
    return SetupError(
        f"`{' '.join(argv)}` ended with {status} while it was measured",
        expected="a command that succeeds",
        hint=output[-TAIL:].decode(errors="replace"),
    )
