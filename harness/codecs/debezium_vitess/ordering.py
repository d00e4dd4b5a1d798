"""The ordered transaction metadata: an epoch and a rank for each transaction.

The rank is the sum, over a GTID's hosts, of the last number of each. The epoch of a shard rises
where ranks can no longer be compared.

Source: V:pipeline/txmetadata/VitessOrderedTransactionContext.java, VitessEpochProvider.java,
ShardLineage.java, Gtid.java, VitessRankProvider.java; vitess NOTES §8; vectors rank.*, epoch.*,
tx.two_shards.*. Of earlier releases the same files at v2.7.0.Final and v3.0.0.Final.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from harness.codecs.connect.errors import (
    ILLEGAL_ARGUMENT,
    NULL_POINTER,
    NUMBER_FORMAT,
    OUT_OF_BOUNDS,
    RUNTIME,
    JavaError,
)
from harness.codecs.connect.java import split
from harness.codecs.connect.schema import Offset
from harness.codecs.debezium.errors import DEBEZIUM_EXCEPTION
from harness.codecs.debezium_vitess.dialect import EpochRules, FirstEpoch
from harness.codecs.debezium_vitess.reference import CURRENT, EMPTY
from harness.codecs.debezium_vitess.vgtid import VgtidPosition, jackson, parse

_DIGITS: Final = re.compile(r"\+?\d+\Z")


@dataclass(frozen=True, slots=True)
class GtidSet:
    """A GTID set: its hosts as they are spelled, and the number that each has come to."""

    hosts: frozenset[str]
    sequences: tuple[str, ...]


def gtid_set(gtid: str) -> GtidSet:
    """Read a GTID set; only the first interval behind a host counts.

    Raises JavaError for a host without an interval, such as MariaDB's (vector rank.mariadb).
    """
    hosts: list[str] = []
    sequences: list[str] = []
    _, slash, rest = gtid.partition("/")
    for entry in split(rest if slash else gtid, ","):
        parts = split(entry, ":")
        try:
            host = _at(parts, 0)
            numbers = split(_at(parts, 1), "-")
            last = _at(numbers, len(numbers) - 1)
        except JavaError as cause:
            raise JavaError(DEBEZIUM_EXCEPTION, f"Error parsing GTID: {gtid}", cause) from cause
        hosts.append(host)
        sequences.append(last)
    return GtidSet(frozenset(hosts), tuple(sequences))


def _at(parts: list[str], index: int) -> str:
    if not 0 <= index < len(parts):
        raise JavaError(OUT_OF_BOUNDS, f"Index {index} out of bounds for length {len(parts)}")
    return parts[index]


def rank(gtid: str) -> int:
    """Return the rank that a GTID set stands for."""
    total = 0
    for sequence in gtid_set(gtid).sequences:
        if not _DIGITS.match(sequence):
            raise JavaError(
                NUMBER_FORMAT,
                f"Character {sequence[:1]} is neither a decimal digit number, decimal point, "
                'nor "e" notation exponential mark.',
            )
        total += int(sequence)
    return total


Epochs = Mapping[str, int]

_OVERRIDDEN: Final = frozenset({CURRENT, EMPTY})
_LOWEST: Final = "\x00"
_HIGHEST: Final = "\uffff"


def next_epochs(
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
    hosts_before = gtid_set(previous).hosts
    return epoch if gtid_set(gtid).hosts >= hosts_before else epoch + 1


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


EPOCH: Final = "transaction_epoch"
TRANSACTION_ID: Final = "transaction_id"
UNORDERED: Final[Mapping[str, object]] = {EPOCH: None, "transaction_rank": None}
_NO_SHARD: Final = (
    'Cannot invoke "io.debezium.connector.vitess.Vgtid$ShardGtid.getGtid()" because the return '
    'value of "io.debezium.connector.vitess.Vgtid.getShardGtid(String)" is null'
)


def transaction_epoch(
    before: Epochs, previous: VgtidPosition | None, now: VgtidPosition, shard: str
) -> dict[str, int]:
    """Return the epochs where each shard's is counted at its own transactions, as in 2.7.

    `previous` is the position of the transaction before, whatever its shard; None at the first.
    Raises JavaError for a shard that either position lacks.
    """
    if previous is None:
        return {**before, shard: 0}
    known, here = (_gtid(each, shard) for each in (previous, now))
    epoch = before.get(shard, 0)
    return {**before, shard: epoch + 1 if known in _OVERRIDDEN else _next(epoch, known, here)}


def _gtid(where: VgtidPosition, shard: str) -> str:
    found = where.shard(shard)
    if found is None:
        raise JavaError(
            DEBEZIUM_EXCEPTION, f"Gtid for shard missing, shard: {shard}vgtid: {where.text}"
        )
    return found.gtid


def check_servers(previous: VgtidPosition, now: VgtidPosition, shards: Iterable[str]) -> None:
    """Raise JavaError where a shard's GTID set both gains and loses servers."""
    for shard in shards:
        known, here = previous.shard(shard), now.shard(shard)
        if known is None or here is None or _OVERRIDDEN & {known.gtid, here.gtid}:
            continue
        before, after = (gtid_set(each.gtid).hosts for each in (known, here))
        if not (before <= after or after <= before):
            raise JavaError(RUNTIME, "Can't determine epoch")


@dataclass(slots=True)
class TransactionOrdering:
    """What ordered metadata keeps: epochs by shard, and the position before.

    `previous` is None where nothing counts before the first transaction. `ranked` makes of a rank
    what stands in the block.
    """

    epochs: dict[str, int]
    previous: VgtidPosition | None
    inherit: bool
    ranked: Callable[[int], object] = Decimal
    rules: EpochRules = field(default_factory=EpochRules)

    def begin(self, shard: str, now: VgtidPosition) -> Mapping[str, object]:
        """Move to a transaction, return its block's fields.

        Raises JavaError for a shard or a GTID that cannot be ranked.
        """
        self.epochs = self._moved(shard, now)
        here = now.shard(shard)
        if here is None:
            raise JavaError(NULL_POINTER, _NO_SHARD)
        ranked = self.ranked(rank(here.gtid))
        self.previous = now
        return {EPOCH: self.epochs.get(shard), "transaction_rank": ranked}

    def _moved(self, shard: str, now: VgtidPosition) -> dict[str, int]:
        by_transaction = self.rules.first is FirstEpoch.TRANSACTION
        if self.previous is not None and self.rules.exchange_stops:
            counted = [shard] if by_transaction else [each.shard for each in now.shards]
            check_servers(self.previous, now, counted)
        if by_transaction or self.previous is None:
            return transaction_epoch(self.epochs, self.previous, now, shard)
        return next_epochs(self.epochs, self.previous, now, inherit=self.inherit)

    def store(self, offset: dict[str, Any]) -> dict[str, Any]:
        """Add the epochs to an offset."""
        offset[EPOCH] = jackson(self.epochs)
        return offset

    def load(self, offset: Offset) -> None:
        """Take up what an offset holds."""
        if self.rules.first is FirstEpoch.START:
            self.previous = parse(offset["vgtid"])
        else:
            under_way = offset.get(TRANSACTION_ID)
            self.previous = None if under_way is None else parse(under_way)
        self.epochs = read_epochs(offset.get(EPOCH) or "{}")


def read_epochs(text: str) -> dict[str, int]:
    """Read epochs by shard from a setting or an offset."""
    return {str(shard): int(epoch) for shard, epoch in sorted(json.loads(text).items())}
