"""What a connector reads in the binary log of MariaDB or MySQL: transactions, rows and DDL.

Before the log it may read what is there already: statements that make the tables, then rows. Each
event carries what the connector knows by then (the table's version), so that one is enough to
encode it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from harness.model.change import Op
from harness.model.record import Origin
from harness.model.table import Table, TableId
from harness.model.values import Row


@dataclass(frozen=True, slots=True)
class LogTable:
    """A version of a table as a connector knows it by its DDL.

    `key` are the columns that it takes for the key, in key order; `spelled` has the types that the
    DDL spelled in another word, and with their digits FLOAT(p), BLOB(n) and others, of which a
    server keeps the type alone; "CHAR()" is one without a length;
    `optional` says of columns whether they may be NULL to it, where the table has it otherwise;
    `signs` names those that were declared SIGNED or BINARY, words that the server does not keep;
    `comments` has them, and `comment` the table's, as statements do, also where the server has them
    no more; `filled` are the columns to which it takes the server to give values, `members` those
    of an ENUM or a SET that CHANGE COLUMN made another type of.
    """

    table: Table
    key: tuple[str, ...] = ()
    spelled: tuple[tuple[str, str], ...] = ()
    optional: tuple[tuple[str, bool], ...] = ()
    signs: tuple[tuple[str, str], ...] = ()
    comments: tuple[tuple[str, str], ...] = ()
    filled: tuple[str, ...] = ()
    members: tuple[tuple[str, tuple[str, ...]], ...] = ()
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class LogBegin:
    """A GTID event: a transaction or a DDL statement begins."""

    gtid: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row of a row event, `row` counted within that event."""

    gtid: str
    op: Op
    table: LogTable
    before: Row | None
    after: Row | None
    row: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class LogCommit:
    """The end of a transaction."""

    gtid: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class LogTruncate:
    """TRUNCATE TABLE."""

    gtid: str
    table: LogTable
    origin: Origin


@dataclass(frozen=True, slots=True)
class LogTableChange:
    """What a statement made of one table: `table` is None for one that is gone."""

    type: str
    id: TableId
    table: LogTable | None


@dataclass(frozen=True, slots=True)
class LogDdl:
    """A statement as the connector's parser takes it: one record on the schema-change topic.

    `tables` are all tables of the statement in `database`, None where it is about the database
    itself.
    """

    gtid: str
    sql: str
    database: str
    tables: tuple[TableId, ...] | None
    changes: tuple[LogTableChange, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class LogCopy:
    """The rows of one table that are there when a connector starts, in the order of its SELECT."""

    table: LogTable
    rows: tuple[tuple[Row, Origin], ...]


@dataclass(frozen=True, slots=True)
class LogSnapshot:
    """What a connector reads at its start, behind the transaction `gtid`.

    `statements` make the tables that are there; `tables` are in the order of their names, none
    where rows are not asked for. `broken_after` is how many of their rows are sent before the
    connector dies, None where it reads them all.
    """

    gtid: str
    statements: tuple[LogDdl, ...]
    tables: tuple[LogCopy, ...]
    origin: Origin
    broken_after: int | None = None

    def sent(self) -> Iterator[tuple[LogTable, Row, Origin]]:
        """Yield the rows that are sent, each with its table: all, or those before the break."""
        rows = ((copy.table, row, origin) for copy in self.tables for row, origin in copy.rows)
        return islice(rows, self.broken_after)


LogEvent = LogBegin | LogRow | LogCommit | LogTruncate | LogDdl | LogSnapshot
