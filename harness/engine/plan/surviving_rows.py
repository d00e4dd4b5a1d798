"""Row events of which a message is left after compaction.

A row that was put and put again, or deleted, need not be read at all: nothing of it stays in the
tables. But it may have been the only one with a new column, which then nobody can know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from harness.contracts import BoundCodec
from harness.engine.plan.delivery import Delivery
from harness.errors import DecodingError
from harness.model.decoded import EventKind
from harness.model.settings import Settings
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.protocols.protocol import ProtocolSpec

_PUTS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT})


def surviving_events(
    events: Sequence[SourceEvent], delivery: Delivery, wire: BoundCodec
) -> Iterator[SourceEvent]:
    """Yield the events, but for puts of which no message is left."""
    readable = _readable(delivery, wire) if delivery.compacted else frozenset[int]()
    for event in events:
        number = event.origin.event
        put = isinstance(event, RowEvent) and event.after is not None
        if not put or number not in delivery.compacted or number in readable:
            yield event


def visible_events(
    protocol: ProtocolSpec, settings: Settings, dialect: str
) -> Callable[[Iterable[SourceEvent]], Iterator[SourceEvent]]:
    """Return what yields the events as the wire shows them, where rows come alone."""
    project = protocol.projection(settings, dialect)
    shown = protocol.shows_truncate(settings)

    def visible(events: Iterable[SourceEvent]) -> Iterator[SourceEvent]:
        for event in events:
            if isinstance(event, RowEvent):
                row = project(event)
                if row is not None:
                    yield row
            elif isinstance(event, DdlEvent) and event.before and shown(event.before.table.id):
                yield event

    return visible


def _readable(delivery: Delivery, wire: BoundCodec) -> frozenset[int]:
    """Return the events of which a message with a new row can be read."""
    found: set[int] = set()
    for log in delivery.logs.values():
        for one in log.read:
            try:
                decoded = wire.decode(one.record.key, one.record.value)
            except DecodingError:
                continue
            if any(event.kind in _PUTS for event in decoded):
                found.update(origin.event for origin in one.record.origins)
    return frozenset(found)
