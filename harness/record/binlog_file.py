"""The events of a whole binary log: a file, or what a server dumps of its own.

Framing, checksums and queries are read here, tables and heads of row events by `mysql-replication`,
the rows' values by `image`. What a log holds in a form that nobody reads here is refused, never
passed over.
Source: MySQL 8.0 libbinlogevents/include/binlog_event.h, control_events.h
(Format_description_event), statement_events.h (Query_event); MariaDB 11.4 sql/log_event.h.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymysql  # type: ignore[import-untyped]
from pymysql.protocol import MysqlPacket  # type: ignore[import-untyped]
from pymysqlreplication.exceptions import MalformedBinLogEvent
from pymysqlreplication.packet import BinLogPacketWrapper
from pymysqlreplication.row_event import (
    DeleteRowsEvent,
    TableMapEvent,
    UpdateRowsEvent,
    WriteRowsEvent,
)

from harness.database.driver import Address
from harness.errors import SetupError, UsageError, next_step
from harness.model.table import TableId
from harness.record.binlog import OPS, REPLICA_ID, TIMEOUT_S, LoggedRows

ENCRYPTED = b"\xfdbin"
FIRST = 4  # the position of the first event
HEADER = struct.Struct("<IBIIIH")  # time, type, server, size, end, flags
QUERY = struct.Struct("<IIBHH")  # thread, seconds, bytes of the database, error, status variables
CHECKSUM = 4
EVENT_BYTES_MAX = 1 << 26
ARTIFICIAL = 0x20  # made for the reader, not in the file
COM_BINLOG_DUMP, NON_BLOCKING = 0x12, 1
# Error numbers: no such log, a server without one; the right is lacking.
NO_LOG, DENIED = frozenset({1220, 1236, 1381}), frozenset({1044, 1045, 1227})

QUERY_EVENT, ROTATE, DESCRIPTION, XID = 2, 4, 15, 16
ROW_EVENTS = frozenset({19, 23, 24, 25, 30, 31, 32})  # tables, then rows in versions 1 and 2
# Type of an event -> what it is, where it holds changes in a form that is not read here.
UNREAD: Mapping[int, str] = {
    17: "rows of LOAD DATA as a file",
    18: "rows of LOAD DATA as a file",
    20: "rows in a form from before MySQL 5.1",
    21: "rows in a form from before MySQL 5.1",
    22: "rows in a form from before MySQL 5.1",
    26: "a gap (an incident of the server)",
    38: "a transaction of two phases (XA)",
    39: "parts of JSON documents (binlog_row_value_options)",
    40: "compressed transactions (binlog_transaction_compression)",
    164: "encrypted events",
    **dict.fromkeys(range(165, 172), "compressed events (log_bin_compress)"),
}


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One event with its header, and where it begins: `file:position`."""

    place: str
    data: bytes

    @property
    def kind(self) -> int:
        """Return the number of its type."""
        return self.data[4]


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """A statement in the log, with the database that was current."""

    place: str
    database: str
    sql: str


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """A row event in the log; its images are still unread."""

    place: str
    rows: LoggedRows


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """The end of a transaction in the log."""

    place: str


LoggedEvent = LoggedQuery | LoggedChange | LoggedCommit


def events_of_file(file: Path, start: int = FIRST, stop: int = 0) -> Iterator[RawEvent]:
    """Yield the events of a log's file that begin in [start, stop), and what describes them.

    A `stop` of 0 is the end. Raises UsageError for what is no log, and for a torn one.
    """
    try:
        with file.open("rb") as opened:
            if opened.read(FIRST) == ENCRYPTED:
                raise UsageError(
                    f"{file} is encrypted",
                    expected="a binary log in the clear",
                    hint="take it from the server: mysqlbinlog --read-from-remote-server --raw",
                )
            at = FIRST
            while header := opened.read(HEADER.size):
                place = f"{file}:{at}"
                data = header + opened.read(_size(header, place) - len(header))
                if len(data) < _size(header, place):
                    raise _spoiled(place, "the file ends within it")
                if stop and at >= stop:
                    return
                if at >= start or data[4] == DESCRIPTION:
                    yield RawEvent(place, data)
                at += len(data)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", hint=next_step(error)) from None


def events_of_server(
    server: Address, log: str, start: int = FIRST, stop: int = 0
) -> Iterator[RawEvent]:
    """Yield what a server has in its log of this name and those after it, up to now.

    `stop` is a position in the named log. Raises SetupError when the server cannot be reached or
    refuses us, UsageError for a log that it does not have.
    """
    try:
        connection: Any = pymysql.connect(
            host=server.host,
            port=server.port,
            user=server.user,
            password=server.password,
            connect_timeout=TIMEOUT_S,
            read_timeout=TIMEOUT_S,
        )
        with closing(connection):
            with connection.cursor() as cursor:
                cursor.execute("SET @master_binlog_checksum = @@global.binlog_checksum")
                cursor.execute("SET @mariadb_slave_capability = 4")
            asked = struct.pack("<IHI", start, NON_BLOCKING, REPLICA_ID) + log.encode()
            connection._execute_command(COM_BINLOG_DUMP, asked)  # noqa: SLF001 - has no other name
            yield from _dumped(connection, log, stop)
    except (pymysql.Error, OSError) as error:
        raise _refusal(error, f"{server.user}@{server.host}:{server.port}", log) from error


def _dumped(connection: Any, log: str, stop: int) -> Iterator[RawEvent]:  # noqa: ANN401 - untyped
    file = log
    while not (packet := connection._read_packet()).is_eof_packet():  # noqa: SLF001 - see above
        data = bytes(packet.get_all_data()[1:])
        size = _size(data[: HEADER.size], f"{file}, an event")
        end, flags = HEADER.unpack_from(data)[4:]
        place = f"{file}:{max(0, end - size)}"
        if data[4] == ROTATE:
            # A checksum may stand behind the name; names of one server's logs are as long.
            file = data[HEADER.size + 8 :][: len(log)].decode(errors="replace")
        elif stop and (file != log or end - size >= stop):
            return
        elif data[4] == DESCRIPTION or not flags & ARTIFICIAL:
            yield RawEvent(place, data)


def _refusal(error: Exception, server: str, log: str) -> UsageError | SetupError:
    number = error.args[0] if error.args else 0
    if number in NO_LOG:
        return UsageError(
            f"{server} gives no binary log {log}: {error}",
            expected="one of those that SHOW BINARY LOGS lists, and a position where an event is",
        )
    if number in DENIED:
        return SetupError(
            f"{server} refuses its binary log: {error}",
            hint="check user and password (or MYSQL_PWD); GRANT REPLICATION SLAVE ON *.* lets a"
            " user read logs",
        )
    return SetupError(
        f"the binary log of {server} cannot be read: {error}",
        hint="check that it runs, and host and port in --from",
    )


def _size(header: bytes, place: str) -> int:
    if len(header) < HEADER.size:
        raise _spoiled(place, "its header is cut off")
    size = int(HEADER.unpack(header)[3])
    if not HEADER.size <= size <= EVENT_BYTES_MAX:
        raise _spoiled(place, f"it says that it has {size} bytes")
    return size


def _spoiled(place: str, what: str) -> UsageError:
    return UsageError(
        f"{place}: this is no event of a binary log: {what}",
        expected="a whole log of MySQL 5.6 or MariaDB 10 or later, and positions of its events",
        hint="mysqlbinlog reads the same log, and prints the positions",
    )


def logged_events(raw: Iterable[RawEvent]) -> Iterator[LoggedEvent]:
    """Yield queries, row events and commits; UsageError, with its place, for what is not read."""
    reader = _Reader()
    for event in raw:
        try:
            found = reader.read(event)
        except _UNREADABLE as error:
            raise _spoiled(event.place, str(error) or type(error).__name__) from None
        if found is not None:
            yield found


# What the library raises on bytes that are not what it takes them for.
_UNREADABLE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MalformedBinLogEvent,
    MemoryError,
    TypeError,
    ValueError,
    struct.error,
)


@dataclass(slots=True)
class _Dialect:
    """What the library asks of a connection."""

    charset: str = "utf8mb4"
    name: str = "mysql"

    def _get_dbms(self) -> str:
        return self.name


@dataclass(slots=True)
class _Reader:
    """What the events before have said: of the log's form, and of its tables by number."""

    checked: bool = False
    lengths: tuple[int, ...] = ()
    dialect: _Dialect = field(default_factory=_Dialect)
    tables: dict[int, Any] = field(default_factory=dict[int, Any])

    def read(self, event: RawEvent) -> LoggedEvent | None:
        kind = event.kind
        if kind == DESCRIPTION:
            self.describe(event.data)
            return None
        if kind in UNREAD:
            raise UsageError(
                f"{event.place}: the log holds {UNREAD[kind]}",
                expected="whole row events (binlog_format=ROW) in the clear, not compressed",
                hint="write the steps as SQL, or log them again under other settings",
            )
        body = self.body(event)
        if kind == XID:
            return LoggedCommit(event.place)
        if kind == QUERY_EVENT:
            return self.query(event.place, body)
        return self.rows(event) if kind in ROW_EVENTS else None

    def describe(self, data: bytes) -> None:
        """Take from a description whether events have checksums, and how long their heads are."""
        version = data[HEADER.size + 2 : HEADER.size + 52].rstrip(b"\0").decode()
        self.dialect.name = "mariadb" if "MariaDB" in version else "mysql"
        self.checked = data[-CHECKSUM - 1] == 1
        self.lengths = tuple(data[HEADER.size + 57 : -CHECKSUM - 1])
        self.tables.clear()

    def body(self, event: RawEvent) -> bytes:
        """Return what stands between header and checksum."""
        if not self.lengths:
            raise ValueError("no event before it describes the log")
        if not self.checked:
            return event.data[HEADER.size :]
        whole, said = event.data[:-CHECKSUM], event.data[-CHECKSUM:]
        if zlib.crc32(whole) != int.from_bytes(said, "little"):
            raise ValueError("its checksum is wrong")
        return whole[HEADER.size :]

    def query(self, place: str, body: bytes) -> LoggedQuery:
        _, _, width, _, status = QUERY.unpack_from(body)
        at = self.lengths[QUERY_EVENT - 1] + status
        database, sql = body[at : at + width], body[at + width + 1 :]
        return LoggedQuery(place, database.decode(), sql.decode())

    def rows(self, event: RawEvent) -> LoggedChange | None:
        found: Any = BinLogPacketWrapper(
            MysqlPacket(b"\0" + event.data, "utf8mb4"),
            self.tables,
            self.dialect,
            (8, 0, 0),
            self.checked,
            frozenset({DeleteRowsEvent, TableMapEvent, UpdateRowsEvent, WriteRowsEvent}),
            *[None] * 4,
            freeze_schema=False,
            ignore_decode_errors=False,
            verify_checksum=False,
            optional_meta_data=False,
            enable_logging=False,
            post_header_lengths=self.lengths,
        ).event
        if isinstance(found, TableMapEvent):
            self.tables[found.table_id] = found.get_table()
            return None
        if found is None:
            raise ValueError("no event before it says which table its rows are of")
        table = TableId(str(found.schema), str(found.table))
        return LoggedChange(event.place, LoggedRows(OPS[type(found).__name__], table, found))
