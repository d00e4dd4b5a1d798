"""What a connector reads at its start: statements that make the tables, and the rows in them.

Source: debezium-connector-binlog 3.3.0, BinlogSnapshotChangeEventSource.java; debezium-core 3.3.0,
RelationalSnapshotChangeEventSource.java.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from harness.ddl.charsets import BINARY
from harness.errors import StepError
from harness.model.binlog import LogCopy, LogDdl, LogSnapshot, LogTable, LogTableChange
from harness.model.columns import ColumnKind
from harness.model.record import Origin
from harness.model.table import Index, TableId
from harness.model.values import Row
from harness.sources.stored import Stored, scanned_by

# `snapshot.mode` by what it does at a first start; each value is said in the connector's page.
COPYING: Final = frozenset({"initial", "initial_only", "always", "when_needed"})
STREAMING: Final = frozenset({"initial", "always", "when_needed", "no_data"})
# A row that was read waits for the next one in the connector, and for one more in its queue.
HELD_BACK: Final = 2
_CHARSET: Final = "utf8mb4"
_COLLATION: Final = "utf8mb4_bin"
_SERVER: Final = f"SET character_set_server={_CHARSET}, collation_server={_COLLATION}"


@dataclass(frozen=True, slots=True)
class Found:
    """What a server has when a connector starts behind the transaction `gtid`.

    `texts` are the tables' SHOW CREATE TABLE; `number` counts events on.
    """

    gtid: str
    tables: Sequence[LogTable]
    texts: Mapping[TableId, str]
    stored: Stored
    origin: Origin
    number: Callable[[], int]

    def snapshot(self, *, rows: bool) -> LogSnapshot:
        """Return what the connector reads, with the tables' rows or without them."""
        tables = sorted(self.tables, key=lambda one: str(one.table.id))
        copies = tuple(self._copy(one) for one in tables) if rows else ()
        return LogSnapshot(self.gtid, tuple(self._statements(tables)), copies, self.origin)

    def _statements(self, tables: Iterable[LogTable]) -> Iterator[LogDdl]:
        known = list(tables)
        yield self._statement(_SERVER, "", None, ())
        for one in known:
            name = one.table.id
            gone = (LogTableChange("DROP", name, None),)
            yield self._statement(f"DROP TABLE IF EXISTS {_full(name)}", name.schema, (name,), gone)
        for schema, own in groupby(known, key=lambda one: one.table.id.schema):
            database = f"`{schema}`"
            made = f"CREATE DATABASE {database} CHARSET {_CHARSET} COLLATE {_COLLATION}"
            yield self._statement(f"DROP DATABASE IF EXISTS {database}", schema, None, ())
            yield self._statement(made, schema, None, ())
            yield self._statement(f"USE {database}", schema, None, ())
            for one in own:
                name = one.table.id
                change = (LogTableChange("CREATE", name, one),)
                yield self._statement(self.texts[name], schema, (name,), change)

    def _statement(
        self,
        sql: str,
        database: str,
        tables: tuple[TableId, ...] | None,
        changes: tuple[LogTableChange, ...],
    ) -> LogDdl:
        origin = replace(self.origin, event=self.number(), kind="ddl")
        return LogDdl(self.gtid, sql, database, tables, changes, origin)

    def _copy(self, table: LogTable) -> LogCopy:
        kept = self.stored.rows.get(("", table.table.id), [])
        for row, origin in kept:
            _check(table, row, origin.line)
        # Sorting is stable: without a primary key they stay as they came.
        ordered = sorted(kept, key=lambda pair: _place(table, pair[0], pair[1].line))
        return LogCopy(
            table,
            tuple(
                (row, replace(origin, event=self.number(), kind="read")) for row, origin in ordered
            ),
        )


def _check(table: LogTable, row: Row, line: int) -> None:
    """Refuse a value that this connector reads otherwise than it stands in the log, or not at all.

    Source: connector-mariadb 3.3.0.Final over MariaDB Connector/J.
    """
    for column, value in zip(table.table.columns, row, strict=True):
        why = ""
        if column.kind is ColumnKind.YEAR and value == 0:
            why = "the MariaDB connector fails at a YEAR of 0000"
        elif any(set(one) & set("\\\n\r\0") for one in column.members):
            why = "the connector escapes what is in a member in the log, and not in a copy"
        elif column.members and column.charset == BINARY:
            why = "the connector's reader fails at rows with members in CHARACTER SET binary"
        if why:
            raise StepError(
                f"{table.table.id}.{column.name} cannot be copied: {why}",
                line=line,
                expected="other values where a connector copies what is there",
            )


def _full(name: TableId) -> str:
    return f"`{name.schema}`.`{name.name}`"


def _place(table: LogTable, row: Row, line: int) -> tuple[object, ...]:
    """Return where a scan meets a row: by the primary key, or the first that is never NULL.

    An index that holds all columns with those of that key is shorter than the rows: it is read.
    """
    own, known = table.table, {column.name for column in table.table.columns}
    keys = (index for index in own.indexes if index.unique and not index.primary)
    whole = (k for k in keys if not any(own.column(n).nullable for n in k.columns))
    key = own.primary_key or next(whole, None)
    clustered = () if key is None else key.columns
    others = (index for index in own.indexes if index is not key)
    holding = [one.columns for one in others if _holds(one, known - {*clustered})]
    first = min(holding, key=len, default=())
    ordinals = [own.position(name) for name in (*first, *clustered)]
    return tuple(scanned_by(own.columns[n], row[n], line) for n in ordinals)


def _holds(index: Index, names: set[str]) -> bool:
    whole = {part.column for part in index.parts if part.column and not part.length}
    return names <= whole
