"""The consumer writes into databases of the upstream's names; the harness reads others.

Tables move by RENAME TABLE: before the start, those that no DDL of the stream creates go to the
upstream's names; at the end all of them go to where they are judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from adapter import Json

LOCK = "cdc-kafka-consumer"  # two runs on one server have the same names: one after the other


class TakenError(Exception):
    """The server has a database of an upstream's name that is not ours."""


def account(url: str) -> Json:
    """Return host, port, user and password of `mysql://user:password@host:port/`."""
    parts = urlsplit(url)
    user, password = unquote(parts.username or "root"), unquote(parts.password or "")
    port = parts.port or 3306
    return {"host": parts.hostname or "127.0.0.1", "port": port, "user": user, "password": password}


def quoted(name: str) -> str:
    """Return a name in backquotes."""
    return "`" + name.replace("`", "``") + "`"


def renames(tables: Iterable[str], source: str, target: str) -> list[str]:
    """Return the statements that move tables from one database into another."""
    return [
        f"RENAME TABLE {quoted(source)}.{quoted(name)} TO {quoted(target)}.{quoted(name)}"
        for name in tables
    ]


class Downstream:
    """Databases of the upstream's names, for one changefeed."""

    def __init__(self, cursor: Any, databases: Mapping[str, str]) -> None:  # noqa: ANN401
        """Take a cursor of somebody who may create databases, and the job's `databases`."""
        self._cursor = cursor
        self._databases = databases

    def open(self, *, again: bool) -> None:
        """Make the databases; `again` says that an earlier start of this job made them."""
        self._cursor.execute("SELECT GET_LOCK(%s, 3600)", (LOCK,))
        self._cursor.fetchall()
        if again:
            return
        taken = self._names("SHOW DATABASES") & set(self._databases)
        if taken:
            raise TakenError(f"the server has a database {min(taken)!r} already")
        for upstream, judged in self._databases.items():
            utf8 = "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
            self._cursor.execute(f"CREATE DATABASE {quoted(upstream)} {utf8}")
            self._move(judged, upstream)

    def close(self) -> None:
        """Move the tables to where they are judged, and drop the databases."""
        for upstream, judged in self._databases.items():
            if upstream in self._names("SHOW DATABASES"):  # the stream may have dropped it
                self._move(upstream, judged)
                self._cursor.execute(f"DROP DATABASE {quoted(upstream)}")
        self._cursor.execute("SELECT RELEASE_LOCK(%s)", (LOCK,))
        self._cursor.fetchall()

    def _move(self, source: str, target: str) -> None:
        shown = f"SHOW FULL TABLES FROM {quoted(source)} WHERE Table_type = 'BASE TABLE'"
        for statement in renames(sorted(self._names(shown)), source, target):
            self._cursor.execute(statement)

    def _names(self, shown: str) -> set[str]:
        self._cursor.execute(shown)
        return {_text(row[0]) for row in self._cursor.fetchall()}


def _text(value: str | bytes | bytearray) -> str:
    return value if isinstance(value, str) else bytes(value).decode()
