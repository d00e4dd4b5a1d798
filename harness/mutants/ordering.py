"""Which of two events is later, and when an event's time has come."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from harness.model.decoded import DecodedEvent, EventKind
from harness.mutants.mutant import Mutant, sign
from harness.mutants.parts import GivesUp, Parts
from harness.reference_consumer.arrive import ROWS as ROW_KINDS
from harness.reference_consumer.arrive import Arrivals
from harness.reference_consumer.hold import Hold, Place, Ready


class LastArrivalWins(Hold):
    """Sorts nothing."""

    def rank(self, event: DecodedEvent) -> tuple[int, int]:
        """Return the same for all."""
        del event
        return (0, 0)


class UndatedArrivals(Arrivals):
    """Compares no timestamps."""

    def __init__(self, *, dated: bool) -> None:
        """Take what rows carry, and look away."""
        del dated
        super().__init__(dated=False)


class TextOrder(Hold):
    """Sorts timestamps as texts."""

    def rank(self, event: DecodedEvent) -> tuple[int, int]:
        """Return the place of the text."""
        ts, rank = super().rank(event)
        # Left-aligned digits compare as the texts do.
        return (int(f"{ts:<020d}"), rank)


class TextArrivals(Arrivals):
    """Compares timestamps as texts."""

    def __init__(self, *, dated: bool) -> None:
        """Take what rows carry."""
        super().__init__(dated=dated)
        self._latest: dict[Hashable, str] = {}

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Take an event; drop it where its ts is smaller as a text."""
        if event.kind not in ROW_KINDS:
            return
        if event.commit_ts:
            key = (event.schema, event.table, str(event.key or event.after))
            if str(event.commit_ts) < self._latest.get(key, ""):
                return
            self._latest[key] = str(event.commit_ts)
        yield Ready(event, place)


class PutsFirst(Hold):
    """Applies the puts of a timestamp before its deletes."""

    def rank(self, event: DecodedEvent) -> tuple[int, int]:
        """Return puts before deletes."""
        ts, rank = super().rank(event)
        return (ts, {1: 2, 2: 1}.get(rank, rank))


class HighWatermark(Hold):
    """Drops what lies below the highest timestamp seen."""

    _highest = 0

    def is_known(self, event: DecodedEvent) -> bool:
        """Know whatever is below the highest timestamp so far."""
        if event.commit_ts < self._highest:
            return True
        self._highest = event.commit_ts
        return super().is_known(event)


class TableWatermark(Arrivals):
    """Drops what lies below the highest timestamp that its table has seen."""

    _highest: dict[str, int]

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Take an event, unless another row of its table was later."""
        if not hasattr(self, "_highest"):
            self._highest = {}
        if event.commit_ts:
            if event.commit_ts < self._highest.get(event.table, 0):
                return
            self._highest[event.table] = event.commit_ts
        yield from super().take(event, place)


class AtOnce(Hold):
    """Applies what arrives, whatever is resolved."""

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Yield a new event at once."""
        if event.kind is EventKind.RESOLVED or self.is_known(event):
            return
        self.seen.add(self.identity_of(event))
        yield Ready(event, place)


class FarthestMark(Hold):
    """Takes the mark of the partition that is farthest for everyone's."""

    def limit(self) -> int:
        """Return the greatest mark."""
        return max(self.marks.values())


class FirstMark(Hold):
    """Listens to the marks of the partition 0 alone."""

    def limit(self) -> int:
        """Return the mark of partition 0."""
        return next(mark for (_, partition), mark in sorted(self.marks.items()) if not partition)


class DdlAtOnce(Hold):
    """Runs DDL when it arrives, not when its time has come."""

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Yield a new DDL at once; keep rows waiting."""
        if event.kind is not EventKind.DDL:
            yield from super().take(event, place)
        elif not self.is_known(event):
            self.seen.add(self.identity_of(event))
            yield Ready(event, place)


class DdlAtOneMark(Hold):
    """Runs DDL once one partition has resolved up to it."""

    def release(self) -> Iterator[Ready]:
        """Yield what is complete, and then the DDL up to the greatest mark."""
        yield from super().release()
        mark = max(self.marks.values())
        statements = [one for one in self.waiting if one[4].kind is EventKind.DDL]
        due = sorted(
            (one for one in statements if one[4].commit_ts <= mark), key=lambda one: one[:3]
        )
        self.waiting = [one for one in self.waiting if one not in due]
        yield from (one[3] for one in due)


class DdlAtMarkIsKnown(Hold):
    """Takes a DDL at the very ts that is resolved for a copy of one that was executed."""

    def is_known(self, event: DecodedEvent) -> bool:
        """Know whatever is not above what was applied."""
        return event.commit_ts <= self.applied or super().is_known(event)


class PanicsOnRegress(Hold):
    """Takes a mark that goes back for the end of the world."""

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Give up where a mark is below the partition's last one."""
        if event.kind is EventKind.RESOLVED and event.commit_ts < self.marks[place[:2]]:
            raise GivesUp(
                f"resolved ts {event.commit_ts} is below {self.marks[place[:2]]}: it went back"
            )
        yield from super().take(event, place)


class MarkGoesBack(Hold):
    """Believes a mark that goes back, and so holds, for good, what a greater one completed."""

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Keep the last mark in place of the greatest."""
        if event.kind is EventKind.RESOLVED:
            self.marks[place[:2]] = event.commit_ts
            yield from self.release()
            return
        yield from super().take(event, place)


class Exclusive(Hold):
    """Holds back what was committed at the very timestamp that is resolved."""

    def limit(self) -> int:
        """Return one less."""
        return super().limit() - 1


class RowsThenDdl(Hold):
    """Runs DDL after the rows of everything that is complete."""

    def rank(self, event: DecodedEvent) -> tuple[int, int]:
        """Return DDL behind every row."""
        ts, rank = super().rank(event)
        return (ts + 2**64 if event.kind is EventKind.DDL else ts, rank)


class PartitionByPartition(Hold):
    """Applies what is complete one partition after the other."""

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Take an event; release by partition first."""
        ready = list(super().take(event, place))
        yield from sorted(ready, key=lambda one: one.place[:2])


_STALE = "stale-row wrong-value event-order missing-row extra-row"
_ORDER = (sign(_STALE),)
_EARLY = (
    sign("missing-row extra-row wrong-value event-unexpected", "resolved|stream does not complete"),
)
_OPEN = ("open",)

ROWS: tuple[Mutant, ...] = (
    Mutant(
        "last-arrival-wins",
        "ordering",
        "It applies events as they arrive, although an older one may come later.",
        {"open": "open.order.first-occurrence", "avro": "avro.delivery.at-least-once"},
        Parts(hold=LastArrivalWins, arrivals=UndatedArrivals),
        (sign("stale-row event-order"),),
        ("open", "avro"),
        (
            "https://github.com/pingcap/tiflow/issues/12017",
            "https://github.com/pingcap/ticdc/issues/3967",
        ),
    ),
    Mutant(
        "lexicographic-ts",
        "ordering",
        "It compares timestamps as texts, so that 999 comes after 1000.",
        {"open": "open.order.per-table-ts", "avro": "avro.order.per-key"},
        Parts(hold=TextOrder, arrivals=TextArrivals),
        (sign("stale-row event-order event-missing missing-row"),),
        ("open", "avro"),
        (
            "https://github.com/apache/hudi/pull/9475",
            "https://github.com/apache/flink-cdc/pull/4358",
        ),
    ),
    Mutant(
        "puts-before-deletes",
        "ordering",
        "It applies the puts of a commit ts before its deletes, so that a key that is deleted and "
        "inserted again is lost.",
        "open.txn.deletes-first",
        Parts(hold=PutsFirst),
        (sign("missing-row event-order"),),
        _OPEN,
        ("https://github.com/pingcap/tiflow/issues/11231",),
    ),
    Mutant(
        "drop-below-high-watermark",
        "ordering",
        "It drops an event below the highest timestamp seen, although it was never applied.",
        {"open": "open.row.drop-applied", "avro": "avro.order.per-key"},
        Parts(hold=HighWatermark, arrivals=TableWatermark),
        (sign("event-missing missing-row stale-row ddl-missing"),),
        ("open", "avro"),
        (
            "https://github.com/pingcap/ticdc/issues/4051",
            "https://github.com/pingcap/ticdc/issues/5508",
        ),
    ),
    Mutant(
        "resolved-ignored",
        "ordering",
        "It applies events when they arrive and pays no heed to resolved events.",
        "open.resolved.complete",
        Parts(hold=AtOnce),
        _EARLY,
        _OPEN,
    ),
    Mutant(
        "farthest-mark-counts",
        "ordering",
        "It takes the greatest resolved ts of all partitions for the global one; the least is it.",
        "open.resolved.global",
        Parts(hold=FarthestMark),
        _EARLY,
        _OPEN,
    ),
    Mutant(
        "first-partition-speaks-for-all",
        "ordering",
        "It listens to the resolved events of the partition 0 only.",
        "open.resolved.global",
        Parts(hold=FirstMark),
        _EARLY,
        _OPEN,
    ),
    Mutant(
        "ddl-at-the-mark-is-a-copy",
        "ordering",
        "It drops a DDL that comes behind the resolved event of its own timestamp.",
        "changefeed.ddl.behind-mark",
        Parts(hold=DdlAtMarkIsKnown),
        (sign("ddl-missing extra-row missing-row missing-column missing-table"),),
        _OPEN,
    ),
    Mutant(
        "ddl-runs-on-arrival",
        "ordering",
        "It runs DDL when it arrives, before older rows that are still held.",
        "open.ddl.after-rows",
        Parts(hold=DdlAtOnce),
        (sign("missing-row extra-row extra-table wrong-value stale-row missing-column"),),
        _OPEN,
        ("https://github.com/debezium/debezium/pull/6015",),
    ),
    Mutant(
        "ddl-at-one-mark",
        "ordering",
        "It runs DDL once one partition has resolved up to it, before rows of the others.",
        "open.ddl.after-rows",
        Parts(hold=DdlAtOneMark),
        (sign("missing-row extra-row extra-table wrong-value stale-row missing-column"),),
        _OPEN,
    ),
    Mutant(
        "ddl-after-all-rows",
        "ordering",
        "It applies all rows that are complete before any DDL.",
        "open.ddl.after-rows",
        Parts(hold=RowsThenDdl),
        (sign("missing-row extra-row extra-table wrong-value missing-column extra-column"),),
        _OPEN,
        ("https://github.com/pingcap/ticdc/issues/3443",),
    ),
    Mutant(
        "panic-on-watermark-back",
        "ordering",
        "It gives up when a resolved event is below the one before.",
        "open.resolved.may-regress",
        Parts(hold=PanicsOnRegress),
        (sign("consumer", "it went back"),),
        _OPEN,
        ("https://github.com/pingcap/tiflow/issues/4730",),
    ),
    Mutant(
        "last-mark-counts",
        "ordering",
        "It believes the last resolved event of a partition, where the greatest is right, and "
        "holds what was complete.",
        "open.resolved.may-regress",
        Parts(hold=MarkGoesBack),
        (sign("missing-row event-missing stale-row ddl-missing"),),
        _OPEN,
        ("https://github.com/pingcap/tiflow/issues/4730",),
    ),
    Mutant(
        "resolved-is-exclusive",
        "ordering",
        "It holds back what was committed at the timestamp that is resolved.",
        "open.resolved.inclusive",
        Parts(hold=Exclusive),
        (sign("missing-row event-missing stale-row ddl-missing"),),
        _OPEN,
    ),
    Mutant(
        "one-partition-after-the-other",
        "ordering",
        "It applies what is complete by partition, so that a DDL or a moved key overtakes.",
        "kafka.no-order-across-partitions",
        Parts(hold=PartitionByPartition),
        _ORDER,
        _OPEN,
        ("https://github.com/pingcap/tiflow/issues/11297",),
    ),
)
