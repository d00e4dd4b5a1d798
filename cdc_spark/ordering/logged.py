"""Rows of a Debezium connector that wait for no transaction, in the buckets of their keys.

Rule 1. Arrival is the order of a key: all its changes come in one partition.
Rule 2. A row that is older than what its key has seen of the same log (`ages`) changes nothing.
Rule 3. A tombstone deletes where the last row of its key was no delete (`tombstones` says which
        table it means; all buckets are told of the tables that a topic has).
Rule 4. A poisoned partition is not read past its poison, unless poison is set aside.
Rule 5. TRUNCATE concerns the rows of all buckets, so it is refused: a connector that sends it has
        one bucket, and `Transactions`, which does the same as this row by row.

Source: as for `transactions`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from cdc_spark.events import Kind
from cdc_spark.ordering import buckets
from cdc_spark.ordering.arrivals import in_place, placed
from cdc_spark.ordering.columns import Array, Block, chosen, is_row, size
from cdc_spark.ordering.hold import Source, before_poison
from cdc_spark.ordering.key_memory import KeyMemory
from cdc_spark.ordering.memory import digests_of
from cdc_spark.ordering.netting import last_of_key
from cdc_spark.ordering.places import PLACE, Places, before, places_of
from cdc_spark.ordering.tombstones import Tables
from cdc_spark.ordering.truncations import TRUNCATED_HERE, is_truncated
from cdc_spark.untyped import np, pa

_END = b"\n"
_SINCE = "since"


@dataclass(slots=True)
class Logged:
    """The state of one bucket of a changefeed between micro-batches.

    An ERROR event goes to all buckets; the `first` lets it take effect. `net`: of the rows of a key
    that came at once only the last takes effect. `truncated` is where a TRUNCATE stood.
    """

    memory: KeyMemory = field(default_factory=KeyMemory)
    lenient: bool = False
    first: bool = True
    net: bool = False
    next_seq: int = 0
    poisoned: set[Source] = field(default_factory=set[Source])
    tables: Tables = field(default_factory=Tables)
    truncated: tuple[Source, int] | None = None

    def take(self, arrived: Block) -> Block:
        """Take what arrived, in the order of its partition, and return what takes effect."""
        arrived = placed(self._refused(arrived))
        arrived, errors = before_poison(arrived, self.poisoned, lenient=self.lenient)
        rows = self._named(arrived)
        texts = np.where(rows["kind"] == Kind.TOMBSTONE, "", rows["transaction"])
        found = places_of(pa.array(texts, pa.string()), rows["ts"])
        rows = {**rows, _SINCE: found.since}
        rows = chosen(rows, self._is_news(rows, self.memory.places(found)))
        rows["kind"][rows["kind"] == Kind.TOMBSTONE] = Kind.DELETE
        if self.net:
            rows = chosen(rows, last_of_key(rows, np.zeros(size(rows), np.int64)))
        released = _dated(rows)
        if self.first:
            released = in_place(released, errors)
        self.next_seq += size(released)
        return released

    def dump(self) -> bytes:
        """Return the state as bytes, a line of JSON before the memory; `load` is the way back."""
        poisoned = sorted([*source] for source in self.poisoned)
        head = {"remembered": len(self.memory), "seq": self.next_seq, "poisoned": poisoned}
        return orjson.dumps({**head, "tables": self.tables.dump()}) + _END + self.memory.dump()

    def load(self, state: bytes) -> None:
        """Take up the state that `dump` gave."""
        head, _, memory = state.partition(_END)
        document: dict[str, Any] = orjson.loads(head)
        self.memory.load(memory)
        self.next_seq = document["seq"]
        self.poisoned = {Source(*source) for source in document["poisoned"]}
        self.tables = Tables.load(document["tables"])

    def _refused(self, arrived: Block) -> Block:
        """Return what arrived with an error in the place of each TRUNCATE."""
        payloads = arrived["payload"]
        found = [
            at
            for at in np.flatnonzero(arrived["kind"] == Kind.DDL).tolist()
            if is_truncated(payloads[at])
        ]
        if not found:
            return arrived
        at = found[0]
        source = Source(int(arrived["topic"][at]), int(arrived["partition"][at]))
        self.truncated = source, int(arrived["offset"][at])
        kind, payload = arrived["kind"].copy(), payloads.copy()
        kind[found], payload[found] = Kind.ERROR, TRUNCATED_HERE
        return {**arrived, "kind": kind, "payload": payload}

    def _named(self, arrived: Block) -> Block:
        """Return the rows, and the tombstones whose tables are known, with their identities."""
        kind = arrived["kind"]
        tombs = kind == Kind.TOMBSTONE
        rows = is_row(kind)
        heard = np.flatnonzero(rows | (kind == buckets.TABLE))
        turns = heard[_turns(arrived, heard)]
        tables = {"schema": arrived["schema"], "table": arrived["table"]}
        columns = {name: arrived[name] for name in ("topic", "payload", *tables)}
        if tombs.any():
            arrived = {**arrived, **{name: one.copy() for name, one in tables.items()}}
            arrived["identity"] = arrived["identity"].copy()
        for at in sorted([*turns.tolist(), *np.flatnonzero(tombs).tolist()]):
            topic, payload, *named = (columns[name][at] for name in columns)
            if not tombs[at]:
                self.tables.saw(int(topic), named)
                continue
            found = self.tables.meant(int(topic), named, payload)
            if found is None:
                tombs[at] = False
            else:
                arrived["schema"][at], arrived["table"][at], arrived["identity"][at] = found
        return chosen(arrived, rows | tombs)

    def _is_news(self, rows: Block, ages: Places) -> Array:
        """Return a mask of what takes effect, and remember what keys have seen."""
        news = np.ones(size(rows), bool)
        keyed = np.flatnonzero(rows["identity"] != "")
        if not len(keyed):
            return news
        named = pa.array(rows["identity"][keyed], pa.string()).dictionary_encode()
        key = named.indices.to_numpy().astype(np.int64)
        digests = digests_of(named.dictionary.to_pylist())
        seen = self.memory.of(digests)
        # Sorted by key, and there as they came.
        order = np.argsort(key, kind="stable")
        key, at = key[order], keyed[order]
        kind = rows["kind"][at]
        gone = kind != Kind.UPSERT
        last = _ends(key)
        prior = np.where(_starts(key), seen["gone"][key] != 0, np.roll(gone, 1))
        news[at[(kind == Kind.TOMBSTONE) & prior]] = False
        seen["gone"][key[last]] = gone[last]
        if self.memory.retention_ms:  # a tombstone has no time: it came after all that came
            newest = max(self.memory.newest, int(rows["ts"].max(initial=0)))
            times = np.where(kind == Kind.TOMBSTONE, newest, rows["ts"][at].astype(np.int64))
            np.maximum.at(seen["touched"], key, times)
        aged = np.flatnonzero(ages["log"][at] >= 0)
        if len(aged):
            placed = {name: one[at[aged]] for name, one in ages.items()}
            seen, fresh = _fresh(key[aged], placed, seen)
            news[at[aged]] &= fresh
        self.memory.keep(digests, seen)
        return news


def _turns(block: Block, rows: Array) -> Array:
    """Return a mask of the rows whose table is not that of the row before them, or the topic."""
    first = np.ones(len(rows), bool)
    if len(rows) > 1:
        first[1:] = False
        for name in ("topic", "schema", "table"):
            values = block[name][rows]
            first[1:] |= (values[1:] != values[:-1]).astype(bool)
    return first


def _starts(key: Array) -> Array:
    """Return a mask of where each key begins, in sorted keys."""
    return np.append([True], key[1:] != key[:-1])


def _ends(key: Array) -> Array:
    """Return where each key ends, in sorted keys."""
    return np.flatnonzero(np.append(key[1:] != key[:-1], np.ones(min(len(key), 1), bool)))


def _fresh(key: Array, placed: Places, seen: Places) -> tuple[Places, Array]:
    """Return what keys have seen then, and a mask of the rows that are not older than their key."""
    prior = {
        name: np.where(_starts(key), seen[name][key], np.roll(placed[name], 1)) for name in PLACE
    }
    fresh = ~before(placed, prior)
    for one in np.unique(key[~fresh]).tolist():
        last = {name: seen[name][one : one + 1] for name in PLACE}
        _one_by_one(np.flatnonzero(key == one), placed, last, fresh)
    kept = np.flatnonzero(fresh)
    kept = kept[_ends(key[kept])]
    for name in PLACE:
        wide = placed[name].dtype == object
        seen[name] = seen[name].astype(object) if wide else seen[name]
        seen[name][key[kept]] = placed[name][kept]
    return seen, fresh


def _one_by_one(rows: Array, placed: Places, last: Places, fresh: Array) -> None:
    """Say of a key's rows which are not older than the newest before them."""
    for at in rows.tolist():
        one = {name: placed[name][at : at + 1] for name in PLACE}
        fresh[at] = not before(one, last)[0]
        last = one if fresh[at] else last


def _dated(rows: Block) -> Block:
    """Return rows with their `since` in their payloads, where they have one."""
    some = np.flatnonzero(rows[_SINCE] >= 0)
    payload = rows["payload"]
    payload[some] = list(_with_since(payload[some].tolist(), rows[_SINCE][some].tolist()))
    return {name: one for name, one in rows.items() if name != _SINCE}


def _with_since(payloads: list[str], numbers: list[int]) -> Iterator[str]:
    for payload, number in zip(payloads, numbers, strict=True):
        yield f'{payload[:-1]},"since":{number}}}'
