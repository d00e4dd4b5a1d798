"""Consumers of each declared design, right and wrong, made of the reference consumer's parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.ddl import DdlJob
from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.case import Plan
from harness.model.columns import Column
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.observed import Observed
from harness.model.reshape import added_value
from harness.model.source_events import RowEvent
from harness.model.table import TableId
from harness.model.values import Value
from harness.mutants.consumer import Consumer
from harness.mutants.delivery import Delivery
from harness.mutants.parts import Known, Parts
from harness.reference_consumer.hold import Hold, Place, Ready
from harness.reference_consumer.tables import NamedRow, Tables


class OnArrival(Consumer):
    """Applies what no resolved event has completed as well, the newest version of each row."""

    def consume(self, delivery: Delivery) -> Observed:
        """Read a delivery to its end; what still waits then is applied."""
        super().consume(delivery)
        for ready in self._left():
            self.apply(ready)
        return self._observed()

    def _left(self) -> Iterator[Ready]:
        room = self.room
        if isinstance(room, Hold) and not self.error:
            yield from (ready for _, _, _, ready, _ in sorted(room.waiting, key=lambda w: w[:3]))


class LastArrivalWins(Hold):
    """Lets everything through as it comes: an older version may come last and stay."""

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Pass the event on, unless it is no row."""
        if event.kind is not EventKind.RESOLVED:
            yield Ready(event, place)


class KeepsColumns(Tables):
    """Keeps every column that the upstream drops, with its values."""

    def follow(self, job: DdlJob) -> None:
        """Follow the statement and give rows back what it dropped."""
        before, after = job.before, job.after
        old = dict(self.rows.get(before.id, {})) if before is not None else {}
        super().follow(job)
        if before is None or after is None:
            return
        gone = set(before.column_names) - set(after.column_names)
        for key, row in self.rows.get(after.id, {}).items():
            self.rows[after.id][key] = {**self._kept(old.get(key, {}), gone), **row}

    def _kept(self, old: Mapping[str, Value], gone: set[str]) -> NamedRow:
        return {name: value for name, value in old.items() if name in gone}

    def as_last(self, table: TableId, row: NamedRow) -> NamedRow:
        """Keep what the last shape lacks."""
        last = super().as_last(table, row)
        return {**self._kept(row, set(row) - set(last)), **last}


class ForgetsKept(KeepsColumns):
    """Keeps dropped columns and forgets what was in them."""

    def _kept(self, old: Mapping[str, Value], gone: set[str]) -> NamedRow:
        return dict.fromkeys(super()._kept(old, gone))


class ByImage(Tables):
    """Holds each image of a row without a key once."""

    def apply_row(self, event: DecodedEvent) -> None:
        """Apply a row event; an image that is there already is not added."""
        super().apply_row(event)
        table = TableId(event.schema, event.table)
        rows = self.loose.get(table, [])
        self.loose[table] = [row for n, row in enumerate(rows) if row not in rows[:n]]


class NeverRemovesLoose(ByImage):
    """Holds each image once, and for ever."""

    def remove(self, table: TableId, event: DecodedEvent, image: Mapping[str, Value]) -> None:
        """Remove keyed rows alone."""
        if event.handle:
            super().remove(table, event, image)


def added_columns(plan: Plan) -> Known:
    """Return each column as rows had it first since it was added: its default is of that time."""
    tables: dict[tuple[str, str], dict[str, Column]] = {}
    for event in plan.events:
        if isinstance(event, RowEvent):
            table = event.table.table
            known = tables.get((table.id.schema, table.id.name), {})
            tables[table.id.schema, table.id.name] = {
                column.name: known.get(column.name, column) for column in table.columns
            }
    return tables


def knows_defaults(known: Known, *, wrong: bool) -> type[Tables]:
    """Return tables that have the upstream's defaults from elsewhere, or wrong ones."""

    class KnowsDefaults(Tables):
        """Gives older rows the default of a new column, which no message carries."""

        def as_last(self, table: TableId, row: NamedRow) -> NamedRow:
            columns = known.get((table.schema, table.name), {})
            last = super().as_last(table, row)
            missing = {name for name in last if name not in row and name in columns}
            return {**last, **{name: _default(columns[name], wrong=wrong) for name in missing}}

    return KnowsDefaults


def _default(column: Column, *, wrong: bool) -> Value:
    try:
        value = added_value(column)
    except ValueError:
        return None
    return None if wrong and value is not None else value


def answer(
    plan: Plan,
    consumer: type[Consumer] = Consumer,
    tables: type[Tables] = Tables,
    hold: type[Hold] = Hold,
) -> Observed:
    """Return what a consumer answers to a case that is delivered as it was sent."""
    prepared = Prepared(plan, (0,))
    parts = Parts(tables=tables, hold=hold)
    return consumer(prepared._job, prepared.wire, parts, prepared.known).consume(
        prepared.delivery(0)
    )
