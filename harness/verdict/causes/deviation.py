"""One way to go wrong: its cause, and the tables that it leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from harness.model.finding import Finding, FindingKind, Place
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.verdict.causes.evidence import Evidence, Tables, name_of
from harness.verdict.causes.replay import Rules, arriving, released

Chooser = Callable[[Finding], Place | None]


@dataclass(frozen=True, slots=True)
class Deviation:
    """What a consumer may have done, and what its tables would be.

    `cause` is a key of `[causes]` in a protocol's file. `applied` returns the events that would be
    applied, the right ones where they are None; `with_ddl` whether DDL is among what differs.
    `place` chooses the record of a finding.
    """

    cause: str
    why: str
    tables: Callable[[], Tables]
    place: Chooser
    applied: Callable[[], Sequence[SourceEvent]] | None = None
    with_ddl: bool = True


def reading(case: Evidence, cause: str, why: str, rules: Rules) -> Deviation:
    """Return the deviation of who reads by other rules."""
    events = cache(lambda: released(case, rules))
    found = applying(case, cause, why, events)
    return replace(found, applied=events, place=_unread(case, rules, found.place))


def _unread(case: Evidence, rules: Rules, otherwise: Chooser) -> Chooser:
    """Return what chooses the last record of a finding's row, where rows come alone and it is lost.

    Each copy counts there, so what is read behind a lost one would have made up for it.
    """

    def choose(finding: Finding) -> Place | None:
        mine = [one for event in case.history(finding) for one in case.copies_of(event)]
        if mine and case.expected.unordered:
            last = max(mine, key=case.arrivals.index)
            if all(arrival is not last for _, arrival in arriving(case, rules)):
                return last.place
        return otherwise(finding)

    return choose


def applying(
    case: Evidence, cause: str, why: str, events: Callable[[], Iterable[SourceEvent]]
) -> Deviation:
    """Return the deviation of who applies these events, and reports the right ones."""
    listed = cache(lambda: tuple(events()))
    return Deviation(cause, why, lambda: case.expected.again(listed()), decisive(case, listed))


def decisive(case: Evidence, events: Callable[[], Sequence[SourceEvent]]) -> Chooser:
    """Return what chooses the event of a finding's row that makes the difference.

    That is the last one that was not applied; else the one that was applied last, if another should
    have been; else the last.
    """

    def choose(finding: Finding) -> Place | None:
        wanted = case.history(finding)
        applied = [e for e in events() if isinstance(e, RowEvent) and e.origin in _origins(wanted)]
        lost_ddl = _lost_statement(case, finding, events())
        if lost_ddl is not None:
            return case.place_of(lost_ddl)
        if not wanted:
            return _held(case, finding, events())
        lost = [event for event in wanted if event.origin not in _origins(applied)]
        if lost:
            return case.place_of(lost[-1])
        mine = applied[-1].origin if applied else wanted[-1].origin
        # What was applied may be the event changed: its record is that of the one that was sent.
        last = next(event for event in reversed(wanted) if event.origin == mine)
        copies = case.copies_of(last)
        again = sum(event is last for event in applied) > 1
        # Where rows come alone each copy is applied; elsewhere copies count for who applies them.
        counts = again or (last is wanted[-1] and case.expected.unordered)
        if len(copies) > 1 and counts:
            return copies[-1].place
        return case.place_of(last)

    return choose


_OF_COLUMNS = frozenset({FindingKind.MISSING_COLUMN, FindingKind.EXTRA_COLUMN})


def _lost_statement(
    case: Evidence, finding: Finding, events: Sequence[SourceEvent]
) -> DdlEvent | None:
    """Return the first statement on a finding's table that was not run, if columns are wrong."""
    if finding.kind not in _OF_COLUMNS:
        return None
    run = _origins([event for event in events if isinstance(event, DdlEvent)])
    mine = (ddl for ddl in case.ddl if f"{ddl.schema}.{ddl.table}" == finding.table)
    return next((ddl for ddl in mine if ddl.origin not in run), None)


def _origins(events: Sequence[SourceEvent]) -> set[object]:
    return {event.origin for event in events}


def _held(case: Evidence, finding: Finding, events: Sequence[SourceEvent]) -> Place | None:
    """Return the record of a row that should not have been applied yet, or of the table's last."""
    rows = [event for event in events if isinstance(event, RowEvent)]
    mine = [event for event in rows if name_of(event) == (finding.table, finding.key)]
    table = [event for event in rows if name_of(event)[0] == finding.table]
    return case.place_of(next(reversed(mine or table), None))


def statement(case: Evidence, ddl: DdlEvent) -> Chooser:
    """Return what chooses the record of a DDL statement."""
    return lambda _: case.place_of(ddl)
