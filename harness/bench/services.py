"""How quickly the embedded services are up: side by side, beside the slowest one alone."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.bench.figure import Figure
from harness.services import SERVICES, start

# Two JVMs at once are bound by two cores, so the pair that records and certifies stands apart.
TOGETHER = (("kafka", "mariadb"), tuple(SERVICES))


def measure() -> Iterator[Figure]:
    """Yield a figure for each service alone, then one for each set together."""
    alone: dict[str, float] = {}
    for name in SERVICES:
        _up([name])  # the first start also prepares what is kept in the cache
        alone[name] = _up([name])
        yield Figure(f"services.{name}", alone[name], "s")
    for names in TOGETHER:
        slowest = max(alone[name] for name in names)
        label = "services." + "+".join(names)
        yield Figure(label, _up(names), "s", slowest, "the slowest, not the sum")


def _up(names: Sequence[str]) -> float:
    with tempfile.TemporaryDirectory() as directory:
        began = time.perf_counter()
        with start(names, run_dir=Path(directory) / "run", on_event=lambda _: None):
            return time.perf_counter() - began
