"""Row events from a server without a usable binary log: what changed between two reads.

Before and after each statement every table is read. A row whose key stays is an update, all else
is deletes and inserts; a table without a key has no updates. The order within one statement is not
to be had this way: deletes come first, then updates, then inserts, each by key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.model.change import Op
from harness.model.columns import Column
from harness.model.table import Table, TableId
from harness.model.values import Row, Value
from harness.record.rows import Rows

Images = tuple[Row | None, Row | None]


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The rows of one operation on one table by one statement."""

    op: Op
    table: TableId
    images: tuple[Images, ...]

    def read(self, columns: Sequence[Column]) -> Iterator[Images]:
        """Yield before and after of each row; ValueError when they are not of these columns."""
        for images in self.images:
            if any(image is not None and len(image) != len(columns) for image in images):
                raise ValueError(f"the rows read have not the {len(columns)} columns expected")
            yield images


def changed(table: Table, before: Rows, after: Rows) -> Iterator[ReadRows]:
    """Yield the row events that lead from one state of a table to another."""
    ordinals = key_ordinals(table)
    gone, come = _sorted(before - after), _sorted(after - before)
    if ordinals:
        old = {tuple(row[i] for i in ordinals): row for row in gone}
        new = {tuple(row[i] for i in ordinals): row for row in come}
        kept = [key for key in old if key in new]
        updates = [(old[key], new[key]) for key in kept]
        gone = [row for key, row in old.items() if key not in new]
        come = [row for key, row in new.items() if key not in old]
    else:
        updates = []
    found: tuple[tuple[Op, Sequence[Images]], ...] = (
        (Op.DELETE, [(row, None) for row in gone]),
        (Op.UPDATE, updates),
        (Op.INSERT, [(None, row) for row in come]),
    )
    for op, images in found:
        if images:
            yield ReadRows(op, table.id, tuple(images))


def key_ordinals(table: Table) -> tuple[int, ...]:
    """Return the ordinals of the primary key, else of a unique key without NULL, else nothing."""
    for index in sorted(table.indexes, key=lambda index: not index.primary):
        plain = all(part.column is not None and not part.length for part in index.parts)
        if not index.unique or not plain:
            continue
        ordinals = tuple(table.position(name) for name in index.columns)
        if all(index.primary or not table.columns[i].nullable for i in ordinals):
            return ordinals
    return ()


def _sorted(rows: Counter[Row]) -> list[Row]:
    """Put rows into an order of their own: numbers by size, all else by text, NULL first."""
    return sorted(rows.elements(), key=lambda row: [_rank(value) for value in row])


def _rank(value: Value) -> tuple[int, float, str]:
    if isinstance(value, int | float):
        return 1, value, ""
    return (
        (0, 0, "") if value is None else (2, 0, value.hex() if isinstance(value, bytes) else value)
    )
