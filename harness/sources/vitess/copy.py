"""VStream's copy phase: the rows that are there, table by table and shard by shard, then the mark.

Copied rows carry no time; ENUM and SET stand as their members until the copy is over.

Source: Debezium Vitess connector notes §1, §10 (vectors `snapshot`); Vitess
go/vt/vtgate/vstream_manager.go, COPY_COMPLETED.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import TableId
from harness.model.values import Row, Value
from harness.model.vstream import (
    Begin,
    Cells,
    Commit,
    CopyCompleted,
    FieldEvent,
    FieldInfo,
    RowChange,
    ShardGtid,
    TablePk,
    VEvent,
    Vgtid,
    VRowEvent,
    VStreamResponse,
)
from harness.sources.key_text import key_text
from harness.sources.stored import Stored
from harness.sources.vitess.cells import cell, cells
from harness.sources.vitess.fields import fields, sent


def finished(keyspace: str, shards: Iterable[str]) -> VStreamResponse:
    """Return the response that ends the copy phase, for each shard and for all."""
    events = [CopyCompleted(keyspace=keyspace, shard=shard) for shard in shards]
    return VStreamResponse((*events, CopyCompleted()))


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of a keyspace; `position` gives each shard's place, which a copy does not move."""

    keyspace: str
    position: tuple[ShardGtid, ...]
    table: Callable[[TableId], SourceTable]
    number: Callable[[], int]

    def responses(
        self, stored: Stored, rows: list[RowEvent], start: Origin
    ) -> Iterator[VStreamResponse]:
        """Yield the responses of the copy, and add the rows that they stand for to `rows`."""
        shards = [gtid.shard for gtid in self.position]
        for shard in shards:
            tables = sorted(table for there, table in stored.rows if there == shard)
            for table_id in tables:
                copied = stored.rows[shard, table_id]
                if copied:
                    yield from self._table(shard, self.table(table_id), copied, rows, start)
            origin = replace(start, event=self.number())
            empty: tuple[VEvent, ...] = (
                Begin(0, self.keyspace, shard, origin),
                Vgtid(self.position, 0, self.keyspace, shard, origin),
                Commit(0, self.keyspace, shard, origin),
            )
            yield VStreamResponse(empty)
        yield finished(self.keyspace, shards)

    def _table(
        self,
        shard: str,
        table: SourceTable,
        copied: list[tuple[Row, Origin]],
        rows: list[RowEvent],
        start: Origin,
    ) -> Iterator[VStreamResponse]:
        name = f"{self.keyspace}.{table.table.id.name}"
        infos = fields(table.table)
        begin = replace(start, event=self.number())
        opening: tuple[VEvent, ...] = (
            Begin(0, self.keyspace, shard, begin),
            FieldEvent(name, infos, 0, self.keyspace, shard, origin=begin),
            Vgtid(self.position, 0, self.keyspace, shard, begin),
        )
        yield VStreamResponse(opening)
        ordered = sorted(copied, key=lambda pair: _sort_key(table, pair[0]))
        changes: list[RowChange] = []
        for row, origin in ordered:
            made = replace(
                origin, event=self.number(), kind="insert", key=key_text(table, row), commit_ts=0
            )
            rows.append(RowEvent(Op.INSERT, table, None, row, 0, "", 0, made))
            changes.append(RowChange(None, as_text(table, row), made))
        end = replace(start, event=self.number())
        last = self._last_key(shard, table, infos, ordered[-1][0])
        closing: tuple[VEvent, ...] = (
            *(VRowEvent(name, (one,), 0, self.keyspace, shard, one.origin) for one in changes),
            Vgtid(last, 0, self.keyspace, shard, end),
            Commit(0, self.keyspace, shard, end),
        )
        yield VStreamResponse(closing)

    def _last_key(
        self, shard: str, table: SourceTable, infos: tuple[FieldInfo, ...], row: Row
    ) -> tuple[ShardGtid, ...]:
        """Return the position with the last key that was copied of the table."""
        ordinals = sent(table.table)
        keys = [ordinals.index(n) for n in table.handle]
        values = cells(table.table, row)
        reached = TablePk(
            table.table.id.name,
            tuple(infos[n] for n in keys),
            (tuple(values[n] for n in keys),),
        )
        return tuple(
            replace(gtid, table_pks=(reached,)) if gtid.shard == shard and keys else gtid
            for gtid in self.position
        )


def as_text(table: SourceTable, row: Row) -> Cells:
    """Return a copied row's cells, its ENUM and SET columns as members."""
    return tuple(_text(table.table.columns[ordinal], row[ordinal]) for ordinal in sent(table.table))


def _text(column: Column, value: Value) -> bytes | None:
    write = _MEMBERS.get(column.kind)
    if write is None or not isinstance(value, int):
        return cell(column, value)
    return write(column, value).encode()


def _enum(column: Column, number: int) -> str:
    return column.members[number - 1] if number else ""


def _set(column: Column, mask: int) -> str:
    return ",".join(member for bit, member in enumerate(column.members) if mask >> bit & 1)


_MEMBERS: Mapping[ColumnKind, Callable[[Column, int], str]] = {
    ColumnKind.ENUM: _enum,
    ColumnKind.SET: _set,
}


def _sort_key(table: SourceTable, row: Row) -> tuple[tuple[str, object], ...]:
    """Order rows by key as InnoDB would, numbers before texts; without a key as they came."""
    key = (row[n] for n in table.handle)
    return tuple(("" if isinstance(v, int | float) else str(type(v)), v) for v in key)
