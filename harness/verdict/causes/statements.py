"""Deviations in DDL: statements that are passed over, rows that they lose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.verdict.causes.deviation import Deviation, decisive, statement
from harness.verdict.causes.evidence import Evidence
from harness.verdict.causes.replay import RIGHT, released

_CREATES = frozenset({"create_table", "create_schema"})
_RENAMES = frozenset({"rename_table", "rename_tables"})
# Codes of actions whose clause has another's name: one statement may rename several tables.
_SAME = {"rename_tables": "rename_table", "drop_columns": "drop_column"}


def deviations(case: Evidence) -> Iterator[Deviation]:
    """Yield what it would be without one kind of statement, then without any."""
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
            yield _of(case, event, why, list(_since(right, event)))
    others = [event for event in case.ddl if event.action not in _CREATES]
    if others:
        kept = [e for e in right if not isinstance(e, DdlEvent) or e.action in _CREATES]
        yield _of(case, others[-1], "every statement but CREATE is passed over", kept)


def _of(case: Evidence, ddl: DdlEvent, why: str, events: Sequence[SourceEvent]) -> Deviation:
    tables = partial(case.expected.again, events)
    return Deviation(cause_of(ddl), why, tables, statement(case, ddl), with_ddl=False)


def cause_of(ddl: DdlEvent) -> str:
    """Return the cause that a statement's own type is."""
    action = _SAME.get(ddl.action, ddl.action)
    return f"ddl-type {action.replace('_', '-')}"


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


def _since(events: Sequence[SourceEvent], ddl: DdlEvent) -> Iterator[SourceEvent]:
    """Yield the events, without the rows of a table before a statement on it."""
    before = ddl.before
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
