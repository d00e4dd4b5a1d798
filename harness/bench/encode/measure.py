"""Runs the loads: floor, ours and the bound in turn, so that a busy machine troubles both alike.

All are measured with the garbage collector on, and what was prepared is kept out of its sight. The
time is the processor's: an encoder waits for nothing, and on a busy machine the clock measures
others.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from harness.bench.encode import avro, vitess
from harness.bench.encode import open as open_protocol
from harness.bench.encode.load import Load
from harness.bench.figure import Figure

LOADS = (open_protocol.loads, avro.loads, vitess.loads)
PASSES = 9
THOUSAND = 1000
BOUND = "one template, its values already text: no encoder in pure Python is faster"


def measure() -> Iterator[Figure]:
    """Yield each load's figures, in thousand events a second of one process."""
    for loads in LOADS:
        for load in loads():
            yield from figures(load)


def figures(load: Load) -> Iterator[Figure]:
    """Yield what a load gives, and its bound if it has one: the median of each side's passes."""
    gc.collect()
    gc.freeze()
    try:
        floor, ours, bound = _interleaved(load)
    finally:
        gc.unfreeze()
    goal = f">= {load.goal} of {load.floor}"
    if load.go is not None:
        goal += f"; Go {load.go[0] // THOUSAND}-{load.go[1] // THOUSAND} k/s"
    bare = _speed(load, floor)
    yield Figure(load.name, _speed(load, ours), "k/s", bare, goal)
    if bound:
        yield Figure(f"{load.name}: bound", _speed(load, bound), "k/s", bare, BOUND)


def _speed(load: Load, seconds: Sequence[float]) -> float:
    return load.events / median(seconds) / THOUSAND


def _interleaved(load: Load) -> tuple[list[float], list[float], list[float]]:
    floor: list[float] = []
    ours: list[float] = []
    bound: list[float] = []
    for _ in range(PASSES):
        floor.append(_seconds(load.floor_pass))
        ours.append(_seconds(load.our_pass))
        if load.bound_pass is not None:
            bound.append(_seconds(load.bound_pass))
    return floor, ours, bound


def _seconds(run: Callable[[], int]) -> float:
    gc.collect()
    began = time.process_time()
    run()
    return time.process_time() - began
