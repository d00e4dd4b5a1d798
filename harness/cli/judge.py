"""`harness judge RUN`: ask the `harness debug` of another terminal for its verdict."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.errors import SetupError, UsageError

if TYPE_CHECKING:  # imported when the command is called
    from collections.abc import Sequence

    import psutil

    from harness.model.events import Event

LOOK_S = 0.2
DEADLINE_S = 120.0  # the consumer has answered: what is left is to judge one case


@click.command("judge", short_help="Judge a case of `harness debug`, from another terminal.")
@click.argument("run")
def command(*, run: str) -> int:
    """Ask the `harness debug` that is run RUN for its verdict; print it, return its exit code."""
    from rich.console import Console

    from harness.engine.catalogue.workspace import RUNS
    from harness.model.events import RunFinished
    from harness.report.console import ConsoleReport
    from harness.runner.by_hand import JUDGE, SESSION

    directory = Path(RUNS, "runs", run)
    session = directory / SESSION
    process = _process(session)
    if process is None:
        waiting = [one.parent.name for one in Path(RUNS, "runs").glob(f"*/{SESSION}")]
        raise UsageError(
            f"no `harness debug` waits for a verdict on run {run!r} here",
            expected=" or ".join(waiting) or "a run that `harness debug` began in this directory",
            hint="its services end with the verdict; `harness debug` fills the topics again",
        )
    (directory / JUDGE).touch()
    report = ConsoleReport(Console(soft_wrap=True), brief=True)
    for event in _finished(directory / "events.ndjson", process):
        report.handle(event)
        if isinstance(event, RunFinished):
            return event.exit_code
    raise SetupError(
        f"the run {run} has come to no verdict",
        hint="the terminal of `harness debug` says why",
    )


def _process(session: Path) -> psutil.Process | None:
    """Return the process that waits for a verdict, None when it has ended."""
    import psutil

    try:
        return psutil.Process(int(session.read_text(encoding="utf-8")))
    except (OSError, ValueError, psutil.Error):
        return None


def _finished(events: Path, process: psutil.Process) -> Sequence[Event]:
    """Return the events of the run, which end with its verdict unless that does not come."""
    from harness.model.events import RunFinished
    from harness.report.read import read_events

    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        is_over = not process.is_running()
        found = read_events(events)
        if isinstance(found[-1], RunFinished):
            return found
        if is_over:
            break
        time.sleep(LOOK_S)
    return ()
