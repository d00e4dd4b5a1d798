"""Row events from a server's binary log, each tied to the statement that caused it.

Before each statement a row is written into a table of marks, within the same transaction. Its row
event says in the log which statement's events follow, and a rollback to a savepoint takes marks and
events back alike. (Marks that are queries, such as savepoints, would not do: mysql-replication
1.0.17 fails on the query events of MariaDB 11.4 that carry status variables it does not know.)
"""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pymysql  # type: ignore[import-untyped]
from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.event import XidEvent
from pymysqlreplication.row_event import DeleteRowsEvent, UpdateRowsEvent, WriteRowsEvent

from harness.errors import SetupError
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.table import TableId
from harness.model.values import Row
from harness.record.image import read_image
from harness.record.server import Server, SqlError, quoted

TIMEOUT_S = 30
REPLICA_ID = 4_294_967_294  # an id that no real replica is likely to have
MARKS = "marks"
MARK_COLUMNS = (Column(1, "step", ColumnKind.INT), Column(2, "statement", ColumnKind.INT))
OPS: Mapping[str, Op] = {
    "WriteRowsEvent": Op.INSERT,
    "UpdateRowsEvent": Op.UPDATE,
    "DeleteRowsEvent": Op.DELETE,
}


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a server's binary log."""

    file: str
    offset: int


@dataclass(frozen=True, slots=True)
class LoggedRows:
    """One row event, its images still unread: `read` needs the table's columns of that moment."""

    op: Op
    table: TableId
    event: Any

    def read(self, columns: Sequence[Column]) -> Iterator[tuple[Row | None, Row | None]]:
        """Yield before and after of each row, once only; ValueError when columns do not fit."""
        event, packet = self.event, self.event.packet
        metas, first = event.columns, event.columns_present_bitmap
        while packet.read_bytes < event.event_size:
            image = read_image(packet, metas, first, columns)
            if self.op is Op.INSERT:
                yield None, image
            elif self.op is Op.DELETE:
                yield image, None
            else:
                yield image, read_image(packet, metas, event.columns_present_bitmap2, columns)


Logged = dict[tuple[int, int], list[LoggedRows]]  # (step, statement) -> events


def marks_database() -> str:
    """Return a name for the database of the marks, which no other recording has."""
    return f"harness_marks_{secrets.token_hex(4)}"


def prepare_marks(server: Server, database: str) -> None:
    """Create the table of marks."""
    server.run(
        f"CREATE TABLE {quoted(database)}.{MARKS} (step INT NOT NULL, statement INT NOT NULL)"
        " ENGINE = InnoDB"
    )


def position(server: Server) -> Position | None:
    """Return where the server's log ends, None when it has none that can be used.

    A usable log has whole rows, for this session, and may be read by this user.
    """
    if server.variable("log_bin") not in {"1", "ON"} or "TIDB" in server.version.upper():
        return None
    try:
        if server.variable("binlog_format") != "ROW":
            server.run("SET SESSION binlog_format = 'ROW'")
        if server.variable("binlog_row_image") != "FULL":
            server.run("SET SESSION binlog_row_image = 'FULL'")
        found = end(server)
        for _ in _events(server, found, []):
            break
    except (SqlError, pymysql.Error):
        return None
    return found


def end(server: Server) -> Position:
    """Return where the log of a server ends now."""
    try:
        (row,) = server.rows("SHOW MASTER STATUS")
    except SqlError:  # MySQL 8.4 renamed it
        (row,) = server.rows("SHOW BINARY LOG STATUS")
    return Position((row[0] or b"").decode(), int(row[1] or 0))


def mark(server: Server, database: str, step: int, statement: int) -> None:
    """Say in the log that the events from here on belong to a statement."""
    marks = f"{quoted(database)}.{MARKS}"
    server.run(f"INSERT INTO {marks} VALUES ({step}, {statement})")  # noqa: S608 - numbers


def logged(server: Server, begin: Position, databases: Sequence[str], marks: str) -> Logged:
    """Return the row events in these databases since `begin`, by step and statement.

    `marks` is the database of the marks. Raises SetupError when the log cannot be read, or has row
    events that this recording did not write.
    """
    found: Logged = {}
    current: tuple[int, int] | None = None
    try:
        for event in _events(server, begin, [*databases, marks]):
            kind = type(event).__name__
            if kind not in OPS:  # the end of a transaction
                current = None
                continue
            rows = LoggedRows(OPS[kind], TableId(_text(event.schema), _text(event.table)), event)
            if rows.table.schema.lower() == marks:
                current = _mark_of(rows)
            elif current is None:
                raise SetupError(
                    f"the binary log of {server.upstream} has rows of {rows.table} outside of any"
                    " transaction of this recording",
                    expected="tables of a transactional engine that nobody else writes into",
                )
            else:
                found.setdefault(current, []).append(rows)
    except pymysql.Error as error:
        raise SetupError(
            f"cannot read the binary log of {server.upstream}: {error}",
            expected="an account with REPLICATION SLAVE, and a log that was not purged",
        ) from error
    return found


def _mark_of(rows: LoggedRows) -> tuple[int, int]:
    """Return step and statement of a mark."""
    ((_, image),) = rows.read(MARK_COLUMNS)
    assert image is not None
    step, statement = image
    assert isinstance(step, int)
    assert isinstance(statement, int)
    return step, statement


def _connect(**settings: Any) -> Any:  # noqa: ANN401 - the library is untyped
    """Connect under the name that PyMySQL no longer deprecates."""
    if "db" in settings:
        settings["database"] = settings.pop("db")
    return pymysql.connect(**settings)


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _events(server: Server, begin: Position, databases: Sequence[str]) -> Iterator[Any]:
    """Yield row events in these databases, and ends of transactions, up to the end of the log."""
    upstream = server.upstream
    logging.getLogger("pymysqlreplication").setLevel(logging.ERROR)
    settings = {
        "host": upstream.host,
        "port": upstream.port,
        "user": upstream.user,
        "password": upstream.password,
        "charset": "utf8mb4",
        "connect_timeout": TIMEOUT_S,
        "read_timeout": TIMEOUT_S,
        # Getting ready for TLS takes longer than all else, also where the server has none.
        "ssl_disabled": not server.encrypted,
    }
    stream: Any = BinLogStreamReader(
        connection_settings=settings,
        server_id=REPLICA_ID,
        log_file=begin.file,
        log_pos=begin.offset,
        resume_stream=True,
        blocking=False,
        only_events=[XidEvent, WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent],
        enable_logging=False,
        pymysql_wrapper=_connect,
    )
    ours = {name.lower() for name in databases}
    try:
        for event in stream:
            if type(event).__name__ not in OPS or _text(event.schema).lower() in ours:
                yield event
    finally:
        stream.close()
