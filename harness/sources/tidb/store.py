"""The rows of one TiDB table by TiKV key, and what a transaction nets to.

A row's key is its clustered primary key, else a hidden `_tidb_rowid`, given from 1 in insertion
order. A transaction emits one event for each key whose value changed: insert + update is one
insert, insert + delete nothing, delete + insert an update, no net change nothing; a changed
clustered primary key is a delete of the old key and an insert of the new. A row that REPLACE puts
in the place of others gets a `_tidb_rowid` of its own.

Source: TiCDC codec notes §5; vectors `open_keys`, `open_dml`; TiDB pkg/executor/replace.go,
`replaceRow`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from harness.ddl.physical import physical_of
from harness.errors import StepError
from harness.model.change import Op, RowChanged
from harness.model.columns import INTEGERS, ColumnKind
from harness.model.quick import quick
from harness.model.table import Table
from harness.model.values import Row, Value

Key = tuple[Value, ...]
_INT64 = 1 << 64


@dataclass(frozen=True, slots=True)
class NetChange:
    """What one transaction did to one TiKV key; `change` is the last statement that touched it.

    `split` marks both halves of an update that the sink split.
    """

    op: Op
    key: Key
    before: Row | None
    after: Row | None
    change: RowChanged
    split: bool = False


net_change = quick(NetChange)


def int_handle(table: Table) -> bool:
    """Return whether the row handle is an int64: one clustered integer key, or `_tidb_rowid`."""
    primary = table.primary_key
    if not table.clustered or primary is None:
        return True
    return len(primary.columns) == 1 and table.column(primary.columns[0]).kind in INTEGERS


def signed(number: int) -> int:
    """Return an unsigned 64-bit number as the int64 of the same bits."""
    return number - _INT64 if number >= _INT64 // 2 else number


class TableStore:
    """All rows of one table, by key; the source simulator owns one for each table."""

    def __init__(self, table: Table) -> None:
        """Start empty."""
        self._shape(table)
        self._rows: dict[Key, Row] = {}
        self._by_image: dict[Row, list[Key]] = {}
        self._next_row_id = 1
        self._initial: dict[Key, Row | None] = {}
        self._last: dict[Key, RowChanged] = {}

    def apply(self, change: RowChanged) -> None:
        """Take one row event of the running transaction, in statement order.

        Raises StepError for a row that is not there, and for a primary key that is taken.
        """
        before, after = change.before, change.after
        old_key = None if before is None else self._locate(before, change)
        if after is None:
            key = None
        else:
            another = change.replaced or (self._physical is not None and self._moves(change))
            key = self._key(after, None if another else old_key)
        if before is not None and old_key is not None:
            if after is not None and key == old_key:
                # Most changes of most streams: the row keeps its key.
                self._initial.setdefault(old_key, before)
                self._last[old_key] = change
                self._replace(old_key, before, after)
                return
            self._touch(old_key, change)
            self._remove(old_key, before)
        if after is not None and key is not None:
            self._touch(key, change)
            if key in self._rows:
                raise StepError(
                    f"{self.table.id} already holds a row with the primary key {key}",
                    line=change.line,
                    expected="a key that no other row has",
                    hint="change or delete that row first",
                )
            self._put(key, after)

    def _moves(self, change: RowChanged) -> bool:
        """Return whether a row goes to another partition, where it gets another `_tidb_rowid`."""
        before, after, physical = change.before, change.after, self._physical
        if physical is None or before is None or after is None:
            return False
        return physical(before, change.line) != physical(after, change.line)

    def commit(self) -> list[NetChange]:
        """Return the net changes since the last commit: deletes, updates, inserts, each by key."""
        deletes: list[NetChange] = []
        updates: list[NetChange] = []
        inserts: list[NetChange] = []
        stored, last = self._rows.get, self._last
        for key, before in self._initial.items():
            after = stored(key)
            if before == after:
                continue
            if before is None:
                inserts.append(net_change(Op.INSERT, key, None, after, last[key]))
            elif after is None:
                deletes.append(net_change(Op.DELETE, key, before, None, last[key]))
            else:
                updates.append(net_change(Op.UPDATE, key, before, after, last[key]))
        self._initial.clear()
        last.clear()
        for net in (deletes, updates, inserts):
            if len(net) > 1:
                net.sort(key=lambda change: self._sort_key(change.key))
        return [*deletes, *updates, *inserts]

    def reshape(self, table: Table, convert: Callable[[Row], Row]) -> None:
        """Take a new version of the table; `convert` gives each stored row its new form."""
        rows = self._rows
        self._shape(table)
        self._rows, self._by_image = {}, {}
        for key, row in rows.items():
            self._put(key, convert(row))

    def rows(self) -> Mapping[Key, Row]:
        """Return the rows by key."""
        return self._rows

    def take_in(self, key: Key, row: Row, line: int) -> None:
        """Take a row with the key that it had in another table, or before its partitions moved.

        TiDB may give one `_tidb_rowid` in several partitions; here it names one row.
        """
        if key in self._rows:
            raise StepError(
                f"two rows of {self.table.id} have the same _tidb_rowid {key[0]!r}",
                line=line,
                expected="rows whose hidden row ids differ",
                hint="give the tables a clustered primary key",
            )
        self._put(key, row)

    def count_from(self, other: TableStore) -> None:
        """Give no `_tidb_rowid` that the other has given (TiDB `onExchangeTablePartition`)."""
        self._next_row_id = max(self._next_row_id, other._next_row_id)

    def _shape(self, table: Table) -> None:
        """Take a version of the table, and what every row asks of it."""
        self.table = table
        self._int_handle = int_handle(table)
        self._physical = physical_of(table)
        primary = table.primary_key
        self._clustered: tuple[int, ...] | None = None
        if table.clustered and primary is not None:
            self._clustered = tuple(table.position(column) for column in primary.columns)

    def _key(self, row: Row, old_key: Key | None) -> Key:
        clustered = self._clustered
        if clustered is not None:
            if len(clustered) == 1:
                return (row[clustered[0]],)
            return tuple([row[ordinal] for ordinal in clustered])
        if old_key is not None:
            return old_key
        row_id = self._next_row_id
        self._next_row_id += 1
        return (row_id,)

    def _locate(self, image: Row, change: RowChanged) -> Key:
        if self._clustered is not None:
            # The row says where it is: rows of such a table need not be found by their images.
            key = self._key(image, None)
            if self._rows.get(key) == image:
                return key
            raise self._missing(image, change)
        keys = self._by_image.get(image)
        if not keys:
            raise self._missing(image, change)
        return keys[0]

    def _missing(self, image: Row, change: RowChanged) -> StepError:
        return StepError(
            f"{self.table.id} does not hold the row of this {change.op.value}: {image}",
            line=change.line,
            expected="a row as it was left by the statements before this one",
            hint="an `emit:` step must state whole rows; else run `harness record` again",
        )

    def _touch(self, key: Key, change: RowChanged) -> None:
        self._initial.setdefault(key, self._rows.get(key))
        self._last[key] = change

    def _put(self, key: Key, row: Row) -> None:
        self._rows[key] = row
        if self._clustered is None:
            self._by_image.setdefault(row, []).append(key)

    def _remove(self, key: Key, row: Row) -> None:
        del self._rows[key]
        if self._clustered is None:
            keys = self._by_image[row]
            keys.remove(key)
            if not keys:
                del self._by_image[row]

    def _replace(self, key: Key, old: Row, new: Row) -> None:
        if self._clustered is not None:
            self._rows[key] = new
            return
        self._remove(key, old)
        self._put(key, new)

    def _sort_key(self, key: Key) -> tuple[int | float | bytes | Decimal, ...]:
        if self._int_handle:
            return (signed(int(key[0] or 0)),)
        primary = self.table.primary_key
        columns = primary.columns if primary else ()
        return tuple(
            _comparable(self.table.column(name).kind, value)
            for name, value in zip(columns, key, strict=True)
        )


def _comparable(kind: ColumnKind, value: Value) -> int | float | bytes | Decimal:
    if isinstance(value, str):
        if kind is ColumnKind.TIME:
            hours, minutes, seconds = value.removeprefix("-").split(":")
            span = (int(hours) * 60 + int(minutes)) * 60 + Decimal(seconds)
            return -span if value.startswith("-") else span
        return Decimal(value) if kind is ColumnKind.DECIMAL else value.encode()
    return b"" if value is None else value
