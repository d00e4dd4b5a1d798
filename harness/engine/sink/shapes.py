"""Which tables a stream leaves in a sink, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from harness.ddl import Catalogue
from harness.engine.plan.case import Plan
from harness.model.columns import Column
from harness.model.source_events import DdlEvent, RowEvent, SourceTable
from harness.model.table import TableId
from harness.scenario.document import DdlStep
from harness.sources.tidb.mounter import source_table


@dataclass(frozen=True, slots=True)
class Shapes:
    """What one changefeed needs of a sink: the upstream's schemas, and tables in their last shape.

    `feed` is the changefeed's id. `uncreated` are the tables that no DDL of the stream creates, as
    they are before its first event; `ddl` are its statements with their schemas, in their order.
    Without DDL on the wire both are empty.
    """

    feed: str
    schemas: tuple[str, ...]
    tables: Mapping[TableId, SourceTable]
    uncreated: Mapping[TableId, SourceTable] = field(default_factory=dict[TableId, SourceTable])
    ddl: tuple[tuple[str, str], ...] = ()


def shapes_of(plan: Plan) -> Shapes:
    """Return what a case's changefeed needs of a sink."""
    found = Shapes(plan.case.id, schemas(plan), shapes(plan))
    if plan.wire.complete is None:
        return found
    events = sorted(plan.events, key=lambda event: event.origin.event)
    statements = tuple((e.schema, e.query) for e in events if isinstance(e, DdlEvent))
    return replace(found, uncreated=uncreated(plan), ddl=statements)


def uncreated(plan: Plan) -> Mapping[TableId, SourceTable]:
    """Return the tables that no DDL event creates, in the shape of before the first event.

    They are those that a filter or the lack of a key keeps the creation of from the stream, and
    those that only a view in it is about.
    """
    found: dict[TableId, SourceTable] = {}
    known: set[TableId] = set()
    for event in sorted(plan.events, key=lambda event: event.origin.event):
        if isinstance(event, RowEvent) and event.table.table.id not in known:
            known.add(event.table.table.id)
            found[event.table.table.id] = event.table
        if isinstance(event, DdlEvent):
            if event.before is not None and event.before.table.id not in known:
                found[event.before.table.id] = event.before
            known |= {one.table.id for one in (event.before, event.after) if one is not None}
    return found | {name: table for name, table in _upstream(plan).items() if name not in known}


def _upstream(plan: Plan) -> Mapping[TableId, SourceTable]:
    """Return the tables that the upstream ever had, as they came into being."""
    found: dict[TableId, SourceTable] = {}
    catalogue = Catalogue.empty()
    for name in plan.case.scenario.databases:
        catalogue = catalogue.apply(f"CREATE DATABASE IF NOT EXISTS `{name}`").catalogue
    for step in plan.case.scenario.upstream:
        if isinstance(step, DdlStep):
            catalogue = catalogue.apply(step.statement.sql).catalogue
            for table in catalogue.tables():
                if not table.is_view and not table.is_sequence:
                    found.setdefault(table.id, source_table(table))
    return found


def shapes(plan: Plan) -> Mapping[TableId, SourceTable]:
    """Return each table that rows are sent for, or that is there at the end, in its last shape."""
    rows = (event.table for event in plan.events if isinstance(event, RowEvent))
    found = {source_table.table.id: source_table for source_table in rows}
    return found | {name: state.source_table for name, state in plan.expected.tables.items()}


def schemas(plan: Plan) -> tuple[str, ...]:
    """Return the upstream's schemas that the stream may name, sorted."""
    created = {event.schema for event in plan.events if isinstance(event, DdlEvent)}
    named = {table.schema for table in shapes(plan)}
    return tuple(sorted({*plan.case.scenario.databases, *named, *created} - {""}))


def sent_columns(source_table: SourceTable) -> tuple[Column, ...]:
    """Return the columns that are ever sent, in table order."""
    return tuple(source_table.table.columns[ordinal] for ordinal in source_table.emitted)
