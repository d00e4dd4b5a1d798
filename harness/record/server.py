"""A MySQL-compatible server, and a session there that is set up as recordings need it.

We work only inside databases that we created ourselves, and drop just those again, whatever
happened in between.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import mysql.connector

from harness.database.driver import connected
from harness.errors import SetupError, UsageError
from harness.record.session import SQL_MODE, VARIABLES

DEFAULT_PORT = 3306
CONNECT_TIMEOUT_S = 10
STATEMENT_TIMEOUT_S = 120  # a scenario's statements take milliseconds
UNKNOWN_VARIABLE = frozenset({1193, 1231, 1238})  # unknown, value not taken, read only

SqlError = mysql.connector.Error
TextRow = tuple[bytes | None, ...]


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where a database server is, and who we are there."""

    host: str
    port: int
    user: str
    password: str

    def __str__(self) -> str:
        """Return the address to show to a person, without the password."""
        return f"mysql://{self.user}@{self.host}:{self.port}/"


def upstream_from_url(url: str) -> Upstream:
    """Return the server of `mysql://user:password@host:port/`; UsageError for anything else."""
    expected = "mysql://user:password@host:port/"
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORT
    except ValueError as error:
        raise UsageError(f"--upstream: {error}", expected=expected) from error
    if parts.scheme != "mysql" or not parts.hostname or not parts.username:
        raise UsageError("--upstream does not name a server and a user", expected=expected)
    if parts.path not in {"", "/"} or parts.query:
        raise UsageError(
            "--upstream names a database or parameters",
            expected=expected,
            hint="scenarios name their databases themselves; the run creates and drops them",
        )
    user, password = unquote(parts.username), unquote(parts.password or "")
    return Upstream(parts.hostname, port, user, password)


class Server:
    """One session on a server; SQL errors pass through as `SqlError`."""

    def __init__(self, upstream: Upstream) -> None:
        """Connect and set the session up; SetupError when the server cannot be used."""
        self.upstream = upstream
        try:
            self._connection: Any = connected(
                upstream, CONNECT_TIMEOUT_S, STATEMENT_TIMEOUT_S, autocommit=True
            )
            self._cursor: Any = self._connection.cursor(raw=True)
            self._set_up()
        except SqlError as error:
            raise SetupError(
                f"cannot use the database server {upstream}: {error}",
                hint="check address, user and password, and that the server lets this host in",
            ) from error
        self.version = self.value("SELECT VERSION()")

    @property
    def encrypted(self) -> bool:
        """Return whether the session is under TLS."""
        return any(value for _, value in self.rows("SHOW SESSION STATUS LIKE 'Ssl_cipher'"))

    def _set_up(self) -> None:
        modes = [mode for mode in SQL_MODE if self._takes("sql_mode", f"'{mode}'")]
        self.run(f"SET SESSION sql_mode = '{','.join(modes)}'")
        for name, value in VARIABLES.items():
            self._takes(name, value)

    def _takes(self, name: str, value: str) -> bool:
        try:
            self.run(f"SET SESSION {name} = {value}")
        except SqlError as error:
            if error.errno in UNKNOWN_VARIABLE:
                return False
            raise
        return True

    def run(self, sql: str) -> None:
        """Run one statement and forget what it answers."""
        self.rows(sql)

    @contextmanager
    def under(self, settings: Mapping[str, str]) -> Generator[None]:
        """Let session variables, each with its value as SQL, hold inside the block."""
        before = {name: self.value(f"SELECT QUOTE(@@{name})") for name in settings}
        for name, value in settings.items():
            self.run(f"SET SESSION {name} = {value}")
        try:
            yield
        finally:
            for name, value in before.items():
                self.run(f"SET SESSION {name} = {value}")

    def rows(self, sql: str) -> list[TextRow]:
        """Run one statement and return its rows, each value as the bytes of its text."""
        # One cursor for all: making one asks the server first whether it is still there.
        cursor = self._cursor
        cursor.execute(sql)
        if not cursor.with_rows:
            return []
        return [tuple(v if v is None else bytes(v) for v in row) for row in cursor.fetchall()]

    def value(self, sql: str) -> str:
        """Return the one value that a query answers, as text; "" for NULL."""
        return (self.rows(sql)[0][0] or b"").decode()

    def variable(self, name: str) -> str:
        """Return a system variable in capitals, "" when the server has none of that name."""
        with suppress(SqlError):
            return self.value(f"SELECT @@{name}").upper()
        return ""

    def databases(self) -> tuple[str, ...]:
        """Return the names of all databases that this user sees."""
        found = self.rows("SELECT schema_name FROM information_schema.schemata")
        return tuple(name.decode() for (name,) in found if name is not None)

    def close(self) -> None:
        """End the session; an open transaction is rolled back."""
        with suppress(SqlError):
            self._connection.close()


@contextmanager
def databases_of_our_own(upstream: Upstream, names: Sequence[str]) -> Generator[Server]:
    """Yield a session on a server where these databases were just created; drop them at the end.

    Raises UsageError, and touches nothing, when one of them exists already.
    """
    server = Server(upstream)
    created: list[str] = []
    try:
        created.extend(create(server, names))
        yield server
    finally:
        server.close()
        if created:
            _drop(upstream, created)


def create(server: Server, names: Sequence[str]) -> Iterator[str]:
    """Create databases, and yield the name of each once it is there.

    Raises UsageError, and touches nothing, when one of them exists already.
    """
    there = {name.lower(): name for name in server.databases()}
    taken = [there[name.lower()] for name in names if name.lower() in there]
    if taken:
        raise UsageError(
            f"{server.upstream} has a database {', '.join(taken)} already",
            expected="a server where the scenario's databases do not exist: they are created"
            " for the recording and dropped after it",
            hint="drop it if an interrupted `harness record` left it, or use another server",
        )
    for name in names:
        server.run(f"CREATE DATABASE {quoted(name)} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        yield name


def drop(server: Server, names: Sequence[str]) -> None:
    """Drop databases, those that are there; an open transaction is rolled back first."""
    server.run("ROLLBACK")
    for name in names:
        server.run(f"DROP DATABASE IF EXISTS {quoted(name)}")


def _drop(upstream: Upstream, names: Sequence[str]) -> None:
    """Drop our databases from a fresh session: the old one may be in any state."""
    try:
        server = Server(upstream)
        try:
            drop(server, names)
        finally:
            server.close()
    except (SqlError, SetupError) as error:
        raise SetupError(
            f"{upstream} keeps the databases {', '.join(names)}, created by this run: {error}",
            hint="drop them by hand",
        ) from error


def quoted(name: str) -> str:
    """Return a name in back quotes."""
    return "`" + name.replace("`", "``") + "`"
