"""One session on the server of a sink: UTC, every code point, every value as its own text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from harness.database.driver import connected, connector
from harness.errors import SetupError
from harness.services.service import MariaDb

CONNECT_TIMEOUT_S = 10
STATEMENT_TIMEOUT_S = 120
AT_ONCE = 1000  # rows that are fetched together
CLIENT_ERRORS = range(2000, 3000)  # what the driver itself says: the server is gone, or not there
UNKNOWN_VARIABLE = frozenset({1193, 1231, 1238})
# Compares by code points, and a space at the end counts: the first that the server has.
COLLATIONS = ("utf8mb4_nopad_bin", "utf8mb4_0900_bin", "utf8mb4_bin")
SETTINGS = ("time_zone = '+00:00'", "sql_mode = 'ALLOW_INVALID_DATES'", "innodb_strict_mode = OFF")

TextRow = tuple[bytes | None, ...]


class Refused(Exception):  # noqa: N818 - whose fault it is, the caller knows
    """The server refuses a statement."""


class Session:
    """A session; raises SetupError when the server is gone, Refused for what it does not take."""

    def __init__(self, server: MariaDb, *, read_only: bool = False) -> None:
        """Connect; SetupError when that cannot be. `read_only` has the server refuse to write."""
        self.server = server
        self._mysql = connector()
        try:
            self._connection: Any = connected(
                server,
                CONNECT_TIMEOUT_S,
                STATEMENT_TIMEOUT_S,
                autocommit=True,
                consume_results=True,  # rows that nobody wants any more are in nobody's way
            )
            self._cursor: Any = self._connection.cursor(raw=True)
        except self._mysql.Error as error:
            raise self._gone(error) from error
        for setting in SETTINGS:
            self._set(setting)
        if read_only:
            self.run("SET SESSION TRANSACTION READ ONLY")

    def run(self, sql: str) -> None:
        """Run one statement and forget what it answers."""
        for _ in self.rows(sql):
            pass

    def rows(self, sql: str) -> Iterator[TextRow]:
        """Yield the rows of one statement, each value as the bytes of its text."""
        try:
            self._cursor.execute(sql)
            while self._cursor.with_rows and (found := self._cursor.fetchmany(AT_ONCE)):
                for row in found:
                    yield tuple(None if value is None else bytes(value) for value in row)
        except self._mysql.Error as error:
            if error.errno in CLIENT_ERRORS or error.errno is None:
                raise self._gone(error) from error
            raise Refused(f"{error.msg} (error {error.errno})") from error

    def collation(self) -> str:
        """Return the collation for the texts of a sink."""
        there = {bytes(row[0] or b"").decode() for row in self.rows("SHOW COLLATION")}
        return next(name for name in COLLATIONS if name in there)

    def close(self) -> None:
        """End the session."""
        with suppress(self._mysql.Error):
            self._connection.close()

    def _set(self, setting: str) -> None:
        try:
            self._cursor.execute(f"SET SESSION {setting}")
        except self._mysql.Error as error:
            if error.errno not in UNKNOWN_VARIABLE:
                raise self._gone(error) from error

    def _gone(self, error: Exception) -> SetupError:
        return SetupError(
            f"the database at {self.server} cannot be used: {error}",
            hint="check that it runs, and the account; nothing was judged",
        )


def quoted(name: str) -> str:
    """Return a name in back quotes."""
    return "`" + name.replace("`", "``") + "`"
