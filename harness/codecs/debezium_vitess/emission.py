"""What the Vitess connector emits beside Debezium's own rules: transactions, and rows at once.

Source: V:VitessHeartbeatImpl.java; vitess NOTES §4–§10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from harness.codecs.debezium.emitter import Emitted, RecordEmitter
from harness.codecs.debezium.tables import TableShape, TableShaper
from harness.codecs.debezium.topics import TableKey
from harness.codecs.debezium_vitess.dialect import VitessDialect
from harness.codecs.debezium_vitess.offsets import OffsetContext
from harness.codecs.debezium_vitess.vgtid import VgtidPosition
from harness.model.record import Origin, Record
from harness.model.vstream import RowChange, VRowEvent


class RowWriter(Protocol):
    """Writes a table's rows without structs, where nothing needs them."""

    def records(
        self, shape: TableShape, event: VRowEvent, emitter: VitessEmitter
    ) -> Sequence[Record] | None:
        """Return what the producer sends for all rows of an event, or None to have structs."""
        ...


@dataclass(slots=True)
class VitessEmitter:
    """One task's records on their way out."""

    records: RecordEmitter
    state: OffsetContext
    dialect: VitessDialect
    shaper: TableShaper
    captured: Callable[[str, str], bool]
    writer: RowWriter | None = None
    schema_changes: bool = field(init=False)
    failure_mode: str = field(init=False)
    _included: dict[TableKey, bool] = field(default_factory=dict[TableKey, bool])

    def __post_init__(self) -> None:
        """Read what is looked at for every row."""
        records = self.records
        self.schema_changes = records.settings.flag("include.schema.changes")
        self.failure_mode = records.settings.mode("event.processing.failure.handling.mode")
        if (
            records.metadata
            or records.unchanged_skipped
            or records.interval > 0
            or not records.skipped.isdisjoint("cud")
        ):
            # What is emitted depends on each row.
            self.writer = None

    def taken(self) -> list[Emitted]:
        """Return the records so far and forget them."""
        out = self.records.out
        self.records.out = []
        return out

    def included(self, key: TableKey) -> bool:
        """Return whether a table is captured."""
        known = self._included.get(key)
        if known is None:
            known = self._included[key] = self.captured(key.schema, key.table)
        return known

    def written(self, shape: TableShape, event: VRowEvent) -> bool:
        """Emit all rows of an event if they can do without structs; return whether they could."""
        if self.writer is None:
            return False
        records = self.writer.records(shape, event, self)
        if records is None:
            return False
        self.records.out += records
        return True

    def change(self, shape: TableShape, change: RowChange, origin: Origin) -> None:
        """Emit a row change; raises JavaError for a value that stops the task."""
        self.records.change(shape, (change.before, change.after), origin)

    def begin(self, position: VgtidPosition, shard: str, seconds: int, origin: Origin) -> None:
        """Open a transaction; raises JavaError for a position that cannot be ranked."""
        if self.records.metadata:
            self.state.begin(position, shard)
            self.records.transaction_begun(seconds * 1000, origin)

    def commit(self, seconds: int, origin: Origin) -> None:
        """Close the transaction."""
        self.records.transaction_ended(seconds * 1000, origin)

    def heartbeat(self, origin: Origin) -> None:
        """Emit a heartbeat if its time has come."""
        self.records.heartbeat(lambda offset: {"vgtid": offset["vgtid"]}, origin)
