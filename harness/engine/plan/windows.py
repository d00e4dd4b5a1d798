"""Disturbances of a stream that is too long to hold: window by window, each as a stream of its own.

Windows keep their order, so whatever a fault preserves of a stream it preserves here; what it moves
or repeats stays within its window. At most one window is held at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from harness.errors import StepError
from harness.faults import FAULTS
from harness.faults.delivery import FaultStep, step_random
from harness.model.record import Record

WINDOW = 1024


def windowed(
    records: Iterable[Record], wanted: Sequence[FaultStep], seed: str, size: int = WINDOW
) -> Iterator[Record]:
    """Yield the records as the steps leave them.

    A window in which a step finds nothing to act on passes it as it is. StepError for a step that
    is done to the run, before anything is yielded, and at the end for one that acted nowhere.
    """
    for step in wanted:
        if FAULTS[step.fault].act is not None:
            FAULTS[step.fault]((), step.options, step.line, step_random(seed))
    idle: dict[int, StepError] = {}
    acted: set[int] = set()
    stream = iter(records)
    number = 0
    while window := tuple(islice(stream, size)):
        for index, step in enumerate(wanted):
            random = step_random(seed, index, number)
            try:
                window = FAULTS[step.fault](window, step.options, step.line, random)
                acted.add(index)
            except StepError as error:
                idle[index] = error
        yield from window
        number += 1
    for index in sorted(idle.keys() - acted):
        raise idle[index]
