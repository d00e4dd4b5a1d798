"""A table that a micro-batch makes: all that the batch does to it, done to rows, in one write.

One by one, a table that is made, filled, changed and filled again is a commit for each of them, and
each costs Delta most of a second, however few its rows are. A stream that begins, or one that joins
a catalogue of many small tables, does little else. So where the changes are few, one task does them
in memory, and Delta has one commit. What comes in later micro-batches is merged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cdc_spark import rows
from cdc_spark.delta.convert import DROP, Bag, Operation, Rewritten, Stored, Typed, batch_of
from cdc_spark.delta.plan import Reshape, Write
from cdc_spark.delta.sketch import TableLayout
from cdc_spark.errors import UsageError
from cdc_spark.untyped import ArrowBatch, Session

SETTING = "spark.cdc.delta.newTableChanges"
FEW = 10_000  # changes; more of them are worth a task for each bucket, and a MERGE


def limit(spark: Session) -> int:
    """Return how many changes of a new table are done in one write; raises UsageError."""
    text = f"{spark.conf.get(SETTING, f'{FEW}')}"
    if not text.isdecimal():
        raise UsageError(
            f"{SETTING} is {text!r}", expected="a number of changes, 0 to do each by itself"
        )
    return int(text)


def writes(operations: Sequence[Write | Reshape], few: int = FEW) -> list[Write]:
    """Return the writes among a new table's operations; none where each is done by itself."""
    found = [one for one in operations if isinstance(one, Write)]
    if len(operations) == 1 or not isinstance(operations[0], Write) or not operations[0].new:
        return []
    changes = sum(one.last - one.first + 1 for one in found)
    return found if changes <= few and not any(one.rows for one in found) else []


@dataclass(frozen=True, slots=True)
class Born:
    """Applied changes of a new table, in the order of their seq -> its rows after all operations.

    `soft`: rows that are deleted stay, and say so.
    """

    operations: tuple[Write | Reshape, ...]
    soft: bool = False

    @property
    def layout(self) -> TableLayout:
        """Return the layout that the table has at last."""
        layout: TableLayout = ()
        for one in self.operations:
            if isinstance(one, Write):
                layout = one.layout
            elif one.effect.after is not None:
                layout = one.effect.after
        return layout

    def rows(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield the rows; other tasks of the batch have no change, and yield none."""
        changes = [change for batch in batches for change in rows.tuples(batch)]
        table: list[Stored] = []
        layout: TableLayout = ()
        for one in self.operations:
            if isinstance(one, Write):
                table = self._written(table, one, changes)
                layout = one.layout
            else:
                table = self._reshaped(table, one)
                layout = one.effect.after or layout
        yield batch_of(layout, table)

    def _written(
        self, table: list[Stored], write: Write, changes: Sequence[tuple[Any, ...]]
    ) -> list[Stored]:
        own = rows.batch_of(
            rows.APPLIED, [one for one in changes if write.first <= one[1] <= write.last]
        )
        typed = Typed(write)
        if write.key:
            return self._merged(
                table, typed.last_of_keys(iter((own,))), lambda one: typed.key_of(one.row)
            )
        bag = Bag(typed.definitions)
        for one in table:
            if not one.deleted:
                bag.hold(one.seq, one.rid, one.row)
        for change in typed.changes(iter((own,))):
            bag.apply(change)
        return self._merged(table, bag.operations(), lambda one: one.seq)

    def _merged(
        self,
        table: list[Stored],
        operations: Iterator[Operation],
        at: Callable[[Stored], Hashable],
    ) -> list[Stored]:
        held = {at(one): one for one in table}
        for one, operation in operations:
            place = at(one)
            if operation != DROP:
                held[place] = one
            elif place in held and self.soft:
                held[place] = held[place]._replace(seq=one.seq, ts=one.ts, deleted=True)
            else:
                held.pop(place, None)
        return list(held.values())

    def _reshaped(self, table: list[Stored], reshape: Reshape) -> list[Stored]:
        effect = reshape.effect
        if effect.after is None:
            gone = [
                one if one.deleted else one._replace(ts=reshape.ts, deleted=True) for one in table
            ]
            return gone if self.soft else []
        if effect.change is None:
            return table
        return list(Rewritten(effect, self.soft, reshape.ts or None).stored(table))
