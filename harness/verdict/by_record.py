"""The truth to reach where the wire carries rows alone: neither DDL nor resolved events.

A consumer of such a stream learns of a table by its first row and of a new shape by the first row
that has it. DROP and RENAME leave no trace, nor does TRUNCATE where it is not sent among the rows:
rows that the database forgot stay. What is sent is complete as it stands, so nothing is held.

Source: TiCDC Avro, §DDL events and schema changes; Debezium Vitess connector, §Data change events;
Debezium MariaDB connector, §truncate events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column
from harness.model.reshape import default_value
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent, SourceTable
from harness.model.table import TableId
from harness.model.values import Row, Value
from harness.verdict.expected import Expected, TableState, apply_row, key_of


def fold_rows(
    events: Iterable[SourceEvent],
    older: Callable[[Column], Value],
    *,
    by_image: bool = False,
    truncates: bool = False,
) -> Expected:
    """Return the state after all rows, in the order in which they were sent.

    `older` gives what older rows have in a new column. `by_image` holds equal rows without a key
    once; `truncates` says that statements among the events are TRUNCATEs that were sent.
    """
    kinds = (RowEvent, DdlEvent) if truncates else (RowEvent,)
    sent = tuple(event for event in events if isinstance(event, kinds))
    again = partial(_folded, older=older, by_image=by_image)
    last = max((event.commit_ts for event in sent), default=0)
    return Expected(
        tables=again(sent),
        applied=sent,
        ddl=(),
        held=(),
        resolved_ts=last,
        again=again,
        unordered=True,
    )


def _folded(
    sent: Sequence[SourceEvent],
    older: Callable[[Column], Value],
    *,
    by_image: bool,
) -> dict[TableId, TableState]:
    tables: dict[TableId, TableState] = {}
    for event in sent:
        if isinstance(event, DdlEvent) and event.before is not None:
            emptied = tables.get(event.before.table.id)
            if emptied is not None:
                emptied.rows.clear()
                emptied.multiset.clear()
        if not isinstance(event, RowEvent):
            continue
        state = tables.get(event.table.table.id)
        if state is not None and state.source_table != event.table:
            # A deletion carries only its key: the row behind it is the first with the new columns.
            if event.after is None:
                _find_by(state, event.table)
            else:
                _widen(state, event.table, older)
        apply_row(tables, event, by_image=by_image)
    return tables


def _widen(state: TableState, after: SourceTable, older: Callable[[Column], Value]) -> None:
    before, state.source_table = state.source_table, after
    ordinals = {column.name: n for n, column in enumerate(before.table.columns)}

    def moved(row: Row) -> Row:
        values: list[Value] = []
        for column in after.table.columns:
            ordinal = ordinals.get(column.name)
            if ordinal is not None and _keeps(before.table.columns[ordinal], column):
                values.append(row[ordinal])
            else:
                values.append(older(column))
        return tuple(values)

    if state.keyless:
        state.multiset = [moved(row) for row in state.all_rows()]
        state.rows = {}
        return
    rows = [moved(row) for row in state.all_rows()]
    state.multiset = []
    state.rows = {key_of(after, row): row for row in rows}


def _find_by(state: TableState, after: SourceTable) -> None:
    """Find rows by the columns of a later key, where they have them already."""
    before = state.source_table.table
    names = [after.table.columns[ordinal].name for ordinal in after.handle]
    if set(names) <= set(before.column_names):
        found = replace(state.source_table, handle=tuple(map(before.position, names)))
        rows, state.source_table = state.all_rows(), found
        state.rows = {key_of(found, row): row for row in rows if found.handle}
        state.multiset = [] if found.handle else rows


def _keeps(before: Column, after: Column) -> bool:
    """Return whether older rows keep their value: of the same kind, or of another size of it.

    A widened column looks the same as one that was dropped and added again.
    """
    kinds = {before.kind, after.kind}
    return len(kinds) == 1 or any(kinds <= family for family in (INTEGERS, CHARACTERS, BINARIES))


def default_of(column: Column) -> Value:
    """Return what a reader fills in for a column that an older record lacks: the default of now.

    Not what the database gave its own rows when the column came: the schema does not carry it.
    """
    try:
        return default_value(column, column.default)
    except ValueError:  # an expression: there is no literal to fill in
        return None
