"""Deviations in DDL: statements that are passed over, rows that they lose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from harness.ddl import ActionType
from harness.ddl.stored_rows import PARTITIONS_MOVE
from harness.model.finding import Finding, FindingKind, Place
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent, SourceTable
from harness.verdict.case import Arrival
from harness.verdict.causes.deviation import Deviation, decisive, reading, statement
from harness.verdict.causes.evidence import Evidence
from harness.verdict.causes.replay import RIGHT, Rules, released

_CREATES = frozenset({"create_table", "create_schema"})
_RENAMES = frozenset({"rename_table", "rename_tables"})
# Actions whose clause is another's: one statement may rename several tables.
_SAME = {
    ActionType.RENAME_TABLES: ActionType.RENAME_TABLE,
    ActionType.ADD_COLUMNS: ActionType.ADD_COLUMN,
    ActionType.DROP_COLUMNS: ActionType.DROP_COLUMN,
    ActionType.DROP_INDEXES: ActionType.DROP_INDEX,
}


def deviations(case: Evidence) -> Iterator[Deviation]:
    """Yield what it would be without one kind of statement, then without any."""
    yield from _among_rows(case)
    if not case.ddl:
        return
    right = released(case, RIGHT)
    for action in dict.fromkeys(event.action for event in case.ddl if event.action not in _CREATES):
        mine = [event for event in case.ddl if event.action == action]
        why = f"{words(action)} is passed over"
        yield _of(case, mine[-1], why, [e for e in right if e not in mine])
        for event in mine:
            yield _of(case, event, why, [e for e in right if e is not event])
    for event in case.ddl:
        if event.action == "truncate_table":
            why = "rows behind a TRUNCATE are lost with those before it"
            kept = list(_until(right, event))
            found = _of(case, event, why, kept)
            yield replace(found, place=decisive(case, kept.copy))
        if event.action in _RENAMES:
            why = "the rows of a renamed table are lost"
            yield _of(case, event, why, list(_since(right, event, event.before)))
    yield from _of_partitions(case, right)
    others = [event for event in case.ddl if event.action not in _CREATES]
    if others:
        kept = [e for e in right if not isinstance(e, DdlEvent) or e.action in _CREATES]
        yield _of(case, others[-1], "every statement but CREATE is passed over", kept)


def _among_rows(case: Evidence) -> Iterator[Deviation]:
    """Yield what it would be if a TRUNCATE among rows was passed over, or applied by its place."""
    if not case.expected.unordered:
        return
    every = [event for event in case.expected.applied if isinstance(event, DdlEvent)]
    if not every:
        return
    passed = [
        reading(case, "truncate", "TRUNCATE is passed over", Rules(_but(*gone)))
        for gone in (*((one,) for one in every), every)
    ]
    why = "a TRUNCATE takes newer rows along"
    passed.append(reading(case, "truncate-order", why, Rules(newer=False)))
    for one in passed:
        yield replace(one, place=statement(case, every[-1]))
    why = "rows come back that are older than a TRUNCATE"
    yield reading(case, "truncate-order", why, Rules(older=False))
    why = "a TRUNCATE is applied by its place"
    yield reading(case, "truncate-order", why, Rules(newer=False, older=False))


def _but(*statements: DdlEvent) -> Callable[[Arrival], bool]:
    numbers = {one.origin.event for one in statements}
    return lambda one: one.place.origin.event not in numbers


def _of_partitions(case: Evidence, right: Sequence[SourceEvent]) -> Iterator[Deviation]:
    """Yield what it would be if partitions kept their rows, or took those of others along."""
    moves = [event for event in case.ddl if event.type in PARTITIONS_MOVE]
    if not moves:
        return
    why = "rows of partitions stay where they are"
    yield _of(case, moves[-1], why, [e for e in right if e not in moves])
    taking = [event for event in moves if event.exchanged is None]
    rows = list(right)
    for event in taking:
        rows = list(_since(rows, event, event.before))
    if taking:
        yield _of(case, taking[-1], "all rows go with those of a partition", rows)
    for event in moves:
        if event.exchanged is not None:
            why = "the rows of the table that a partition is exchanged with are lost"
            yield _of(case, event, why, list(_since(right, event, event.exchanged[0])))


def _of(case: Evidence, ddl: DdlEvent, why: str, events: Sequence[SourceEvent]) -> Deviation:
    tables = partial(case.expected.again, events)
    applied = partial(tuple[SourceEvent, ...], events)
    return Deviation(cause_of(ddl), why, tables, statement(case, ddl), applied, with_ddl=False)


# Statements that fail when they run twice.
ONCE_ONLY = ("create", "drop", "add", "rename", "recover", "exchange")


def was_in_flight(case: Evidence, ddl: DdlEvent) -> bool:
    """Tell whether a statement that can run once was being read when the consumer was stopped."""
    in_flight = case.judged.run.in_flight
    places = (one.place for one in case.copies_of(ddl))
    return ddl.action.startswith(ONCE_ONLY) and any(
        (place.topic, place.partition, place.offset) in in_flight for place in places
    )


def cause_of_repetition(case: Evidence, finding: Finding) -> tuple[str, Place | None] | None:
    """Return why a statement ran twice, if it was being read when the consumer was stopped."""
    if finding.kind is not FindingKind.DDL_REPEATED:
        return None
    for ddl in case.ddl:
        copies = [one.place for one in case.copies_of(ddl)]
        if was_in_flight(case, ddl) and any(place in finding.places for place in copies):
            return "read-again", copies[0]
    return None


def cause_of(ddl: DdlEvent) -> str:
    """Return the cause that a statement's own type is."""
    action = ActionType(ddl.type)
    return f"ddl-type {_SAME.get(action, action).name.lower().replace('_', '-')}"


def words(action: str) -> str:
    """Return an action as SQL's words."""
    return action.upper().replace("_", " ")


def _until(events: Sequence[SourceEvent], ddl: DdlEvent) -> Iterator[SourceEvent]:
    """Yield the events, without the rows of a table behind a statement on it."""
    assert ddl.after is not None
    behind = False
    for event in events:
        behind = behind or event is ddl
        mine = isinstance(event, RowEvent) and event.table.table.id == ddl.after.table.id
        if not (behind and mine):
            yield event


def _since(
    events: Sequence[SourceEvent], ddl: DdlEvent, before: SourceTable | None
) -> Iterator[SourceEvent]:
    """Yield the events, without the rows that a table has before a statement."""
    ahead = True
    for event in events:
        ahead = ahead and event is not ddl
        mine = (
            before is not None
            and isinstance(event, RowEvent)
            and event.table.table.id == before.table.id
        )
        if not (ahead and mine):
            yield event
