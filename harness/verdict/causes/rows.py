"""The cause of one finding, by the history of its row, where no deviation explains all tables."""

from __future__ import annotations

from collections.abc import Sequence

from harness.model.change import Op
from harness.model.columns import Column
from harness.model.decoded import EventKind
from harness.model.finding import Finding, FindingKind, Place
from harness.model.large import lacks_columns
from harness.model.source_events import RowEvent, SourceTable
from harness.protocols.clauses import cause_clause
from harness.verdict.causes.evidence import Evidence, Step
from harness.verdict.causes.statements import cause_of
from harness.verdict.expected import TAKE_AWAY

Cause = tuple[str, Place | None]
_ROW_KINDS = frozenset(
    {
        FindingKind.MISSING_ROW,
        FindingKind.EXTRA_ROW,
        FindingKind.STALE_ROW,
        FindingKind.EVENT_MISSING,
        FindingKind.EVENT_ORDER,
    }
)

# What a row looks like that belongs to an older table of the same name.
_LEFT_OVER = frozenset(
    {FindingKind.EXTRA_ROW, FindingKind.MISSING_COLUMN, FindingKind.EXTRA_COLUMN}
)
_OF_COLUMNS = frozenset(
    {FindingKind.MISSING_COLUMN, FindingKind.WRONG_VALUE, FindingKind.UNREADABLE_VALUE}
)


def cause_of_row(case: Evidence, finding: Finding) -> Cause | None:
    """Return why a row is missing, left over, old or there twice; None for other findings."""
    events = case.history(finding)
    if finding.kind is FindingKind.DUPLICATE_ROW:
        return _duplicate(case, finding, events)
    if finding.kind not in _ROW_KINDS or not events:
        return None
    ordered = _order(case, finding, events)
    return ordered or _lost(case, finding, events)


def cause_of_name(case: Evidence, finding: Finding) -> Cause | None:
    """Return why rows are in another table: one of the same name elsewhere, or in other letters."""
    schema, _, name = finding.table.partition(".")
    every = {*case.expected.tables, *(case.observed.tables or {})}
    for other in every:
        if str(other) == finding.table:
            continue
        twin = (str(other), finding.key)
        own = case.rows.get((finding.table, finding.key)) or case.rows.get(twin, ())
        place = case.place_of(own[-1]) if own else None
        if other.name == name and other.schema != schema and twin in case.rows:
            return "database", place
        if str(other).casefold() == finding.table.casefold():
            first = next((n for n in case.rows if n[0] == str(other)), None)
            return "table-names", place or (case.place_of(case.rows[first][-1]) if first else None)
    return None


def _duplicate(case: Evidence, finding: Finding, events: Sequence[RowEvent]) -> Cause:
    """Return the copy that was applied, or the statement behind which a row's key was lost."""
    copy = case.last_copy(finding)
    if copy is not None:
        alone = case.expected.unordered and cause_clause(case.judged.protocol, "upsert")
        return "upsert" if alone else "repeated", copy
    if not any(event.table.handle for event in events):
        return "repeated", case.place_of(events[-1] if events else None)
    last = events[-1]
    altered = [ddl for ddl in case.ddl if f"{ddl.schema}.{ddl.table}" == finding.table]
    behind = [ddl for ddl in altered[1:] if ddl.commit_ts < last.commit_ts]
    if behind:
        return "handle", case.place_of(last)
    return ("upsert" if len(events) > 1 else "repeated"), case.place_of(last)


def _order(case: Evidence, finding: Finding, events: Sequence[RowEvent]) -> Cause | None:
    """Return the event that was applied last although another should have been, if that is said."""
    reported = (case.reported or {}).get((finding.table, finding.key), ())
    steps: list[Step] = [(event.commit_ts, event.op is Op.DELETE) for event in events]
    found = [steps.index(step) for step in reported if step in steps]
    if not found or found[-1] >= max(found):
        return None
    late, early = events[found[-1]], events[max(found)]
    same_ts = late.commit_ts == early.commit_ts and late.op is not early.op
    copies = case.copies_of(late)
    if len(copies) > 1:
        return "late-copy", copies[-1].place
    return ("deletes-first" if same_ts else "order"), case.place_of(late)


def _lost(case: Evidence, finding: Finding, events: Sequence[RowEvent]) -> Cause:
    """Return the event that decides the row, and that was not applied."""
    last = events[-1]
    if finding.kind is FindingKind.EVENT_MISSING:
        there = case.reported or {}
        seen = set(there.get((finding.table, finding.key), ()))
        missing = [e for e in events if (e.commit_ts, e.op is Op.DELETE) not in seen]
        last = missing[0] if missing else last
    return last.op.value, case.place_of(last)


def cause_of_unknown(case: Evidence, finding: Finding) -> Cause | None:
    """Return the heartbeat that may have been taken for a row of a table that nobody has."""
    if finding.kind is not FindingKind.EXTRA_TABLE:
        return None
    beats = (one.place for one in case.arrivals if one.decoded.kind is EventKind.HEARTBEAT)
    first = next(beats, None)
    return None if first is None else ("heartbeat", first)


def cause_of_table(case: Evidence, finding: Finding) -> Cause | None:
    """Return the statement that took a left over row away with its table."""
    events = case.history(finding)
    if finding.kind not in _LEFT_OVER or not events or events[-1].after is None:
        return None
    for ddl in case.ddl:
        behind = ddl.commit_ts > events[-1].commit_ts
        if behind and ddl.type in TAKE_AWAY and f"{ddl.schema}.{ddl.table}" == finding.table:
            return cause_of(ddl), case.place_of(ddl)
    return None


def cause_of_large(case: Evidence, finding: Finding) -> Cause | None:
    """Return the message of a row that was too large, where its other columns were not fetched."""
    if finding.kind not in _OF_COLUMNS or not finding.column:
        return None
    for event in reversed(case.history(finding)):
        for one in case.copies_of(event)[:1]:
            if lacks_columns(one.decoded) and finding.column not in (one.decoded.after or ()):
                return "large", one.place
    return None


def cause_of_columns(case: Evidence, finding: Finding) -> Cause | None:
    """Return why a column is missing or left over: the statement, or the record with the column."""
    if finding.kind not in (FindingKind.MISSING_COLUMN, FindingKind.EXTRA_COLUMN):
        return None
    named = [ddl for ddl in case.ddl if f"{ddl.schema}.{ddl.table}" == finding.table and ddl.before]
    changing = [ddl for ddl in named if _has(ddl.before, finding) != _has(ddl.after, finding)]
    if changing and not _had(case, finding):
        return cause_of(changing[-1]), case.place_of(changing[-1])
    return "column-names", case.place_of(_shape_of_the_end(case, finding))


def _shape_of_the_end(case: Evidence, finding: Finding) -> RowEvent | None:
    """Return the put that shows whether the column is there at the end.

    That is the row's last where the column is there as in the table's last; else the first behind
    it, else the table's first.
    """
    wanted = finding.kind is FindingKind.MISSING_COLUMN
    puts = [
        event
        for event in case.expected.applied
        if isinstance(event, RowEvent)
        and event.after is not None
        and str(event.table.table.id) == finding.table
    ]
    mine = next((one for one in reversed(case.history(finding)) if one.after is not None), None)
    if mine in puts:
        same = _columns(mine.table, finding) == _columns(puts[-1].table, finding)
        puts = [*puts[puts.index(mine) + (not same) :], *puts]
    return next((one for one in puts if _has(one.table, finding) is wanted), None)


def _columns(table: SourceTable, finding: Finding) -> list[Column]:
    sent = (table.table.columns[ordinal] for ordinal in table.emitted)
    return [column for column in sent if column.name == finding.column]


def _has(table: SourceTable | None, finding: Finding) -> bool:
    return table is not None and bool(_columns(table, finding))


def _had(case: Evidence, finding: Finding) -> bool:
    """Tell whether the last put of the row has the column, or lacks it, as the table does now."""
    puts = [e for e in case.history(finding) if e.after is not None]
    return bool(puts) and _has(puts[-1].table, finding) is (
        finding.kind is FindingKind.MISSING_COLUMN
    )
