"""One trial: a directory, the runs of the harness in it, and what is known of each afterwards."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from harness.process import Guarded, spawn
from harness.selftest.inside import command_line

SCENARIO = "keys.composite-key-moves"  # eight cases of three protocols: Kafka and a registry
OLDER = "an older report"
POLL_S = 0.05
NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Run:
    """One command line under way: its guarded process, and its files.

    `before` are the events of runs that were there when it began.
    """

    child: Guarded
    guardian: psutil.Process
    directory: Path
    name: str
    stdout: Path
    stderr: Path
    before: frozenset[Path] = frozenset()

    def events(self) -> Sequence[Path]:
        """Return the events of the runs in its directory that are not older than it."""
        return sorted(_events(self.directory) - self.before)

    @property
    def reports(self) -> Mapping[str, Path]:
        """Return where its reports are written, by their format; an older one stood there."""
        paths = {form: self.directory / f"{self.name}.{form}" for form in ("html", "xml")}
        return {form: path for form, path in paths.items() if path.exists()}

    def descendants(self) -> Sequence[psutil.Process]:
        """Return all that lives and was started for it; on Linux whoever started it is gone."""
        try:
            found = self.guardian.children(recursive=True)
            return [one for one in found if one.status() != psutil.STATUS_ZOMBIE]
        except psutil.Error:
            return []

    def find(self, word: str) -> Sequence[psutil.Process]:
        """Return its processes that have a word in their command line."""
        found: list[psutil.Process] = []
        for one in self.descendants():
            try:
                if one.pid != self.child.pid and word in " ".join(one.cmdline()):
                    found.append(one)
            except psutil.Error:
                continue
        return found

    def said(self) -> str:
        """Return what it printed, standard error last."""
        return self.stdout.read_text("utf-8", "replace") + self.stderr.read_text("utf-8", "replace")


@dataclass(slots=True)
class Trial:
    """A directory for runs; `usual_s` is how long one without a fault takes here.

    `signalled` says that somebody ended the run itself by a signal, -9 among them.
    """

    directory: Path
    environment: Mapping[str, str]
    usual_s: float
    bound_s: float
    chance: random.Random
    runs: list[Run] = field(default_factory=list[Run])
    ended_by: int = 0

    def certify(
        self,
        name: str = "report",
        *,
        inside: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] = NOTHING,
        directory: Path | None = None,
    ) -> Run:
        """Begin to certify the reference consumer; older reports stand where the new ones go."""
        here = directory or self.directory
        reports = [f"--html={name}.html", f"--junit={name}.xml"]
        words = ["certify", "reference", SCENARIO, "--deadline", "60", *reports]
        for form in ("html", "xml"):
            (here / f"{name}.{form}").write_text(OLDER, encoding="utf-8")
        return self.start(name, words, inside=inside, environment=environment, directory=here)

    def start(
        self,
        name: str,
        words: Sequence[str],
        *,
        inside: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] = NOTHING,
        directory: Path | None = None,
    ) -> Run:
        """Begin a command line of the harness, in worse surroundings where those are given."""
        here = directory or self.directory
        argv = [sys.executable, "-m", "harness", *words]
        if inside is not None:
            argv = command_line(inside, argv)
        outputs = [self.directory / f"{name}.{stream}.txt" for stream in ("stdout", "stderr")]
        for output in outputs:
            output.unlink(missing_ok=True)
        before = _events(here)
        child = spawn(
            argv,
            cwd=here,
            env={**self.environment, **environment},
            stdout=outputs[0],
            stderr=outputs[1],
        )
        guardian = psutil.Process(psutil.Process(child.pid).ppid())
        run = Run(child, guardian, here, name, outputs[0], outputs[1], before)
        self.runs.append(run)
        return run

    def moment(self, run: Run, share: float = 0.8) -> bool:
        """Wait for a moment drawn within the usual time; return whether the run still goes on."""
        return self.rest(run, self.chance.uniform(0, self.usual_s * share))

    def rest(self, run: Run, seconds: float) -> bool:
        """Wait so long, or until the run has ended; return whether it still goes on."""
        try:
            run.child.wait(seconds)
        except TimeoutError:
            return True
        return False

    def appears(self, run: Run, word: str) -> Sequence[psutil.Process]:
        """Wait until processes are there with a word in their command line; none if it ends."""
        deadline = time.monotonic() + self.bound_s
        while time.monotonic() < deadline:
            if found := run.find(word):
                return found
            if not self.rest(run, POLL_S):
                return ()
        return ()

    def ended(self, run: Run, bound_s: float | None = None) -> int | None:
        """Return the run's exit status; None when it did not end in time, and was ended."""
        try:
            return run.child.wait(self.bound_s if bound_s is None else bound_s)
        except TimeoutError:
            run.child.stop(1)
            return None

    def close(self) -> None:
        """End whatever is left."""
        for run in self.runs:
            run.child.stop(1)


def _events(directory: Path) -> frozenset[Path]:
    return frozenset(directory.glob(".harness/runs/*/events.ndjson"))


def own_environment() -> dict[str, str]:
    """Return what trials run with: our environment, without what a run of ours was told."""
    return {name: value for name, value in os.environ.items() if name != "HARNESS_JOB"}
