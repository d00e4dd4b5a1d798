"""`python -m tests.system.repetitions`: the same run again and again; what differs is a flake.

Each repetition has another hash seed, locale and time zone, on which no verdict may depend. Exit
code 1 when a case comes to two ends, by its verdict or by any of its findings.

All of them share one warm set of services, and some run side by side: half of a repetition's time
is waiting, for a group to notice that a member is gone and the like. `--live` repeats the cases
alone whose consumer or services something happens to while they work, where timing decides; what
lies in full topics is the same each time, and costs two thirds of a repetition.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import orjson

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.timing import is_live

ROOT = Path(__file__).resolve().parents[2]
# The scenarios whose deliveries disturb: kills, replays, withheld and uncommitted messages.
DISTURBED = ("restart", "duplicates", "ordering", "transport", "sharding", "hostile")
LOCALES = ("C", "C.UTF-8", "POSIX")
ZONES = ("UTC", "Asia/Kolkata", "America/St_Johns")
DEADLINE_S = 3600
RUN, LENGTH = "the run itself", 500
HARNESS = (sys.executable, "-m", "harness")
ROOTS = ("--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden"))


@contextmanager
def warm() -> Generator[Path]:
    """Yield a directory with services that all runs in it share."""
    with tempfile.TemporaryDirectory() as here:
        _services(here, "up", "--only", "kafka,registry")
        try:
            yield Path(here)
        finally:
            _services(here, "down")


def _services(here: str, *words: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [*HARNESS, "services", *words]
    subprocess.run(command, cwd=here, env=environment, check=True, timeout=DEADLINE_S)


def repetition(number: int, here: Path, words: Sequence[str]) -> Mapping[str, str]:
    """Certify once under surroundings of its own; return what each case came to."""
    surroundings = {
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": str(number),
        "LC_ALL": LOCALES[number % len(LOCALES)],
        "TZ": ZONES[number % len(ZONES)],
    }
    done = subprocess.run(
        [*HARNESS, "certify", *words, *ROOTS, "--json"],
        cwd=here,
        env={**os.environ, **surroundings},
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    if done.returncode not in {0, 1}:
        return {RUN: f"exit {done.returncode}: {done.stderr.decode(errors='replace')[-LENGTH:]}"}
    cases: list[dict[str, Any]] = orjson.loads(done.stdout)["cases"]
    return {RUN: "done"} | {one["case"]: _came_to(one["verdict"]) for one in cases}


def _came_to(verdict: Mapping[str, Any]) -> str:
    findings = sorted(
        " ".join((one["kind"], one["clause"], one["table"], one["key"], one["message"]))
        for one in verdict["findings"]
    )
    return "; ".join((verdict["apart"] or verdict["judgement"], *findings))


def live(scenarios: Sequence[str]) -> tuple[str, ...]:
    """Return the words that choose the cases during which something happens."""
    space = workspace(ROOT)
    cases = selected(load(space, [space.scenarios / one for one in scenarios]), None)
    plans = planned_only(space, cases, expectations=False)
    ids = [f"'{plan.case.id}'" for plan in plans if is_live(plan.delivery.steps)]
    return ("-k", " or ".join(ids))


def show(case: str, ends: set[str]) -> None:
    """Print a flake: a case with each end that it came to."""
    click.echo("\n    ".join((case, *sorted(ends))))


def main() -> int:
    """Repeat, print each case that came to more than one end, and the numbers."""
    parser = argparse.ArgumentParser(prog="python -m tests.system.repetitions")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin none after so long")
    parser.add_argument("--side-by-side", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="the first one's number")
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--consumer", default="reference")
    parser.add_argument("scenarios", nargs="*", default=DISTURBED)
    asked = parser.parse_args()
    until = time.monotonic() + 60 * asked.minutes
    words = (asked.consumer, *(live(asked.scenarios) if asked.live else asked.scenarios))
    ends: defaultdict[str, set[str]] = defaultdict(set)
    flakes: dict[str, set[str]] = {}
    times = 0

    def once(number: int, here: Path) -> Mapping[str, str]:
        return repetition(number, here, words) if time.monotonic() < until else {}

    with warm() as here, ThreadPoolExecutor(asked.side_by_side) as pool:
        numbers = range(asked.first, asked.first + asked.times)
        for future in as_completed([pool.submit(once, number, here) for number in numbers]):
            for case, end in future.result().items():
                ends[case].add(end)
            times += bool(future.result())
            known, flakes = flakes, {case: it for case, it in ends.items() if len(it) > 1}
            if future.result():
                click.echo(f"repetition {times} of {asked.times}: {len(flakes)} flakes so far")
            for case in sorted(flakes.keys() - known.keys()):
                show(case, flakes[case])
    for case, found in sorted(flakes.items()):
        show(case, found)
    click.echo(f"repeated {times} times, {len(ends) - 1} cases, {len(flakes)} flakes")
    return 1 if flakes else 0


if __name__ == "__main__":
    sys.exit(main())
