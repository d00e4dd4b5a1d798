"""Transactions: what belongs together, and when it is complete."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from harness.model.decoded import DecodedEvent, EventKind
from harness.mutants.delivery import Message
from harness.mutants.mutant import Mutant, sign
from harness.mutants.parts import Events, Known, Parts

_ROWS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.DELETE})


class ClosedByEnd(Events):
    """Takes END for the last message of a transaction."""

    def __init__(self, known: Known) -> None:
        """Start with no transaction ended."""
        del known
        self._ended: set[str] = set()

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop a row of a transaction whose END came before it."""
        del message
        name = "" if event.place is None else event.place.transaction_id
        if event.kind is EventKind.END:
            self._ended.add(name)
        return () if event.kind in _ROWS and name and name in self._ended else (event,)


class MillisOrder(Events):
    """Drops a row whose time is not after that of its key's last."""

    def __init__(self, known: Known) -> None:
        """Start with nothing seen."""
        del known
        self._last: dict[Hashable, int] = {}

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop what is not later."""
        del message
        if event.kind not in _ROWS or event.place is None:
            return (event,)
        key = (event.table, str(event.key))
        late = event.place.ts_ms <= self._last.get(key, -1)
        self._last[key] = max(event.place.ts_ms, self._last.get(key, -1))
        return () if late else (event,)


class RankAlone(MillisOrder):
    """Orders by the transaction's rank and forgets the epoch."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop what has a smaller rank than its key's last."""
        del message
        rank = None if event.place is None else event.place.rank
        if event.kind not in _ROWS or rank is None:
            return (event,)
        key = (event.table, str(event.key))
        late = rank < self._last.get(key, 0)
        self._last[key] = max(rank, self._last.get(key, 0))
        return () if late else (event,)


class RankAsText(Events):
    """Compares ranks as texts, so that 10 is below 9."""

    def __init__(self, known: Known) -> None:
        """Start with nothing seen."""
        del known
        self._last: dict[Hashable, str] = {}

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop what has a rank whose text is below the highest of its key."""
        del message
        rank = None if event.place is None else event.place.rank
        if event.kind not in _ROWS or rank is None:
            return (event,)
        key = (event.table, str(event.key))
        last = self._last.get(key, "")
        self._last[key] = max(str(rank), last)
        return () if str(rank) < last else (event,)


class OneEventARank(Events):
    """Takes all events of a key at one epoch and rank for one."""

    def __init__(self, known: Known) -> None:
        """Start with nothing seen."""
        del known
        self._last: dict[Hashable, tuple[int, int]] = {}

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop what has the epoch and rank of its key's last."""
        del message
        rank = None if event.place is None else event.place.rank
        if event.kind not in _ROWS or event.place is None or rank is None:
            return (event,)
        key, now = (event.table, str(event.key)), (event.place.epoch or 0, rank)
        again = self._last.get(key) == now
        self._last[key] = now
        return () if again else (event,)


class RanksOfAllShards(OneEventARank):
    """Compares epochs and ranks of different shards."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop what has a smaller epoch, or rank, than its key's last, of whichever shard."""
        del message
        rank = None if event.place is None else event.place.rank
        if event.kind not in _ROWS or event.place is None or rank is None:
            return (event,)
        key, now = (event.table, str(event.key)), (event.place.epoch or 0, rank)
        last = self._last.get(key, now)
        self._last[key] = max(last, now)
        return () if now < last else (event,)


class OneShard(MillisOrder):
    """Takes the first shard for the whole keyspace."""

    def __init__(self, known: Known) -> None:
        """Start with no shard."""
        super().__init__(known)
        self._shard = ""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Drop a row of another shard."""
        del message
        if event.place is None or not event.place.shard:
            return (event,)
        self._shard = self._shard or event.place.shard
        return (event,) if event.place.shard == self._shard else ()


class UpdatesOnly(MillisOrder):
    """Keeps of an update what changed, and reads the rest as NULL."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Empty the columns that did not change."""
        del message
        before, after = event.before, event.after
        if event.kind is not EventKind.UPDATE or before is None or after is None:
            return (event,)
        kept = {
            name: value if name in event.handle or before.get(name, value) != value else None
            for name, value in after.items()
        }
        return (replace(event, after=kept),)


class UpdateIsDelete(MillisOrder):
    """Takes the old row of an update for the one that is."""

    def read(self, event: DecodedEvent, message: Message) -> Iterable[DecodedEvent]:
        """Put the old row."""
        del message
        if event.kind is not EventKind.UPDATE or event.before is None or event.after is None:
            return (event,)
        if set(event.before) != set(event.after):
            return (event,)
        return (replace(event, after=event.before),)


_VITESS = ("vitess",)
_UPDATE = {
    "open": "open.row.update",
    "vitess": "vitess.row.update",
    "debezium-mysql": "debezium-mysql.row.update",
}
_LOST = (sign("event-missing missing-row stale-row extra-row"),)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "end-closes-transaction",
        "transactions",
        "It drops a row that arrives after its transaction's END, which travels in another topic.",
        "kafka.no-order-across-partitions",
        Parts(events=ClosedByEnd),
        _LOST,
        _VITESS,
        ("https://github.com/MaterializeInc/materialize/issues/8693",),
    ),
    Mutant(
        "later-millisecond-only",
        "transactions",
        "It drops a change that has the same timestamp as its row's last, or a smaller one.",
        "vitess.source.ts-commit",
        Parts(events=MillisOrder),
        _LOST,
        _VITESS,
        ("https://github.com/Altinity/clickhouse-sink-connector/pull/1452",),
    ),
    Mutant(
        "rank-without-epoch",
        "transactions",
        "It orders transactions by their rank and forgets that a new epoch starts anew.",
        "vitess.ordered.by-epoch",
        Parts(events=RankAlone),
        _LOST,
        _VITESS,
        ("https://github.com/debezium/debezium-connector-vitess/pull/188",),
    ),
    Mutant(
        "rank-as-text",
        "transactions",
        "It compares the ranks of transactions as texts, so that 10 is below 9.",
        "vitess.ordered.by-rank",
        Parts(events=RankAsText),
        _LOST,
        _VITESS,
    ),
    Mutant(
        "first-of-a-rank-wins",
        "transactions",
        "It takes all changes of a row at one epoch and rank for one, and forgets their order.",
        "vitess.ordered.by-total-order",
        Parts(events=OneEventARank),
        _LOST,
        _VITESS,
    ),
    Mutant(
        "ranks-of-all-shards",
        "transactions",
        "It compares the epochs and ranks of different shards.",
        "vitess.ordered.within-shard",
        Parts(events=RanksOfAllShards),
        _LOST,
        _VITESS,
    ),
    Mutant(
        "one-shard",
        "transactions",
        "It takes the first shard that it sees for the whole keyspace.",
        "vitess.shard.all",
        Parts(events=OneShard),
        _LOST,
        _VITESS,
        ("https://github.com/debezium/debezium-connector-vitess/pull/207",),
    ),
    Mutant(
        "unchanged-is-null",
        "transactions",
        "It keeps of an update what changed and reads the other columns as NULL.",
        _UPDATE,
        Parts(events=UpdatesOnly),
        (sign("wrong-value", "is NULL"),),
        ("open", "vitess", "debezium-mysql"),
        ("https://github.com/risingwavelabs/risingwave/issues/21577",),
    ),
    Mutant(
        "old-row-wins",
        "transactions",
        "It writes the old row of an update in place of the new one.",
        _UPDATE,
        Parts(events=UpdateIsDelete),
        (sign("stale-row wrong-value"),),
        ("open", "vitess", "debezium-mysql"),
        ("https://github.com/risingwavelabs/risingwave/issues/4694",),
    ),
)
