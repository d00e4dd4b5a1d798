"""Runs the loads: floor and ours in turn, so that a busy machine troubles both alike.

Both are measured with the garbage collector on, and what was prepared is kept out of its sight.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from statistics import median

from harness.bench.encode import avro, vitess
from harness.bench.encode import open as open_protocol
from harness.bench.encode.load import Load
from harness.bench.figure import Figure

LOADS = (open_protocol.loads, avro.loads, vitess.loads)
PASSES = 9
THOUSAND = 1000


def measure() -> Iterator[Figure]:
    """Yield a figure for each load, in thousand events a second of one process."""
    for loads in LOADS:
        for load in loads():
            yield figure(load)


def figure(load: Load) -> Figure:
    """Return what a load gives: the median of each side's passes."""
    gc.collect()
    gc.freeze()
    try:
        floor, ours = _interleaved(load)
    finally:
        gc.unfreeze()
    goal = f">= {load.goal} of {load.floor}"
    if load.go is not None:
        goal += f"; Go {load.go[0] // THOUSAND}-{load.go[1] // THOUSAND} k/s"
    return Figure(
        load.name,
        load.events / median(ours) / THOUSAND,
        "k/s",
        load.events / median(floor) / THOUSAND,
        goal,
    )


def _interleaved(load: Load) -> tuple[list[float], list[float]]:
    floor: list[float] = []
    ours: list[float] = []
    for _ in range(PASSES):
        floor.append(_seconds(load.floor_pass))
        ours.append(_seconds(load.our_pass))
    return floor, ours


def _seconds(run: Callable[[], int]) -> float:
    gc.collect()
    began = time.perf_counter()
    run()
    return time.perf_counter() - began
