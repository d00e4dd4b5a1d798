"""One generator partition: what happens to its keys, in commit order.

A pure function of the spec and the partition's number. A key belongs to one partition for
ever. Of each table only a window of rows can still change; a row that leaves the window stays in
the table as it is, so memory is bounded by the window, whatever the number of events.
"""

from __future__ import annotations

from bisect import bisect
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from random import Random
from typing import NamedTuple

from harness.load.clock import Statement, events_of, mark_ts, row_ts, slices, statements
from harness.load.shapes import further, shape_of
from harness.load.spec import Spec
from harness.model.values import Row

_GRAVES = 16  # deleted keys of a table that may come back
_REVIVED = 0.1  # the share of inserts that take one of these


class Kind(StrEnum):
    """What happens to a row; a move changes its primary key."""

    INSERT = "insert"
    UPDATE = "update"
    MOVE = "move"
    DELETE = "delete"


class Change(NamedTuple):
    """One row event of a table (by number)."""

    kind: Kind
    table: int
    before: Row | None
    after: Row | None


class Committed(NamedTuple):
    """The changes of one transaction; no row has two."""

    commit_ts: int
    changes: list[Change]


@dataclass(frozen=True, slots=True)
class Altered:
    """A statement ran; `number` counts the statements of the spec."""

    number: int
    statement: Statement


@dataclass(frozen=True, slots=True)
class Marked:
    """All events of the partition up to `ts` were emitted; `slice` counts from 0."""

    ts: int
    slice: int


Event = Committed | Altered | Marked
Left = Callable[[int, Row], object]


@dataclass(slots=True)
class _Live:
    """A row that can still change: its key's number, its version, its last transaction."""

    number: int
    version: int
    row: Row
    touched: int


class _Table:
    """One table's part of a partition."""

    __slots__ = ("columns", "graves", "live", "make", "next")

    def __init__(self, table: int) -> None:
        self.make = shape_of(table).row
        self.live: list[_Live] = []
        self.graves: deque[_Live] = deque(maxlen=_GRAVES)
        self.next = 0
        self.columns = 0

    def row(self, number: int, version: int) -> Row:
        row = self.make(number, version)
        return row + further(number, version, self.columns) if self.columns else row

    def widen(self) -> None:
        self.columns += 1
        for one in self.live:
            one.row = (*one.row, None)


class Partition:
    """One partition's history; `left` is called with each row that survives, once, at the end."""

    def __init__(self, spec: Spec, partition: int, left: Left | None = None) -> None:
        """Start with empty tables."""
        self._spec = spec
        self._partition = partition
        self._left = left
        self._draw = Random(f"{spec.seed}/{partition}").random  # seeded
        self._tables = [_Table(number) for number in range(spec.tables)]
        weights = accumulate((number + 1) ** -spec.skew_tables for number in range(spec.tables))
        self._weights = list(weights)
        self._limit = max(1, spec.window // spec.tables)
        self._bent = 1 + spec.skew_keys
        self._transaction = 0
        self._upto = (
            spec.update,
            spec.update + spec.delete,
            spec.update + spec.delete + spec.move,
        )

    def events(self) -> Iterator[Event]:
        """Yield what happens, once."""
        spec = self._spec
        ran: dict[int, list[Altered]] = {}
        for number, statement in enumerate(statements(spec)):
            ran.setdefault(statement.slice, []).append(Altered(number, statement))
        events, last = events_of(spec, self._partition), slices(spec)
        for slice_ in range(last):
            for altered in ran.get(slice_, ()):
                if altered.number >= spec.tables:
                    self._tables[altered.statement.table].widen()
                yield altered
            rows = events * (slice_ + 1) // last - events * slice_ // last
            yield from self._slice(slice_, rows)
            yield Marked(mark_ts(slice_), slice_)
        if self._left is not None:
            for number, table in enumerate(self._tables):
                for one in table.live:
                    self._left(number, one.row)

    def _slice(self, slice_: int, rows: int) -> Iterator[Committed]:
        done = ordinal = 0
        while done < rows:
            self._transaction += 1
            changes: list[Change] = []
            most = min(self._spec.transaction, rows - done)
            while len(changes) < most:
                change = self._change()
                if change is None:
                    break
                changes.append(change)
            if not changes:
                continue
            place = (ordinal, done, rows)
            yield Committed(row_ts(self._spec, slice_, self._partition, place), changes)
            done += len(changes)
            ordinal += 1

    def _change(self) -> Change | None:
        """Return the next change, None when it has to wait for the next transaction."""
        draw, weights = self._draw, self._weights
        number = bisect(weights, draw() * weights[-1])
        table = self._tables[number]
        what = draw()
        live = table.live
        if what >= self._upto[2] or not live:
            return self._insert(number, table)
        at = int(len(live) * draw() ** self._bent)
        one = live[at]
        if one.touched == self._transaction:
            return None
        one.touched = self._transaction
        before = one.row
        if what < self._upto[0]:
            one.version += 1
            one.row = table.row(one.number, one.version)
            return Change(Kind.UPDATE, number, before, one.row)
        if what < self._upto[1]:
            live[at] = live[-1]
            live.pop()
            table.graves.append(one)
            return Change(Kind.DELETE, number, before, None)
        table.next += 1
        one.number = self._number(table.next)
        one.version += 1
        one.row = table.row(one.number, one.version)
        return Change(Kind.MOVE, number, before, one.row)

    def _insert(self, number: int, table: _Table) -> Change:
        draw = self._draw
        graves = table.graves
        if draw() < _REVIVED and graves and graves[0].touched != self._transaction:
            one = graves.popleft()
            one.version += 1
            one.touched = self._transaction
        else:
            table.next += 1
            one = _Live(self._number(table.next), 0, (), self._transaction)
        row = one.row = table.row(one.number, one.version)
        if len(table.live) < self._limit:
            table.live.append(one)
            return Change(Kind.INSERT, number, None, row)
        at = int(len(table.live) * draw())
        stays = table.live[at]
        table.live[at] = one
        if self._left is not None:
            # It is sent with the columns that it had: a reader adds the later ones.
            self._left(number, stays.row)
        return Change(Kind.INSERT, number, None, row)

    def _number(self, count: int) -> int:
        return count * self._spec.partitions + self._partition
