"""The pipeline as a stream: changes in one by one, disturbed records out one by one, nothing kept.

A plan holds a whole case, which is right for what a person writes. This is the way for change logs
that nobody could hold: from the source through the encoder and the faults to whoever sends.
What stays in memory is bounded by the tables, not by the events: the upstream's rows, a window of
records, the encoder's open batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from harness.contracts import DEFAULT_DIALECT
from harness.errors import StepError
from harness.faults import FAULTS
from harness.faults.delivery import FaultStep, step_random
from harness.model.change import Change
from harness.model.record import Record
from harness.protocols import PROTOCOLS
from harness.sources.source import SourceConfig

WINDOW = 1024  # records


@dataclass(frozen=True, slots=True)
class Course:
    """What a stream passes: the protocol and its dialect, the upstream, and the disturbances."""

    protocol: str
    stage: SourceConfig
    dialect: str = DEFAULT_DIALECT
    delivery: tuple[FaultStep, ...] = ()
    seed: str = "stream"
    window: int = WINDOW


def streamed(course: Course, changes: Iterable[Change]) -> Iterator[Record]:
    """Yield the records of changes as they are delivered.

    The same changes give the same records again. Raises what plans raise, when the stream gets
    there: UsageError and its kin, EncodingError, and SourceStopped where the encoder's process
    stops; what was yielded by then stands.
    """
    protocol = PROTOCOLS[course.protocol]
    given = protocol.source.stream(changes, course.stage)
    wire = protocol.codec.bind(given.settings, course.dialect)
    records = wire.encode(given.given)
    if not course.delivery:
        return records
    return windowed(records, course.delivery, course.seed, course.window)


def windowed(
    records: Iterable[Record], wanted: Sequence[FaultStep], seed: str, size: int = WINDOW
) -> Iterator[Record]:
    """Yield the records as the steps leave them, window by window, each as a stream of its own.

    Windows keep their order, so whatever a fault preserves of a stream it preserves here; what it
    moves or repeats stays within its window. At most one window is held at a time.

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
