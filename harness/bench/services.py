"""How quickly the embedded services are up: side by side, beside the slowest one alone."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.bench.figure import Figure
from harness.services import SERVICES, start


def measure() -> Iterator[Figure]:
    """Yield a figure for each service alone, then one for all together."""
    alone: list[float] = []
    for name in SERVICES:
        _up([name])  # the first start also prepares what is kept in the cache
        seconds = _up([name])
        alone.append(seconds)
        yield Figure(f"services.{name}", seconds, "s")
    together = _up(list(SERVICES))
    yield Figure("services.together", together, "s", max(alone), "the slowest, not the sum")


def _up(names: Sequence[str]) -> float:
    with tempfile.TemporaryDirectory() as directory:
        began = time.perf_counter()
        with start(names, run_dir=Path(directory) / "run", on_event=lambda _: None):
            return time.perf_counter() - began
