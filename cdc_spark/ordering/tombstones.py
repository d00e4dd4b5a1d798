"""What became of keys, as far as a tombstone needs to know.

A tombstone names a key and no table. The rows of its topic name the table, the newest of them where
a topic has several; a name in the key's schema decides when the topic has rows of that table, or no
rows at all. Where nothing names the table, there is nothing that a tombstone could delete.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from cdc_spark.events import Event, Kind
from cdc_spark.ordering.hold import Arrival


@dataclass(slots=True)
class Keys:
    """The tables of topics; keys whose last row was a delete; keys that a tombstone deleted."""

    tables: dict[int, list[list[str]]] = field(default_factory=dict[int, list[list[str]]])
    deleted: set[str] = field(default_factory=set[str])
    bare: set[str] = field(default_factory=set[str])

    def saw(self, arrival: Arrival) -> None:
        """Take note of a row, whether it takes effect or not."""
        event = arrival.event
        tables = self.tables.setdefault(arrival.source.topic, [])
        own = [event.schema, event.table]
        if not tables or tables[-1] != own:
            tables[:] = [*(table for table in tables if table != own), own]
        if event.kind is Kind.DELETE:
            self.deleted.add(event.identity)
        else:
            self.deleted.discard(event.identity)

    def came(self, event: Event) -> None:
        """Take note of a row that is no repetition: its key is more than a tombstone now."""
        if event.kind is Kind.UPSERT:
            self.bare.discard(event.identity)

    def returns(self, event: Event) -> bool:
        """Return whether a row stands behind the tombstone that deleted its key."""
        found = event.identity in self.bare
        if found and event.kind is Kind.UPSERT:
            self.bare.discard(event.identity)
        return found

    def lone(self, arrival: Arrival) -> Iterator[Arrival]:
        """Yield a tombstone as a delete, when no delete came before it and its table is known."""
        event = arrival.event
        known = self.tables.get(arrival.source.topic, [])
        named = [event.schema, event.table]
        if not known and not event.table:
            return
        schema, table = named if named in known or not known else known[-1]
        body: dict[str, Any] = orjson.loads(event.payload)
        who = [schema, table, *(body["before"][name] for name in body["key"])]
        identity = orjson.dumps(who).decode()
        if identity not in self.deleted:
            self.deleted.add(identity)
            deletion = event._replace(
                kind=Kind.DELETE, schema=schema, table=table, identity=identity, images=None
            )
            yield arrival._replace(event=deletion)

    def forget(self, identity: str) -> None:
        """Forget a key: a tombstone of it deletes again, a row of it is news."""
        self.deleted.discard(identity)
        self.bare.discard(identity)

    def dump(self) -> dict[str, Any]:
        """Return the state as JSON has it; `load` is the way back."""
        return {
            "tables": list(self.tables.items()),
            "deleted": sorted(self.deleted),
            "bare": sorted(self.bare),
        }

    @classmethod
    def load(cls, document: dict[str, Any]) -> Keys:
        """Return the state that `dump` gave."""
        return cls(dict(document["tables"]), set(document["deleted"]), set(document["bare"]))
