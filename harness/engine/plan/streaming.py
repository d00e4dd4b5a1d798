"""The river as a stream: changes in one by one, disturbed records out one by one, nothing kept.

A plan holds a whole case, which is right for what a person writes. This is the way for change logs
that nobody could hold: from the source through the encoder and the faults to whoever sends.
What stays in memory is bounded by the tables, not by the events: the upstream's rows, a window of
records, the encoder's open batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.contracts import DEFAULT_DIALECT
from harness.engine.plan.windows import WINDOW, windowed
from harness.faults.delivery import FaultStep
from harness.model.change import Change
from harness.model.record import Record
from harness.protocols import PROTOCOLS
from harness.sources.source import SourceConfig


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
