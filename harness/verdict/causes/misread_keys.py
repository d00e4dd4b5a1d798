"""Rows that are there under a key that nobody sent, because a value of their key was misread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from harness.model.canonical import canonical
from harness.model.change import Op
from harness.model.finding import Finding, FindingKind
from harness.model.observed import RawRow
from harness.model.source_events import SourceTable
from harness.model.values import Row
from harness.verdict.causes.evidence import Evidence
from harness.verdict.expected import TableState, key_of
from harness.verdict.read import raw_key
from harness.verdict.text import key_text, value_text

_KINDS = frozenset({FindingKind.EXTRA_ROW, FindingKind.MISSING_ROW})


def misread_key(case: Evidence, finding: Finding) -> Finding | None:
    """Return what is wrong with a row's key as a wrong value; None where it is not misread.

    It is where the row's key was never sent, another row is missing, and the two differ in nothing
    but values of the types that the key's columns have. Of an event it is where one of its time is
    reported under a key that was never sent.
    """
    if finding.kind is FindingKind.EVENT_MISSING:
        return _misread_event(case, finding)
    if finding.kind not in _KINDS:
        return None
    for table, state in case.expected.tables.items():
        if str(table) == finding.table and not state.keyless:
            for right, wrong in _pairs(case, state):
                keys = [key_text(state.source_table, row) for row in (right, wrong)]
                if finding.key in keys:
                    return _as_value(finding, state.source_table, right, wrong)
    return None


def _misread_event(case: Evidence, finding: Finding) -> Finding | None:
    for event in case.history(finding):
        for one in case.observed.events or ():
            image = (one.before if one.op is Op.DELETE else one.after) or {}
            same = (str(one.table), one.op, one.commit_ts) == (
                finding.table,
                event.op,
                event.commit_ts,
            )
            if same and (finding.table, raw_key(event.table, image)) not in case.rows:
                right = (event.before if event.after is None else event.after) or ()
                wrong = _with_key(event.table, right, image)
                return None if wrong == right else _as_value(finding, event.table, right, wrong)
    return None


def _with_key(table: SourceTable, row: Row, image: RawRow) -> Row:
    """Return a row with the key of an image; what is no value of its type stays a text."""
    values = list(row)
    for n in table.handle:
        column = table.table.columns[n]
        raw = image.get(column.name)
        try:
            values[n] = canonical(column, raw)
        except ValueError:
            values[n] = str(raw)
    return tuple(values)


def _as_value(finding: Finding, table: SourceTable, right: Row, wrong: Row) -> Finding:
    ordinal = next(n for n in table.handle if right[n] != wrong[n])
    return replace(
        finding,
        kind=FindingKind.WRONG_VALUE,
        key=key_text(table, right),
        column=table.table.columns[ordinal].name,
        expected=value_text(right[ordinal]),
        actual=value_text(wrong[ordinal]),
    )


def _pairs(case: Evidence, state: TableState) -> Iterator[tuple[Row, Row]]:
    """Yield each missing row with the one that stands in its place, in the order of their keys."""
    table = state.source_table
    answered: Iterable[Row] = case.answered(table.table.id, state) or ()
    there = {key_of(table, row) for row in answered}
    name = str(table.table.id)
    missing = [row for key, row in state.rows.items() if key not in there]
    strange = [row for row in answered if (name, key_text(table, row)) not in case.rows]
    left = _in_order(table, missing)
    for wrong in _in_order(table, strange):
        right = next((row for row in left if _differ_by_key(table, row, wrong)), None)
        if right is not None:
            left.remove(right)
            yield right, wrong


def _in_order(table: SourceTable, rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: key_text(table, row))


def _differ_by_key(table: SourceTable, right: Row, wrong: Row) -> bool:
    """Tell whether two rows differ in the key, and elsewhere in values of its types alone."""
    columns = table.table.columns
    differing = [n for n in table.emitted if right[n] != wrong[n]]
    kinds = {columns[n].kind for n in table.handle if n in differing}
    return all(columns[n].kind in kinds for n in differing) and bool(kinds)
