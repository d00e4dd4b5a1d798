"""Ordered metadata: a transaction's epoch and rank, and how the block has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, SchemaCache
from harness.codecs.debezium.schemas import INT64
from harness.codecs.debezium_vitess.ordering import (
    EPOCH,
    GtidSet,
    TransactionOrdering,
    gtid_set,
    rank,
)
from harness.codecs.debezium_vitess.reference import CURRENT, EMPTY
from harness.codecs.debezium_vitess.vgtid import VgtidPosition
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, instead, patch, result
from harness.mutants.producers.records import CHANGE, SchemaChange, at
from harness.mutants.producers.vitess.edits import ignoring, moved, one, renamed, without

ORDERING: Final = "harness.codecs.debezium_vitess.ordering"
OVERRIDDEN: Final = frozenset({CURRENT, EMPTY})
# From the epoch before, the GTID before and the GTID to the epoch.
Next = Callable[[int, str, str], int]
BLOCK: Final = ("transaction_epoch", "transaction_rank")
RANK: Final = "transaction_rank"


def _fields() -> Iterator[WrongProducer]:
    for name in BLOCK:
        word = name.replace("_", "-")
        yield WrongProducer(
            f"vitess-block-without-{word}",
            "vitess.ordered.fields",
            f"It leaves `{name}` out of an event's transaction.",
            without(CHANGE, f"transaction.{name}"),
        )
        yield WrongProducer(
            f"vitess-block-{word}-renamed",
            "vitess.ordered.fields",
            f"It calls `{name}` otherwise.",
            renamed(CHANGE, f"transaction.{name}", name.removeprefix("transaction_")),
        )


def _rank_as(typing: SchemaChange, change: Callable[[int], object]) -> Patch:
    """Return the patch that changes a rank's type, and its value to one of that type."""
    schemas = SchemaCache(at(("transaction", RANK), typing))

    def changed(record: ConnectRecord) -> ConnectRecord:
        block = record.value.get("transaction")
        if block is None or record.value_schema is None or RANK not in block:
            return record
        return replace(
            record,
            value={**record.value, "transaction": {**block, RANK: change(int(block[RANK]))}},
            value_schema=schemas.of(record.value_schema),
        )

    return one(CHANGE, changed)


def _first_numbers(found: GtidSet, gtid: str) -> GtidSet:
    """Return a GTID set with the first number of each host's interval in place of the last."""
    entries = gtid.rpartition("/")[2].split(",")
    return replace(found, sequences=tuple(e.split(":")[1].split("-")[0] for e in entries))


def _epochs(change: Callable[[int], int]) -> Patch:
    return result(
        f"{ORDERING}:next_epochs",
        lambda found: {shard: change(epoch) for shard, epoch in found.items()},
    )


def _kept(original: Callable[..., dict[str, int]]) -> Callable[..., dict[str, int]]:
    """Return what begins each shard that is new with the epoch 0, whatever it takes over."""

    def epochs(before: Any, previous: Any, now: Any, *, inherit: bool) -> dict[str, int]:  # noqa: ANN401 as the original
        del inherit
        return original(before, previous, now, inherit=False)

    return epochs


def _lower(original: Next) -> Next:
    """Return what lowers an epoch where both GTIDs are real ones, so that it stays or rises."""
    return lambda epoch, previous, gtid: (
        original(epoch, previous, gtid) if previous in OVERRIDDEN else epoch - 1
    )


def _furthest(found: GtidSet) -> GtidSet:
    return replace(found, sequences=(max(found.sequences, key=int),))


def _unraised(original: Next) -> Next:
    """Return what keeps an epoch between two real GTIDs."""
    return lambda epoch, previous, gtid: (
        original(epoch, previous, gtid) if previous in OVERRIDDEN else epoch
    )


def _raised(original: Next) -> Next:
    """Return what raises an epoch where the hosts are others, be they fewer or more."""

    def following(epoch: int, previous: str, gtid: str) -> int:
        if previous in OVERRIDDEN or gtid_set(previous).hosts == gtid_set(gtid).hosts:
            return original(epoch, previous, gtid)
        return epoch + 1

    return following


def _doubled(original: Next) -> Next:
    """Return what raises an epoch by two between two real GTIDs."""

    def following(epoch: int, previous: str, gtid: str) -> int:
        found = original(epoch, previous, gtid)
        return found if previous in OVERRIDDEN else epoch + 2 * (found - epoch)

    return following


def _forgotten(original: Callable[..., dict[str, int]]) -> Callable[..., dict[str, int]]:
    """Return what begins a shard that has been there before at the epoch 0."""
    met: set[str] = set()

    def epochs(before: Any, previous: Any, now: Any, *, inherit: bool) -> dict[str, int]:  # noqa: ANN401 as the original
        if any(each.gtid in OVERRIDDEN for each in previous.shards):
            met.clear()  # another stream begins
        here = {each.shard for each in now.shards}
        known = {each.shard for each in previous.shards}
        returned = (here & met) - known
        met.update(here | known)
        made = original(before, previous, now, inherit=inherit)
        return {shard: 0 if shard in returned else epoch for shard, epoch in made.items()}

    return epochs


def _over_all_shards(original: Callable[..., Mapping[str, object]]) -> Callable[..., Any]:
    """Return what counts the transactions of all shards in the rank of each."""

    def begin(self: TransactionOrdering, shard: str, now: VgtidPosition) -> Mapping[str, object]:
        counted = (rank(each.gtid) for each in now.shards if each.gtid not in OVERRIDDEN)
        return {**original(self, shard, now), RANK: self.ranked(sum(counted))}

    return begin


def _highest(original: Callable[..., Mapping[str, object]]) -> Callable[..., Any]:
    """Return what gives each shard the highest epoch of all."""

    def begin(self: TransactionOrdering, shard: str, now: VgtidPosition) -> Mapping[str, object]:
        return {**original(self, shard, now), EPOCH: max(self.epochs.values())}

    return begin


def _above_the_lowest(original: Callable[..., int]) -> Callable[..., int]:
    def inherited(shard: str, before: Mapping[str, int]) -> int:
        above = (original(shard, {name: epoch}) for name, epoch in before.items())
        return min(filter(None, above), default=0)  # 0: not one that it takes over

    return inherited


ROWS: tuple[WrongProducer, ...] = (
    *_fields(),
    WrongProducer(
        "vitess-ordered-factory-ignored",
        "vitess.ordered.fields",
        "It pays no heed to transaction.metadata.factory.",
        ignoring("transaction.metadata.factory"),
    ),
    WrongProducer(
        "vitess-rank-before-epoch",
        "vitess.ordered.block-order",
        "It puts the rank before the epoch.",
        moved(CHANGE, "transaction.transaction_rank", "transaction_epoch"),
    ),
    WrongProducer(
        "vitess-rank-as-number",
        "vitess.ordered.rank-decimal",
        "It writes the rank as an int64.",
        _rank_as(lambda _: INT64, int),
    ),
    WrongProducer(
        "vitess-rank-of-scale-1",
        "vitess.ordered.rank-decimal",
        "It writes the rank as a Decimal of scale 1.",
        _rank_as(
            lambda schema: replace(schema, parameters=(("scale", "1"),)),
            lambda number: Decimal(number).quantize(Decimal("0.1")),
        ),
    ),
    WrongProducer(
        "vitess-rank-without-a-name",
        "vitess.ordered.rank-decimal",
        "It writes the rank as bytes that are no Decimal.",
        _rank_as(
            lambda schema: replace(schema, name=None, version=None, parameters=()),
            lambda number: number.to_bytes(number.bit_length() // 8 + 1, signed=True),
        ),
    ),
    WrongProducer(
        "vitess-rank-counts-down",
        "vitess.ordered.rank-rises",
        "It gives later transactions of a shard a lower rank.",
        result(f"{ORDERING}:rank", lambda found: 1000 - found),
    ),
    WrongProducer(
        "vitess-rank-by-first-number",
        "vitess.ordered.rank-number",
        "It takes the first number of a host's interval for the rank.",
        adjusted(f"{ORDERING}:gtid_set", _first_numbers),
    ),
    WrongProducer(
        "vitess-rank-one-more",
        "vitess.ordered.rank-number",
        "It counts the transaction twice that a GTID ends with.",
        result(f"{ORDERING}:rank", lambda found: found + 1),
    ),
    WrongProducer(
        "vitess-rank-of-the-newest-host",
        "vitess.ordered.rank-sum",
        "It takes the number of a GTID set's last host alone for the rank.",
        result(
            f"{ORDERING}:gtid_set", lambda found: replace(found, sequences=found.sequences[-1:])
        ),
    ),
    WrongProducer(
        "vitess-rank-of-the-furthest-host",
        "vitess.ordered.rank-sum",
        "It takes the greatest number of a GTID set's hosts for the rank.",
        result(f"{ORDERING}:gtid_set", _furthest),
    ),
    WrongProducer(
        "vitess-rank-over-all-shards",
        "vitess.ordered.within-shard",
        "It counts the transactions of all shards in the rank of each.",
        patch(f"{ORDERING}:TransactionOrdering.begin", _over_all_shards),
    ),
    WrongProducer(
        "vitess-epoch-of-all-shards",
        "vitess.ordered.within-shard",
        "It gives each shard the highest epoch of all.",
        patch(f"{ORDERING}:TransactionOrdering.begin", _highest),
    ),
    WrongProducer(
        "vitess-epoch-stays-when-a-host-is-lost",
        "vitess.ordered.epoch-step",
        "It keeps the epoch where a host has gone from the GTID set.",
        patch(f"{ORDERING}:_next", _unraised),
    ),
    WrongProducer(
        "vitess-epoch-rises-with-a-host",
        "vitess.ordered.epoch-step",
        "It raises the epoch where a host comes to the GTID set, as where one goes.",
        patch(f"{ORDERING}:_next", _raised),
    ),
    WrongProducer(
        "vitess-epoch-two-more",
        "vitess.ordered.epoch-step",
        "It raises the epoch by two where a host has gone from the GTID set.",
        patch(f"{ORDERING}:_next", _doubled),
    ),
    WrongProducer(
        "vitess-epoch-counts-down",
        "vitess.ordered.epoch-rises",
        "It lowers the epoch of a shard from one transaction to the next.",
        patch(f"{ORDERING}:_next", _lower),
    ),
    WrongProducer(
        "vitess-epoch-of-a-returning-shard-falls",
        "vitess.ordered.epoch-rises",
        "It begins a shard that comes back below its old epoch, although epochs are inherited.",
        patch(f"{ORDERING}:next_epochs", _forgotten),
    ),
    WrongProducer(
        "vitess-first-epoch-1-more",
        "vitess.ordered.epoch-start",
        "It begins a shard one epoch too high.",
        _epochs(lambda epoch: epoch + 1),
    ),
    WrongProducer(
        "vitess-epoch-of-a-new-shard-0",
        "vitess.ordered.epoch-inherit",
        "It begins a new shard at epoch 0 whatever it takes over.",
        patch(f"{ORDERING}:next_epochs", _kept),
    ),
    WrongProducer(
        "vitess-inherit-epoch-ignored",
        "vitess.ordered.epoch-inherit",
        "It pays no heed to vitess.inherit.epoch.",
        ignoring("vitess.inherit.epoch"),
    ),
    WrongProducer(
        "vitess-epoch-above-the-lowest-parent",
        "vitess.ordered.epoch-inherit",
        "It begins a new shard one above the lowest epoch of those that it takes over.",
        patch(f"{ORDERING}:_inherited", _above_the_lowest),
    ),
    WrongProducer(
        "vitess-epoch-above-all-shards",
        "vitess.ordered.epoch-inherit",
        "It begins a new shard one above the highest epoch of all shards.",
        instead(f"{ORDERING}:_inherited", lambda _, before: max(before.values(), default=-1) + 1),
    ),
    WrongProducer(
        "vitess-epoch-of-the-parent",
        "vitess.ordered.epoch-inherit",
        "It begins a new shard at the epoch of those that it takes over, not above it.",
        result(f"{ORDERING}:_inherited", lambda epoch: max(epoch - 1, 0)),
    ),
)
