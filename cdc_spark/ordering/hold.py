"""Holds events until the resolved events of all partitions have passed them.

Rule 1. A partition's watermark is the greatest ts of its resolved events, which may go backwards;
        the global watermark is the smallest of all. A partition without one keeps all waiting.
Rule 2. An event is complete when its commit ts is at or below the global watermark (or strictly
        below, when the changefeed says so). Complete events are applied in the order of commit ts,
        then kind (deletes, upserts, DDL), then place (rows) or arrival (DDL, of which each
        partition has a copy); all others wait, at the end of the input too.
Rule 3. An event that was complete under the global watermark applied so far is a replay, and is
        dropped. An event merely below something seen already is not: its first copy may still be
        missing. DDL may come behind the resolved event of its own ts: at the ts applied last it is
        a replay only if it was executed.
Rule 4. Of held events with one (commit ts, kind, identity) the first counts. Rows without identity
        are replays up to their own partition's watermark; beyond it each copy counts.
Rule 5. A poisoned partition is not read past its poison, so its watermark stays where it is, and
        with it everything that might depend on what is missing. Other partitions are read on.
        Where poison is set aside (`lenient`), the partition is read on too.
Rule 6. Where a delete may have taken the ts of a row that it follows (`by_place`), rows of one
        commit ts keep the order of their partition.
Rule 7. A partition that joins counts from then on, declared or not. What comes in it behind what
        was applied, and behind none of its own resolved events, may never have been applied: it is
        kept as `behind`, for an error, unless all such is known to repeat others (`repeats`).
        DDL has a copy in each partition of its topic.

Sources: TiCDC Open Protocol (2020), §Constraints; tiflow c7b2588 cmd/kafka-consumer/writer.go:469.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from cdc_spark.events import Event, Kind
from cdc_spark.ordering.columns import (
    COLUMNS,
    NOTHING,
    Array,
    Block,
    block_of,
    chosen,
    codes,
    firsts,
    joined,
    pairs,
    size,
)
from cdc_spark.ordering.netting import last_of_key
from cdc_spark.ordering.table_versions import TableVersions
from cdc_spark.untyped import np

NEVER = -1


class Source(NamedTuple):
    """A partition: the topic's ordinal within the changefeed, and the partition's number."""

    topic: int
    partition: int


class Arrival(NamedTuple):
    """An event and where it stood."""

    event: Event
    source: Source
    offset: int


class Applied(NamedTuple):
    """An event in its place in the changefeed's timeline; `seq` is dense from 0."""

    seq: int
    arrival: Arrival


@dataclass(slots=True)
class Hold:
    """The state of one changefeed between micro-batches, or of one of its buckets.

    DDL and ERROR events come to all buckets, and leave the `first` of them. `net`: of the rows of a
    key that are released at once, and no DDL between them, only the last leaves.
    """

    sources: tuple[Source, ...]
    inclusive: bool
    watermarks: dict[Source, int] = field(default_factory=dict[Source, int])
    applied_watermark: int = NEVER
    executed: set[str] = field(default_factory=set[str])  # DDL of the watermark applied last
    next_seq: int = 0
    held: Block = field(default_factory=lambda: NOTHING)
    poisoned: set[Source] = field(default_factory=set[Source])
    lenient: bool = False
    by_place: bool = False
    first: bool = True
    net: bool = False
    versions: TableVersions = field(default_factory=TableVersions)
    repeats: frozenset[Source] = frozenset()
    behind: tuple[Source, int, int] | None = None  # where it stood, and its ts

    def step(self, arrivals: Iterable[Arrival]) -> list[Applied]:
        """Take what arrived, in the order of its partition, and return what is now in its place."""
        released = self.take(block_of_arrivals(arrivals))
        first = self.next_seq - size(released)
        return [Applied(seq, one) for seq, one in enumerate(arrivals_of(released), first)]

    def take(self, arrived: Block) -> Block:
        """Do the same with columns.

        An ERROR event is returned at once, in the place where the changefeed stands then.
        """
        arrived, errors = before_poison(arrived, self.poisoned, lenient=self.lenient)
        waiting = joined(self.held, chosen(arrived, self._mark(arrived)))
        self.held = chosen(waiting, _once(waiting))
        released = self._release()
        if self.first:
            released = joined(released, errors)
        released = {**released, "version": self.versions.of(released)}
        if not self.first:
            released = chosen(released, released["kind"] != Kind.DDL)
        self.next_seq += size(released)
        return released

    def at(self, released: Block) -> Array:
        """Return the times at which the events that `take` has just returned take effect."""
        now = np.uint64(max(self.applied_watermark, 0))
        return np.where(released["kind"] == Kind.ERROR, now, released["ts"])

    def dump(self) -> bytes:
        """Return the state as bytes; `load` is the way back."""
        return orjson.dumps(
            {
                "watermarks": [
                    [*source, watermark] for source, watermark in self.watermarks.items()
                ],
                "applied": self.applied_watermark,
                "executed": sorted(self.executed),
                "seq": self.next_seq,
                "poisoned": sorted([*source] for source in self.poisoned),
                "versions": self.versions.dump(),
                "held": {name: values.tolist() for name, values in self.held.items()},
            }
        )

    def load(self, state: bytes) -> None:
        """Take up the state that `dump` gave."""
        document: dict[str, Any] = orjson.loads(state)
        self.watermarks = {
            Source(topic, number): watermark for topic, number, watermark in document["watermarks"]
        }
        self.applied_watermark = document["applied"]
        self.executed = set(document.get("executed", ()))  # states of before had none
        self.next_seq = document["seq"]
        self.poisoned = {Source(*source) for source in document["poisoned"]}
        self.versions.load(document["versions"])
        self.held = block_of(document["held"])

    def _mark(self, arrived: Block) -> Array:
        """Take the resolved events of all partitions; return a mask of what is news besides them.

        What is complete already is a replay: under the global watermark, for rows without identity
        under that of their partition as it was when they came.
        """
        resolved = arrived["kind"] == Kind.RESOLVED
        heard = dict(self.watermarks)
        before = self._complete(arrived["ts"], self.applied_watermark)
        for at in np.flatnonzero(before & self._is_last_ddl(arrived)).tolist():
            before[at] = arrived["identity"][at] in self.executed
        nameless = arrived["identity"] == ""
        for source, places in by_source(arrived):
            ends = np.flatnonzero(resolved[places])
            marks = arrived["ts"][places[ends]]
            known = self.watermarks.get(source, NEVER)
            joins = known < self.applied_watermark and source not in self.repeats
            if joins or nameless[places].any():
                for some, mark in zip(
                    np.split(places, ends),
                    [known, *np.maximum.accumulate(marks).tolist()],
                    strict=True,
                ):
                    passed = self._complete(arrived["ts"][some], max(mark, known))
                    if joins and self.behind is None:
                        news = some[before[some] & ~passed & ~resolved[some]]
                        self.behind = self._first_behind(arrived, news, heard)
                    before[some] |= passed & nameless[some]
            if len(marks):
                self.watermarks[source] = max(int(marks.max()), known)
        return ~resolved & ~before

    def _first_behind(
        self, arrived: Block, news: Array, heard: Mapping[Source, int]
    ) -> tuple[Source, int, int] | None:
        for at in news.tolist():
            source = Source(int(arrived["topic"][at]), int(arrived["partition"][at]))
            ts = arrived["ts"][at : at + 1]
            copies = [mark for other, mark in heard.items() if other.topic == source.topic]
            if arrived["kind"][at] != Kind.DDL or not self._complete(
                ts, max(copies, default=NEVER)
            ):
                return source, int(arrived["offset"][at]), int(ts[0])
        return None

    def _complete(self, ts: Array, watermark: int) -> Array:
        if watermark < 0:
            return np.zeros(len(ts), bool)
        bound = np.uint64(watermark)
        return ts <= bound if self.inclusive else ts < bound

    def _release(self) -> Block:
        sources = {*self.sources, *self.watermarks}
        watermark = min(self.watermarks.get(source, NEVER) for source in sources)
        if watermark > self.applied_watermark:
            self.applied_watermark = watermark
            self.executed.clear()
        elif not self._is_last_ddl(self.held).any():
            return NOTHING
        ready = self._complete(self.held["ts"], self.applied_watermark)
        released, self.held = chosen(self.held, ready), chosen(self.held, ~ready)
        self.executed.update(released["identity"][self._is_last_ddl(released)].tolist())
        released = chosen(released, self._order(released))
        if not self.net:
            return released
        times = np.sort(released["ts"][released["kind"] == Kind.DDL])
        return chosen(released, last_of_key(released, np.searchsorted(times, released["ts"])))

    def _is_last_ddl(self, events: Block) -> Array:
        """Return a mask of the DDL at the very ts that was applied last."""
        if self.applied_watermark < 0:
            return np.zeros(size(events), bool)
        return (events["kind"] == Kind.DDL) & (events["ts"] == np.uint64(self.applied_watermark))

    def _order(self, released: Block) -> Array:
        """Return the order of effect, which never depends on the cut of the micro-batches."""
        kind = released["kind"]
        # Any partition's copy of DDL may be the first, but all have one order.
        placed = kind != Kind.DDL
        rank = np.where(placed, Kind.DELETE, kind) if self.by_place else kind
        place = [np.where(placed, released[one], 0) for one in ("offset", "partition", "topic")]
        return np.lexsort((*place, rank, released["ts"]))


def _once(waiting: Block) -> Array:
    """Return a mask of events that did not come before; rows without identity are all news."""
    identities = waiting["identity"]
    numbers = pairs(codes(identities), waiting["kind"], waiting["ts"])
    return firsts(numbers) | (identities == "")


def before_poison(arrived: Block, poisoned: set[Source], *, lenient: bool) -> tuple[Block, Block]:
    """Return what may be read of what arrived, and the poison itself.

    Unless poison is set aside (`lenient`), its partition is added to the `poisoned`.
    """
    errors = arrived["kind"] == Kind.ERROR
    if lenient or not (poisoned or errors.any()):
        return chosen(arrived, ~errors), chosen(arrived, errors)
    good = np.ones(size(arrived), bool)
    for source, places in by_source(arrived):
        bad = np.flatnonzero(errors[places])
        if source in poisoned:
            good[places] = False
        elif len(bad):
            poisoned.add(source)
            good[places[bad[0] + 1 :]] = False
    return chosen(arrived, good & ~errors), chosen(arrived, good & errors)


def by_source(block: Block) -> Iterator[tuple[Source, Array]]:
    """Yield each partition with the places of its events, in order."""
    numbers = pairs(block["topic"], block["partition"])
    order = np.argsort(numbers, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        if len(places):
            yield Source(int(block["topic"][places[0]]), int(block["partition"][places[0]])), places


def block_of_arrivals(arrivals: Iterable[Arrival]) -> Block:
    """Return arrivals as columns; `arrivals_of` is the way back."""
    rows = [(*source, offset, int(event.kind), *event[1:7]) for event, source, offset in arrivals]
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    return block_of(dict(zip(COLUMNS, columns, strict=True)))


def arrivals_of(block: Block) -> list[Arrival]:
    """Return the arrivals that `block_of_arrivals` gave."""
    return [
        Arrival(Event(Kind(kind), *rest), Source(topic, partition), offset)
        for topic, partition, offset, kind, *rest in zip(
            *(block[name].tolist() for name in COLUMNS), strict=True
        )
    ]


def fields_of(arrival: Arrival) -> list[Any]:
    """Return an arrival as JSON has it; `arrival_of` is the way back."""
    event = arrival.event
    return [
        int(event.kind),
        event.ts,
        event.schema,
        event.table,
        event.identity,
        event.payload,
        event.transaction,
        *arrival.source,
        arrival.offset,
    ]


def arrival_of(fields: list[Any]) -> Arrival:
    """Return the arrival that `fields_of` gave."""
    kind, *rest, topic, number, offset = fields
    return Arrival(Event(Kind(kind), *rest), Source(topic, number), offset)
