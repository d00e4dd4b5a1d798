"""TiCDC's Open Protocol: events wait until the resolved ts of every partition has passed them.

A message is a batch: its key and its value are cut into frames, one pair of frames an event.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from columns import image
from statements import execute
from tables import Declined, Name, Row, Table, text_of

DIALECTS = ("current", "newarch")
LARGE = "sink.kafka-config.large-message-handle.large-message-handle-option"
VERSION = struct.pack(">Q", 1)
ROW, DDL, RESOLVED = 1, 2, 3
# At one commit ts DDL comes first, then deletes, then what puts rows there.
AT_DDL, AT_DELETE, AT_PUT = 0, 1, 2


def lacking(feed: dict[str, Any]) -> str:
    """Name what the changefeed asks for and this program does not do; "" for nothing."""
    if feed["protocol"] != "open":
        return f"protocol:{feed['protocol']}"
    if feed["dialect"] not in DIALECTS:
        return f"dialect:{feed['dialect']}"
    zone = feed["settings"].get("tz", "UTC")
    if zone != "UTC":
        return f"tz:{zone}"
    large = feed["settings"].get(LARGE, "none")
    return "" if large == "none" else f"large-message-handle:{large}"


def readers(job: dict[str, Any]) -> Callable[[dict[str, Any]], Reader]:
    """Return what makes the reader of each changefeed."""
    del job
    return Reader


class Event(NamedTuple):
    """An event that waits: a DDL statement, or a row with its key that comes or goes."""

    ts: int
    rank: int
    name: Name
    key: Row
    row: Row
    statement: str
    action: int


class Reader:
    """The messages of one changefeed, and the events that wait."""

    def __init__(self, feed: dict[str, Any]) -> None:
        self.tables: dict[Name, Table] = {}
        self.ddl: list[dict[str, Any]] | None = []
        self._marks = {(t["name"], n): 0 for t in feed["topics"] for n in range(t["partitions"])}
        self._below = feed["complete"] == "below"
        self._applied = 0
        self._executed: set[str] = set()  # DDL of the ts that is applied
        # By what two copies of an event have in common, so that a duplicate waits once.
        self._waiting: dict[str, Event] = {}

    def take(self, place: tuple[str, int], key: bytes | None, value: bytes | None) -> None:
        """Take one message; raises ValueError or LookupError for one that cannot be read."""
        key, value = key or b"", value or b""
        if key[:8] != VERSION:
            raise ValueError(f"version {key[:8].hex()} of the protocol, not 1")
        for told, body in zip(frames(key[8:]), frames(value), strict=True):
            self._event(place, json.loads(told), body)

    def _event(self, place: tuple[str, int], told: dict[str, Any], body: bytes) -> None:
        ts, kind = told["ts"], told["t"]
        name = (told.get("scm", ""), told.get("tbl", ""))
        if type(ts) is not int or kind not in (ROW, DDL, RESOLVED):
            raise ValueError(f"an event of ts {ts!r} and type {kind!r}")
        if kind == RESOLVED:
            self._marks[place] = max(self._marks[place], ts)  # one may come late
            self._release()
            return
        if told.get("ohk") or told.get("ccl"):
            raise Declined("large-message-handle")
        value = json.loads(body)
        if kind == DDL:
            self._wait(Event(ts, AT_DDL, name, {}, {}, value["q"], value["t"]), None)
        else:
            self._row(ts, name, told.get("rid"), value)

    def _row(self, ts: int, name: Name, rid: int | None, value: dict[str, Any]) -> None:
        if "d" in value:
            row, key = image(value["d"])
            self._wait(Event(ts, AT_DELETE, name, key, row, "", 0), rid)
            return
        row, key = image(value["u"])
        if value.get("p"):
            # What did not change may be left out. A row without a key, or whose key changes, goes
            # and comes: so that rows that swap their keys do not meet.
            before = row | image(value["p"])[0]
            old_key = {column: before[column] for column in key}
            if old_key != key or not key:
                self._wait(Event(ts, AT_DELETE, name, old_key, before, "", 0), rid)
        self._wait(Event(ts, AT_PUT, name, key, row, "", 0), rid)

    def _wait(self, event: Event, rid: int | None) -> None:
        """Let an event wait, unless it has been applied already or waits."""
        if event.ts < self._applied:
            return
        who = event.key or {"row": event.row, "rid": rid}
        what = json.dumps([event.ts, event.rank, event.name, event.statement, text_of(who)])
        if event.ts > self._applied:
            self._waiting.setdefault(what, event)
        elif event.rank == AT_DDL and what not in self._executed:
            # A DDL may come right behind the resolved event of its own ts.
            self._executed.add(what)
            self._apply(event)

    def _release(self) -> None:
        """Apply what is complete: what no partition can tell of any more."""
        limit = min(self._marks.values()) - self._below
        if limit <= self._applied:
            return
        self._applied = limit
        self._executed = {who for who, event in self._waiting.items() if event.ts == limit}
        due = sorted(
            (event for event in self._waiting.values() if event.ts <= limit),
            key=lambda event: (event.ts, event.rank),
        )
        self._waiting = {who: event for who, event in self._waiting.items() if event.ts > limit}
        for event in due:
            self._apply(event)

    def _apply(self, event: Event) -> None:
        if event.rank == AT_DDL:
            execute(self.tables, event.name, event.statement, event.action)
            assert self.ddl is not None
            schema, table = event.name
            told = {"query": event.statement, "type": event.action, "commit_ts": str(event.ts)}
            self.ddl.append({**told, "schema": schema, "table": table})
            return
        table = self.tables.setdefault(event.name, Table())
        if event.rank == AT_DELETE:
            table.remove(event.key, event.row)
        else:
            table.put(event.key, event.row)


def frames(batch: bytes) -> Iterator[bytes]:
    """Split a batch: before each part stands its length, 8 bytes big-endian."""
    while batch:
        if len(batch) < 8:
            raise ValueError("a length is cut short")
        (length,) = struct.unpack_from(">Q", batch)
        if length > len(batch) - 8:
            raise ValueError(f"a frame of {length} bytes in a batch of {len(batch)}")
        yield batch[8 : 8 + length]
        batch = batch[8 + length :]
