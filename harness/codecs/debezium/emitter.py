"""What a row change, a transaction's bounds, a heartbeat or a DDL statement becomes on its topic.

Source: C:pipeline/EventDispatcher.java, C:pipeline/txmetadata/TransactionMonitor.java,
C:relational/RelationalChangeRecordEmitter.java, C:heartbeat/HeartbeatImpl.java; vitess NOTES
§4–§10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from harness.codecs.connect.schema import ConnectRecord, Header, Offset, Schema, Struct
from harness.codecs.debezium import schemas
from harness.codecs.debezium.adjustment import Adjuster
from harness.codecs.debezium.columns import Cells
from harness.codecs.debezium.rows import Row
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.tables import TableShape
from harness.codecs.debezium.topics import TableKey, TopicNames
from harness.codecs.debezium.transactions import TransactionContext
from harness.model.record import Origin, Record

MILLISECOND: Final = 1_000_000
# How long after the source's second the connector of the documents' samples handles a change.
LATER: Final = 863_497_147
NEW_KEY: Final = "__debezium.newkey"
OLD_KEY: Final = "__debezium.oldkey"
READ: Final = "r"
_CONTEXT: Final = "__debezium.context."
# Returns nanoseconds since 1970.
Clock = Callable[[], int]
# A record of structs, or one that is bytes already.
Emitted = ConnectRecord | Record


class SourceState(Protocol):
    """Where a connector stands in its source, as its records say it."""

    @property
    def transaction_id(self) -> str:
        """Return the id of the transaction that events belong to."""
        ...

    def milliseconds(self) -> int:
        """Return the time of the event under way."""
        ...

    def source(self, table: TableKey) -> Struct:
        """Return the source block of a table's records."""
        ...

    def offset(self) -> Offset:
        """Return what Connect would store with a record."""
        ...

    def begin(self) -> None:
        """Open the transaction that events belong to; JavaError for one that cannot be."""
        ...


@dataclass(frozen=True, slots=True)
class ConnectorSchemas:
    """The names and schemas of one connector that no table changes."""

    topics: TopicNames
    transaction_key: Schema
    transaction_value: Schema
    heartbeat_key: Schema
    heartbeat_value: Schema
    change_key: Schema
    change_value: Schema


def connector_schemas(
    topics: TopicNames,
    adjust: Adjuster,
    connector: str,
    source: Schema,
    heartbeat: Schema,
    boundary: Sequence[str] = schemas.BOUNDARY,
) -> ConnectorSchemas:
    """Build the schemas under a name adjustment; `heartbeat` is the value's, adjusted already.

    `boundary` names the fields of a transaction's boundary, in their order.
    """
    return ConnectorSchemas(
        topics,
        schemas.transaction_key(adjust),
        schemas.transaction_value(adjust, boundary),
        schemas.heartbeat_key(adjust),
        heartbeat,
        schemas.schema_change_key(adjust, connector),
        schemas.schema_change_value(adjust, connector, source),
    )


def context_headers(
    settings: ConnectorSettings, task: str, name: str, run_id: str | None = None
) -> tuple[Header, ...]:
    """Return the headers of data and schema change records; C:DebeziumHeaderProducer.java.

    Releases that write the id of their run write it last.
    """
    if not settings.flag("extended.headers.enabled"):
        return ()
    values = (("connectorLogicalName", settings.prefix), ("taskId", task), ("connectorName", name))
    last = () if run_id is None else (("runId", run_id),)
    return tuple(Header(_CONTEXT + key, schemas.STRING, value) for key, value in (*values, *last))


@dataclass(slots=True)
class RecordEmitter:
    """One task's records on their way out, in `out`.

    `collection` names a table in transaction metadata.
    """

    settings: ConnectorSettings
    schemas: ConnectorSchemas
    clock: Clock
    state: SourceState
    transaction: TransactionContext
    partition: Mapping[str, str]
    context: tuple[Header, ...]
    collection: Callable[[TableKey], str] = str
    out: list[Emitted] = field(default_factory=list[Emitted])
    tombstones: bool = field(init=False)
    metadata: bool = field(init=False)
    unchanged_skipped: bool = field(init=False)
    skipped: frozenset[str] = field(init=False)
    interval: int = field(init=False)
    _last_heartbeat: int = field(init=False)

    def __post_init__(self) -> None:
        """Read what is looked at for every row."""
        settings = self.settings
        self.tombstones = settings.flag("tombstones.on.delete")
        self.metadata = settings.metadata
        self.unchanged_skipped = settings.flag("skip.messages.without.change")
        self.skipped = settings.skipped
        self.interval = settings.number("heartbeat.interval.ms") * MILLISECOND
        self.wait()

    def wait(self) -> None:
        """Let the interval until the next heartbeat begin now."""
        self._last_heartbeat = self.clock() if self.interval > 0 else 0

    def change(
        self, shape: TableShape, images: tuple[Cells | None, Cells | None], origin: Origin
    ) -> None:
        """Emit a change of a row's old and new cells.

        Raises JavaError for a value that stops the task.
        """
        before, after = images
        old = None if before is None else shape.value_of(before)
        new = None if after is None else shape.value_of(after)
        old_key = None if before is None else shape.key_of(before)
        new_key = None if after is None else shape.key_of(after)
        if new is None:
            self._data(shape, "d", (old_key, old, None), origin)
        elif old is None:
            self._data(shape, "c", (new_key, None, new), origin)
        elif self.unchanged_skipped and _same(old, new):
            return
        elif old_key is None or (old_key == new_key and _same_key(shape, old_key, new_key)):
            self._data(shape, "u", (new_key, old, new), origin)
        else:
            key_schema = shape.key_schema
            assert key_schema is not None
            to_new = Header(NEW_KEY, key_schema, new_key)
            from_old = Header(OLD_KEY, key_schema, old_key)
            self._data(shape, "d", (old_key, old, None), origin, (to_new,))
            self._data(shape, "c", (new_key, None, new), origin, (from_old,))

    def read(self, shape: TableShape, cells: Cells, origin: Origin) -> None:
        """Emit a row that was there before the connector followed the log."""
        row = (shape.key_of(cells), None, shape.value_of(cells))
        self._data(shape, READ, row, origin)

    def truncated(self, shape: TableShape, origin: Origin) -> None:
        """Emit that a table was emptied, which has no key."""
        self._data(replace(shape, key_schema=None), "t", (None, None, None), origin)

    def _data(
        self,
        shape: TableShape,
        op: str,
        rows: tuple[Row | None, Row | None, Row | None],
        origin: Origin,
        headers: tuple[Header, ...] = (),
    ) -> None:
        """Emit a record of a key, an old and a new row, and the tombstone behind a delete."""
        key, before, after = rows
        if shape.required:
            for row in (before, after):
                if row is not None:
                    shape.validate(row)
        nanos = self.clock()
        value: dict[str, Any] = {
            "before": before,
            "after": after,
            "source": self.state.source(shape.key),
            "transaction": None,
            "op": op,
            "ts_ms": nanos // MILLISECOND,
            "ts_us": nanos // 1000,
            "ts_ns": nanos,
        }
        if op in self.skipped:
            return
        if self.metadata and op != READ:  # what is read belongs to no transaction
            value["transaction"] = self._count(shape.key, origin)
        offset, headers = self.state.offset(), headers + self.context
        for sent in (value, None) if op == "d" and self.tombstones else (value,):
            self.out.append(
                ConnectRecord(
                    shape.topic,
                    shape.key_schema,
                    key,
                    None if sent is None else shape.envelope,
                    sent,
                    origin,
                    headers,
                    None,
                    self.partition,
                    offset,
                )
            )

    def _count(self, table: TableKey, origin: Origin) -> Row:
        """Count a data event in its transaction, opening one where none is open."""
        context, state = self.transaction, self.state
        if context.id != state.transaction_id:
            time = state.milliseconds()
            if context.id is not None:
                self._end(time, origin)
                context.end()
            state.begin()
            self._marker("BEGIN", time, origin)
        return context.block(context.event(self.collection(table)))

    def transaction_begun(self, milliseconds: int, origin: Origin) -> None:
        """Emit the marker of a transaction that the context has begun."""
        self._marker("BEGIN", milliseconds, origin)

    def transaction_ended(self, milliseconds: int, origin: Origin) -> None:
        """Emit the marker of the transaction's end, and end it."""
        if self.metadata:
            if self.transaction.id is not None:
                self._end(milliseconds, origin)
            self.transaction.end()

    def _end(self, milliseconds: int, origin: Origin) -> None:
        context = self.transaction
        self._marker("END", milliseconds, origin, (context.total, context.collections()))

    def _marker(
        self,
        status: str,
        milliseconds: int,
        origin: Origin,
        counts: tuple[int | None, list[Row] | None] = (None, None),
    ) -> None:
        identity = self.transaction.id
        value = {
            "status": status,
            "id": identity,
            "event_count": counts[0],
            "data_collections": counts[1],
            "ts_ms": milliseconds,
        }
        own = self.schemas
        self.out.append(
            ConnectRecord(
                own.topics.transaction,
                own.transaction_key,
                {"id": identity},
                own.transaction_value,
                value,
                origin,
                (),
                None,
                self.partition,
                self.state.offset(),
            )
        )

    def heartbeat(
        self, position: Callable[[Offset], Struct], origin: Origin, *, at_once: bool = False
    ) -> None:
        """Emit a heartbeat if its time has come; `position` takes its value from an offset.

        One that is sent `at_once` asks no timer and sets none.
        """
        if self.interval <= 0:
            return
        now = self.clock()
        if not at_once:
            if now - self._last_heartbeat < self.interval:
                return
            self._last_heartbeat = now
        offset, own = self.state.offset(), self.schemas
        self.out.append(
            ConnectRecord(
                own.topics.heartbeat,
                own.heartbeat_key,
                {"serverName": self.settings.prefix},
                own.heartbeat_value,
                {**position(offset), "ts_ms": now // MILLISECOND},
                origin,
                (),
                0,
                self.partition,
                offset,
            )
        )

    def schema_change(
        self,
        table: TableKey,
        database: str,
        ddl: str,
        origin: Origin,
        changes: Sequence[Struct] = (),
    ) -> None:
        """Emit a DDL statement, with what became of its tables."""
        own = self.schemas
        value: dict[str, Any] = {
            "source": self.state.source(table),
            "ts_ms": self.clock() // MILLISECOND,
            "databaseName": database,
            "schemaName": None,
            "ddl": ddl,
            "tableChanges": list(changes),
        }
        self.out.append(
            ConnectRecord(
                own.topics.schema_change,
                own.change_key,
                {"databaseName": database},
                own.change_value,
                value,
                origin,
                self.context,
                0,
                self.partition,
                self.state.offset(),
            )
        )


def _same(old: Row, new: Row) -> bool:
    """Compare as Java's Double does where floats are among the values: the zeros differ."""
    return old == new and all(
        repr(new[name]) == repr(value) for name, value in old.items() if isinstance(value, float)
    )


def _same_key(shape: TableShape, old: Row, new: Row | None) -> bool:
    return not shape.exact_keys or (new is not None and _same(old, new))
