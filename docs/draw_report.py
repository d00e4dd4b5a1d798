#!/usr/bin/env python3
"""Draws docs/report.svg: a real run's report, of a consumer with a real bug.

The consumer is the bundled reference with one mistake that consumers do make: BIGINT goes through a
64-bit float. Run it from the checkout, with the harness installed: `docs/draw_report.py`.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from harness.model.events import CaseFinished, Event
from harness.report.console import ConsoleReport
from harness.report.read import read_events

ROOT = Path(__file__).resolve().parents[1]
TARGET = "py:my_job:consume"
CHOICE = ("types.integers[open,p1]", "types.integers[avro,p1]", "dml.no-net-change")
WIDTH = 140
# The live line is a matter of time; a picture has none.
PASSING = {"PhaseStarted", "PhaseFinished", "ServiceChanged", "CaseAnswered"}
JOB = '''\
"""The reference consumer, but BIGINT values pass through a float, as in many JSON readers."""

from __future__ import annotations

from harness.reference_consumer import answer
from harness.reference_consumer.__main__ import main

exact = answer.json_row


def rounded(row):
    return {
        name: int(float(value)) if name == "b" and isinstance(value, int) else value
        for name, value in exact(row).items()
    }


def consume(job):
    answer.json_row = rounded
    main()
'''


def certify(home: Path, *words: str) -> None:
    """Certify the consumer, written into `home`."""
    (home / "my_job.py").write_text(JOB, encoding="utf-8")
    path = os.pathsep.join([str(ROOT), str(home)])
    done = subprocess.run(
        [sys.executable, "-m", "harness", "certify", TARGET, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 1:  # there are findings
        raise SystemExit(done.returncode)


def events(home: Path) -> tuple[Event, ...]:
    """Certify the consumer and return what the run told."""
    file = home / "events.ndjson"
    certify(home, *CHOICE, "--ndjson", str(file))
    return read_events(file)


def drawing(run: tuple[Event, ...]) -> str:
    """Return the console report of a run as SVG, below the command that a person typed."""
    console = Console(
        file=io.StringIO(), record=True, force_terminal=True, width=WIDTH, color_system="truecolor"
    )
    typed = shlex.join(["harness", "certify", TARGET, *CHOICE])
    console.print(f"[bold]$[/bold] {escape(typed)}", highlight=False)
    report = ConsoleReport(console)
    for event in run:
        if isinstance(event, CaseFinished):
            report.handle(replace(event, log=""))
        elif type(event).__name__ not in PASSING:
            report.handle(event)
    report.close()
    drawn = console.export_svg(title="harness certify", unique_id="harness")
    return re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)  # it would fetch fonts


def main() -> None:
    """Draw the picture."""
    with tempfile.TemporaryDirectory() as home:
        picture = drawing(events(Path(home)))
    (ROOT / "docs" / "report.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
