"""Tables, row by row and cell by cell.

A cell is compared in its column's canonical form. A row that differs is classified by what it looks
like: an older version of itself (stale), a row that should be gone, a row that was applied too
early, or a wrong value in a column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from harness.errors import plural
from harness.model.change import Op
from harness.model.finding import Finding, FindingKind
from harness.model.observed import RawRow
from harness.model.source_events import RowEvent
from harness.model.table import TableId
from harness.model.values import Row
from harness.protocols.clauses import cause_clause, type_clause
from harness.verdict.case import Judged
from harness.verdict.expected import Expected, Key, TableState, key_of
from harness.verdict.read import read_row
from harness.verdict.text import cell_text, key_text, row_text, value_text

Answer = Mapping[TableId, Sequence[RawRow]]
Lacking = Mapping[TableId, Sequence[str]]
NOTHING_LACKS: Lacking = MappingProxyType({})


def compare_tables(
    judged: Judged, expected: Expected, answer: Answer, lacking: Lacking = NOTHING_LACKS
) -> Iterator[Finding]:
    """Yield a finding for each difference between the expected tables and the answered ones.

    Of a table that is lacking in a database, or lacks columns there, nothing else is said.
    """
    for table_id, state in sorted(expected.tables.items()):
        if table_id in lacking:
            yield from _absent(judged, state, lacking[table_id])
        else:
            yield from _table(judged, expected, state, answer.get(table_id, ()))
    for table_id in sorted(set(answer) - set(expected.tables)):
        if answer[table_id]:
            yield Finding(
                FindingKind.EXTRA_TABLE,
                f"table {table_id} must not exist at the end; "
                f"the consumer returned {plural(len(answer[table_id]), 'row')} for it",
                judged.main_clause(),
                judged.line,
                table=str(table_id),
            )


def _absent(judged: Judged, state: TableState, columns: Sequence[str]) -> Iterator[Finding]:
    """Yield what is wrong with a table of a database that cannot be compared row by row."""
    name = str(state.source_table.table.id)
    count = len(state.all_rows())
    if not columns and not count:
        return
    kind = FindingKind.MISSING_COLUMN if columns else FindingKind.MISSING_TABLE
    message = f"the table {name} in the database has no column {', '.join(columns)}"
    if not columns:
        rows = plural(count, "row")
        message = f"there is no table {name} in the database; it must be there, with {rows}"
    yield Finding(
        kind,
        message,
        judged.main_clause(),
        judged.line,
        table=name,
        column=columns[0] if columns else "",
        places=judged.places_of(state.events()),
    )


def _table(
    judged: Judged, expected: Expected, state: TableState, answer: Sequence[RawRow]
) -> Iterator[Finding]:
    rows: list[Row] = []
    unread = 0
    for raw in answer:
        row = read_row(judged, state, raw)
        if isinstance(row, Finding):
            unread += 1
            yield row
        else:
            rows.append(row)
    if unread:
        return
    if state.keyless:
        yield from _multisets(judged, state, rows)
    else:
        yield from _keyed(judged, expected, state, rows)


def _keyed(
    judged: Judged, expected: Expected, state: TableState, rows: Sequence[Row]
) -> Iterator[Finding]:
    found: dict[Key, Row] = {}
    for row in rows:
        key = key_of(state.source_table, row)
        if key in found:
            yield _row_finding(judged, state, FindingKind.DUPLICATE_ROW, key, row)
        found[key] = row
    for key, row in found.items():
        yield from _answered(judged, expected, state, key, row)
    for key, wanted in state.rows.items():
        if key not in found:
            early = _held(expected, state, key, after=None)
            if early:
                yield _early(judged, expected, FindingKind.MISSING_ROW, early, wanted)
            else:
                yield _row_finding(judged, state, FindingKind.MISSING_ROW, key, wanted)


def _answered(
    judged: Judged, expected: Expected, state: TableState, key: Key, row: Row
) -> Iterator[Finding]:
    wanted = state.rows.get(key)
    if wanted == row:
        return
    early = _held(expected, state, key, after=row)
    if early:
        kind = FindingKind.EXTRA_ROW if wanted is None else FindingKind.WRONG_VALUE
        yield _early(judged, expected, kind, early, wanted)
    elif wanted is None:
        yield _row_finding(judged, state, FindingKind.EXTRA_ROW, key, row)
    else:
        yield from _differing(judged, state, key, wanted, row)


def _multisets(judged: Judged, state: TableState, rows: Sequence[Row]) -> Iterator[Finding]:
    wanted, got = Counter(state.multiset), Counter(rows)
    for row in (wanted - got).elements():
        yield _row_finding(judged, state, FindingKind.MISSING_ROW, row, row)
    for row in (got - wanted).elements():
        kind = FindingKind.DUPLICATE_ROW if row in wanted else FindingKind.EXTRA_ROW
        yield _row_finding(judged, state, kind, row, row)


def _differing(
    judged: Judged, state: TableState, key: Key, wanted: Row, row: Row
) -> Iterator[Finding]:
    history = state.history.get(key, [])
    older = [event for event in history[:-1] if event.after == row]
    table = state.source_table
    if older:
        held, last = older[-1].commit_ts, history[-1].commit_ts
        newer = f"commit ts {last}" if held != last else "a later one of the same commit ts"
        yield Finding(
            FindingKind.STALE_ROW,
            f"{table.table.id} {key_text(table, row)} holds the version of commit ts {held}; "
            f"{newer} came after it",
            cause_clause(judged.protocol, "order") or judged.main_clause(),
            history[-1].origin.line,
            table=str(table.table.id),
            key=key_text(table, row),
            expected=row_text(table, wanted),
            actual=row_text(table, row),
            places=judged.places_of(history),
        )
        return
    for ordinal in table.emitted:
        if wanted[ordinal] == row[ordinal]:
            continue
        column = table.table.columns[ordinal]
        yield Finding(
            FindingKind.WRONG_VALUE,
            f"{table.table.id}.{column.name} of {key_text(table, row)} is "
            f"{cell_text(column, row[ordinal])}, not {cell_text(column, wanted[ordinal])}",
            type_clause(judged.protocol, column.kind),
            history[-1].origin.line if history else judged.line,
            table=str(table.table.id),
            key=key_text(table, row),
            column=column.name,
            expected=value_text(wanted[ordinal]),
            actual=value_text(row[ordinal]),
            places=judged.places_of(history[-1:]),
        )


def _held(expected: Expected, state: TableState, key: Key, *, after: Row | None) -> list[RowEvent]:
    """Return the events not yet complete that would leave this row under the key, or none."""
    return [
        event
        for event in expected.held
        if event.table.table.id == state.source_table.table.id
        and event.after == after
        and key_of(event.table, _image(event)) == key
    ]


def _image(event: RowEvent) -> Row:
    image = event.before if event.after is None else event.after
    assert image is not None
    return image


def _early(
    judged: Judged,
    expected: Expected,
    kind: FindingKind,
    early: Sequence[RowEvent],
    wanted: Row | None,
) -> Finding:
    event = early[0]
    table = event.table
    key = key_text(table, _image(event))
    return Finding(
        kind,
        f"the {event.op.value} of {table.table.id} {key} was applied although no resolved ts "
        f"completes its commit ts {event.commit_ts} "
        f"(the global resolved ts is {expected.resolved_ts})",
        cause_clause(judged.protocol, "resolved-ignored") or judged.main_clause(),
        event.origin.line,
        table=str(table.table.id),
        key=key,
        expected=None if wanted is None else row_text(table, wanted),
        actual=None if event.after is None else row_text(table, event.after),
        places=judged.places_of(early),
    )


_SENTENCES: Mapping[FindingKind, str] = {
    FindingKind.MISSING_ROW: "{table} lacks the row {key}",
    FindingKind.EXTRA_ROW: "{table} has the row {key}, which must not be there",
    FindingKind.DUPLICATE_ROW: "{table} has the row {key} more often than it should",
}


def _row_finding(
    judged: Judged, state: TableState, kind: FindingKind, key: Key, row: Row
) -> Finding:
    table = state.source_table
    history = state.history.get(key, [])
    text = row_text(table, row)
    missing = kind is FindingKind.MISSING_ROW
    return Finding(
        kind,
        _SENTENCES[kind].format(table=table.table.id, key=key_text(table, row)),
        _row_clause(judged, kind, history),
        history[-1].origin.line if history else judged.line,
        table=str(table.table.id),
        key=key_text(table, row),
        expected=text if missing else None,
        actual=None if missing else text,
        places=judged.places_of(history),
    )


def _row_clause(judged: Judged, kind: FindingKind, history: Sequence[RowEvent]) -> str:
    duty = "repeated" if kind is FindingKind.DUPLICATE_ROW else ""
    if not duty and history:
        duty = "delete" if history[-1].op is Op.DELETE else history[-1].op.value
    return cause_clause(judged.protocol, duty) or judged.main_clause()
