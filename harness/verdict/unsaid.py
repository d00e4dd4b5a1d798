"""DDL whose effect on rows the stream does not say, read as who cannot know it.

* RECOVER and FLASHBACK TABLE bring rows back that no event names. TiDB has them; a consumer that
  forgets a dropped table has none. No document says which a consumer owes.
* Which rows a statement on partitions concerns follows from the table's definition. A consumer
  cannot work it out where no DDL event has given it: the table was created when it was not
  replicated, or a filter has left out a statement that changed its partitions.

Either way is right then; elsewhere the definition is in the stream, and the rows follow from it.
Source: TiCDC DDL replication, §DDL allow list; tiflow c7b2588 cdc/model/sink.go:1092 (the query is
all that a DDL event has of a partition).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from harness.ddl import ActionType
from harness.ddl.stored_rows import PARTITIONS_MOVE
from harness.model.source_events import DdlEvent, SourceEvent, SourceTable
from harness.model.table import Table, TableId
from harness.verdict.expected import versions

Read = Callable[[SourceEvent], SourceEvent]
_DEFINES = frozenset({ActionType.ALTER_TABLE_PARTITIONING, ActionType.REMOVE_PARTITIONING})


def other_readings(events: Sequence[SourceEvent]) -> Iterator[Read]:
    """Yield how else the events of a case may be read; nothing where the stream says it all."""
    ddl = [event for event in events if isinstance(event, DdlEvent)]
    back = frozenset(e.origin.event for e in ddl if e.type == ActionType.RECOVER_TABLE)
    partitions = frozenset(_undefined(ddl))
    if back:
        yield lambda event: _without_rows(event, back)
    if partitions:
        yield lambda event: _without_partitions(event, partitions)
    if back and partitions:
        yield lambda event: _without_partitions(_without_rows(event, back), partitions)


def _without_rows(event: SourceEvent, back: frozenset[int]) -> SourceEvent:
    """Return a RECOVER as one of a table that nobody has dropped, so that no rows come back."""
    if not isinstance(event, DdlEvent) or event.after is None or event.origin.event not in back:
        return event
    return replace(
        event, after=replace(event.after, table=replace(event.after.table, physical_id=0))
    )


def _without_partitions(event: SourceEvent, undefined: frozenset[int]) -> SourceEvent:
    """Return a statement on partitions as one that leaves all rows where they are."""
    if not isinstance(event, DdlEvent) or event.origin.event not in undefined:
        return event
    assert event.before is not None
    return replace(event, after=event.before, exchanged=None)


def _undefined(events: Sequence[DdlEvent]) -> Iterator[int]:
    """Yield the statements on partitions of tables whose definition the stream does not have."""
    known: dict[TableId, object] = {}
    dropped: dict[int, object] = {}
    for event in events:
        before = event.before
        defined = (
            None if before is None else known.get(before.table.id) == _definition(before.table)
        )
        if defined is False and event.type in PARTITIONS_MOVE:
            yield event.origin.event
        for was, now in versions(event):
            former: object = None
            if was is not None:
                former = dropped[was.table.physical_id] = known.pop(was.table.id, None)
            if now is not None and _is_defined(event, was, now, former, dropped):
                known[now.table.id] = _definition(now.table)


def _is_defined(
    event: DdlEvent,
    was: SourceTable | None,
    now: SourceTable,
    former: object,
    dropped: dict[int, object],
) -> bool:
    """Return whether the stream has a table's partitions after an event."""
    if event.type in _DEFINES:
        return True
    if event.type == ActionType.RECOVER_TABLE:
        return dropped.get(now.table.physical_id) == _definition(now.table)
    return was is None or former == _definition(was.table)


def _definition(table: Table) -> object:
    return table.partition_kind, table.partitions, table.dealing
