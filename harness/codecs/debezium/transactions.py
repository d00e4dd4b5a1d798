"""What is known of the transaction under way, and what a restart takes up of it.

Source: C:pipeline/txmetadata/TransactionContext.java, AbstractTransactionStructMaker.java; vitess
NOTES §8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from harness.codecs.connect.java import buckets, hash_order
from harness.codecs.connect.schema import Offset

_ID: Final = "transaction_id"
_COUNT: Final = "transaction_data_collection_order_"
_SMALLEST: Final = 16


@dataclass(slots=True)
class TransactionContext:
    """The transaction's id, and its events by table; `extra` are a connector's own block fields.

    The counts are kept in a HashMap that is cleared and never shrinks: `capacity` is its buckets
    (vectors tx.many_tables*, tx.many_then_few).
    """

    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    id: str | None = None
    total: int = 0
    counts: dict[str, int] = field(default_factory=dict[str, int])
    capacity: int = _SMALLEST

    def begin(self, identity: str) -> None:
        """Forget the last transaction and start one."""
        self.end()
        self.id = identity

    def end(self) -> None:
        """Forget the transaction."""
        self.id = None
        self.total = 0
        self.counts.clear()

    def event(self, collection: str) -> int:
        """Count an event; return its order within its table."""
        self.total += 1
        order = self.counts.get(collection, 0) + 1
        self.counts[collection] = order
        self.capacity = buckets(len(self.counts), self.capacity)
        return order

    def collections(self) -> list[dict[str, Any]]:
        """Return the counts as an END marker lists them."""
        return [
            {"data_collection": name, "event_count": self.counts[name]}
            for name in hash_order(self.counts, self.capacity)
        ]

    def block(self, order: int) -> dict[str, Any]:
        """Return the block that a data record carries."""
        return {
            "id": self.id,
            "total_order": self.total,
            "data_collection_order": order,
            **self.extra,
        }

    def store(self, offset: dict[str, Any]) -> dict[str, Any]:
        """Add to an offset what a restart needs."""
        if self.id is not None:
            offset[_ID] = self.id
        for name, count in self.counts.items():
            offset[_COUNT + name] = count
        return offset

    def load(self, offset: Offset) -> None:
        """Take up what an offset holds."""
        self.id = offset.get(_ID)
        for name, count in offset.items():
            if name.startswith(_COUNT):
                self.counts[name.removeprefix(_COUNT)] = int(count)
        self.capacity = buckets(len(self.counts))
        self.total = sum(self.counts.values())
