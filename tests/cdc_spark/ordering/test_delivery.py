"""The property of delivery, from bytes to tables: however a log legally arrives, one table follows.

Restarts send stretches of the past again, partitions interleave, messages are batched, and
micro-batches end anywhere; the state is written and read in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.apply.fold import Change, Fold
from cdc_spark.open.events import decode
from cdc_spark.open.values import DIALECTS
from cdc_spark.ordering.hold import Applied, Arrival, Hold, Source
from tests.cdc_spark.messages import (
    Frame,
    Message,
    column,
    ddl,
    gone,
    key,
    message,
    resolved,
    row,
)

SOURCES = (Source(0, 0), Source(0, 1))
Row = dict[str, int | str | None]
# A step of a log: set row `number` (to a text), remove it, move it to another number, or ALTER.
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 3), st.text(max_size=3)),
        st.tuples(st.just("gone"), st.integers(0, 3), st.just("")),
        st.tuples(st.just("move"), st.integers(0, 3), st.just("")),
        st.tuples(st.just("alter"), st.integers(0, 9), st.just("")),
    ),
    max_size=12,
)


class Upstream:
    """A table `t (id, v)` that gains columns, and what each of two partitions is sent of it."""

    def __init__(self) -> None:
        """Start empty."""
        self.rows: dict[int, Row] = {}
        self.added: list[str] = []
        self.sent: tuple[list[Frame], list[Frame]] = ([], [])

    def step(self, ts: int, what: str, number: int, text: str) -> None:
        """Make one change at a commit ts."""
        if what == "put":
            self._put(ts, number, {"id": number, "v": text})
        elif what == "gone" and number in self.rows:
            self._remove(ts, number)
        elif what == "move" and number in self.rows:
            moved = {**self.rows[number], "id": number + 10}
            self._remove(ts, number)
            self._put(ts, number + 10, moved)
        elif what == "alter":
            self._alter(ts, number)

    def _put(self, ts: int, number: int, values: Row) -> None:
        row_of = {"id": number, "v": values["v"], **{name: values.get(name) for name in self.added}}
        self.rows[number] = row_of
        columns = {"id": key(number), "v": column(values["v"])}
        columns |= {name: column(row_of[name], {"t": 3, "f": 65}) for name in self.added}
        self.sent[number % 2].append(row(ts, {"u": columns}))

    def _remove(self, ts: int, number: int) -> None:
        del self.rows[number]
        self.sent[number % 2].append(gone(ts, number))

    def _alter(self, ts: int, default: int) -> None:
        name = f"c{ts}"
        self.added.append(name)
        for values in self.rows.values():
            values[name] = default
        query = f"ALTER TABLE `test`.`t` ADD COLUMN `{name}` INT DEFAULT {default}"
        for stream in self.sent:
            stream.append(ddl(ts, query, 5))


def delivered(chance: Random, frames: list[Frame]) -> Iterator[Message]:
    """Yield messages: frames in order, batched, with stretches of the past in between."""
    queue = list(frames)
    while queue:
        size = chance.randint(1, 3)
        yield message(*queue[:size])
        queue = queue[size:]
        if chance.random() < 0.3:
            start = chance.randint(0, len(frames) - len(queue) - 1)
            yield message(*frames[start : len(frames) - len(queue)])


def consume(chance: Random, streams: tuple[list[Frame], list[Frame]]) -> list[Applied]:
    """Deliver both partitions in micro-batches to a state that is stored in between."""
    waiting = {
        source: [
            Arrival(event, source, offset)
            for offset, one in enumerate(delivered(chance, stream))
            for event in decode(DIALECTS["current"], *one)
        ]
        for source, stream in zip(SOURCES, streams, strict=True)
    }
    applied: list[Applied] = []
    state = Hold(SOURCES, inclusive=True).dump()
    while any(waiting.values()):
        hold = Hold(SOURCES, inclusive=True)
        hold.load(state)
        batch: list[Arrival] = []
        for source, arrivals in waiting.items():
            cut = chance.randint(0, len(arrivals))
            batch.extend(arrivals[:cut])
            waiting[source] = arrivals[cut:]
        applied.extend(hold.step(batch))
        state = hold.dump()
    return applied


@given(STEPS, st.integers())
def test_every_legal_delivery_gives_one_table(steps: list[tuple[str, int, str]], seed: int) -> None:
    """Bytes in any legal order, with any legal duplicates, become the upstream's own rows."""
    chance = Random(seed)
    upstream = Upstream()
    for ts, (what, number, text) in enumerate(steps, start=1):
        upstream.step(ts, what, number, text)
        for stream in upstream.sent:
            if chance.random() < 0.3:
                stream.append(resolved(ts))
    for stream in upstream.sent:
        stream.append(resolved(len(steps) + 1))
    fold = Fold()
    for _, (event, source, offset) in consume(chance, upstream.sent):
        named = (event.schema, event.table, event.payload)
        fold.apply(Change(event.kind, event.ts, *named, "x", source.partition, offset))
    assert not fold.error
    found = [one for table in fold.tables for one in table]
    assert sorted(found, key=repr_of) == sorted(upstream.rows.values(), key=repr_of)


def repr_of(one: Row) -> str:
    """Return a row as text, its columns in order of their names."""
    return repr(sorted(one.items()))
