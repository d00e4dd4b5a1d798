"""What TiDB and TiCDC derive from a table: type codes, flags, and the key that identifies a row.

The newer architecture (`newer`) finds handle and flags in another way in two places: a unique index
over a virtual column is taken as well, though the column is never sent, and a generated column has
only those flags of its indexes that TiDB's own table has.

Source: tiflow c7b2588 cdc/model/schema_storage.go:208 `findHandleIndex`, :237 `initColumnsFlag`;
pingcap/ticdc b813e76f9d pkg/common/table_info_helper.go `initIndexColumns`,
pkg/sink/codec/open/message.go:138 `initColumnFlags`; MySQL's protocol type codes; TiDB
pkg/ddl/index.go `AddIndexColumnFlag`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntFlag

from harness.ddl.charsets import BINARY
from harness.model.columns import CHARACTERS, Column, ColumnKind
from harness.model.table import Index, Table

TYPE_CODES: Mapping[ColumnKind, int] = {
    ColumnKind.TINYINT: 1,
    ColumnKind.SMALLINT: 2,
    ColumnKind.INT: 3,
    ColumnKind.FLOAT: 4,
    ColumnKind.DOUBLE: 5,
    ColumnKind.TIMESTAMP: 7,
    ColumnKind.BIGINT: 8,
    ColumnKind.MEDIUMINT: 9,
    ColumnKind.DATE: 10,
    ColumnKind.TIME: 11,
    ColumnKind.DATETIME: 12,
    ColumnKind.YEAR: 13,
    ColumnKind.VARCHAR: 15,
    ColumnKind.VARBINARY: 15,
    ColumnKind.BIT: 16,
    ColumnKind.VECTOR: 225,
    ColumnKind.JSON: 245,
    ColumnKind.DECIMAL: 246,
    ColumnKind.ENUM: 247,
    ColumnKind.SET: 248,
    ColumnKind.TINYTEXT: 249,
    ColumnKind.TINYBLOB: 249,
    ColumnKind.MEDIUMTEXT: 250,
    ColumnKind.MEDIUMBLOB: 250,
    ColumnKind.LONGTEXT: 251,
    ColumnKind.LONGBLOB: 251,
    ColumnKind.TEXT: 252,
    ColumnKind.BLOB: 252,
    ColumnKind.CHAR: 254,
    ColumnKind.BINARY: 254,
}
_WITH_CHARSET = CHARACTERS | {ColumnKind.ENUM, ColumnKind.SET}
_ALWAYS_UNSIGNED = frozenset({ColumnKind.YEAR, ColumnKind.BIT})


class ColumnFlag(IntFlag):
    """TiCDC's column flags, the `f` of the Open Protocol."""

    BINARY = 1
    HANDLE_KEY = 2
    GENERATED = 4
    PRIMARY_KEY = 8
    UNIQUE_KEY = 16
    MULTIPLE_KEY = 32
    NULLABLE = 64
    UNSIGNED = 128


def type_code(column: Column) -> int:
    """Return MySQL's type code, the `t` of the Open Protocol."""
    return TYPE_CODES[column.kind]


def is_emitted(column: Column) -> bool:
    """Return whether TiCDC ever sends the column: virtual generated ones it does not."""
    return column.generated is None or column.generated.stored


def handle(table: Table, *, newer: bool = False) -> Index | None:
    """Return the key that identifies a row downstream, None when the table has none.

    The primary key; else the unique index over NOT NULL columns with the fewest parts, the one with
    the lowest id among equals. An index over an expression never counts, one over a virtual column
    in the newer architecture alone.
    """
    valid = valid_indexes(table, virtual=newer)
    return min(valid, key=lambda one: (not one.primary, len(one.parts), one.id), default=None)


def valid_indexes(table: Table, *, virtual: bool) -> list[Index]:
    """Return the indexes that tell rows apart: the primary key, unique ones over NOT NULL columns.

    `virtual` says whether one over a virtual column does.
    """
    return [one for one in table.indexes if one.primary or _identifies(table, one, virtual=virtual)]


def _identifies(table: Table, index: Index, *, virtual: bool) -> bool:
    columns = [table.column(name) for name in index.columns]
    whole = len(columns) == len(index.parts)
    fits = (not each.nullable and (virtual or is_emitted(each)) for each in columns)
    return index.unique and whole and all(fits)


def handle_columns(table: Table, *, newer: bool = False) -> tuple[int, ...]:
    """Return the ordinals of the handle key's columns in table order, empty when there is none.

    Of a virtual column, which is never sent, no reader learns.
    """
    key = handle(table, newer=newer)
    names = {name.lower() for name in key.columns} if key is not None else set[str]()
    return tuple(
        ordinal
        for ordinal, column in enumerate(table.columns)
        if column.name.lower() in names and is_emitted(column)
    )


def column_flags(table: Table, *, newer: bool = False) -> tuple[int, ...]:
    """Return the TiCDC flag bits of each column, in table order."""
    key = handle(table, newer=newer)
    found: list[int] = []
    for column in table.columns:
        stored = newer and column.generated is not None
        keys = _stored_flags(table, column) if stored else _key_flags(table, key, column)
        found.append(int(_own_flags(column) | keys))
    return tuple(found)


def _own_flags(column: Column) -> ColumnFlag:
    found = {
        ColumnFlag.BINARY: column.kind not in _WITH_CHARSET or column.charset == BINARY,
        ColumnFlag.GENERATED: column.generated is not None,
        ColumnFlag.NULLABLE: column.nullable,
        ColumnFlag.UNSIGNED: column.unsigned or column.kind in _ALWAYS_UNSIGNED,
    }
    return ColumnFlag(sum(flag for flag, is_set in found.items() if is_set))


def _key_flags(table: Table, key: Index | None, column: Column) -> ColumnFlag:
    flags = ColumnFlag(0)
    name = column.name.lower()
    for index in table.indexes:
        columns = _lowered(index)
        if name not in columns:
            continue
        if index.primary:
            flags |= ColumnFlag.PRIMARY_KEY
        elif index.unique:
            flags |= ColumnFlag.UNIQUE_KEY
        if len(columns) > 1 or (not index.unique and columns[0] == name and index.flags):
            flags |= ColumnFlag.MULTIPLE_KEY
        if index is key:
            flags |= ColumnFlag.HANDLE_KEY
    return flags


def _stored_flags(table: Table, column: Column) -> ColumnFlag:
    """Return the flags that TiDB's own table gives a column for its indexes.

    All columns of the primary key have one; of others the first, by whether it stands alone.
    """
    flags = ColumnFlag(0)
    name = column.name.lower()
    for index in table.indexes:
        columns = _lowered(index)
        if index.primary and name in columns:
            flags |= ColumnFlag.PRIMARY_KEY
            # One clustered integer is the row's handle itself, and no index: its id is 0.
            flags |= ColumnFlag.HANDLE_KEY if index.id == 0 else ColumnFlag(0)
        elif not index.primary and columns[0] == name and index.flags:
            alone = index.unique and len(columns) == 1
            flags |= ColumnFlag.UNIQUE_KEY if alone else ColumnFlag.MULTIPLE_KEY
    return flags


def _lowered(index: Index) -> list[str]:
    """Return the columns of an index in small letters, empty for an expression."""
    return [(part.column or "").lower() for part in index.parts]
