"""The cause of a wrong value: a statement, a column's name, or the rule of the column's type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.model.columns import Column
from harness.model.finding import Finding, FindingKind, Place
from harness.model.source_events import DdlEvent, RowEvent
from harness.protocols import PROTOCOLS
from harness.protocols.cells import Cell
from harness.verdict.causes.evidence import Evidence
from harness.verdict.causes.rows import Cause
from harness.verdict.causes.statements import cause_of
from harness.verdict.text import key_text, value_text

_VALUES = frozenset({FindingKind.WRONG_VALUE, FindingKind.UNREADABLE_VALUE})


def cause_of_cell(case: Evidence, finding: Finding) -> Cause | None:
    """Return why a value is wrong, if more than its type decides it; None for other findings."""
    if finding.kind not in _VALUES or not finding.column:
        return None
    events = case.history(finding)
    by_place = _by_place(case, finding, events)
    return _added(case, finding, events) or by_place


def type_rule(case: Evidence, finding: Finding) -> str | None:
    """Return the clause of a cell's type, in the modes in force; None where it is not known."""
    if finding.kind not in _VALUES or not finding.column:
        return None
    column = _column(case, finding)
    if column is None:
        return None
    judged, row = case.judged, PROTOCOLS[case.judged.protocol]
    of_type = row.type_clauses[column.kind]
    for wanted in _wanted(case, finding, column):
        cell = Cell(column, wanted, finding.actual or "", judged.settings, judged.dialect)
        found = row.cell_clause(cell, of_type)
        if found != of_type:
            return found
    return of_type


def _wanted(case: Evidence, finding: Finding, column: Column) -> Iterator[str]:
    """Yield the value that should be there; of a row that nobody knows, those of all rows."""
    if finding.kind is FindingKind.WRONG_VALUE:
        yield finding.expected or ""
        return
    for table, state in case.expected.tables.items():
        if str(table) != finding.table:
            continue
        ordinal = [one.name for one in state.source_table.table.columns].index(column.name)
        rows = state.all_rows()
        mine = [row for row in rows if key_text(state.source_table, row) == finding.key]
        yield from (value_text(row[ordinal]) for row in mine or rows)


def _column(case: Evidence, finding: Finding) -> Column | None:
    for table, state in case.expected.tables.items():
        if str(table) == finding.table:
            for column in state.source_table.table.columns:
                if column.name == finding.column:
                    return column
    return None


def _added(case: Evidence, finding: Finding, events: Sequence[RowEvent]) -> Cause | None:
    """Return the statement, or the first record, that brought a column the row's last put lacks."""
    puts = [event for event in events if event.after is not None]
    if not puts or (_has(puts[-1], finding.column) and not _readded(case, finding, puts[-1])):
        return None
    for ddl in reversed(case.ddl):
        if f"{ddl.schema}.{ddl.table}" == finding.table and _brings(ddl, finding):
            return _statement(case, ddl, finding)
    first = next(
        (
            event
            for event in case.expected.applied
            if isinstance(event, RowEvent)
            and event.after is not None
            and str(event.table.table.id) == finding.table
            and _has(event, finding.column)
            and event.table != puts[-1].table
        ),
        None,
    )
    return "added-column", case.place_of(first)


def _statement(case: Evidence, ddl: DdlEvent, finding: Finding) -> Cause:
    """Return the ADD, or the DROP before it where the value is what the column had then."""
    if finding.actual != "NULL":
        for dropping in reversed(case.ddl[: case.ddl.index(ddl)]):
            if f"{dropping.schema}.{dropping.table}" == finding.table and _drops(dropping, finding):
                return cause_of(dropping), case.place_of(dropping)
    return cause_of(ddl), case.place_of(ddl)


def _readded(case: Evidence, finding: Finding, last: RowEvent) -> bool:
    """Tell whether the column was dropped and added again behind the row's last put.

    Where no statement says so, a later row lacks the column, and one behind that has it.
    """
    if any(
        ddl.commit_ts > last.commit_ts
        and f"{ddl.schema}.{ddl.table}" == finding.table
        and _brings(ddl, finding)
        for ddl in case.ddl
    ):
        return True
    applied = [one for one in case.expected.applied if isinstance(one, RowEvent)]
    later = [
        _has(one, finding.column)
        for one in applied[applied.index(last) + 1 :]
        if one.after is not None and str(one.table.table.id) == finding.table
    ]
    return False in later and any(later[later.index(False) :])


def _brings(ddl: DdlEvent, finding: Finding) -> bool:
    if ddl.before is None or ddl.after is None:
        return False
    before = {column.name for column in ddl.before.table.columns}
    return finding.column not in before and any(
        column.name == finding.column for column in ddl.after.table.columns
    )


def _drops(ddl: DdlEvent, finding: Finding) -> bool:
    if ddl.before is None or ddl.after is None:
        return False
    after = {column.name for column in ddl.after.table.columns}
    return finding.column not in after and any(
        column.name == finding.column for column in ddl.before.table.columns
    )


def _has(event: RowEvent, column: str) -> bool:
    columns = event.table.table.columns
    return any(columns[ordinal].name == column for ordinal in event.table.emitted)


def _by_place(case: Evidence, finding: Finding, events: Sequence[RowEvent]) -> Cause | None:
    """Return the record whose values were given to columns by their place in an older shape."""
    if not events or events[-1].after is None:
        return None
    mine = [one for one in case.arrivals if one.decoded.after is not None]
    table = [one for one in mine if f"{one.decoded.schema}.{one.decoded.table}" == finding.table]
    copies = case.copies_of(events[-1])
    if not table or not copies or copies[0].decoded.after is None:
        return None
    names, row = tuple(table[0].decoded.after or ()), copies[0].decoded.after
    if names == tuple(row):
        return None
    given = dict(zip(names, row.values(), strict=False))
    lost = finding.column not in names and finding.actual == "NULL"
    shifted = finding.column in given and finding.actual in (
        value_text(given[finding.column]),
        repr(given[finding.column]),
    )
    return ("column-names", copies[0].place) if lost or shifted else None


def place_of_cell(case: Evidence, finding: Finding) -> Place | None:
    """Return the record that carries the value."""
    events = case.history(finding)
    return case.place_of(events[-1]) if events else None
