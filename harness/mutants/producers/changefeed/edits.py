"""Patches of the TiDB source simulator, by what they do to decisions and to the events sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from harness.ddl import DdlJob
from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent, SourceEvent
from harness.mutants.producers.patch import Patch, patch, result
from harness.sources.decision import PULLER, REPLICATE, Decision, ignore, stop
from harness.sources.tidb.changefeed import Changefeed

EMITTED = "harness.sources.tidb.simulator:emitted"
PULLER_CLASS = "harness.sources.tidb.puller:Puller"
FILTERS = "harness.sources.tidb.change_filter:ChangeFilter"
Rows = Callable[[RowEvent], Iterable[SourceEvent]]
Judge = Callable[[DdlJob, Decision], Decision]
LEFT_OUT = ignore(PULLER, "a mutant leaves it out")
STOPPED = stop(PULLER, "ErrOwnerUnknown", "a mutant stops here")


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


def judged(change: Judge) -> Patch:
    """Return the patch that changes what the puller decides of each DDL job.

    The schemas that the changefeed knows follow the job all the same, so its rows go on.
    """
    return result(
        f"{PULLER_CLASS}.judge",
        lambda found: [(job, change(job, decision)) for job, decision in found],
    )


def renames(change: Callable[[Sequence[DdlJob], Any], Any]) -> Patch:
    """Return the patch that changes what is decided of a RENAME TABLE of several pairs."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda puller, jobs, start: change(jobs, original(puller, jobs, start))

    return patch(f"{PULLER_CLASS}._rename_tables", changed)


def all_sent(jobs: Sequence[DdlJob]) -> list[tuple[DdlJob, Decision]]:
    """Return that every pair of a RENAME TABLE is sent."""
    return [(job, REPLICATE) for job in jobs]


def settings(change: Callable[[Changefeed], Any]) -> Patch:
    """Return the patch that changes fields of a changefeed as it was read from its settings."""
    return result(
        "harness.sources.tidb.changefeed:changefeed",
        lambda found: replace(found, **change(found)),
    )
