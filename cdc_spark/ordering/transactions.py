"""Transactions are put together from their rows and the count that their END has.

Rule 1. A transaction takes effect when its END has been read and as many of its rows as END counts.
        END may come before rows: they are on other topics. An END of nothing has nothing to wait
        for. What has no END, or lacks rows, stays unapplied at the end of the input.
Rule 2. All changes of a key come in one partition, in order: of two transactions that touch one key
        the one whose row came first is applied first. A table without a key counts as one key in
        each partition: its rows go to all of them, which have no order among each other.
        Transactions without a key in common, of one shard or of many, have no order.
Rule 3. Within a transaction rows are applied by their order in it.
Rule 4. A transaction that was applied is a replay when it comes again; a row that comes again
        while its transaction waits counts once. The last `REMEMBERED` transactions are known.
Rule 5. A row below what its key has seen of the same log (`ages`) is older than it, wherever it
        stands: it counts for its transaction and changes nothing.
Rule 6. Rows that name no transaction are applied as they arrive.
Rule 7. Compaction and retention take rows that END has counted. So rows of transactions that have
        an END and lack rows are listed in a PENDING event, whenever they change: at the end of a
        bounded input they take effect, because what is missing will not come; until then they wait.

Rule 8. A tombstone follows the delete of its key and adds nothing. Where compaction has taken the
        delete, and the last row of the key was none, the tombstone deletes: behind the rows of its
        key that wait, at once otherwise. A row that comes again behind such a tombstone takes
        effect again, although its transaction was applied before.
Rule 9. TRUNCATE takes the rows of its table that are older (`truncations`).

Source: Debezium reference documentation 3.3, §Transaction metadata of the connectors for Vitess,
MariaDB and MySQL, §Ordered transaction metadata; debezium-core 3.3.1 `pipeline/txmetadata`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from cdc_spark.events import Event, Kind, json_text
from cdc_spark.ordering.ages import Age, age_of, dated
from cdc_spark.ordering.hold import Applied, Arrival, Source, arrival_of, fields_of
from cdc_spark.ordering.tombstones import Keys
from cdc_spark.ordering.truncations import Truncations, is_truncation

REMEMBERED = 10_000
ROWS = frozenset({Kind.DELETE, Kind.UPSERT})


class Row(NamedTuple):
    """A row that waits."""

    order: int
    number: int
    arrival: Arrival


@dataclass(slots=True)
class Open:
    """A transaction that waits: its rows, and the count that END has.

    A row has its order in the transaction, and a number that rises with all that arrives.
    """

    rows: list[Row] = field(default_factory=list[Row])
    seen: set[str] = field(default_factory=set[str])
    count: int | None = None

    @property
    def complete(self) -> bool:
        """Return whether END has been read and all rows are here."""
        return self.count is not None and len(self.seen) >= self.count

    def in_order(self) -> list[Arrival]:
        """Return the rows by their order in the transaction."""
        return [row.arrival for row in sorted(self.rows, key=_order)]

    def add(self, row: Row, *, stale: bool) -> None:
        """Take a row, once; one that is older than its key counts and changes nothing.

        A repetition behind a tombstone of its key, which waits here too, is taken again.
        """
        event = row.arrival.event
        who = _digest(f"{row.order} {event.kind} {event.payload}")
        if who not in self.seen:
            self.seen.add(who)
            if not stale:
                self.rows.append(row)
        elif not stale and self._ends_with_delete(event.identity):
            self.rows.append(row)

    def _ends_with_delete(self, identity: str) -> bool:
        """Return whether what came last of a key is a delete."""
        if not identity:  # no tombstone names a row without a key
            return False
        own = [row for row in self.rows if row.arrival.event.identity == identity]
        return bool(own) and max(own, key=_number).arrival.event.kind is Kind.DELETE


@dataclass(slots=True)
class Transactions:
    """The state of one changefeed between micro-batches.

    `assembled`: boundaries are waited for; without them rule 6 is for all rows. `retention_ms`:
    keys are remembered for so long after their last change, by rows' commit times; 0 is for ever.
    """

    assembled: bool = True
    lenient: bool = False
    waiting: dict[str, Open] = field(default_factory=dict[str, Open])
    done: dict[str, None] = field(default_factory=dict[str, None])
    ages: dict[str, Age] = field(default_factory=dict[str, Age])
    next_seq: int = 0
    poisoned: set[Source] = field(default_factory=set[Source])
    pending: bool = False
    arrived: int = 0
    keys: Keys = field(default_factory=Keys)
    retention_ms: int = 0
    touched: dict[str, int] = field(default_factory=dict[str, int])
    truncations: Truncations = field(default_factory=Truncations)

    def step(self, arrivals: Iterable[Arrival]) -> list[Applied]:
        """Take what arrived, in the order of its partition, and return what takes effect."""
        ready: list[Arrival] = []
        for arrival in arrivals:
            if arrival.source not in self.poisoned:
                ready.extend(self._take(arrival))
                ready.extend(self._truncated())
        ready.extend(self._released())
        ready.extend(self._truncated())
        ready.extend(self._left())
        self._forget()
        applied = [Applied(seq, one) for seq, one in enumerate(ready, self.next_seq)]
        self.next_seq += len(applied)
        return applied

    def _take(self, arrival: Arrival) -> Iterator[Arrival]:
        """Yield an arrival that need not wait."""
        event = arrival.event
        if event.kind is Kind.ERROR:
            if not self.lenient:
                self.poisoned.add(arrival.source)
            yield arrival
        elif event.kind is Kind.END and self.assembled:
            self._end(orjson.loads(event.transaction))
        elif event.kind is Kind.TOMBSTONE:
            yield from self._tombstone(arrival)
        elif is_truncation(event):
            age = age_of(orjson.loads(event.transaction or "{}"), event.ts)
            self.truncations.waiting.append((arrival, age))
        elif event.kind in ROWS:
            yield from self._row(arrival)

    def _row(self, arrival: Arrival) -> Iterator[Arrival]:
        """Yield a row that need not wait."""
        event = arrival.event
        self.keys.saw(arrival)
        self._touch(event)
        block: dict[str, Any] = orjson.loads(event.transaction or "{}")
        age = age_of(block, event.ts)
        stale = self._stale(event, age)
        if "file" in block:  # of a connector that may send TRUNCATE
            stale = self.truncations.removed(event, age) or stale
            self.truncations.saw(event)
        event = dated(event, block, age)
        arrival = arrival._replace(event=event)
        name = _digest(block.get("id") or "")
        if not self.assembled or not block.get("id"):
            if not stale:
                yield arrival
        elif name in self.done:
            if self.keys.returns(event):
                yield arrival
        else:
            self.keys.came(event)
            self.arrived += 1
            row = Row(block.get("n") or 0, self.arrived, arrival)
            self.waiting.setdefault(name, Open()).add(row, stale=stale)

    def _touch(self, event: Event) -> None:
        if self.retention_ms and event.identity:
            self.touched[event.identity] = max(event.ts, self.touched.get(event.identity, 0))

    def _forget(self) -> None:
        """Forget keys whose last change is older than the retention, by the newest of all."""
        if not self.touched:
            return
        oldest = max(self.touched.values()) - self.retention_ms
        for key in [key for key, ts in self.touched.items() if ts < oldest]:
            del self.touched[key]
            self.ages.pop(key, None)
            self.keys.forget(key)

    def _tombstone(self, arrival: Arrival) -> Iterator[Arrival]:
        """Yield a delete, unless there was one or it has to wait for rows of its key."""
        for lone in self.keys.lone(arrival):
            if self.retention_ms:  # it has no time: it came after all that came
                newest = max(self.touched.values(), default=0)
                self.touched[lone.event.identity] = newest
            waiting = [
                (row.number, row.order, one)
                for one in self.waiting.values()
                for row in one.rows
                if row.arrival.event.identity == lone.event.identity
            ]
            if not waiting:
                self.keys.bare.add(lone.event.identity)
                yield lone
                continue
            _, order, one = max(waiting, key=itemgetter(0))
            self.arrived += 1
            one.rows.append(Row(order, self.arrived, lone))

    def _end(self, block: Mapping[str, Any]) -> None:
        name = _digest(block["id"])
        if name not in self.done:
            self.waiting.setdefault(name, Open()).count = block["count"]

    def _truncated(self) -> Iterator[Arrival]:
        """Yield what statements do that need not wait."""
        if self.truncations.waiting:
            rows = [row.arrival.event for one in self.waiting.values() for row in one.rows]
            held = [
                (
                    json_text([event.schema, event.table]),
                    age_of(orjson.loads(event.transaction), event.ts),
                )
                for event in rows
            ]
            yield from self.truncations.due(held, self.ages)

    def _stale(self, event: Event, age: Age | None) -> bool:
        if age is None or not event.identity:
            return False
        last = self.ages.get(event.identity)
        if last is not None and age.before(last):
            return True
        self.ages[event.identity] = age
        return False

    def _released(self) -> Iterator[Arrival]:
        """Yield the rows of all transactions that are complete and have nothing before them."""
        for name, one in self._due(lambda one: one.complete):
            del self.waiting[name]
            self._remember(name)
            yield from one.in_order()

    def _left(self) -> Iterator[Arrival]:
        """Yield a PENDING event when there are transactions with an END whose rows are missing."""
        rows = [
            fields_of(arrival)
            for _, one in self._due(lambda one: one.count is not None)
            for arrival in one.in_order()
        ]
        if rows or self.pending:
            self.pending = bool(rows)
            yield Arrival(Event(Kind.PENDING, payload=orjson.dumps(rows).decode()), Source(0, 0), 0)

    def _due(self, ripe: Callable[[Open], bool]) -> list[tuple[str, Open]]:
        """Return the waiting transactions that are ripe and have none before them that is not."""
        queues: dict[str, deque[str]] = {}
        keys: dict[str, dict[str, None]] = {name: {} for name in self.waiting}
        rows = [(row.number, name, row) for name, one in self.waiting.items() for row in one.rows]
        for _, name, row in sorted(rows, key=itemgetter(0)):
            key = _key(row.arrival)
            if key not in keys[name]:
                keys[name][key] = None
                queues.setdefault(key, deque()).append(name)
        todo = deque(name for name, one in self.waiting.items() if ripe(one))
        due: dict[str, Open] = {}
        while todo:
            name = todo.popleft()
            one = self.waiting[name]
            if name in due or not ripe(one) or any(queues[key][0] != name for key in keys[name]):
                continue
            due[name] = one
            for key in keys[name]:
                queues[key].popleft()
                if queues[key]:
                    todo.append(queues[key][0])
        return list(due.items())

    def _remember(self, name: str) -> None:
        self.done[name] = None
        while len(self.done) > REMEMBERED:
            del self.done[next(iter(self.done))]

    def dump(self) -> bytes:
        """Return the state as bytes; `load` is the way back."""
        waiting = {
            name: [
                [[row.order, row.number, fields_of(row.arrival)] for row in one.rows],
                sorted(one.seen),
                one.count,
            ]
            for name, one in self.waiting.items()
        }
        return orjson.dumps(
            {
                "waiting": waiting,
                "done": list(self.done),
                "ages": {key: age.dump() for key, age in self.ages.items()},
                "seq": self.next_seq,
                "left": self.pending,
                "arrived": self.arrived,
                "keys": self.keys.dump(),
                "touched": self.touched,
                "truncations": self.truncations.dump(),
                "poisoned": sorted([*source] for source in self.poisoned),
            }
        )

    def load(self, state: bytes) -> None:
        """Take up the state that `dump` gave."""
        document: dict[str, Any] = orjson.loads(state)
        self.waiting = {
            name: Open(
                [Row(order, at, arrival_of(one)) for order, at, one in rows], set(seen), count
            )
            for name, (rows, seen, count) in document["waiting"].items()
        }
        self.done = dict.fromkeys(document["done"])
        self.ages = {key: Age.load(fields) for key, fields in document["ages"].items()}
        self.next_seq = document["seq"]
        self.pending = document["left"]
        self.arrived = document["arrived"]
        self.keys = Keys.load(document["keys"])
        self.touched = document["touched"]
        if "truncations" in document:  # a state of an earlier version has none
            self.truncations = Truncations.load(document["truncations"])
        self.poisoned = {Source(*source) for source in document["poisoned"]}


def _key(arrival: Arrival) -> str:
    event = arrival.event
    return event.identity or f"{event.schema}.{event.table}/{arrival.source.partition}"


def _number(row: Row) -> int:
    return row.number


def _order(row: Row) -> tuple[int, int]:
    return row.order, row.number


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()
