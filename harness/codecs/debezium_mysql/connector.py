"""The connector: events of the log in, Connect records out.

Source: Debezium reference documentation 3.3, MariaDB connector; records of connector-mariadb
3.3.0.Final.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from harness.codecs.connect.errors import JavaError
from harness.codecs.connect.java import buckets, hash_order
from harness.codecs.connect.schema import Offset, Struct
from harness.codecs.debezium import mappers, schemas, selection
from harness.codecs.debezium.adjustment import FIELD_NAMES, SCHEMA_NAMES
from harness.codecs.debezium.emitter import (
    LATER,
    MILLISECOND,
    Emitted,
    RecordEmitter,
    connector_schemas,
    context_headers,
)
from harness.codecs.debezium.errors import not_restarted
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.tables import TableShape, TableShaper
from harness.codecs.debezium.topics import TableKey, topics
from harness.codecs.debezium.transactions import TransactionContext
from harness.codecs.debezium_mysql.columns import column_types, described
from harness.codecs.debezium_mysql.schemas import heartbeat_value, source_schema
from harness.codecs.debezium_mysql.values import conversion, modes
from harness.model.binlog import (
    LogBegin,
    LogCommit,
    LogDdl,
    LogEvent,
    LogRow,
    LogTable,
    LogTruncate,
)
from harness.model.table import TableId

_FILE: Final = "binlog.000001"


@dataclass(frozen=True, slots=True)
class MysqlDialect:
    """A connector of the family: its name in classes and records, and its version."""

    name: str
    version: str


DIALECTS: Final = {"current": MysqlDialect("mariadb", "3.3.0.Final")}


@dataclass(slots=True)
class LogState:
    """Where the connector stands in the log. Positions are made up: a server's depend on bytes.

    `snapshot` is that of the source block: its default, or None where the converter writes none.
    """

    prefix: str
    dialect: MysqlDialect
    snapshot: str | None = "false"
    gtid: str = ""
    time: int = 0
    row: int = 0
    tables: str | None = None
    database: str | None = None
    transaction: TransactionContext = field(default_factory=TransactionContext)

    @property
    def transaction_id(self) -> str:
        """Return the transaction's GTID."""
        return self.gtid

    def milliseconds(self) -> int:
        """Return the time of the event under way."""
        return self.time

    def source(self, table: TableKey) -> Struct:
        """Return the source block of a table's records."""
        ddl = self.database is not None
        return {
            "version": self.dialect.version,
            "connector": self.dialect.name,
            "name": self.prefix,
            "ts_ms": self.time,
            "snapshot": self.snapshot,
            "db": self.database if ddl else table.catalog,
            "sequence": None,
            "ts_us": self.time * 1000,
            "ts_ns": self.time * MILLISECOND,
            "table": self.tables if ddl else table.table,
            "server_id": 1,
            "gtid": self.gtid,
            "file": _FILE,
            "pos": int(self.gtid.rpartition("-")[2]),
            "row": self.row,
            "thread": None,
            "query": None,
        }

    def offset(self) -> Offset:
        """Return what Connect would store with a record."""
        return {"file": _FILE, "gtids": self.gtid, "row": self.row}

    def begin(self) -> None:
        """Open the transaction that events belong to."""
        self.transaction.begin(self.gtid)


class Connector:
    """One run of a connector, from its start until it stops."""

    def __init__(
        self, settings: ConnectorSettings, dialect: MysqlDialect, snapshot: str | None
    ) -> None:
        """Build what the settings say about names, schemas and tables."""
        schema_name = SCHEMA_NAMES[settings.mode("schema.name.adjustment.mode")]
        names, source = topics(settings, {}), source_schema(schema_name, dialect.name)
        self._state = LogState(settings.prefix, dialect, snapshot)
        self._captured = selection.table_filter(settings)
        self._ddl = settings.flag("include.schema.changes")
        self._shapes: dict[TableKey, tuple[LogTable, TableShape]] = {}
        self._records = RecordEmitter(
            settings=settings,
            schemas=connector_schemas(
                names,
                schema_name,
                dialect.name,
                source,
                heartbeat_value(schema_name, dialect.name),
            ),
            clock=lambda: self._state.time * MILLISECOND + LATER,
            state=self._state,
            transaction=self._state.transaction,
            partition={"server": settings.prefix},
            context=context_headers(settings, "0", dialect.name),
        )
        self._shaper = TableShaper(
            conversion=partial(conversion, found=modes(settings)),
            topics=names,
            rules=mappers.rules(settings, bytes_cut=True),
            column_included=selection.column_filter(settings),
            message_keys=selection.message_keys(settings.optional("message.key.columns")),
            schema_name=schema_name,
            field_name=FIELD_NAMES[settings.mode("field.name.adjustment.mode")],
            source=source,
            block=schemas.BLOCK,
        )

    def emitted(self, events: Iterable[LogEvent]) -> Iterator[Emitted]:
        """Yield the records of a run; raises ConnectorFailed after those before it."""
        for event in events:
            try:
                self._handle(event)
            except JavaError as error:
                yield from self._taken()
                raise not_restarted(error) from error
            yield from self._taken()

    def _taken(self) -> list[Emitted]:
        taken, self._records.out = self._records.out, []
        return taken

    def _handle(self, event: LogEvent) -> None:
        state = self._state
        state.gtid, state.time = event.gtid, event.origin.commit_ts
        state.database = state.tables = None
        match event:
            case LogBegin():
                if self._records.metadata:
                    state.begin()
                    self._records.transaction_begun(state.time, event.origin)
            case LogRow():
                shape = self._shape(event.table)
                if shape is not None:
                    state.row = event.row
                    self._records.change(shape, (event.before, event.after), event.origin)
            case LogCommit():
                self._records.transaction_ended(state.time, event.origin)
            case LogTruncate():
                shape = self._shape(event.table)
                if shape is not None:
                    self._records.truncated(shape, event.origin)
            case LogDdl():
                self._changed(event)

    def _shape(self, table: LogTable) -> TableShape | None:
        """Return a table's shape as it is now, None for one that is not captured."""
        name = table.table.id
        if not self._captured(name.schema, name.name):
            return None
        key = TableKey(name.schema, "", name.name)
        known = self._shapes.get(key)
        if known is None or known[0] is not table:
            known = table, self._shaper.shape(key, column_types(table), table.key)
            self._shapes[key] = known
        return known[1]

    def _changed(self, event: LogDdl) -> None:
        """Emit a statement, by default one about tables that are not captured as well."""
        tables = event.tables
        if not self._ddl:
            return
        state = self._state
        state.row, state.database = event.row, event.database
        state.tables = None if tables is None else listed_tables(tables)
        changes = [
            {
                "type": change.type,
                "id": f'"{change.id.schema}"."{change.id.name}"',
                "table": None if change.table is None else described(change.table),
            }
            for change in event.changes
        ]
        key = TableKey(event.database, "", "")
        self._records.schema_change(key, event.database, event.sql, event.origin, changes)


def listed_tables(tables: Iterable[TableId]) -> str:
    """Return a statement's tables as the source block lists them, in the order of a HashSet."""
    names = {str(table): table.name for table in tables}
    return ",".join(names[name] for name in hash_order(names, buckets(len(names))))
