"""Which partition a row goes to.

| rule | partition of N |
| --- | --- |
| default, table, and any word that is no rule | crc32(schema + table) % N |
| ts | commit ts % N |
| index-value, rowid | crc32(schema + table) XOR crc32(name + value) for each handle column, % N |
| the same with `index` | over the columns of that index |
| columns | the same over the listed columns, or the next ones behind virtual columns |

Updates use the new columns, deletes the old ones. The text of NULL is `null`; in the newer
architecture it has no part in the hash.
Source: tiflow c7b2588 cdc/sink/dmlsink/mq/dispatcher/partition; value text: model/sink.go:1021;
ticdc b813e76 downstreamadapter/sink/eventrouter/partition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from harness.ddl import tidb
from harness.errors import SourceStopped
from harness.model.source_events import SourceTable
from harness.model.values import Row
from harness.sources.key_text import value_text
from harness.sources.tidb.dispatcher import Dispatcher

FAILED = "ErrDispatcherFailed"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a row goes: the number that is taken modulo the count, and what TiCDC calls the key."""

    number: int
    key: str

    def partition(self, count: int) -> int:
        """Return the partition (from 0) among `count`."""
        return self.number % count


def target_of(rule: Dispatcher | None, table: SourceTable, row: Row, commit_ts: int) -> Target:
    """Return where a row image goes; SourceStopped for a column or index that is not there."""
    return Placing(rule, table).target(row, commit_ts)


class Placing:
    """How the rows of one table go to partitions under one rule: found once, for all of them."""

    def __init__(self, rule: Dispatcher | None, table: SourceTable, *, newer: bool = False) -> None:
        """Find the columns; SourceStopped for a column or index that is not there.

        `newer` says that the newer architecture is asked.
        """
        self._skips_null = newer
        kind = "default" if rule is None else rule.partition.lower()
        name = table.table.id
        self._table = str(name)
        self._by_ts = kind == "ts"
        self._digest = crc32((name.schema + name.name).encode())
        pairs: list[tuple[int, int]] | None = None
        if rule is not None and kind == "columns":
            pairs = _listed_ordinals(table, rule.columns, counts_all=newer)
        elif rule is not None and kind in ("index-value", "rowid"):
            pairs = [(n, n) for n in table.handle]
            if rule.index:
                pairs = _index_ordinals(table, rule.index, counts_all=newer)
        self._hashed = pairs is not None
        # Of each pair the name of the first is hashed, with the value of the second behind it.
        columns = table.table.columns
        self._columns = [
            (crc32(columns[named].name.encode()), valued, columns[valued].kind)
            for named, valued in pairs or ()
        ]

    def target(self, row: Row, commit_ts: int) -> Target:
        """Return where a row image goes."""
        number = self._number(row, commit_ts)
        return Target(number, str(number) if self._by_ts or self._hashed else self._table)

    def partition(self, row: Row, commit_ts: int, count: int) -> int:
        """Return the partition (from 0) of a row image among `count`."""
        return self._number(row, commit_ts) % count

    def _number(self, row: Row, commit_ts: int) -> int:
        if self._by_ts:
            return commit_ts
        digest = self._digest
        for name, ordinal, kind in self._columns:
            value = row[ordinal]
            if value is not None or not self._skips_null:
                digest ^= crc32(value_text(kind, value), name)
        return digest


def _listed_ordinals(
    table: SourceTable, names: Sequence[str], *, counts_all: bool
) -> list[tuple[int, int]]:
    """Return, for each listed column, whose name and whose value is hashed.

    The vendor counts as for an index, and hashes the name of the column that it finds.
    """
    offsets = [_ordinal(table, column) for column in names]
    if counts_all:
        return [(offset, offset) for offset in offsets]
    emitted = table.emitted
    if any(offset >= len(emitted) for offset in offsets):
        raise SourceStopped(
            FAILED, f"the dispatcher's columns of {table.table.id} follow a virtual column"
        )
    return [(emitted[offset], emitted[offset]) for offset in offsets]


def _ordinal(table: SourceTable, column: str) -> int:
    try:
        ordinal = table.table.position(column)
    except KeyError as error:
        raise SourceStopped(
            FAILED,
            f"the dispatcher names column {column!r}, which {table.table.id} does not have",
            expected="one of " + ", ".join(table.table.column_names),
        ) from error
    if not tidb.is_emitted(table.table.columns[ordinal]):
        raise SourceStopped(
            FAILED,
            f"the dispatcher names column {column!r} of {table.table.id}, which is virtual",
            expected="a column that is stored",
        )
    return ordinal


def _index_ordinals(
    table: SourceTable, name: str, *, counts_all: bool = False
) -> list[tuple[int, int]]:
    """Return, for each column of an index, whose name and whose value is hashed.

    The vendor counts columns with the virtual ones where it looks for values without them: behind
    a virtual column the value is the next column's; `counts_all`: not so in the newer architecture.
    A clustered integer key is no index to TiDB.
    """
    found = next(
        (i for i in table.table.indexes if i.id and i.name.lower() == name.lower()),
        None,
    )
    if found is None:
        raise SourceStopped(
            FAILED,
            f"the dispatcher names index {name!r}, which {table.table.id} does not have",
            expected="one of " + ", ".join(i.name for i in table.table.indexes if i.id),
        )
    offsets = [table.table.position(column) for column in found.columns]
    # TiDB keeps each expression as a hidden virtual column behind the others.
    hidden = len(found.columns) < len(found.parts)
    if counts_all and not hidden and set(offsets) <= set(table.emitted):
        return [(offset, offset) for offset in offsets]
    if hidden or any(offset >= len(table.emitted) for offset in offsets):
        raise SourceStopped(
            FAILED, f"index {name!r} of {table.table.id} holds or follows a virtual column"
        )
    return [(offset, table.emitted[offset]) for offset in offsets]
