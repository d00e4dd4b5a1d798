"""The connector: events of the log in, Connect records out.

Source: Debezium reference documentation 3.3, MariaDB connector; records of connector-mariadb
3.3.0.Final.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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
from harness.codecs.debezium_mysql.reads import as_read
from harness.codecs.debezium_mysql.schemas import heartbeat_value, source_schema
from harness.codecs.debezium_mysql.values import conversion, modes
from harness.errors import UsageError
from harness.model.binlog import (
    LogBegin,
    LogCommit,
    LogCopy,
    LogDdl,
    LogEvent,
    LogRow,
    LogSnapshot,
    LogTable,
    LogTruncate,
)
from harness.model.change import Op
from harness.model.record import Origin
from harness.model.table import TableId
from harness.model.values import Row

_FILE: Final = "binlog.000001"
_UNIQUE_INDEX: Final = re.compile(r"CREATE\s+UNIQUE\s+INDEX\b", re.IGNORECASE)
LAST: Final = "last"
# What a copy that breaks off has read and not sent: a row in the reader, and one in the queue.
_HELD_BACK: Final = 2
_LETTERS: Final = {Op.INSERT: "c", Op.UPDATE: "u", Op.DELETE: "d"}
_EVENT: Final = 100  # bytes between two events
# How long an event takes where heartbeats are sent: recordings have one time for all.
SECOND: Final = 1_000 * MILLISECOND


@dataclass(frozen=True, slots=True)
class MysqlDialect:
    """A connector of the family: its name in classes and records, and its version.

    `has_gtids` says whether it knows the GTIDs of its server, and with them where a transaction
    begins: the MySQL connector knows neither of a MariaDB. `has_comments` says whether its parser
    keeps the comments of tables and columns.
    """

    name: str
    version: str
    has_gtids: bool = True
    has_comments: bool = True


DIALECTS: Final = {
    "current": MysqlDialect("mariadb", "3.3.0.Final"),
    "mysql": MysqlDialect("mysql", "3.3.1.Final", has_gtids=False, has_comments=False),
}


@dataclass(slots=True)
class LogState:
    """Where the connector stands in the log. Positions are made up: a server's depend on bytes.

    `snapshot` is that of the source block: its default, or None where the converter writes none.
    `marker` is what stands there while the connector reads what was there before the log.
    `events` counts those of the log, each of which may have many rows. `passed` are the nanoseconds
    by which the connector's clock has gone on.
    """

    prefix: str
    dialect: MysqlDialect
    snapshot: str | None = "false"
    marker: str = ""
    gtid: str = ""
    time: int = 0
    events: int = 0
    row: int = 0
    passed: int = 0
    tables: str | None = None
    database: str | None = None
    transaction: TransactionContext = field(default_factory=TransactionContext)

    @property
    def transaction_id(self) -> str:
        """Return the transaction's GTID."""
        return self.gtid

    @property
    def position(self) -> int:
        """Return where the event begins; with GTIDs one place for all of a transaction."""
        if self.dialect.has_gtids:
            return int(self.gtid.rpartition("-")[2])
        return self.events * _EVENT

    def milliseconds(self) -> int:
        """Return the time of the event under way."""
        return self.time

    def clock(self) -> int:
        """Return what the connector's own clock shows, in nanoseconds."""
        return self.time * MILLISECOND + LATER + self.passed

    def source(self, table: TableKey) -> Struct:
        """Return the source block of a table's records.

        A statement of a copy has the connector's own time, as fine as its clock.
        """
        ddl = self.database is not None
        nanos = self.clock() if ddl and self.marker else self.time * MILLISECOND
        return {
            "version": self.dialect.version,
            "connector": self.dialect.name,
            "name": self.prefix,
            "ts_ms": nanos // MILLISECOND,
            "snapshot": self.marker or self.snapshot,
            "db": self.database if ddl else table.catalog,
            "sequence": None,
            "ts_us": nanos // 1000,
            "ts_ns": nanos,
            "table": self.tables if ddl else table.table,
            "server_id": 0 if self.marker else 1,
            "gtid": self.gtid if self.dialect.has_gtids and not self.marker else None,
            "file": _FILE,
            "pos": self.position,
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
        self._place = selection.reading_order(settings)
        self._ddl = settings.flag("include.schema.changes")
        self._skipped = settings.skipped
        self._shapes: dict[TableKey, tuple[LogTable, TableShape]] = {}
        self._records = RecordEmitter(
            settings=settings,
            schemas=connector_schemas(
                names,
                schema_name,
                dialect.name,
                source,
                heartbeat_value(schema_name),
            ),
            clock=self._state.clock,
            state=self._state,
            transaction=self._state.transaction,
            partition={"server": settings.prefix},
            context=context_headers(settings, "0", dialect.name),
        )
        # This connector skips events of the log, not records: a changed key is whole or not there.
        self._records.skipped = frozenset()
        self._records.metadata &= dialect.has_gtids
        self._shaper = TableShaper(
            conversion=partial(
                conversion,
                found=replace(modes(settings), comments=self._ddl and dialect.has_comments),
            ),
            topics=names,
            rules=mappers.rules(settings, bytes_cut=True),
            column_included=selection.column_filter(settings),
            message_keys=selection.message_keys(settings.optional("message.key.columns")),
            schema_name=schema_name,
            field_name=FIELD_NAMES[settings.field_names],
            source=source,
            block=schemas.BLOCK,
        )

    def emitted(self, events: Iterable[LogEvent]) -> Iterator[Emitted]:
        """Yield the records of a run; raises ConnectorFailed after those before it."""
        for event in events:
            try:
                self._handle(event)
                self._beat(event)
            except JavaError as error:
                yield from self._taken()
                raise not_restarted(error) from error
            yield from self._taken()

    def _taken(self) -> list[Emitted]:
        taken, self._records.out = self._records.out, []
        return taken

    def _arrived(self, event: LogEvent) -> None:
        """Take an event's place and time; where heartbeats are sent, the clock goes on by it."""
        state, starts = self._state, self._state.time == 0
        state.gtid, state.time = event.gtid, event.origin.commit_ts
        if self._records.interval > 0:
            if starts:
                self._records.wait()
            state.passed += SECOND

    def _beat(self, event: LogEvent) -> None:
        """Emit a heartbeat behind an event if its time has come, behind a copy in any case."""
        copied = isinstance(event, LogSnapshot) and event.broken_after is None
        self._records.heartbeat(lambda _: {}, event.origin, at_once=copied)

    def _handle(self, event: LogEvent) -> None:
        state = self._state
        self._arrived(event)
        if not (isinstance(event, LogRow) and event.row):
            state.events += 1
        state.database = state.tables = None
        match event:
            case LogBegin():
                if self._records.metadata:
                    state.begin()
                    self._records.transaction_begun(state.time, event.origin)
            case LogRow():
                self._row(event)
            case LogCommit():
                self._records.transaction_ended(state.time, event.origin)
            case LogTruncate():
                shape = None if "t" in self._skipped else self._shape(event.table)
                if shape is not None:
                    self._records.truncated(shape, event.origin)
            case LogDdl():
                self._changed(event)
            case LogSnapshot():
                self._copied(event)

    def _row(self, event: LogRow) -> None:
        """Emit a row of a captured table, unless its own operation is skipped."""
        shape = None if self._skips(event) else self._shape(event.table)
        if shape is not None:
            self._state.row = event.row
            self._records.change(shape, (event.before, event.after), event.origin)

    def _skips(self, event: LogRow) -> bool:
        """Return whether a row's event is skipped, by its own operation."""
        return _LETTERS[event.op] in self._skipped

    def _copied(self, event: LogSnapshot) -> None:
        """Emit the statements that make what is there, then the rows of captured tables."""
        state = self._state
        copies = sorted(event.tables, key=self._place_of)
        if event.broken_after is not None and copies != [*event.tables]:
            raise UsageError(
                "`keyspace` breaks a copy off that does not read tables by their names",
                expected="`table.include.list` in the order of names, or of one entry",
            )
        rows = [(copy, self._shape(copy.table)) for copy in copies]
        captured = [(copy, shape) for copy, shape in rows if shape is not None]
        found = list(marked([copy for copy, _ in captured]))
        sent = {origin.event for *_, origin in event.sent()}
        if event.broken_after is not None and any(
            one[2].event in sent for one in found[-_HELD_BACK:]
        ):
            raise UsageError(
                f"`keyspace` breaks a copy off behind row {event.broken_after} of {len(found)}",
                expected="two rows fewer: the last two are held back until the copy is whole",
            )
        shapes = {id(copy): shape for copy, shape in captured}
        for number, statement in enumerate(event.statements, 1):
            last = number == len(event.statements) and not found
            state.marker = LAST if last else "true"
            self._changed(statement)
        state.database = state.tables = None
        for copy, row, origin, state.marker in found:
            if origin.event not in sent:
                continue
            cells = as_read(copy.table.table.columns, row)
            self._records.read(shapes[id(copy)], cells, origin)
        state.marker = ""

    def _place_of(self, copy: LogCopy) -> int:
        """Return which entry of `table.include.list` a table is read for."""
        return self._place(str(copy.table.table.id))

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
        if not self._ddl:
            return
        tables, made = event.tables, event.changes
        if _UNIQUE_INDEX.match(event.sql) and not self._any_captured(tables or ()):
            tables, made = (), ()  # the parser passes a unique index of a table over
        state = self._state
        state.database = event.database
        state.tables = None if tables is None else listed_tables(tables)
        describe = partial(described, comments=state.dialect.has_comments)
        changes = [
            {
                "type": change.type,
                "id": quoted_id(change.id),
                "table": None if change.table is None else describe(change.table),
            }
            for change in made
        ]
        key = TableKey(event.database, "", "")
        self._records.schema_change(key, event.database, event.sql, event.origin, changes)

    def _any_captured(self, tables: Iterable[TableId]) -> bool:
        return any(self._captured(one.schema, one.name) for one in tables)


def marked(copies: Sequence[LogCopy]) -> Iterator[tuple[LogCopy, Row, Origin, str]]:
    """Yield the rows of tables with where each stands in the copy; the last row of all is so."""
    rows = [
        (copy, row, origin, _marker(number, at, len(copy.rows)))
        for number, copy in enumerate(copies)
        for at, (row, origin) in enumerate(copy.rows, 1)
    ]
    yield from rows[:-1]
    yield from ((copy, row, origin, LAST) for copy, row, origin, _ in rows[-1:])


def _marker(table: int, at: int, count: int) -> str:
    """Return the marker of a table's row; the first table's first row wins over its last."""
    if at == 1 and table == 0:
        return "first"
    if at == count:
        return "last_in_data_collection"
    return "first_in_data_collection" if at == 1 else "true"


def quoted_id(table: TableId) -> str:
    """Return a table's name in double quotes, as TableId.java `toDoubleQuotedString` does."""
    return f"{_in_quotes(table.schema)}.{_in_quotes(table.name)}"


def _in_quotes(name: str) -> str:
    """Return a name in quotes, those inside doubled; one with a quote at an end as it is."""
    return name if '"' in {name[0], name[-1]} else '"' + name.replace('"', '""') + '"'


def listed_tables(tables: Iterable[TableId]) -> str:
    """Return a statement's tables as the source block lists them, in the order of a HashSet."""
    names = {str(table): table.name for table in tables}
    return ",".join(names[name] for name in hash_order(names, buckets(len(names))))
