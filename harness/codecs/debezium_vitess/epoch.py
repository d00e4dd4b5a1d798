"""The epoch of each shard: it rises where ranks can no longer be compared.

Source: V:pipeline/txmetadata/VitessEpochProvider.java, ShardLineage.java; vitess NOTES §8; vectors
epoch.*, tx.two_shards.*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.codecs.connect.errors import ILLEGAL_ARGUMENT, JavaError
from harness.codecs.connect.java import split
from harness.codecs.debezium.errors import DEBEZIUM_EXCEPTION
from harness.codecs.debezium_vitess.rank import parse
from harness.codecs.debezium_vitess.settings import CURRENT, EMPTY
from harness.codecs.debezium_vitess.vgtid import VgtidPosition

Epochs = Mapping[str, int]

_OVERRIDDEN: Final = frozenset({CURRENT, EMPTY})
_LOWEST: Final = "\x00"
_HIGHEST: Final = "\uffff"


def epochs(
    before: Epochs, previous: VgtidPosition, now: VgtidPosition, *, inherit: bool
) -> dict[str, int]:
    """Return the epochs of the shards in a new position; shards that have gone are forgotten."""
    found: dict[str, int] = {}
    for shard in now.shards:
        known = previous.shard(shard.shard)
        if known is None:
            found[shard.shard] = _inherited(shard.shard, before) if inherit else 0
            continue
        if shard.shard not in before:
            raise JavaError(
                DEBEZIUM_EXCEPTION,
                f"Previous epoch cannot be null for shard {shard.shard} when shard present in "
                f"previous vgtid {previous.text}",
            )
        found[shard.shard] = _next(before[shard.shard], known.gtid, shard.gtid)
    return dict(sorted(found.items()))


def _next(epoch: int, previous: str, gtid: str) -> int:
    if previous in _OVERRIDDEN:
        return epoch if gtid in _OVERRIDDEN else epoch + 1
    if gtid in _OVERRIDDEN:
        raise JavaError(
            DEBEZIUM_EXCEPTION,
            "Current GTID cannot be override value if previous is standard: "
            f"GTID: {gtid}, previous GTID: {previous}, previous Epoch: {epoch}",
        )
    hosts_before = parse(previous).hosts
    return epoch if parse(gtid).hosts >= hosts_before else epoch + 1


def _inherited(shard: str, before: Epochs) -> int:
    """Return one more than the highest epoch of the shards whose keys this one takes over."""
    low, high = _bounds(shard)
    parents = [-1]
    for name, epoch in before.items():
        lower, upper = _bounds(name)
        if low < upper and high > lower:
            parents.append(epoch)
    return max(parents) + 1


def _bounds(shard: str) -> tuple[str, str]:
    parts = split(shard.lower(), "-")
    low = parts[0] if parts and parts[0] else _LOWEST
    high = parts[1] if len(parts) == 2 and parts[1] else _HIGHEST
    if low >= high:
        raise JavaError(
            ILLEGAL_ARGUMENT, f"Invalid shard range Shard{{lowerBound={low}, upperBound={high}}}"
        )
    return low, high
