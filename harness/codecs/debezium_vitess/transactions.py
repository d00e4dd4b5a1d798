"""What is known of the transaction under way, and what a restart takes up of it.

Source: C:pipeline/txmetadata/TransactionContext.java, AbstractTransactionStructMaker.java,
V:pipeline/txmetadata/VitessOrderedTransactionContext.java; vitess NOTES §8.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from harness.codecs.connect.errors import NULL_POINTER, JavaError
from harness.codecs.connect.java import buckets, hash_order
from harness.codecs.debezium_vitess.epoch import epochs
from harness.codecs.debezium_vitess.rank import rank
from harness.codecs.debezium_vitess.vgtid import Position, jackson, parse

ID: Final = "transaction_id"
EPOCH: Final = "transaction_epoch"
COUNT: Final = "transaction_data_collection_order_"
SMALLEST: Final = 16
_NO_SHARD: Final = (
    'Cannot invoke "io.debezium.connector.vitess.Vgtid$ShardGtid.getGtid()" because the return '
    'value of "io.debezium.connector.vitess.Vgtid.getShardGtid(String)" is null'
)


@dataclass(slots=True)
class Ordering:
    """What the ordered metadata keeps: epochs by shard, and the position before."""

    epochs: dict[str, int]
    previous: Position
    inherit: bool
    epoch: int | None = None
    rank: Decimal | None = None

    def begin(self, shard: str, now: Position) -> None:
        """Move to a transaction; raises JavaError for a shard or a GTID that cannot be ranked."""
        self.epochs = epochs(self.epochs, self.previous, now, inherit=self.inherit)
        self.epoch = self.epochs.get(shard)
        here = now.shard(shard)
        if here is None:
            raise JavaError(NULL_POINTER, _NO_SHARD)
        self.rank = rank(here.gtid)
        self.previous = now


@dataclass(slots=True)
class TransactionContext:
    """The transaction's id, and its events by table.

    The counts are kept in a HashMap that is cleared and never shrinks: `capacity` is its buckets
    (vectors tx.many_tables*, tx.many_then_few).
    """

    ordering: Ordering | None = None
    id: str | None = None
    total: int = 0
    counts: dict[str, int] = field(default_factory=dict[str, int])
    capacity: int = SMALLEST

    def begin(self, position: Position, shard: str) -> None:
        """Forget the last transaction and start one."""
        self._reset()
        self.id = position.text
        if self.ordering is not None:
            self.ordering.begin(shard, position)

    def end(self) -> None:
        """Forget the transaction."""
        self._reset()
        if self.ordering is not None:
            self.ordering.epoch = self.ordering.rank = None

    def _reset(self) -> None:
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
        found: dict[str, Any] = {
            "id": self.id,
            "total_order": self.total,
            "data_collection_order": order,
        }
        if self.ordering is not None:
            found["transaction_epoch"] = self.ordering.epoch
            found["transaction_rank"] = self.ordering.rank
        return found

    def store(self, offset: dict[str, Any]) -> dict[str, Any]:
        """Add to an offset what a restart needs."""
        if self.id is not None:
            offset[ID] = self.id
        for name, count in self.counts.items():
            offset[COUNT + name] = count
        if self.ordering is not None:
            offset[EPOCH] = jackson(self.ordering.epochs)
        return offset

    def load(self, offset: Mapping[str, Any]) -> None:
        """Take up what an offset tells."""
        self.id = offset.get(ID)
        for name, count in offset.items():
            if name.startswith(COUNT):
                self.counts[name.removeprefix(COUNT)] = int(count)
        self.capacity = buckets(len(self.counts))
        self.total = sum(self.counts.values())
        if self.ordering is not None:
            self.ordering.previous = parse(offset["vgtid"])
            self.ordering.epochs = read_epochs(offset.get(EPOCH) or "{}")


def read_epochs(text: str) -> dict[str, int]:
    """Read epochs by shard from a setting or an offset."""
    return {str(shard): int(epoch) for shard, epoch in sorted(json.loads(text).items())}
