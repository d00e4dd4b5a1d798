"""Vendor input through the encoder, to its end or to where the vendor's process stops.

A stop of the encoder (a row that is too large, a schema that the registry refuses) ends the stream
there: what was not sent by then is never sent, and the truth is folded from what was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.contracts import BoundCodec
from harness.errors import SourceStopped, UsageError
from harness.model.record import Origin, Record
from harness.model.source_events import ChangefeedStopped, RowEvent, SourceEvent
from harness.model.vstream import VStreamResponse
from harness.sources.source import SourceOutput


@dataclass(frozen=True, slots=True)
class Encoded:
    """The records, the events that they stand for, and what stopped the stream."""

    records: tuple[Record, ...]
    events: tuple[SourceEvent, ...]
    stopped: ChangefeedStopped | None


def encoded(wire: BoundCodec, source: SourceOutput) -> Encoded:
    """Return what the encoder makes of the upstream's events; an upstream's own stop stands.

    Raises UsageError for an encoder that stops before it has taken any event.
    """
    taken: list[Any] = []

    def given() -> Iterator[Any]:
        for event in source.given:
            taken.append(event)
            yield event

    records: list[Record] = []
    try:
        records.extend(wire.encode(given()))
    except SourceStopped as stop:
        if not taken:
            raise UsageError(
                f"the source does not start: {stop.what}",
                expected=stop.expected or "settings with which it starts",
                hint=stop.hint,
            ) from stop
        number = _stopped_at(wire, taken)
        if number is not None:
            # An encoder may look ahead; what came before the event at fault was sent.
            records = list(wire.encode(taken[:number]))
        origin = _origin(taken[-1 if number is None else number])
        stopped = ChangefeedStopped(stop.code, stop.what, origin.commit_ts, origin)
        return Encoded(tuple(records), _sent(source, records, origin), stopped)
    return Encoded(tuple(records), source.events, source.stopped)


def _stopped_at(wire: BoundCodec, taken: list[Any]) -> int | None:
    """Return the number of the first event that the encoder refuses by itself.

    None where it refuses none by itself, or where an event means nothing without those before.
    """
    if any(isinstance(event, VStreamResponse) for event in taken):
        return None
    for number, event in enumerate(taken):
        try:
            list(wire.encode([event]))
        except SourceStopped:
            return number
    return None


def _sent(source: SourceOutput, records: list[Record], stop: Origin) -> tuple[SourceEvent, ...]:
    numbers = {origin.event for record in records for origin in record.origins}
    return tuple(
        event
        for event in source.events
        if event.origin.event in numbers
        or (not isinstance(event, RowEvent) and event.origin.event < stop.event)
    )


def _origin(given: Any) -> Origin:  # noqa: ANN401 - each source has input of its own
    if not isinstance(given, VStreamResponse):
        found: Origin = given.origin
        return found
    origins = [event.origin for event in given.events if event.origin is not None]
    return origins[-1] if origins else Origin(1, 0, 0, "response")
