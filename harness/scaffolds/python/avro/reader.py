"""TiCDC's Avro messages: rows by key; nothing tells of DDL, so a new shape comes with a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from registry import COMMIT_TS, Registry, Schema
from tables import Name, Row, Table, text_of

DIALECTS = ("current", "6")


def lacking(feed: dict[str, Any]) -> str:
    """Name what the changefeed asks for and this program does not do; "" for nothing."""
    if feed["protocol"] != "avro":
        return f"protocol:{feed['protocol']}"
    if feed["dialect"] not in DIALECTS:
        return f"dialect:{feed['dialect']}"
    zone = feed["settings"].get("tz", "UTC")
    if zone != "UTC":
        return f"tz:{zone}"
    return "avro-enable-watermark" if feed["complete"] else ""


def readers(job: dict[str, Any]) -> Callable[[dict[str, Any]], Reader]:
    """Return what makes the reader of each changefeed; all of them ask one registry."""
    registry = Registry(job["registry"])
    return lambda _: Reader(registry)


class Reader:
    """The messages of one changefeed."""

    def __init__(self, registry: Registry) -> None:
        self.tables: dict[Name, Table] = {}
        self.ddl = None  # the stream tells of none
        self._registry = registry
        self._greatest: dict[tuple[Name, str], int] = {}

    def take(self, place: tuple[str, int], key: bytes | None, value: bytes | None) -> None:
        """Apply one message; raises ValueError or LookupError for one that cannot be read."""
        del place
        if key is None:
            raise ValueError("a row without a key")
        name, key_row, _ = self._registry.read(key)
        table = self.tables.setdefault(name, Table())
        if value is None:
            # A tombstone has no commit ts, so what its key has seen stays known.
            table.remove(key_row, {})
            return
        value_name, row, schema = self._registry.read(value)
        if value_name != name:
            raise ValueError(f"the key is of {name}, the value of {value_name}")
        self._put(name, key_row, row, schema)

    def _put(self, name: Name, key: Row, told: Row, schema: Schema) -> None:
        """Take an inserted or updated row, unless its key has seen a later one.

        A stream that is sent again brings older versions back. Without TiDB's extension there is
        no commit ts: then the order of arrival within the partition is all there is.
        """
        who = (name, text_of(key))
        ts = told.get(COMMIT_TS, 0) if COMMIT_TS not in schema.readers else 0
        if ts and ts < self._greatest.get(who, 0):
            return
        self._greatest[who] = max(ts, self._greatest.get(who, 0))
        row = {column: told[column] for column in schema.readers}
        shape = {column: ("", default) for column, default in schema.defaults.items()}
        table = self.tables[name]
        table.put(key, table.fitted(row, shape, ts))
