"""A table's net changes as the row events that an encoder is given.

What all rows of one version of a table share is found once; of a long stream every row comes
through here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from harness.ddl.physical import physical_of
from harness.errors import UsageError
from harness.model.canonical import canonical
from harness.model.change import Op, Pin
from harness.model.record import quick_origin
from harness.model.source_events import RowEvent, SourceTable, quick_row
from harness.model.values import Row, Value
from harness.sources.key_text import key_texts
from harness.sources.tidb.changefeed import Changefeed
from harness.sources.tidb.dispatch import Placing
from harness.sources.tidb.dispatcher import Dispatcher
from harness.sources.tidb.server_zone import printer
from harness.sources.tidb.split import split_on, unique_ordinals
from harness.sources.tidb.store import NetChange, int_handle, signed

_KINDS: Mapping[Op, str] = MappingProxyType({op: op.value for op in Op})


@dataclass(frozen=True, slots=True)
class Committed:
    """The transaction that rows are of: its step and name, its pins, and when it was committed."""

    step: int
    name: str
    pin: Pin
    commit_ts: int


class TableRows:
    """The rows of one version of a table, on their way to one topic of so many partitions."""

    def __init__(
        self, table: SourceTable, topic: str, rule: Dispatcher | None, feed: Changefeed
    ) -> None:
        """Find what the rows share."""
        self.table = table
        self._topic = topic
        self._rule = rule
        self._partitions = feed.partitions
        self._newer = feed.newer
        self._printed = printer(table.table, feed.zone)
        self._name = str(table.table.id)
        self._key = key_texts(table)
        self._handle = int_handle(table.table)
        self._unique = unique_ordinals(table.table)
        self._physical = physical_of(table.table)
        self._placing: Placing | None = None

    def split(self, changes: Sequence[NetChange]) -> Sequence[NetChange]:
        """Return the changes as the sink splits them: each partition is a table of its own."""
        physical = self._physical
        if physical is None or not changes:
            return split_on(self._unique, changes, newer=self._newer)
        parts: dict[int, list[NetChange]] = {}
        for change in changes:
            image = change.before if change.after is None else change.after
            assert image is not None
            parts.setdefault(physical(image, change.change.line), []).append(change)
        return [
            one
            for part in sorted(parts)
            for one in split_on(self._unique, parts[part], newer=self._newer)
        ]

    def made(
        self, changes: Sequence[NetChange], of: Committed, numbers: Iterator[int]
    ) -> list[RowEvent]:
        """Return the row events of a transaction, each with the next number.

        Raises SourceStopped where the dispatcher fails, UsageError for a pin that cannot be.
        """
        table, topic, name, key = self.table, self._topic, self._name, self._key
        step, transaction, commit_ts = of.step, of.name, of.commit_ts
        free = of.pin.partition is None and not of.pin.rows
        count, physical, printed = self._partitions, self._physical, self._printed
        rows: list[RowEvent] = []
        for net in changes:
            op, before, after = net.op, net.before, net.after
            image = before if after is None else after
            assert image is not None
            # By position: names would cost as much as all the rest.
            origin = quick_origin(
                net.change.line,
                step,
                next(numbers),
                _KINDS[op],
                transaction,
                name,
                key(image),
                commit_ts,
            )
            partition = (
                self._place().partition(printed(image) or image, commit_ts, count)
                if free
                else self._pinned(of, image)
            )
            row_id = signed(int(net.key[0] or 0)) if self._handle else 0
            rows.append(
                quick_row(
                    op,
                    table,
                    printed(before),
                    printed(after),
                    commit_ts,
                    topic,
                    partition,
                    origin,
                    row_id,
                    physical(image, net.change.line) if physical is not None else 0,
                    net.split,
                )
            )
        return rows

    def _place(self) -> Placing:
        """Return the dispatcher's choice; asked for by rows only, for it may fail."""
        if self._placing is None:
            self._placing = Placing(self._rule, self.table, newer=self._newer)
        return self._placing

    def _pinned(self, of: Committed, image: Row) -> int:
        pinned = of.pin.partition
        if of.pin.rows:
            found = (row.partition for row in of.pin.rows if _has(self.table, image, row.key))
            pinned = next(found, pinned)
        if pinned is None:
            where = self._printed(image) or image
            return self._place().partition(where, of.commit_ts, self._partitions)
        if pinned >= self._partitions:
            raise UsageError(
                f"a row is pinned to partition {pinned}",
                expected=f"a partition below {self._partitions}: they count from 0",
            )
        return pinned


def _has(table: SourceTable, row: Row, wanted: Mapping[str, Value]) -> bool:
    """Return whether the table has these columns and the row these values, in any spelling."""
    try:
        return all(
            row[table.table.position(name)] == canonical(table.table.column(name), value)
            for name, value in wanted.items()
        )
    except (KeyError, ValueError):
        return False
