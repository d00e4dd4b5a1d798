"""What a pytest command line asks of the harness, as one value."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.errors import SetupError, next_step


@dataclass(frozen=True, slots=True)
class PluginOptions:
    """The options, and which worker of how many this is.

    `here` is where pytest was started, `root` its root directory, `python_path` its own setting.
    `run` names the session, alike in all workers.
    """

    consumer: str
    deadline_s: float
    here: Path
    root: Path
    python_path: tuple[Path, ...]
    update_golden: bool
    run: str
    worker: int
    workers: int
    counts_beyond: bool = False
    sandbox: bool = False
    protocols: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()

    @property
    def parallelism(self) -> int:
        """Return how many starts of a consumer may run side by side in this worker."""
        return max(1, (os.cpu_count() or 1) // self.workers)

    @property
    def directory(self) -> Path:
        """Return the session's directory, common to all workers; SetupError when it cannot be."""
        from harness.engine.catalogue.kept_runs import hold, remove_old
        from harness.engine.catalogue.workspace import runs

        try:
            directory = runs(self.root) / "runs" / f"pytest-{self.run}"
            directory.mkdir(parents=True, exist_ok=True)
            if hold(directory):
                remove_old(directory.parent)
        except OSError as error:
            raise SetupError(
                f"cannot write into {self.root}: {error.strerror}", hint=next_step(error)
            ) from None
        return directory


def plugin_options(config: pytest.Config) -> PluginOptions:
    """Return what a command line asks for; UsageError when a number is none."""
    option: Callable[..., Any] = config.getoption
    given: dict[str, Any] = getattr(config, "workerinput", {})
    apart = option("dist", "no") == "each"  # whoever asks for that wants it all, n times
    run = str(given.get("testrunuid", secrets.token_hex(4)))[:8]
    worker = str(given.get("workerid", "gw0"))
    workers = 1 if apart else int(given.get("workercount", 1))
    return PluginOptions(
        consumer=option("--harness-consumer"),
        deadline_s=_seconds(option("--harness-deadline")),
        here=config.invocation_params.dir,
        root=config.rootpath,
        python_path=tuple(config.getini("pythonpath")),
        update_golden=option("--update-golden"),
        run=f"{run}-{worker}" if apart else run,
        # A worker that stands in for one that died has a higher number than there are workers.
        worker=int(worker.removeprefix("gw")) % workers,
        workers=workers,
        counts_beyond=option("--harness-beyond"),
        sandbox=option("--harness-sandbox"),
        protocols=tuple(option("--harness-protocol")),
        clauses=tuple(option("--harness-clause")),
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds < float("inf"):
        raise pytest.UsageError(
            f"--harness-deadline {text}: no number of seconds\n    expected: at least 1"
        )
    return seconds
