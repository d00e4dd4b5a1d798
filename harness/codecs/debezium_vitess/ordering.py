"""The ordered transaction metadata: an epoch and a rank for each transaction.

Source: V:pipeline/txmetadata/VitessOrderedTransactionContext.java; vitess NOTES §8.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from harness.codecs.connect.errors import NULL_POINTER, JavaError
from harness.codecs.debezium_vitess.epoch import epochs
from harness.codecs.debezium_vitess.rank import rank
from harness.codecs.debezium_vitess.vgtid import VgtidPosition, jackson, parse

EPOCH: Final = "transaction_epoch"
UNORDERED: Final[Mapping[str, object]] = {EPOCH: None, "transaction_rank": None}
_NO_SHARD: Final = (
    'Cannot invoke "io.debezium.connector.vitess.Vgtid$ShardGtid.getGtid()" because the return '
    'value of "io.debezium.connector.vitess.Vgtid.getShardGtid(String)" is null'
)


@dataclass(slots=True)
class TransactionOrdering:
    """What ordered metadata keeps: epochs by shard, and the position before."""

    epochs: dict[str, int]
    previous: VgtidPosition
    inherit: bool

    def begin(self, shard: str, now: VgtidPosition) -> Mapping[str, object]:
        """Move to a transaction, return its block's fields.

        Raises JavaError for a shard or a GTID that cannot be ranked.
        """
        self.epochs = epochs(self.epochs, self.previous, now, inherit=self.inherit)
        here = now.shard(shard)
        if here is None:
            raise JavaError(NULL_POINTER, _NO_SHARD)
        ranked = rank(here.gtid)
        self.previous = now
        return {EPOCH: self.epochs.get(shard), "transaction_rank": ranked}

    def store(self, offset: dict[str, Any]) -> dict[str, Any]:
        """Add the epochs to an offset."""
        offset[EPOCH] = jackson(self.epochs)
        return offset

    def load(self, offset: Mapping[str, Any]) -> None:
        """Take up what an offset holds."""
        self.previous = parse(offset["vgtid"])
        self.epochs = read_epochs(offset.get(EPOCH) or "{}")


def read_epochs(text: str) -> dict[str, int]:
    """Read epochs by shard from a setting or an offset."""
    return {str(shard): int(epoch) for shard, epoch in sorted(json.loads(text).items())}
