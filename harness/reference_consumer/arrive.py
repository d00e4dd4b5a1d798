"""Rows are applied as they arrive, where no resolved event says more.

All events of a key lie in one partition, in order, so arrival is the order. A stream that is sent
again brings older versions back: where rows carry their commit ts, one below the greatest that its
key has seen is dropped. A tombstone carries none, so the greatest is kept across it.

Behind a Debezium delete comes a tombstone. Compaction may leave it alone: then it is the delete.

A TRUNCATE among rows has no key, so in a topic of several partitions its place says nothing. Its
age does: rows of its table that are older go, also those that come later.

Source: TiCDC Avro, §TiDB extension fields; Debezium Vitess connector, §Data change events; Debezium
MariaDB connector, §truncate events.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

from harness.model.decoded import DecodedEvent, EventKind
from harness.reference_consumer.hold import Place, Ready

ROWS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT, EventKind.DELETE})


class Arrivals:
    """What one changefeed's keys have seen."""

    def __init__(self, *, dated: bool) -> None:
        """Take whether rows carry a commit ts that rises with every change of their key."""
        self._dated = dated
        self._greatest: dict[Hashable, int] = {}
        # The last row event of each message key.
        self._last: dict[tuple[str, str], DecodedEvent] = {}
        # The age of the last TRUNCATE of each table.
        self._emptied: dict[tuple[str, str], tuple[int, int]] = {}

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Take an event in arrival order; yield it if it is a row's and no older than its key."""
        name = (place[0], event.key_text)
        if event.kind is EventKind.TOMBSTONE and event.key is not None:
            last = self._last.pop(name, None)
            if last is not None and last.kind is not EventKind.DELETE:
                gone = replace(event, kind=EventKind.DELETE, schema=last.schema, table=last.table)
                yield Ready(gone, place)
            return
        if event.empties:
            if self.is_news(event):
                self._emptied[event.schema, event.table] = event.age
                yield Ready(event, place)
            return
        if event.kind not in ROWS:
            return
        self._last[name] = event
        if self.is_gone(event):
            return
        if self._dated and event.commit_ts:
            key = _key(event)
            if event.commit_ts < self._greatest.get(key, 0):
                return
            self._greatest[key] = event.commit_ts
        yield Ready(event, place)

    def is_news(self, truncation: DecodedEvent) -> bool:
        """Return whether a TRUNCATE is newer than the last one of its table."""
        last = self._emptied.get((truncation.schema, truncation.table))
        return last is None or truncation.age > last

    def is_gone(self, row: DecodedEvent) -> bool:
        """Return whether a row's event is older than the last TRUNCATE of its table."""
        last = self._emptied.get((row.schema, row.table))
        return last is not None and row.age < last


def _key(event: DecodedEvent) -> Hashable:
    image = event.key if event.key is not None else event.after or event.before or {}
    names = event.handle or tuple(image)
    return (event.schema, event.table, tuple((name, image.get(name)) for name in sorted(names)))
