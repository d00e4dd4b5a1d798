"""The database's final SELECT against the tables that a right consumer ends with.

The fold of a protocol's own rules may rightly differ from the database: TRUNCATE leaves no
trace where the wire carries rows alone, and some values lose digits. So the two are compared where
every change is visible, each value as far as the wire carries it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from harness.engine.plan.case import Plan
from harness.model.change import ChangeLog, DdlRun, Op, Transaction
from harness.model.source_events import RowEvent
from harness.model.table import TableId
from harness.model.values import Row
from harness.protocols import PROTOCOLS
from harness.record.world import World

Rows = Mapping[TableId, Counter[Row]]


def comparable(plan: Plan, log: ChangeLog) -> bool:
    """Return whether the tables must be the database's: DDL is on the wire, or there is none."""
    return plan.wire.complete is not None or _is_rows_alone(log)


def _is_rows_alone(log: ChangeLog) -> bool:
    """Return whether the schema is made before the first row, and stays."""
    kinds = [type(step) for step in log.changes if isinstance(step, DdlRun | Transaction)]
    return kinds == sorted(kinds, key=lambda kind: kind is Transaction)


def final_rows(log: ChangeLog, databases: tuple[str, ...]) -> Rows:
    """Return the tables that a change log leads to, which recording held against SELECTs."""
    world = World(databases)
    for step in log.changes:
        if isinstance(step, DdlRun):
            world.ddl(step.sql)
        elif isinstance(step, Transaction):
            for change in step.changes:
                world.change(change)
    return {table: +rows for table, rows in world.rows.items()}


def differences(plan: Plan, rows: Rows) -> Iterator[str]:
    """Yield a sentence for each table in which the fold and the database differ."""
    for table, select in sorted(rows.items()):
        visible: Counter[Row] = Counter()
        for row, count in select.items():
            # Rows that differ in what is never sent are equal to whoever reads.
            visible.update(dict.fromkeys(_visible(plan, table, row), count))
        state = plan.expected.tables.get(table)
        if state is None:
            if visible and _replicated(plan, table):
                yield f"{table}: the fold has no such table, the database {_shown(visible)}"
            continue
        folded = Counter(state.all_rows())
        if folded != visible:
            more, less = +(folded - visible), +(visible - folded)
            yield (
                f"{table}: the protocol's fold has {_shown(more)} where the database has"
                f" {_shown(less)}"
            )
    for table in sorted(plan.expected.tables.keys() - rows.keys()):
        if plan.expected.tables[table].all_rows():
            yield f"{table}: the protocol's fold has rows, and the database no such table"


def _visible(plan: Plan, table: TableId, row: Row) -> Iterator[Row]:
    """Yield a row of the database as the wire carries it; nothing for one that is never sent."""
    sample = _sample(plan, table)
    if plan.wire.complete is not None or sample is None:
        yield row
        return
    project = PROTOCOLS[plan.case.protocol].projection(plan.settings, plan.case.dialect)
    visible = project(replace(sample, op=Op.INSERT, before=None, after=row))
    if visible is not None and visible.after is not None:
        yield visible.after


def _sample(plan: Plan, table: TableId) -> RowEvent | None:
    """Return the last row event of a table, which has its last schema."""
    return next(
        (
            event
            for event in reversed(plan.events)
            if isinstance(event, RowEvent) and event.table.table.id == table
        ),
        None,
    )


def _replicated(plan: Plan, table: TableId) -> bool:
    return _sample(plan, table) is not None


def _shown(rows: Counter[Row]) -> str:
    return ", ".join(map(repr, rows.elements())) or "nothing"
