"""A changefeed's events as runs of rows, and the other events one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.model.source_events import RowEvent, SourceEvent


def runs(events: Sequence[SourceEvent]) -> Iterator[list[SourceEvent]]:
    """Yield the runs of row events, and the other events one by one."""
    run: list[SourceEvent] = []
    for event in events:
        if isinstance(event, RowEvent):
            run.append(event)
        else:
            yield run
            yield [event]
            run = []
    yield run
