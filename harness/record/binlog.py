"""Row events from a server's binary log, each tied to the statement that caused it.

Before each statement a savepoint is set whose name says which statement follows. The server writes
savepoints into the log among the row events of the transaction, and a rollback to an earlier one
takes both back alike. It leaves out savepoints before the first row event; what precedes the first
one that is there belongs to the statement before it.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pymysql  # type: ignore[import-untyped]
from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.event import QueryEvent, XidEvent
from pymysqlreplication.row_event import DeleteRowsEvent, UpdateRowsEvent, WriteRowsEvent

from harness.errors import SetupError
from harness.model.change import Op
from harness.model.columns import Column
from harness.model.table import TableId
from harness.model.values import Row
from harness.record.image import read_image
from harness.record.server import Server, SqlError, Upstream

MARK = re.compile(r"SAVEPOINT `?harness_(\d+)_(\d+)`?\Z", re.IGNORECASE)
TIMEOUT_S = 30
REPLICA_ID = 4_294_967_294  # an id that no real replica is likely to have
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
        found = _end(server)
        for _ in _events(server.upstream, found, []):
            break
    except (SqlError, pymysql.Error):
        return None
    return found


def _end(server: Server) -> Position:
    try:
        (row,) = server.rows("SHOW MASTER STATUS")
    except SqlError:  # MySQL 8.4 renamed it
        (row,) = server.rows("SHOW BINARY LOG STATUS")
    return Position((row[0] or b"").decode(), int(row[1] or 0))


def mark(server: Server, step: int, statement: int) -> None:
    """Say in the log that the events from here on belong to a statement."""
    server.run(f"SAVEPOINT harness_{step}_{statement}")


def logged(server: Server, begin: Position, databases: Sequence[str]) -> Logged:
    """Return the row events in our databases since `begin`, by step and statement.

    Raises SetupError when the log cannot be read, or has row events that no recording made.
    """
    sorting = _Sorting()
    try:
        for event in _events(server.upstream, begin, databases):
            sorting.take(event)
    except pymysql.Error as error:
        raise SetupError(f"cannot read the binary log of {server.upstream}: {error}") from error
    if sorting.strange:
        raise SetupError(
            f"the binary log of {server.upstream} has rows in {', '.join(databases)} that this"
            " recording did not write",
            hint="let nobody else write into the scenario's databases while it is recorded",
        )
    return sorting.found


class _Sorting:
    """Row events, sorted to the statements by the marks between them."""

    def __init__(self) -> None:
        self.found: Logged = {}
        self.pending: list[LoggedRows] = []
        self.current: tuple[int, int] | None = None
        self.strange = False

    def take(self, event: Any) -> None:  # noqa: ANN401 - the library is untyped
        kind = type(event).__name__
        if kind in OPS:
            table = TableId(_text(event.schema), _text(event.table))
            rows = LoggedRows(OPS[kind], table, event)
            if self.current is None:
                self.pending.append(rows)
            else:
                self.found.setdefault(self.current, []).append(rows)
        elif kind == "QueryEvent" and (marked := MARK.match(_text(event.query))):
            self.marked(int(marked[1]), int(marked[2]))
        elif kind == "XidEvent":  # a transaction ends; its last mark stood before the end
            self.strange = self.strange or bool(self.pending)
            self.pending, self.current = [], None

    def marked(self, step: int, statement: int) -> None:
        if self.pending:
            self.found.setdefault((step, statement - 1), []).extend(self.pending)
            self.pending = []
        self.current = step, statement


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _events(upstream: Upstream, begin: Position, databases: Sequence[str]) -> Iterator[Any]:
    """Yield queries, and row events in these databases, up to the end of the log."""
    logging.getLogger("pymysqlreplication").setLevel(logging.ERROR)
    settings = {
        "host": upstream.host,
        "port": upstream.port,
        "user": upstream.user,
        "passwd": upstream.password,
        "charset": "utf8mb4",
        "connect_timeout": TIMEOUT_S,
        "read_timeout": TIMEOUT_S,
    }
    stream: Any = BinLogStreamReader(
        connection_settings=settings,
        server_id=REPLICA_ID,
        log_file=begin.file,
        log_pos=begin.offset,
        resume_stream=True,
        blocking=False,
        only_events=[QueryEvent, XidEvent, WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent],
        enable_logging=False,
    )
    ours = {name.lower() for name in databases}
    try:
        for event in stream:
            if type(event).__name__ not in OPS or _text(event.schema).lower() in ours:
                yield event
    finally:
        stream.close()
