"""Memory, handles and processes of a self-test over time, one sample a minute.

What a run leaves behind shows in two places: in this process, which goes on through all trials,
and in what is still there between two of them, when nothing of theirs should be.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

LOOK_S = 1.0
SAMPLE_S = 60.0
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """A minute: what this process holds at its end, and the most that its trials had at a time.

    `left` are the fewest processes that were there besides: 0 where a trial ended and nothing of it
    was left, or none was under way.
    """

    minute: float
    own_mb: float
    own_handles: int
    trials_mb: float = 0.0
    trials_handles: int = 0
    trials_processes: int = 0
    left: int = 0


@contextmanager
def sampled(every_s: float = SAMPLE_S, look_s: float = LOOK_S) -> Generator[list[Sample]]:
    """Yield the samples, which are added while the block runs: the first before, the last after."""
    found = [_sample(0.0, [_descendants()])]
    done = threading.Event()

    def look() -> None:
        began = time.monotonic()
        looks: list[tuple[float, int, int]] = []
        over = False
        while not over:
            over = done.wait(look_s)
            looks.append(_descendants())
            passed_s = time.monotonic() - began
            if over or passed_s >= every_s * len(found):
                found.append(_sample(passed_s / 60, looks))
                looks.clear()

    thread = threading.Thread(target=look, name="samples", daemon=True)
    thread.start()
    try:
        yield found
    finally:
        done.set()
        thread.join()


def _sample(minute: float, looks: list[tuple[float, int, int]]) -> Sample:
    own = psutil.Process()
    memory, handles, processes = zip(*looks, strict=True)
    return Sample(
        round(minute, 2),
        round(own.memory_info().rss / MEGABYTE, 1),
        own.num_fds(),
        round(max(memory), 1),
        max(handles),
        max(processes),
        min(processes),
    )


def _descendants() -> tuple[float, int, int]:
    """Return the memory in megabytes, the handles and the number of all that descends from us."""
    there = [*_there()]
    return sum(mb for mb, _ in there), sum(handles for _, handles in there), len(there)


def _there() -> Iterator[tuple[float, int]]:
    for one in psutil.Process().children(recursive=True):
        try:
            yield one.memory_info().rss / MEGABYTE, one.num_fds()
        except psutil.Error:
            continue  # it ended while we looked
