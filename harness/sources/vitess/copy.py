"""VStream's copy phase: the rows that are there, table by table and shard by shard, then the mark.

Copied rows carry no time; ENUM and SET stand as their members until the copy is over, and a number
has the digits that a SELECT shows of it: a FLOAT six, a ZEROFILL one zeros before them. A table is
read by its primary key, whatever the connector takes for the key, and its end is a transaction of
its own. A shard of which nothing was copied yet has no position.

Source: Debezium Vitess connector notes §1, §10 (vectors `snapshot`); Vitess
go/vt/vtgate/vstream_manager.go sendAll, COPY_COMPLETED;
go/vt/vttablet/tabletserver/vstreamer/uvstreamer.go copyComplete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.model.canonical import selected_float
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import Table, TableId
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
from harness.sources.stored import Stored, scanned_by
from harness.sources.vitess.cells import cell, cells
from harness.sources.vitess.fields import fields, sent


def finished(keyspace: str, shards: Iterable[str]) -> VStreamResponse:
    """Return the response that ends the copy phase, for each shard and for all."""
    events = [CopyCompleted(keyspace=keyspace, shard=shard) for shard in shards]
    return VStreamResponse((*events, CopyCompleted()))


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of a keyspace, of its `tables`; a copy does not move a shard's place."""

    keyspace: str
    position: tuple[ShardGtid, ...]
    tables: Sequence[TableId]
    table: Callable[[TableId], SourceTable]
    number: Callable[[], int]

    def responses(
        self, stored: Stored, rows: list[RowEvent], start: Origin
    ) -> Iterator[VStreamResponse]:
        """Yield the responses of the copy, and add the rows that they stand for to `rows`."""
        shards = [gtid.shard for gtid in self.position]
        for number, shard in enumerate(shards, 1):
            later = (replace(gtid, gtid="") for gtid in self.position[number:])
            standing = (*self.position[:number], *later)
            for table_id in sorted(self.tables):
                copied = stored.rows.get((shard, table_id), [])
                table = self.table(table_id)
                yield from self._table(shard, standing, table, copied, rows, start)
                origin = replace(start, event=self.number())
                end: tuple[VEvent, ...] = (
                    Begin(0, self.keyspace, shard, origin),
                    Vgtid(standing, 0, self.keyspace, shard, origin),
                    Commit(0, self.keyspace, shard, origin),
                )
                yield VStreamResponse(end)
        yield finished(self.keyspace, shards)

    def _table(
        self,
        shard: str,
        standing: tuple[ShardGtid, ...],
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
            Vgtid(standing, 0, self.keyspace, shard, begin),
        )
        yield VStreamResponse(opening)
        if not copied:
            return
        by = read_by(table.table)
        key = [(n, table.table.columns[n]) for n in by]
        scanned = sorted(
            copied, key=lambda pair: [scanned_by(c, pair[0][n], pair[1].line) for n, c in key]
        )
        ordered = [(as_shown(table.table, row), origin) for row, origin in scanned]
        changes: list[RowChange] = []
        for row, origin in ordered:
            made = replace(
                origin, event=self.number(), kind="insert", key=key_text(table, row), commit_ts=0
            )
            rows.append(RowEvent(Op.INSERT, table, None, row, 0, "", 0, made))
            changes.append(RowChange(None, as_text(table, row), made))
        end = replace(start, event=self.number())
        reached = _reached(table.table, by, infos, ordered[-1][0])
        last = tuple(
            replace(gtid, table_pks=(reached,)) if gtid.shard == shard else gtid
            for gtid in standing
        )
        closing: tuple[VEvent, ...] = (
            *(VRowEvent(name, (one,), 0, self.keyspace, shard, one.origin) for one in changes),
            Vgtid(last, 0, self.keyspace, shard, end),
            Commit(0, self.keyspace, shard, end),
        )
        yield VStreamResponse(closing)


def _reached(table: Table, by: Sequence[int], infos: tuple[FieldInfo, ...], row: Row) -> TablePk:
    """Return how far a table was copied: the key of the last row."""
    ordinals = sent(table)
    keys = [ordinals.index(n) for n in by]
    values = cells(table, row)
    key = tuple(values[n] for n in keys)
    return TablePk(table.id.name, tuple(infos[n] for n in keys), (key,))


# What a column costs in a key that stands in for the primary one; a type that is not here, 1000.
_COSTS: Mapping[ColumnKind, int] = {
    ColumnKind.ENUM: 0,
    ColumnKind.TINYINT: 1,
    ColumnKind.YEAR: 2,
    ColumnKind.SMALLINT: 3,
    ColumnKind.DATE: 4,
    ColumnKind.MEDIUMINT: 5,
    ColumnKind.TIME: 6,
    ColumnKind.INT: 7,
    ColumnKind.SET: 8,
    ColumnKind.TIMESTAMP: 9,
    ColumnKind.BIGINT: 10,
    ColumnKind.FLOAT: 11,
    ColumnKind.DOUBLE: 12,
    ColumnKind.DECIMAL: 13,
    ColumnKind.DATETIME: 14,
    ColumnKind.BINARY: 30,
    ColumnKind.CHAR: 31,
    ColumnKind.VARBINARY: 60,
    ColumnKind.VARCHAR: 61,
    ColumnKind.TINYBLOB: 80,
    ColumnKind.TINYTEXT: 81,
}


def read_by(table: Table) -> tuple[int, ...]:
    """Return the columns by which a copy reads a table, in the order of their key.

    The primary key's, else those of the cheapest unique index without NULL, else all.

    Source: Vitess go/vt/vttablet/tabletserver/vstreamer/rowstreamer.go buildPKColumns;
    go/vt/mysqlctl/schema.go GetPrimaryKeyEquivalentColumns.
    """
    there = sent(table)
    if table.primary_key is not None:
        return tuple(table.position(name) for name in table.primary_key.columns)
    keys = [
        ordinals
        for index in table.indexes
        for ordinals in [tuple(table.position(name) for name in index.columns)]
        if index.unique and len(ordinals) == len(index.parts) and set(ordinals) <= set(there)
        if not any(table.columns[n].nullable for n in ordinals)
    ]
    return min(keys, key=lambda key: _cost(table, key), default=there)


def _cost(table: Table, key: Sequence[int]) -> tuple[int, int]:
    return sum(_COSTS.get(table.columns[n].kind, 1000) for n in key), len(key)


def as_shown(table: Table, row: Row) -> Row:
    """Return a row as a SELECT shows it: a FLOAT without decimals has six digits, not all it needs.

    Source: Vitess go/vt/vttablet/tabletserver/vstreamer/rowstreamer.go buildSelect; MySQL
    sql/field.cc Field_float::val_str.
    """
    if all(column.kind is not ColumnKind.FLOAT for column in table.columns):
        return row
    return tuple(_shown(column, value) for column, value in zip(table.columns, row, strict=True))


def _shown(column: Column, value: Value) -> Value:
    if column.kind is ColumnKind.FLOAT and isinstance(value, float):
        return selected_float(column, value)
    return value


def as_text(table: SourceTable, row: Row) -> Cells:
    """Return a copied row's cells, its ENUM and SET columns as members."""
    return tuple(_text(table.table.columns[ordinal], row[ordinal]) for ordinal in sent(table.table))


def _text(column: Column, value: Value) -> bytes | None:
    write = _MEMBERS.get(column.kind)
    if write is None or not isinstance(value, int):
        return filled(column, cell(column, value))
    return write(column, value).encode()


def filled(column: Column, text: bytes | None) -> bytes | None:
    """Return a whole number's or a DECIMAL's text as a SELECT shows it: ZEROFILL in full width.

    Source: MySQL sql/field.cc, `Field_num::prepend_zeros`, `Field_new_decimal::val_str`.
    """
    if text is None or not column.zerofill:
        return text
    if column.kind is ColumnKind.DECIMAL:
        scale = column.scale or 0
        whole = max((column.length or 10) - scale, 1)
        return text.zfill(whole + 1 + scale if scale else whole)
    return text.zfill(column.length or _WIDTHS[column.kind]) if column.kind in _WIDTHS else text


# How wide MySQL shows a number that is never negative, where nobody said so.
_WIDTHS: Mapping[ColumnKind, int] = {
    ColumnKind.TINYINT: 3,
    ColumnKind.SMALLINT: 5,
    ColumnKind.MEDIUMINT: 8,
    ColumnKind.INT: 10,
    ColumnKind.BIGINT: 20,
}


def _enum(column: Column, number: int) -> str:
    return column.members[number - 1] if number else ""


def _set(column: Column, mask: int) -> str:
    return ",".join(member for bit, member in enumerate(column.members) if mask >> bit & 1)


_MEMBERS: Mapping[ColumnKind, Callable[[Column, int], str]] = {
    ColumnKind.ENUM: _enum,
    ColumnKind.SET: _set,
}
