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

from cdc_spark.events import Event, Kind, json_text
from cdc_spark.ordering.hold import Arrival


@dataclass(slots=True)
class Tables:
    """The tables of topics, the one seen last at the end."""

    of: dict[int, list[list[str]]] = field(default_factory=dict[int, list[list[str]]])

    def saw(self, topic: int, table: list[str]) -> None:
        """Take note of a row's table."""
        tables = self.of.setdefault(topic, [])
        if not tables or tables[-1] != table:
            tables[:] = [*(one for one in tables if one != table), table]

    def meant(self, topic: int, named: list[str], payload: str) -> tuple[str, str, str] | None:
        """Return schema, table and identity that a tombstone means; None where nothing says it."""
        known = self.of.get(topic, [])
        if not known and not named[1]:
            return None
        schema, table = named if named in known or not known else known[-1]
        body: dict[str, Any] = orjson.loads(payload)
        return schema, table, json_text([schema, table, *key_of(body)])

    def dump(self) -> list[Any]:
        """Return the tables as JSON has them; `load` is the way back."""
        return list(self.of.items())

    @classmethod
    def load(cls, saved: list[Any]) -> Tables:
        """Return what `dump` gave."""
        return cls(dict(saved))


def key_of(body: dict[str, Any]) -> list[Any]:
    """Return the values of a tombstone's key, in the order in which rows have them."""
    return [body["before"][name] for name in body["key"]]


@dataclass(slots=True)
class Keys:
    """The tables of topics; keys whose last row was a delete; keys that a tombstone deleted."""

    tables: Tables = field(default_factory=Tables)
    deleted: set[str] = field(default_factory=set[str])
    bare: set[str] = field(default_factory=set[str])

    def saw(self, arrival: Arrival) -> None:
        """Take note of a row, whether it takes effect or not."""
        event = arrival.event
        self.tables.saw(arrival.source.topic, [event.schema, event.table])
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
        found = self.tables.meant(arrival.source.topic, [event.schema, event.table], event.payload)
        if found is None:
            return
        schema, table, identity = found
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
            "tables": self.tables.dump(),
            "deleted": sorted(self.deleted),
            "bare": sorted(self.bare),
        }

    @classmethod
    def load(cls, document: dict[str, Any]) -> Keys:
        """Return the state that `dump` gave."""
        return cls(Tables.load(document["tables"]), set(document["deleted"]), set(document["bare"]))
