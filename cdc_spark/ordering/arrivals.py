"""Rows are applied as they arrive, where nothing promises that a time is over.

Rule 1. All changes of a key come in one partition, in order, so arrival is the order.
Rule 2. A stream that is sent again brings older versions back. Where rows carry their commit ts,
        one below the greatest that its key has seen is a replay and is dropped. A delete may carry
        none (TiCDC Avro's tombstone): it takes effect, and the greatest is kept across it, for as
        long as it is remembered (`memory`).
Rule 3. A poisoned partition is not read past its poison, unless poison is set aside.
Rule 4. What is no row (DDL for information, resolved events) takes no effect.

Source: TiCDC Avro Protocol, §TiDB extension fields; Apache Kafka, §Main Concepts and Terminology.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from cdc_spark.ordering.columns import Array, Block, chosen, is_row, joined, size
from cdc_spark.ordering.hold import (
    Applied,
    Arrival,
    Source,
    arrivals_of,
    before_poison,
    block_of_arrivals,
)
from cdc_spark.ordering.memory import Memory, digests_of
from cdc_spark.ordering.netting import last_of_key
from cdc_spark.untyped import np, pa


@dataclass(slots=True)
class Arrivals:
    """The state of one bucket of a changefeed between micro-batches: what its keys have seen.

    An ERROR event goes to all buckets; the `first` lets it take effect. `net`: of the rows of a key
    that came at once only the last takes effect.
    """

    lenient: bool = False
    memory: Memory = field(default_factory=Memory)
    next_seq: int = 0
    poisoned: set[Source] = field(default_factory=set[Source])
    first: bool = True
    net: bool = False

    def step(self, arrivals: Iterable[Arrival]) -> list[Applied]:
        """Take what arrived, in the order of its partition, and return what takes effect."""
        released = self.take(block_of_arrivals(arrivals))
        first = self.next_seq - size(released)
        return [Applied(seq, one) for seq, one in enumerate(arrivals_of(released), first)]

    def take(self, arrived: Block) -> Block:
        """Do the same with columns."""
        arrived, errors = before_poison(placed(arrived), self.poisoned, lenient=self.lenient)
        arrived = chosen(arrived, is_row(arrived["kind"]))
        released = chosen(arrived, self._is_news(arrived))
        if self.net:
            released = chosen(released, last_of_key(released, np.zeros(size(released), np.int64)))
        if self.first:
            released = in_place(released, errors)
        self.next_seq += size(released)
        return released

    def dump(self) -> bytes:
        """Return the state as bytes, a line of JSON before the memory; `load` is the way back."""
        poisoned = sorted([*source] for source in self.poisoned)
        head = {"greatest": len(self.memory), "seq": self.next_seq, "poisoned": poisoned}
        return orjson.dumps(head) + _END + self.memory.dump()

    def load(self, state: bytes) -> None:
        """Take up the state that `dump` gave."""
        head, _, memory = state.partition(_END)
        document: dict[str, Any] = orjson.loads(head)
        self.memory.load(memory)
        self.next_seq = document["seq"]
        self.poisoned = {Source(*source) for source in document["poisoned"]}

    def _is_news(self, rows: Block) -> Array:
        """Return a mask of the rows that are no replay, and remember what keys have seen."""
        news = np.ones(size(rows), bool)
        dated = np.flatnonzero((rows["ts"] > 0) & (rows["identity"] != ""))
        if not len(dated):
            return news
        named = pa.array(rows["identity"][dated], pa.string()).dictionary_encode()
        key = named.indices.to_numpy().astype(np.int64)
        digests = digests_of(named.dictionary.to_pylist())
        seen = self.memory.of(digests)
        times, time = np.unique(rows["ts"][dated], return_inverse=True)
        # Sorted by key, and there as they came; the numbers of later keys are all greater.
        order = np.argsort(key, kind="stable")
        number = key[order] * len(times) + time[order]
        fresh = number == np.maximum.accumulate(number)
        news[dated[order]] = fresh & (rows["ts"][dated][order] >= seen[key[order]])
        np.maximum.at(seen, key, rows["ts"][dated])
        self.memory.keep(digests, seen)
        return news


def placed(arrived: Block) -> Block:
    """Return events with where each came among all that came with it, for `in_place`."""
    return {**arrived, _PLACE: np.arange(size(arrived))}


def in_place(released: Block, errors: Block) -> Block:
    """Return what takes effect with the poison among it, as all of it came."""
    if not size(errors):
        return released
    both = joined(released, errors)
    return chosen(both, np.argsort(both[_PLACE], kind="stable"))


_END = b"\n"
_PLACE = "place"
