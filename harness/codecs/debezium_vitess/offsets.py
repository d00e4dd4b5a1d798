"""Where the connector stands: the position under way, the one to restart from, the source block.

Source: V:SourceInfo.java, V:VitessOffsetContext.java, V:VitessStreamingChangeEventSource.java;
vitess NOTES §9; vectors restart.*, other.rotates_offset.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from harness.codecs.connect.schema import Offset, Struct
from harness.codecs.debezium.emitter import MILLISECOND, Clock
from harness.codecs.debezium.topics import TableKey
from harness.codecs.debezium.transactions import TransactionContext
from harness.codecs.debezium_vitess.ordering import TransactionOrdering
from harness.codecs.debezium_vitess.vgtid import VgtidPosition
from harness.model.settings import Settings

_MICROSECOND: Final = 1_000


@dataclass(slots=True)
class OffsetContext:
    """One task's position in its stream, with the transaction that it is in.

    `timestamp` is in nanoseconds, None where nothing is known yet: the clock then stands in for it.
    `fields` are the source block's; `version` and `snapshot` stand in its fields of that name.
    """

    prefix: str
    version: str
    keyspace: str
    clock: Clock
    current: VgtidPosition
    restart: VgtidPosition
    timestamp: int | None
    fields: tuple[str, ...]
    metadata: bool
    transaction: TransactionContext
    ordering: TransactionOrdering | None = None
    snapshot: str | None = None
    shard: str = ""
    _known: tuple[object, ...] = ()
    _source: Struct = field(default_factory=dict[str, Any])
    _offset: Offset = field(default_factory=dict[str, Any])

    @property
    def transaction_id(self) -> str:
        """Return the id of the transaction that events belong to: the position's text."""
        return self.current.text

    def milliseconds(self) -> int:
        """Return the time of the event under way."""
        return (self.clock() if self.timestamp is None else self.timestamp) // MILLISECOND

    def begin(self, position: VgtidPosition | None = None, shard: str | None = None) -> None:
        """Open a transaction, the one under way by default; JavaError if it cannot be ranked."""
        now = self.current if position is None else position
        self.transaction.begin(now.text)
        if self.ordering is not None:
            where = self.shard if shard is None else shard
            self.transaction.extra = self.ordering.begin(where, now)

    def load(self, stored: Offset) -> None:
        """Take up the transaction that a stored offset was in."""
        self.transaction.load(stored)
        if self.ordering is not None:
            self.ordering.load(stored)

    def rotate(self, position: VgtidPosition | None, timestamp: int | None) -> None:
        """Move on: what was under way becomes the place to restart from."""
        if position == self.current:
            return
        self.restart = self.current
        if position is not None:
            self.current = position
        self.timestamp = timestamp

    def reset(self, position: VgtidPosition | None, timestamp: int | None) -> None:
        """Declare a position done."""
        if position is not None:
            self.current = self.restart = position
        self.timestamp = timestamp

    def offset(self) -> Offset:
        """Return what Connect would store with a record."""
        text = self.restart.text
        if self.ordering is not None:
            return self.ordering.store(self.transaction.store({"vgtid": text}))
        if self.metadata or self.transaction.counts:
            return self.transaction.store({"vgtid": text})
        if self._offset.get("vgtid") is not text:
            self._offset = self.transaction.store({"vgtid": text})
        return self._offset

    def source(self, table: TableKey) -> Struct:
        """Return the source block of a table's records, one object for as long as it holds."""
        known = (self.current.text, self.timestamp, table, self.shard)
        if known == self._known and self.timestamp is not None:
            return self._source
        nanos = self.clock() if self.timestamp is None else self.timestamp
        values: Settings = {
            "version": self.version,
            "connector": "vitess",
            "name": self.prefix,
            "ts_ms": nanos // MILLISECOND,
            "snapshot": self.snapshot,
            "db": "",
            "sequence": None,
            "ts_us": nanos // _MICROSECOND,
            "ts_ns": nanos,
            "keyspace": self.keyspace,
            "table": table.table,
            "shard": self.shard,
            "vgtid": self.current.text,
        }
        self._known, self._source = known, {name: values[name] for name in self.fields}
        return self._source
