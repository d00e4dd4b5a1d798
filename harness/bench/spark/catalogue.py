"""What all cases cost on Spark: in packs, and one query each.

| figure | what it is |
| --- | --- |
| catalogue | the whole command from a cold start, but for the cases that are alone anyway |
| reading | the consumer over all packs; beside it the same cases with one query each |
| a case | what one more case adds to a pack; beside it what one adds that has a query of its own |
| alone under … | kills, restarts and the like, by fault: a run of the consumer each |

One query each is measured over a drawn share, in a session that is warm, and extrapolated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from harness.bench.command import harness, watched
from harness.bench.figure import Figure
from harness.engine.catalogue.workspace import RUNS
from harness.errors import plural

SHARE = 3.0  # percent of the cases that run one query each
ONE = "dml.no-net-change"
THOUSAND = 1000
READ, READ_ALONE, UNDER = "consume", "read alone", "alone under "


@dataclass(slots=True)
class Phases:
    """Seconds by phase, and how many cases a phase was about where it says so."""

    seconds: Counter[str] = field(default_factory=Counter[str])
    cases: Counter[str] = field(default_factory=Counter[str])

    def faults(self) -> list[str]:
        """Return the phases of cases that are alone for what happens to them."""
        return [name for name in self.seconds if name.startswith(UNDER)]


def phases(events: Iterable[Mapping[str, Any]]) -> Phases:
    """Return the phases of a run from its events."""
    found = Phases()
    for event in events:
        if event["event"] == "phase-finished":
            found.seconds[event["phase"]] += event["seconds"]
        elif event["event"] == "phase-started":
            number = event["detail"].partition(" ")[0]
            found.cases[event["phase"]] += int(number) if number.isdigit() else 0
    return found


def figures(
    total_s: float, cases: int, every: Phases, one: Phases, one_cases: int
) -> Iterator[Figure]:
    """Yield the figures of a run over all `cases`, beside a run over few."""
    faults = every.faults()
    packed = cases - sum(every.cases[name] for name in faults)
    alone = max(every.cases[READ_ALONE], 1)
    a_query_s = every.seconds[READ_ALONE] / alone
    apart_s = every.seconds[READ_ALONE] + sum(every.seconds[name] for name in faults)
    yield Figure("spark.catalogue", total_s - apart_s, "s", None, "<= 120 s cold")
    yield Figure(
        "spark.catalogue: reading",
        every.seconds[READ],
        "s",
        a_query_s * packed,
        f"floor: one query each, extrapolated from {alone} of {plural(packed, 'case')}",
    )
    marginal_s = (every.seconds[READ] - one.seconds[READ]) / max(packed - one_cases, 1)
    goal = "<= 60 ms; floor: a query each"
    yield Figure("spark.catalogue: a case", marginal_s * THOUSAND, "ms", a_query_s * THOUSAND, goal)
    for name in faults:
        each = f"{plural(every.cases[name], 'case')}"
        yield Figure(f"spark.catalogue: {name}", every.seconds[name], "s", None, each)


def measure(share: float = SHARE) -> Iterator[Figure]:
    """Yield what all cases cost; `share` percent of them run one query each as well."""
    _, few, one = _certified("-k", ONE)
    total_s, cases, every = _certified("--isolated", f"{share:g}")
    yield from figures(total_s, cases, every, one, few)


def _certified(*arguments: str) -> tuple[float, int, Phases]:
    """Return a run's seconds, how many cases it had, and its phases."""
    ran = watched(harness("certify", "spark", "--json", *arguments), {})
    files = (Path.cwd() / RUNS / "runs").rglob("events.ndjson")
    newest = max(files, key=lambda path: path.stat().st_mtime)
    events = [orjson.loads(line) for line in newest.read_bytes().splitlines()]
    return ran.seconds, len(orjson.loads(ran.stdout)["cases"]), phases(events)
