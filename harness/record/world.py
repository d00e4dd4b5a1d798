"""Tables and rows as the change log describes them: a catalogue and a multiset of rows a table.

A recording keeps two. One follows everything that the log says; the other leaves out what `emit:`
steps merely state, and must always equal the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from harness.ddl import ActionType, Catalogue, DdlJob
from harness.ddl.stored_rows import moved_by
from harness.documents.scalars import flow
from harness.model.change import RowChanged
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.record.form import written_row
from harness.record.reads import key_ordinals
from harness.record.rows import Rows, is_base


class World:
    """One catalogue with its rows, folded step by step."""

    def __init__(self, databases: Sequence[str]) -> None:
        """Start with these databases, empty."""
        self.catalogue = Catalogue.with_schemas(*databases)
        self.rows: dict[TableId, Rows] = {}
        # What DROP and TRUNCATE took away, by physical id: RECOVER and FLASHBACK bring it back.
        self._dropped: dict[int, Rows] = {}

    def ddl(self, sql: str, schema: str = "") -> tuple[DdlJob, ...]:
        """Run a DDL statement; `schema` is the current database, for names without one.

        Raises DdlError when the catalogue refuses it, ValueError when a stored value has no exact
        form in the new schema, StepError where the partition of a row cannot be worked out.
        """
        applied = self.catalogue.apply(sql, schema)
        self.catalogue = applied.catalogue
        for job in applied.jobs:
            self._follow(job)
        alive = {table.id for table in self.catalogue.tables()}
        self.rows = {name: rows for name, rows in self.rows.items() if name in alive}
        return applied.jobs

    def change(self, change: RowChanged) -> None:
        """Apply one row event; ValueError when the row that it touches is not there."""
        rows = self.rows[change.table]
        if change.before is not None:
            if not rows[change.before]:
                table = self.catalogue.table(change.table)
                raise ValueError(f"{table.id} has no row {shown(table, change.before)}")
            rows[change.before] -= 1
        if change.after is not None:
            rows[change.after] += 1

    def _follow(self, job: DdlJob) -> None:
        moves = moved_by(job)
        old = {name: self.rows.pop(name, Counter()) for name in moves}
        for table in (job.after, job.exchanged[1] if job.exchanged else None):
            if table is not None and is_base(table):
                self.rows[table.id] = Counter()
        if job.before is not None and job.action in _TAKE_AWAY:
            self._dropped[job.before.physical_id] = old[job.before.id]
        if job.after is not None and job.action is ActionType.RECOVER_TABLE:
            self.rows[job.after.id] = self._dropped.pop(job.after.physical_id, Counter())
        for name, rows in old.items():
            for row, count in (+rows).items():
                place = moves[name](row)
                if place is not None and is_base(place[0]):
                    self.rows[place[0].id][place[1]] += count


_TAKE_AWAY = frozenset({ActionType.DROP_TABLE, ActionType.TRUNCATE_TABLE})


def difference(table: Table, log: Rows, select: Rows) -> str | None:
    """Say in which row and column two accounts of a table differ, None when they agree."""
    only_log, only_select = +(log - select), +(select - log)
    if not only_log and not only_select:
        return None
    ordinals = key_ordinals(table)
    for row in only_log if ordinals else ():
        twin = next((o for o in only_select if all(o[i] == row[i] for i in ordinals)), None)
        if twin is not None:
            return _column_difference(table, ordinals, row, twin)
    if only_log:
        row, count = next(iter(only_log.items()))
        return (
            f"{table.id}: the log has a row {_times(count)}that a SELECT lacks: {shown(table, row)}"
        )
    row, count = next(iter(only_select.items()))
    return f"{table.id}: a SELECT has a row {_times(count)}that the log lacks: {shown(table, row)}"


def _column_difference(table: Table, ordinals: Sequence[int], log: Row, select: Row) -> str:
    key = ", ".join(f"{table.columns[i].name}={log[i]!r}" for i in ordinals)
    at = next(i for i, value in enumerate(log) if value != select[i])
    return (
        f"{table.id}, row {key}, column `{table.columns[at].name}`:"
        f" the log says {log[at]!r}, a SELECT says {select[at]!r}"
    )


def _times(count: int) -> str:
    return "" if count == 1 else f"({count} times) "


def shown(table: Table, row: Row) -> str:
    """Return a row as a person reads it."""
    return flow(written_row(table.columns, row))
