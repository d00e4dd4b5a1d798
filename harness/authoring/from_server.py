"""Tables of a running server as SQL: what creates them, and the rows that they hold.

Nothing is changed there: all is read in one read-only transaction. Rows are read by the type of
their column, so that the literals give back what the server has: binary ones in hexadecimal, FLOAT
as the double that it is, all else as its text.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from harness.database.driver import connected, connector
from harness.ddl import quote_name
from harness.errors import SetupError, UsageError, plural

SCHEME = "mysql://"
EXPECTED = "mysql://user:password@host:port/database.table, several with commas"
WITH_LOG = "mysql://user:password@host:port/database.table?binlog=FILE"
PASSWORD = "MYSQL_PWD"  # noqa: S105 - the variable's name, MySQL's own
DEFAULT_PORT = 3306
TIMEOUT_S = 10
STATEMENT_S = 60
DENIED = frozenset({1044, 1045, 1142})  # access denied: to the database, at all, to the table
_ESCAPES = str.maketrans(
    {"\\": "\\\\", "'": "''", "\0": "\\0", "\n": "\\n", "\r": "\\r", "\x1a": "\\Z"}
)
# Types -> how a value is asked for, and how its literal is written.
_BINARY = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "bit")
_NUMBERS = ("tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "year", "double")
_SPATIAL = ("geometry", "point", "linestring", "polygon", "geometrycollection")


@dataclass(frozen=True, slots=True)
class TableAddress:
    """A server, who we are there, and the tables that are asked for, as (database, table).

    `log` is the first binary log to read their changes from, "" for their rows as they are now.
    """

    host: str
    port: int
    user: str
    password: str
    tables: tuple[tuple[str, str], ...]
    log: str = ""

    def __str__(self) -> str:
        """Return it without the password."""
        return f"{self.user}@{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ServerTables:
    """The SQL that makes the tables again, and what of them it lacks, as sentences."""

    sql: str
    left_out: tuple[str, ...]


def address_of(url: str, environment: Mapping[str, str] = os.environ) -> TableAddress:
    """Return what a URL names; UsageError, which does not repeat a password."""
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORT
    except ValueError as error:
        raise UsageError(f"--from: {error}", expected=EXPECTED) from None
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    log = asked.pop("binlog", "")
    if asked or (parts.query and not log):
        raise UsageError("--from asks a server for more than `binlog`", expected=WITH_LOG)
    if not parts.hostname or not parts.username or parts.fragment:
        raise UsageError("--from names no server and user", expected=EXPECTED)
    tables: list[tuple[str, str]] = []
    for name in unquote(parts.path.removeprefix("/")).split(","):
        database, _, table = name.partition(".")
        if not database or not table:
            what = f"--from names no table: {name!r}" if name else "--from names no table"
            raise UsageError(what, expected=EXPECTED)
        tables.append((database, table))
    given = environment.get(PASSWORD, "") if parts.password is None else unquote(parts.password)
    return TableAddress(parts.hostname, port, unquote(parts.username), given, tuple(tables), log)


def read_tables(there: TableAddress, rows: int) -> ServerTables:
    """Return the tables with up to `rows` rows of each, those first by its primary key.

    Raises SetupError when the server cannot be reached or refuses us, UsageError for a table that
    it does not have.
    """
    mysql = connector()
    try:
        with closing(connected(there, TIMEOUT_S, STATEMENT_S, autocommit=False)) as connection:
            cursor = connection.cursor()
            cursor.execute("SET SESSION time_zone = '+00:00'")
            cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

            def ask(sql: str, *values: str) -> list[tuple[Any, ...]]:
                cursor.execute(sql, values or None)
                return list(cursor.fetchall())

            return _read(ask, there, rows)
    except (OSError, mysql.Error) as error:
        refused = getattr(error, "errno", None) in DENIED
        what = "refuses what is asked" if refused else "cannot be read"
        raise SetupError(
            f"the database at {there} {what}: {error}",
            hint=f"check user and password (or {PASSWORD}), and that the user may SELECT"
            if refused
            else "check that it runs, and host and port in --from",
        ) from error


Ask = Callable[..., list[tuple[Any, ...]]]


def _read(ask: Ask, there: TableAddress, rows: int) -> ServerTables:
    creates: list[str] = []
    inserts: list[str] = []
    left_out: list[str] = []
    for database, table in there.tables:
        _must_exist(ask, database, table)
        name = f"{quote_name(database)}.{quote_name(table)}"
        text = str(ask(f"SHOW CREATE TABLE {name}")[0][1])
        begin = f"CREATE TABLE {quote_name(table)}"
        creates += [
            f"USE {quote_name(database)};",
            f"{begin}{text.partition(quote_name(table))[2]};",
        ]
        columns = _columns(ask, database, table)
        found = list(_rows(ask, name, columns, _order(ask, database, table), rows + 1))
        count = len(found)
        if count > rows:
            (total,) = ask(f"SELECT COUNT(*) FROM {name}")[0]  # noqa: S608 - a quoted name
            left_out.append(
                f"{database}.{table}: {plural(total - rows, 'row')} beyond the first {rows}"
            )
        if found[:rows] and columns:
            listed = ", ".join(quote_name(column) for column, _ in columns)
            values = ",\n  ".join(found[:rows])
            inserts.append(f"INSERT INTO {name} ({listed}) VALUES\n  {values};")
    return ServerTables("\n".join([*creates, *inserts]) + "\n", tuple(left_out))


def _must_exist(ask: Ask, database: str, table: str) -> None:
    query = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
    known = [str(name) for (name,) in ask(query, database)]
    if table in known:
        return
    if not known:
        raise UsageError(
            f"the server has no database {database!r} that this user may see", expected=EXPECTED
        )
    near = difflib.get_close_matches(table, known, n=1)
    raise UsageError(
        f"the server has no table {database}.{table}",
        expected=f"one of its {plural(len(known), 'table')}",
        hint=f"did you mean `{database}.{near[0]}`?" if near else "",
    )


def _columns(ask: Ask, database: str, table: str) -> list[tuple[str, str]]:
    """Return the columns that can be inserted, with their types; UsageError for a spatial one."""
    query = (
        "SELECT column_name, data_type, extra FROM information_schema.columns"
        " WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position"
    )
    found: list[tuple[str, str]] = []
    for name, kind, extra in ask(query, database, table):
        one = (_text(name), _text(kind).lower())
        if "GENERATED" in _text(extra).upper().replace("DEFAULT_GENERATED", ""):
            continue
        if one[1] in _SPATIAL:
            raise UsageError(
                f"{database}.{table}: column {one[0]} is a {one[1]}",
                expected="columns of types that TiDB has; it has no spatial ones",
                hint="copy the table without the column, and name the copy",
            )
        found.append(one)
    return found


def _order(ask: Ask, database: str, table: str) -> str:
    """Return ORDER BY the primary key, "" without one."""
    query = (
        "SELECT column_name FROM information_schema.key_column_usage WHERE table_schema = %s"
        " AND table_name = %s AND constraint_name = 'PRIMARY' ORDER BY ordinal_position"
    )
    key = [quote_name(_text(name)) for (name,) in ask(query, database, table)]
    return f" ORDER BY {', '.join(key)}" if key else ""


def _rows(
    ask: Ask, name: str, columns: Sequence[tuple[str, str]], order: str, most: int
) -> Iterator[str]:
    """Yield rows as lists of literals in parentheses."""
    asked = ", ".join(_asked(quote_name(column), kind) for column, kind in columns)
    if not asked:
        return
    rows = f"SELECT {asked} FROM {name}{order} LIMIT {int(most)}"  # noqa: S608 - quoted names
    for row in ask(rows):
        pairs = zip(row, columns, strict=True)
        yield "(" + ", ".join(_literal(value, kind) for value, (_, kind) in pairs) + ")"


def _asked(column: str, kind: str) -> str:
    if kind in _BINARY:
        return f"HEX({column})"
    if kind == "float":
        return f"{column} + 0e0"
    return column if kind == "double" else f"CAST({column} AS CHAR)"


def _literal(value: Any, kind: str) -> str:  # noqa: ANN401 - what the driver gives
    if value is None:
        return "NULL"
    if kind in {"float", "double"}:
        return repr(float(value))
    text = _text(value)
    if kind in _BINARY:
        return f"X'{'0' * (len(text) % 2)}{text}'"  # the server writes BIT without leading zeros
    return text if kind in _NUMBERS else text_literal(text)


def text_literal(text: str) -> str:
    """Return a text as a literal of SQL, on one line."""
    return f"'{text.translate(_ESCAPES)}'"


def _text(value: Any) -> str:  # noqa: ANN401 - text, or its bytes
    return value.decode() if isinstance(value, (bytes, bytearray)) else str(value)
