"""Where the connector stands: the position under way, the one to restart from, the source block.

Source: V:SourceInfo.java, V:VitessOffsetContext.java, V:VitessStreamingChangeEventSource.java;
vitess NOTES §9; vectors restart.*, other.rotates_offset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from harness.codecs.debezium.topics import TableKey
from harness.codecs.debezium_vitess.vgtid import Position

VERSION: Final = "3.3.1.Final"
MICROS: Final = 1_000
Clock = Callable[[], int]


@dataclass(slots=True)
class Standing:
    """The state of one task's position.

    `timestamp` is in nanoseconds, None where nothing is known yet: the clock then stands in for it.
    """

    prefix: str
    keyspace: str
    clock: Clock
    current: Position
    restart: Position
    timestamp: int | None
    fields: tuple[str, ...]
    unset: str | None = None
    shard: str = ""
    snapshot: str | None = None
    _known: tuple[object, ...] = ()
    _source: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def rotate(self, position: Position | None, timestamp: int | None) -> None:
        """Move on: what was under way becomes the place to restart from."""
        if position == self.current:
            return
        self.restart = self.current
        if position is not None:
            self.current = position
        self.timestamp = timestamp

    def reset(self, position: Position | None, timestamp: int | None) -> None:
        """Declare a position done."""
        if position is not None:
            self.current = self.restart = position
        self.timestamp = timestamp

    def source(self, table: TableKey, shard: str) -> Mapping[str, Any]:
        """Return the source block of a table's records, one object for as long as it holds."""
        known = (self.current.text, self.timestamp, table, shard, self.snapshot)
        if known == self._known and self.timestamp is not None:
            return self._source
        nanos = self.clock() if self.timestamp is None else self.timestamp
        values: dict[str, Any] = {
            "version": VERSION,
            "connector": "vitess",
            "name": self.prefix,
            "ts_ms": nanos // 1_000_000,
            "snapshot": self.snapshot or self.unset,
            "db": "",
            "sequence": None,
            "ts_us": nanos // MICROS,
            "ts_ns": nanos,
            "keyspace": self.keyspace,
            "table": table.table,
            "shard": shard,
            "vgtid": self.current.text,
        }
        self._known, self._source = known, {name: values[name] for name in self.fields}
        return self._source
