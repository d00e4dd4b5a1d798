"""What a row, a transaction's bounds, a heartbeat or a DDL statement becomes on its topic.

Source: C:pipeline/EventDispatcher.java, C:pipeline/txmetadata/TransactionMonitor.java,
C:relational/RelationalChangeRecordEmitter.java, V:VitessHeartbeatImpl.java; vitess NOTES §4–§10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from harness.codecs.connect.schema import ConnectRecord, Header, Schema
from harness.codecs.debezium import schemas
from harness.codecs.debezium.adjustment import Adjuster
from harness.codecs.debezium.rows import Row
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.tables import Shaper, TableShape
from harness.codecs.debezium.topics import TableKey, Topics
from harness.codecs.debezium_vitess.dialect import Dialect
from harness.codecs.debezium_vitess.offsets import Standing
from harness.codecs.debezium_vitess.schemas import heartbeat_value
from harness.codecs.debezium_vitess.settings import keyspace
from harness.codecs.debezium_vitess.transactions import TransactionContext
from harness.codecs.debezium_vitess.vgtid import Position
from harness.model.record import Origin, Record
from harness.model.vstream import RowChange, VRowEvent

MILLISECOND: Final = 1_000_000
NEW_KEY: Final = "__debezium.newkey"
OLD_KEY: Final = "__debezium.oldkey"
_CONTEXT: Final = "__debezium.context."
# A record of structs, or one that a row writer has finished.
Emitted = ConnectRecord | Record


@dataclass(frozen=True, slots=True)
class Fixed:
    """The schemas and names of one connector that no table changes."""

    topics: Topics
    transaction_key: Schema
    transaction_value: Schema
    heartbeat_key: Schema
    heartbeat_value: Schema
    change_key: Schema
    change_value: Schema


def fixed(topics: Topics, adjust: Adjuster, source: Schema) -> Fixed:
    """Build the schemas under a name adjustment."""
    return Fixed(
        topics,
        schemas.transaction_key(adjust),
        schemas.transaction_value(adjust),
        schemas.heartbeat_key(adjust),
        heartbeat_value(adjust),
        schemas.schema_change_key(adjust, "vitess"),
        schemas.schema_change_value(adjust, "vitess", source),
    )


def context_headers(settings: ConnectorSettings, task: str) -> tuple[Header, ...]:
    """Return the headers of data and schema change records; C:DebeziumHeaderProducer.java."""
    if not settings.flag("extended.headers.enabled"):
        return ()
    values = (
        ("connectorLogicalName", settings.prefix),
        ("taskId", task),
        ("connectorName", "vitess"),
    )
    return tuple(Header(_CONTEXT + name, schemas.STRING, value) for name, value in values)


class RowWriter(Protocol):
    """Whoever writes a table's rows without structs, where nothing needs them."""

    def records(
        self, shape: TableShape, event: VRowEvent, emission: Emission
    ) -> Sequence[Record] | None:
        """Return what the producer sends for all rows of an event, or None to have structs."""
        ...


@dataclass(slots=True)
class Emission:
    """One task's records on their way out."""

    settings: ConnectorSettings
    dialect: Dialect
    fixed: Fixed
    shaper: Shaper
    standing: Standing
    transaction: TransactionContext
    captured: Callable[[str, str], bool]
    partition: Mapping[str, str]
    context: tuple[Header, ...]
    writer: RowWriter | None = None
    tombstones: bool = field(init=False)
    metadata: bool = field(init=False)
    unchanged_skipped: bool = field(init=False)
    skipped: frozenset[str] = field(init=False)
    schema_changes: bool = field(init=False)
    failure_mode: str = field(init=False)
    interval: int = field(init=False)
    beat: int = field(init=False)
    out: list[Emitted] = field(default_factory=list[Emitted])
    copied: int | None = None
    _included: dict[TableKey, bool] = field(default_factory=dict[TableKey, bool])
    _offset: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        """Read what is looked at for every row."""
        settings = self.settings
        self.tombstones = settings.flag("tombstones.on.delete")
        self.metadata = settings.metadata
        self.unchanged_skipped = settings.flag("skip.messages.without.change")
        self.skipped = settings.skipped
        self.schema_changes = settings.flag("include.schema.changes")
        self.failure_mode = settings.mode("event.processing.failure.handling.mode")
        self.interval = settings.number("heartbeat.interval.ms") * MILLISECOND
        self.beat = self.standing.clock() if self.interval > 0 else 0
        if (
            self.metadata
            or self.unchanged_skipped
            or self.interval > 0
            or self.dialect.documented
            or not self.skipped.isdisjoint("cud")
        ):
            # Each row has a say of its own in what is emitted.
            self.writer = None

    def taken(self) -> list[Emitted]:
        """Return the records so far and forget them.

        A copied row of the documents' dialect waits, and all behind it, until it is known whether
        it is the last one.
        """
        if self.copied is None:
            out, self.out = self.out, []
            return out
        out, self.out, self.copied = self.out[: self.copied], self.out[self.copied :], 0
        return out

    def copy_completed(self) -> None:
        """Mark the copied row that waits as the last; the documents' dialect only."""
        if self.copied is not None:
            record = self.out[self.copied]
            assert isinstance(record, ConnectRecord)
            source = {**record.value["source"], "snapshot": "last"}
            self.out[self.copied] = replace(record, value={**record.value, "source": source})
        self.copied = None

    def included(self, key: TableKey) -> bool:
        """Return whether a table is captured."""
        known = self._included.get(key)
        if known is None:
            known = self._included[key] = self.captured(key.schema, key.table)
        return known

    def offset(self) -> Mapping[str, Any]:
        """Return what Connect would store with a record."""
        text = self.standing.restart.text
        if not self.metadata and self.transaction.ordering is None and not self.transaction.counts:
            if self._offset.get("vgtid") is not text:
                self._offset = self.transaction.store({"vgtid": text})
            return self._offset
        return self.transaction.store({"vgtid": text})

    def written(self, shape: TableShape, event: VRowEvent) -> bool:
        """Emit all rows of an event if they can do without structs; tell whether they could."""
        if self.writer is None:
            return False
        records = self.writer.records(shape, event, self)
        if records is None:
            return False
        self.out += records
        return True

    def change(
        self, shape: TableShape, change: RowChange, origin: Origin, *, copying: bool
    ) -> None:
        """Emit a row change; raises JavaError for a value that stops the task."""
        before, after = change.before, change.after
        old = None if before is None else shape.value_of(before)
        new = None if after is None else shape.value_of(after)
        old_key = None if before is None else shape.key_of(before)
        new_key = None if after is None else shape.key_of(after)
        read = copying and before is None and self.dialect.documented
        self.standing.snapshot = "true" if read else None
        if new is None:
            self._data(shape, "d", old_key, old, None, origin)
        elif old is None:
            self._data(shape, "r" if read else "c", new_key, None, new, origin)
        elif self.unchanged_skipped and _same(old, new):
            return
        elif old_key is None or (old_key == new_key and _same_key(shape, old_key, new_key)):
            self._data(shape, "u", new_key, old, new, origin)
        else:
            key_schema = shape.key_schema
            assert key_schema is not None
            to_new = Header(NEW_KEY, key_schema, new_key)
            from_old = Header(OLD_KEY, key_schema, old_key)
            self._data(shape, "d", old_key, old, None, origin, (to_new,))
            self._data(shape, "c", new_key, None, new, origin, (from_old,))

    def _data(  # noqa: PLR0913, PLR0917 the parts of one record
        self,
        shape: TableShape,
        op: str,
        key: Row | None,
        before: Row | None,
        after: Row | None,
        origin: Origin,
        headers: tuple[Header, ...] = (),
    ) -> None:
        if shape.required:
            for row in (before, after):
                if row is not None:
                    shape.validate(row)
        standing = self.standing
        nanos = standing.clock()
        value: dict[str, Any] = {
            "before": before,
            "after": after,
            "source": standing.source(shape.key, standing.shard),
            "transaction": None,
            "op": op,
            "ts_ms": nanos // MILLISECOND,
            "ts_us": nanos // 1000,
            "ts_ns": nanos,
        }
        if op in self.skipped:
            return
        if self.metadata:
            value["transaction"] = self._count(shape.key, origin)
        elif self.dialect.documented:
            del value["transaction"]
        record = ConnectRecord(
            shape.topic,
            shape.key_schema,
            key,
            shape.envelope,
            value,
            origin,
            headers + self.context,
            None,
            self.partition,
            self.offset(),
        )
        if op == "r":
            self.copied = len(self.out)
        self.out.append(record)
        if op == "d" and self.tombstones:
            self.out.append(
                ConnectRecord(
                    shape.topic,
                    shape.key_schema,
                    key,
                    None,
                    None,
                    origin,
                    record.headers,
                    None,
                    self.partition,
                    record.source_offset,
                )
            )

    def _count(self, key: TableKey, origin: Origin) -> Row:
        """Count a data event in its transaction, opening one where none is open."""
        context, standing = self.transaction, self.standing
        if context.id != standing.current.text:
            known = standing.timestamp
            time = (standing.clock() if known is None else known) // MILLISECOND
            if context.id is not None:
                self._end(time, origin)
                context.end()
            context.begin(standing.current, standing.shard)
            self._marker("BEGIN", time, origin)
        name = f"{key.schema}.{key.table}" if self.dialect.documented else str(key)
        return context.block(context.event(name))

    def begin(self, position: Position, shard: str, seconds: int, origin: Origin) -> None:
        """Open a transaction; raises JavaError for a position that cannot be ranked."""
        if self.metadata:
            self.transaction.begin(position, shard)
            self._marker("BEGIN", seconds * 1000, origin)

    def commit(self, seconds: int, origin: Origin) -> None:
        """Close the transaction."""
        if self.metadata:
            if self.transaction.id is not None:
                self._end(seconds * 1000, origin)
            self.transaction.end()

    def _end(self, milliseconds: int, origin: Origin) -> None:
        context = self.transaction
        self._marker("END", milliseconds, origin, context.total, context.collections())

    def _marker(
        self,
        status: str,
        milliseconds: int,
        origin: Origin,
        count: int | None = None,
        collections: list[Row] | None = None,
    ) -> None:
        identity = self.transaction.id
        self.out.append(
            ConnectRecord(
                self.fixed.topics.transaction,
                self.fixed.transaction_key,
                {"id": identity},
                self.fixed.transaction_value,
                {
                    "status": status,
                    "id": identity,
                    "event_count": count,
                    "data_collections": collections,
                    "ts_ms": milliseconds,
                },
                origin,
                (),
                None,
                self.partition,
                self.offset(),
            )
        )

    def heartbeat(self, origin: Origin) -> None:
        """Emit a heartbeat if its time has come."""
        if self.interval <= 0:
            return
        now = self.standing.clock()
        if now - self.beat < self.interval:
            return
        self.beat = now
        offset = self.offset()
        self.out.append(
            ConnectRecord(
                self.fixed.topics.heartbeat,
                self.fixed.heartbeat_key,
                {"serverName": self.settings.prefix},
                self.fixed.heartbeat_value,
                {"vgtid": offset["vgtid"], "ts_ms": now // MILLISECOND},
                origin,
                (),
                0,
                self.partition,
                offset,
            )
        )

    def schema_change(self, key: TableKey, statement: str, origin: Origin) -> None:
        """Emit a DDL statement."""
        database = keyspace(self.settings)
        self.out.append(
            ConnectRecord(
                self.fixed.topics.schema_change,
                self.fixed.change_key,
                {"databaseName": database},
                self.fixed.change_value,
                {
                    "source": self.standing.source(key, self.standing.shard),
                    "ts_ms": self.standing.clock() // MILLISECOND,
                    "databaseName": database,
                    "schemaName": None,
                    "ddl": statement,
                    "tableChanges": [],
                },
                origin,
                self.context,
                0,
                self.partition,
                self.offset(),
            )
        )


def _same(old: Row, new: Row) -> bool:
    """Compare as Java's Double does where floats are among the values: the zeros differ."""
    return old == new and all(
        repr(new[name]) == repr(value) for name, value in old.items() if isinstance(value, float)
    )


def _same_key(shape: TableShape, old: Row, new: Row | None) -> bool:
    return not shape.exact_keys or (new is not None and _same(old, new))
