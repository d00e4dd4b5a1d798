"""Row events of which a message is left after compaction.

A row that was put and put again, or deleted, need not be read at all: nothing of it stays in the
tables. But it may have been the only one with a new column, which then nobody can know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.contracts import BoundCodec
from harness.engine.plan.delivery import Delivery
from harness.errors import DecodingError
from harness.model.decoded import EventKind
from harness.model.source_events import RowEvent, SourceEvent

_PUTS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT})


def surviving_rows(
    events: Sequence[SourceEvent], delivery: Delivery, wire: BoundCodec
) -> Iterator[RowEvent]:
    """Yield the row events, but for puts of which no message is left."""
    rows = [event for event in events if isinstance(event, RowEvent)]
    readable = _readable(delivery, wire) if delivery.compacted else frozenset[int]()
    for row in rows:
        number = row.origin.event
        if row.after is None or number not in delivery.compacted or number in readable:
            yield row


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
