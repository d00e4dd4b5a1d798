"""A delivery read once more, by other rules than the right ones.

Where resolved events hold rows back, events wait until the resolved ts of all partitions passed
them, and are applied by commit ts, DDL first, then deletes. Elsewhere they are applied as they
arrive, which is each partition's order. A copy is known by the event that it is a copy of.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.model.change import Op
from harness.model.decoded import EventKind
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.model.table import TableId
from harness.protocols import PROTOCOLS
from harness.verdict.case import Arrival, Partition, Where
from harness.verdict.causes.evidence import Evidence, identity, name_of

Marks = Mapping[Partition, Sequence[int]]
Data = RowEvent | DdlEvent
Rank = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """An event that waits: its n-th arrival, its partition, and the ts that it waits for."""

    event: Data
    arrival: int
    partition: Partition
    ts: int


def every(arrival: Arrival) -> bool:
    """Read every event."""
    del arrival
    return True


def least(marks: Marks) -> int:
    """Return the global resolved ts: the least of the partitions' greatest marks."""
    return min((max(seen, default=0) for seen in marks.values()), default=0)


def one_event(event: Data, arrival: int) -> Hashable:
    """Take copies of one event for one."""
    del arrival
    return identity(event)


def by_time(one: Waiting) -> Rank:
    """Order by commit ts; at one, DDL first, then deletes, then puts."""
    return (one.ts, _kind(one.event), one.arrival)


def _kind(event: Data) -> int:
    if isinstance(event, DdlEvent):
        return 0
    return 1 if event.op is Op.DELETE else 2


@dataclass(frozen=True, slots=True)
class Rules:
    """How a delivery is read; the defaults are right.

    `reads` says which events are read at all, `limit` what the marks complete and `shift` how much
    below that; `same` names an event so that its copies have its name; `rank` orders what is
    complete. `at_once` are events that wait for no mark, `known` what is dropped although new,
    `forgets` whether what waits is lost when the consumer is stopped. `dated` says whether what is
    older than its key is dropped, where rows come alone and carry a ts; `behind_mark` whether a DDL
    at the very ts that is resolved is new; of a TRUNCATE among rows, `newer`
    whether rows stay that are newer and came before it, `older` whether rows go that are older and
    come behind it.
    """

    reads: Callable[[Arrival], bool] = every
    limit: Callable[[Marks], int] = least
    shift: int = 0
    same: Callable[[Data, int], Hashable] = one_event
    rank: Callable[[Waiting], Rank] = by_time
    at_once: Callable[[Data], bool] = lambda event: False  # noqa: ARG005
    below_highest: bool = False
    forgets: bool = False
    dated: bool = True
    behind_mark: bool = True
    newer: bool = True
    older: bool = True


RIGHT = Rules()


def released(case: Evidence, rules: Rules) -> list[SourceEvent]:
    """Return the events in the order in which a consumer of these rules applies them."""
    if case.expected.unordered:
        return [event for event, _ in arriving(case, rules)]
    return list(_Room(case, rules).released())


def arriving(case: Evidence, rules: Rules) -> Iterator[tuple[Data, Arrival]]:
    """Yield rows as they arrive, copies as well: nothing says that a row is one.

    Behind a TRUNCATE that comes late the rows that it does not take away are yielded again.
    """
    same = each_arrival if rules.same is one_event else rules.same
    seen: set[Hashable] = set()
    there: dict[Hashable, Op] = {}
    ages, emptied = _Ages(case), _Emptied()
    for number, arrival in enumerate(case.arrivals):
        event = case.event_of(arrival)
        if not isinstance(event, RowEvent | DdlEvent) or not rules.reads(arrival):
            continue
        if isinstance(event, DdlEvent):
            yield from emptied.by(event, arrival, newer=rules.newer)
            continue
        if rules.older and emptied.has(event):
            continue
        if arrival.decoded.kind is EventKind.TOMBSTONE:
            # Alone it is the delete; behind one, and of a row that is not there, it says nothing.
            if there.get(name_of(event), Op.DELETE) is not Op.DELETE:
                there[name_of(event)] = Op.DELETE
                yield event, arrival
            continue
        if ages.is_old(event, arrival) and rules.dated:
            continue
        name = same(event, number)
        if name not in seen:
            seen.add(name)
            there[name_of(event)] = event.op
            emptied.seen.append((event, arrival))
            yield event, arrival


@dataclass(slots=True)
class _Emptied:
    """Tables that a TRUNCATE among rows emptied, and the rows that were `seen`."""

    last: dict[TableId, int] = field(default_factory=dict[TableId, int])
    seen: list[tuple[RowEvent, Arrival]] = field(default_factory=list[tuple[RowEvent, Arrival]])

    def has(self, row: RowEvent) -> bool:
        """Return whether a row is older than the last TRUNCATE of its table."""
        return row.origin.event < self.last.get(row.table.table.id, 0)

    def by(
        self, event: DdlEvent, arrival: Arrival, *, newer: bool
    ) -> Iterator[tuple[Data, Arrival]]:
        """Yield a TRUNCATE, if it is new, and the rows that are there behind it."""
        assert event.before is not None
        name, number = event.before.table.id, event.origin.event
        if number <= self.last.get(name, -1):
            return
        self.last[name] = number
        yield event, arrival
        for row, place in self.seen if newer else ():
            if row.table.table.id == name and row.origin.event > number:
                yield row, place


class _Ages:
    """What is older than its key, where rows carry a ts that rises."""

    def __init__(self, case: Evidence) -> None:
        self._dated = PROTOCOLS[case.judged.protocol].dated
        self._greatest: dict[Hashable, int] = {}

    def is_old(self, event: RowEvent, arrival: Arrival) -> bool:
        ts, name = arrival.decoded.commit_ts, name_of(event)
        if not self._dated or not ts:
            return False
        greatest = self._greatest.get(name, 0)
        self._greatest[name] = max(ts, greatest)
        return ts < greatest


class _Room:
    """What waits, and what the marks say."""

    def __init__(self, case: Evidence, rules: Rules) -> None:
        self._case = case
        self._rules = rules
        places = {(one.place.topic, one.place.partition) for one in case.arrivals}
        self._marks: dict[Partition, list[int]] = {place: [] for place in places}
        self._waiting: list[Waiting] = []
        # Deletes without a ts have that of the next event of their partition.
        self._undated: dict[Partition, list[tuple[RowEvent, int]]] = {}
        self._seen: set[Hashable] = set()
        self._done = self._highest = 0
        in_flight = case.judged.run.in_flight
        self._last = [one for one in case.arrivals if _where(one) in in_flight][-1:]

    def released(self) -> Iterator[SourceEvent]:
        for number, arrival in enumerate(self._case.arrivals):
            if self._rules.reads(arrival):
                yield from self._take(arrival, number)
            if self._rules.forgets and self._last == [arrival]:
                self._waiting = []

    def _take(self, arrival: Arrival, number: int) -> Iterator[SourceEvent]:
        partition = (arrival.place.topic, arrival.place.partition)
        ts = arrival.decoded.commit_ts
        for delete, n in self._undated.pop(partition, ()) if ts else ():
            self._enter(Waiting(delete, n, partition, ts))
        if arrival.decoded.kind is EventKind.RESOLVED:
            self._marks[partition].append(arrival.decoded.commit_ts)
            yield from self._due()
            return
        event = self._case.event_of(arrival)
        if not isinstance(event, RowEvent | DdlEvent):
            return
        if isinstance(event, RowEvent) and not ts:
            self._undated.setdefault(partition, []).append((event, number))
            return
        entered = self._enter(Waiting(event, number, partition, event.commit_ts))
        if entered and (self._rules.at_once(event) or event.commit_ts == self._done):
            self._waiting.pop()
            yield event

    def _enter(self, one: Waiting) -> bool:
        """Let an event wait unless it is known; return whether it does."""
        if self._is_known(one.event, one.arrival, one.ts):
            return False
        self._seen.add(self._rules.same(one.event, one.arrival))
        self._waiting.append(one)
        return True

    def _is_known(self, event: Data, number: int, ts: int) -> bool:
        if self._rules.below_highest:
            if ts < self._highest:
                return True
            self._highest = ts
        # A replay of what is done is no news, unless copies are.
        behind = self._rules.behind_mark and isinstance(event, DdlEvent)
        done = ts <= self._done - behind and self._rules.same is not each_arrival
        return done or self._rules.same(event, number) in self._seen

    def _due(self) -> Iterator[SourceEvent]:
        limit = self._rules.limit(self._marks) - self._rules.shift
        limit -= self._case.expected.exclusive
        if limit <= self._done:
            return
        self._done = limit
        due = sorted((one for one in self._waiting if one.ts <= limit), key=self._rules.rank)
        self._waiting = [one for one in self._waiting if one.ts > limit]
        yield from (one.event for one in due)


def each_arrival(event: Data, arrival: int) -> Hashable:
    """Take every copy for news."""
    return (identity(event), arrival)


def _where(arrival: Arrival) -> Where:
    place = arrival.place
    return (place.topic, place.partition, place.offset)
