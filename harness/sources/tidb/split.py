"""Updates that TiCDC's sink splits into a delete and an insert of the same commit ts.

An update that changes any column of any unique index (or of a non-clustered primary key) is split;
values are compared as text, and that of NULL is `null`. If anything was split, the table's rows of
that transaction are sorted again: deletes, then updates, then inserts.

Source: tiflow c7b2588 model/sink.go:1021, 1187, 1262, 1285; the vendor's sort is not stable beyond
12 rows, ours is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from harness.ddl import tidb
from harness.model.change import Op
from harness.model.table import Table
from harness.model.values import Value
from harness.sources.tidb.store import NetChange

_NULLS: tuple[set[Value], ...] = ({None, "null"}, {None, b"null"})
_ORDER = {Op.DELETE: 0, Op.UPDATE: 1, Op.INSERT: 2}


def split_updates(table: Table, changes: Iterable[NetChange]) -> list[NetChange]:
    """Return the changes with each unique-key update split, in the order in which they are sent."""
    return split_on(unique_ordinals(table), changes)


def unique_ordinals(table: Table) -> tuple[int, ...]:
    """Return the columns whose change splits an update."""
    # What is not sent cannot differ: virtual columns are no part of what the sink sees.
    return tuple(
        sorted(
            ordinal
            for ordinal in {table.position(n) for i in table.indexes if i.unique for n in i.columns}
            if tidb.is_emitted(table.columns[ordinal])
        )
    )


def split_on(unique: Sequence[int], changes: Iterable[NetChange]) -> list[NetChange]:
    """Return the changes of a table whose `unique_ordinals` these are, split and in order."""
    sent: list[NetChange] = []
    split = False
    for change in changes:
        if change.op is Op.UPDATE and _differs(change, unique):
            split = True
            sent.append(replace(change, op=Op.DELETE, after=None, split=True))
            sent.append(replace(change, op=Op.INSERT, before=None, split=True))
        else:
            sent.append(change)
    return sorted(sent, key=lambda change: _ORDER[change.op]) if split else sent


def _differs(change: NetChange, ordinals: Iterable[int]) -> bool:
    before, after = change.before, change.after
    assert before is not None
    assert after is not None
    # Every update of a stream comes here, and a generator would cost more than it looks at.
    for ordinal in ordinals:
        if before[ordinal] != after[ordinal] and not _same_text(before[ordinal], after[ordinal]):
            return True
    return False


def _same_text(one: Value, other: Value) -> bool:
    return {one, other} in _NULLS
