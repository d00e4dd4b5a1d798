"""Which tables a stream leaves in a sink, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.engine.plan.case import Plan
from harness.model.columns import Column
from harness.model.source_events import DdlEvent, RowEvent, SourceTable
from harness.model.table import TableId


@dataclass(frozen=True, slots=True)
class Shapes:
    """What one changefeed needs of a sink: the upstream's schemas, and tables in their last shape.

    `feed` is the changefeed's id.
    """

    feed: str
    schemas: tuple[str, ...]
    tables: Mapping[TableId, SourceTable]


def shapes_of(plan: Plan) -> Shapes:
    """Return what a case's changefeed needs of a sink."""
    return Shapes(plan.case.id, schemas(plan), shapes(plan))


def shapes(plan: Plan) -> Mapping[TableId, SourceTable]:
    """Return each table that rows are sent for, or that is there at the end, in its last shape."""
    rows = (event.table for event in plan.events if isinstance(event, RowEvent))
    found = {mounted.table.id: mounted for mounted in rows}
    return found | {name: state.mounted for name, state in plan.expected.tables.items()}


def schemas(plan: Plan) -> tuple[str, ...]:
    """Return the upstream's schemas that the stream may name, sorted."""
    created = {event.schema for event in plan.events if isinstance(event, DdlEvent)}
    named = {table.schema for table in shapes(plan)}
    return tuple(sorted({*plan.case.scenario.databases, *named, *created} - {""}))


def sent_columns(mounted: SourceTable) -> tuple[Column, ...]:
    """Return the columns that are ever sent, in table order."""
    return tuple(mounted.table.columns[ordinal] for ordinal in mounted.emitted)
