"""Patches of the TiDB source simulator, by what they do to the events that an encoder is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent, SourceEvent
from harness.mutants.producers.patch import Patch, result

EMITTED = "harness.sources.tidb.simulator:emitted"
Rows = Callable[[RowEvent], Iterable[SourceEvent]]


def emitted(change: Callable[[Sequence[SourceEvent]], Iterable[SourceEvent]]) -> Patch:
    """Return the patch that changes all events of a changefeed together."""
    return result(EMITTED, lambda given: iter([*change([*given])]))


def each(change: Callable[[SourceEvent], Iterable[SourceEvent]]) -> Patch:
    """Return the patch that changes each event, into any number of them."""
    return result(EMITTED, partial(_each, change))


def _each(
    change: Callable[[SourceEvent], Iterable[SourceEvent]], given: Iterable[SourceEvent]
) -> Iterator[SourceEvent]:
    for event in given:
        yield from change(event)


def rows(change: Rows) -> Patch:
    """Return the patch that changes each row event."""
    return each(lambda event: change(event) if isinstance(event, RowEvent) else (event,))


def ddl(change: Callable[[DdlEvent], Iterable[SourceEvent]]) -> Patch:
    """Return the patch that changes each DDL event."""
    return each(lambda event: change(event) if isinstance(event, DdlEvent) else (event,))


def resolved(change: Callable[[ResolvedEvent], Iterable[SourceEvent]]) -> Patch:
    """Return the patch that changes each resolved event."""
    return each(lambda event: change(event) if isinstance(event, ResolvedEvent) else (event,))


def without_ddl(action: str) -> Patch:
    """Return the patch by which DDL events of one action, such as `add_column`, are not sent."""
    return ddl(lambda event: () if event.action == action else (event,))
