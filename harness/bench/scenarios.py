"""The whole catalogue without a service: checked, read by the right consumer, and by wrong ones.

The marginal scenario is the difference between the whole and every second file, over the files that
are left out: what one more costs, whatever the process costs to start.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.bench.command import harness, watched
from harness.bench.figure import Figure
from harness.engine.catalogue.workspace import workspace

GOAL = "< 60 s on 2 cores"
MARGIN = "milliseconds"


def measure() -> Iterator[Figure]:
    """Yield the time of each command over all scenarios, and what one more scenario costs."""
    root = workspace(Path.cwd()).scenarios
    files = [str(path) for path in sorted(root.rglob("*.yaml"))]
    for name, arguments in (("check", ("check",)), ("reference", ("mutants", "--reference"))):
        whole = watched(harness(*arguments, *files), {}).seconds
        half = watched(harness(*arguments, *files[::2]), {}).seconds
        yield Figure(f"scenarios.{name}", whole, "s", None, GOAL)
        one_more = (whole - half) / (len(files) // 2) * 1000
        yield Figure(f"scenarios.{name}.one-more", one_more, "ms", None, MARGIN)
    yield Figure("scenarios.mutants", watched(harness("mutants"), {}).seconds, "s", None, GOAL)
