"""Updates that TiCDC's sink splits into a delete and an insert of the same commit ts.

An update that changes any column of any unique index (or of a non-clustered primary key) is split;
values are compared as text, and that of NULL is `null`. If anything was split, the table's rows of
that transaction are sorted again: deletes, then updates, then inserts. In the newer architecture
NULL is no text, the delete stays where the update was, and the insert comes behind all other rows.

Source: tiflow c7b2588 model/sink.go:1021, 1187, 1262, 1285; the vendor's sort is not stable beyond
12 rows, ours is. ticdc b813e76 pkg/common/event/codec.go `IsUKChanged`;
pkg/eventservice/event_scanner.go `appendRow`, `flushCachedInsertRows`.
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


def split_on(
    unique: Sequence[int], changes: Iterable[NetChange], *, newer: bool = False
) -> list[NetChange]:
    """Return the changes of a table whose `unique_ordinals` these are, split and in order.

    `newer` says that the newer architecture splits them.
    """
    sent: list[NetChange] = []
    inserts: list[NetChange] = []
    for change in changes:
        if change.op is Op.UPDATE and _differs(change, unique, newer=newer):
            sent.append(replace(change, op=Op.DELETE, after=None, split=True))
            inserts.append(replace(change, op=Op.INSERT, before=None, split=True))
        else:
            sent.append(change)
    if newer or not inserts:
        return [*sent, *inserts]
    return sorted([*inserts, *sent], key=lambda change: _ORDER[change.op])


def _differs(change: NetChange, ordinals: Iterable[int], *, newer: bool) -> bool:
    before, after = change.before, change.after
    assert before is not None
    assert after is not None
    # Every update of a stream comes here, and a generator would cost more than it looks at.
    for ordinal in ordinals:
        old, new = before[ordinal], after[ordinal]
        if old != new and (newer or not _same_text(old, new)):
            return True
    return False


def _same_text(one: Value, other: Value) -> bool:
    return {one, other} in _NULLS
