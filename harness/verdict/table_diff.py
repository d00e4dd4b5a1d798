"""A table as expected beside the answer, row by row under the same key: what a report shows.

It judges nothing: findings do. Rows that cannot be read stand as the consumer wrote them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from harness.model.canonical import canonical
from harness.model.columns import Column
from harness.model.evidence import DiffRow, RowMark, TableDiff
from harness.model.finding import Finding
from harness.model.observed import RawRow
from harness.model.values import Row
from harness.verdict.case import Judged
from harness.verdict.expected import Expected, Key, TableState, key_of
from harness.verdict.read import key_in, read_row
from harness.verdict.tables import Answer
from harness.verdict.text import cell_text

DIFFERING_SHOWN = 60
ALIKE_SHOWN = 20
ABSENT = "(absent)"


def table_diffs(judged: Judged, expected: Expected, answer: Answer) -> Iterator[TableDiff]:
    """Yield each table that differs from its answer."""
    for table_id, state in sorted(expected.tables.items()):
        diff = _bounded(
            str(table_id), _columns(state), _rows(judged, state, answer.get(table_id, ()))
        )
        if any(row.mark is not RowMark.ALIKE for row in diff.rows):
            yield diff
    for table_id in sorted(set(answer) - set(expected.tables)):
        extra = answer[table_id]
        if extra:
            columns = tuple(dict.fromkeys(name for row in extra for name in row))
            yield _bounded(str(table_id), columns, (_raw(columns, row) for row in extra))


def _rows(judged: Judged, state: TableState, answer: Sequence[RawRow]) -> Iterator[DiffRow]:
    """Yield the rows by key: the expected one, then the answered one where it differs."""
    read: list[Row] = []
    unread: list[RawRow] = []
    for raw in answer:
        row = read_row(judged, state, raw)
        if isinstance(row, Finding):
            unread.append(raw)
        else:
            read.append(row)
    if state.keyless:
        yield from (DiffRow(RowMark.ACTUAL, _raw_cells(state, raw)) for raw in unread)
        yield from _multiset(state, read)
    else:
        yield from _keyed(state, read, unread)


def _keyed(state: TableState, read: Sequence[Row], unread: Sequence[RawRow]) -> Iterator[DiffRow]:
    found: dict[Key | None, list[tuple[str, ...]]] = {}
    for row in read:
        found.setdefault(key_of(state.source_table, row), []).append(_cells(state, row))
    for raw in unread:
        found.setdefault(key_in(state, raw), []).append(_raw_cells(state, raw))
    for key, wanted in state.rows.items():
        yield from _pair(_cells(state, wanted), found.pop(key, []))
    for others in found.values():
        yield from (DiffRow(RowMark.ACTUAL, other) for other in others)


def _pair(cells: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> Iterator[DiffRow]:
    if list(others) == [cells]:
        yield DiffRow(RowMark.ALIKE, cells)
        return
    changed = {i for other in others for i, cell in enumerate(other) if cell != cells[i]}
    marked = tuple(sorted(changed))
    yield DiffRow(RowMark.EXPECTED, cells, marked)
    for other in others:
        yield DiffRow(RowMark.ACTUAL, other, marked)


def _multiset(state: TableState, read: Sequence[Row]) -> Iterator[DiffRow]:
    wanted, got = Counter(state.multiset), Counter(read)
    marks = (
        (RowMark.ALIKE, wanted & got),
        (RowMark.EXPECTED, wanted - got),
        (RowMark.ACTUAL, got - wanted),
    )
    for mark, rows in marks:
        for row in rows.elements():
            yield DiffRow(mark, _cells(state, row))


def _columns(state: TableState) -> tuple[str, ...]:
    return tuple(state.source_table.table.columns[i].name for i in state.source_table.emitted)


def _cells(state: TableState, row: Row) -> tuple[str, ...]:
    columns = state.source_table.table.columns
    return tuple(cell_text(columns[i], row[i]) for i in state.source_table.emitted)


def _raw_cells(state: TableState, raw: RawRow) -> tuple[str, ...]:
    """Return the cells of a row that cannot be read as a whole: those alone that can be are."""
    columns = (state.source_table.table.columns[i] for i in state.source_table.emitted)
    return tuple(_raw_cell(column, raw) for column in columns)


def _raw_cell(column: Column, raw: RawRow) -> str:
    if column.name not in raw:
        return ABSENT
    try:
        return cell_text(column, canonical(column, raw[column.name]))
    except ValueError:
        return str(raw[column.name])


def _raw(columns: Sequence[str], row: RawRow) -> DiffRow:
    cells = (str(row[name]) if name in row else "" for name in columns)
    return DiffRow(RowMark.ACTUAL, tuple(cells))


def _bounded(table: str, columns: tuple[str, ...], rows: Iterable[DiffRow]) -> TableDiff:
    """Return the first rows that differ, among as many alike as give them a context."""
    left = {RowMark.ALIKE: ALIKE_SHOWN}
    shown: list[DiffRow] = []
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the last one is the number of rows
        kind = RowMark.ALIKE if row.mark is RowMark.ALIKE else RowMark.ACTUAL
        left.setdefault(kind, DIFFERING_SHOWN)
        if left[kind]:
            left[kind] -= 1
            shown.append(row)
    return TableDiff(table, columns, tuple(shown), count - len(shown))
