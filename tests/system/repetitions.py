"""`python -m tests.system.repetitions`: the same run again and again; what differs is a flake.

Each repetition has another hash seed, locale and time zone, on which no verdict may depend. Exit
code 1 when a case comes to two ends, by its verdict or by any of its findings.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import orjson

ROOT = Path(__file__).resolve().parents[2]
# The scenarios whose deliveries disturb: kills, replays, withheld and uncommitted messages.
DISTURBED = ("restart", "duplicates", "ordering", "transport", "sharding", "hostile")
LOCALES = ("C", "C.UTF-8", "POSIX")
ZONES = ("UTC", "Asia/Kolkata", "America/St_Johns")
DEADLINE_S = 3600


def repetition(number: int, words: Sequence[str]) -> Mapping[str, str]:
    """Certify once under surroundings of its own; return what each case came to."""
    surroundings = {
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": str(number),
        "LC_ALL": LOCALES[number % len(LOCALES)],
        "TZ": ZONES[number % len(ZONES)],
    }
    with tempfile.TemporaryDirectory() as here:
        done = subprocess.run(
            [sys.executable, "-m", "harness", "certify", *words, "--json"],
            cwd=here,
            env={**os.environ, **surroundings},
            stdout=subprocess.PIPE,
            timeout=DEADLINE_S,
            check=False,
        )
    if done.returncode not in {0, 1}:
        raise SystemExit(done.returncode)
    cases: list[dict[str, Any]] = orjson.loads(done.stdout)["cases"]
    return {one["case"]: _came_to(one["verdict"]) for one in cases}


def _came_to(verdict: Mapping[str, Any]) -> str:
    findings = sorted(
        " ".join((one["kind"], one["clause"], one["table"], one["key"], one["message"]))
        for one in verdict["findings"]
    )
    return "; ".join((verdict["apart"] or verdict["judgement"], *findings))


def main() -> int:
    """Repeat, print each case that came to more than one end, and the numbers."""
    parser = argparse.ArgumentParser(prog="python -m tests.system.repetitions")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--consumer", default="reference")
    parser.add_argument("scenarios", nargs="*", default=DISTURBED)
    asked = parser.parse_args()
    ends: defaultdict[str, set[str]] = defaultdict(set)
    flakes: dict[str, set[str]] = {}
    for number in range(asked.times):
        for case, end in repetition(number, (asked.consumer, *asked.scenarios)).items():
            ends[case].add(end)
        flakes = {case: found for case, found in ends.items() if len(found) > 1}
        click.echo(f"repetition {number + 1} of {asked.times}: {len(flakes)} flakes so far")
    for case, found in sorted(flakes.items()):
        click.echo("\n    ".join((case, *sorted(found))))
    click.echo(f"repeated {asked.times} times, {len(ends)} cases, {len(flakes)} flakes")
    return 1 if flakes else 0


if __name__ == "__main__":
    sys.exit(main())
