"""A table as VStream's FIELD event describes it.

Virtual generated columns are left out: what the change log has of them is not what MySQL computes.

Source: Vitess proto/query.proto `Type`, `MySqlFlag`, go/sqltypes/type.go `modifyType`; MySQL
sql/table.cc `open_binary_frm` for the key flags; vectors `02_types`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import assert_never

from harness.ddl import tidb
from harness.model.columns import Column, ColumnKind
from harness.model.table import Index, Table
from harness.model.vstream import FieldFlag, FieldInfo


def sent(table: Table) -> tuple[int, ...]:
    """Return the ordinals of the columns that a FIELD event lists."""
    return tuple(n for n, column in enumerate(table.columns) if tidb.is_emitted(column))


def fields(table: Table) -> tuple[FieldInfo, ...]:
    """Return the fields of a table, in column order."""
    flags = key_flags(table)
    return tuple(
        FieldInfo(
            name=column.name,
            type=type_name(column),
            column_type=column_type(column),
            flags=flags[ordinal] | (0 if column.nullable else FieldFlag.NOT_NULL),
            decimals=column.scale or 0,
        )
        for ordinal in sent(table)
        for column in [table.columns[ordinal]]
    )


def key_flags(table: Table) -> tuple[FieldFlag, ...]:
    """Return each column's key flags as MySQL sets them.

    Without a primary key the first unique index without a nullable column counts as one; UNIQUE
    marks the columns that are a unique index by themselves.
    """
    none = FieldFlag(0)
    flags = [none] * len(table.columns)
    primary = _primary(table)
    for index in table.indexes:
        ordinals = [table.position(name) for name in index.columns]
        for ordinal in ordinals:
            if index is primary:
                flags[ordinal] |= FieldFlag.PRIMARY_KEY
            elif index.unique and len(index.parts) == 1:
                flags[ordinal] |= FieldFlag.UNIQUE_KEY
    return tuple(flags)


def key_ordinals(table: Table) -> tuple[int, ...]:
    """Return the columns that the connector takes for the key, in column order.

    All with the primary flag, else the first with the unique flag, else none (Debezium Vitess
    notes §2).
    """
    flags = key_flags(table)
    primary = tuple(n for n in sent(table) if flags[n] & FieldFlag.PRIMARY_KEY)
    unique = tuple(n for n in sent(table) if flags[n] & FieldFlag.UNIQUE_KEY)
    return primary or unique[:1]


def _primary(table: Table) -> Index | None:
    if table.primary_key is not None:
        return table.primary_key
    for index in table.indexes:
        plain = all(part.column is not None and part.length is None for part in index.parts)
        if index.unique and plain and not any(table.column(n).nullable for n in index.columns):
            return index
    return None


# MySQL marks texts of a binary collation as binary, and Vitess then names them as bytes.
_MARKED_BINARY = MappingProxyType(
    {"CHAR": "BINARY", "ENUM": "BINARY", "SET": "BINARY", "VARCHAR": "VARBINARY", "TEXT": "BLOB"}
)


def type_name(column: Column) -> str:
    """Return the column's type as `query.Type` names it."""
    name = _type_name(column)
    if column.collation is not None and column.collation.endswith("_bin"):
        return _MARKED_BINARY.get(name, name)
    return name


def _type_name(column: Column) -> str:  # noqa: C901, PLR0911 - one line a family
    kind = column.kind
    sign = "UINT" if column.unsigned else "INT"
    match kind:
        case ColumnKind.TINYINT:
            return f"{sign}8"
        case ColumnKind.SMALLINT:
            return f"{sign}16"
        case ColumnKind.MEDIUMINT:
            return f"{sign}24"
        case ColumnKind.INT:
            return f"{sign}32"
        case ColumnKind.BIGINT:
            return f"{sign}64"
        case ColumnKind.FLOAT:
            return "FLOAT32"
        case ColumnKind.DOUBLE:
            return "FLOAT64"
        case ColumnKind.TINYTEXT | ColumnKind.TEXT | ColumnKind.MEDIUMTEXT | ColumnKind.LONGTEXT:
            return "TEXT"
        case ColumnKind.TINYBLOB | ColumnKind.BLOB | ColumnKind.MEDIUMBLOB | ColumnKind.LONGBLOB:
            return "BLOB"
        case (
            ColumnKind.DECIMAL
            | ColumnKind.BIT
            | ColumnKind.YEAR
            | ColumnKind.DATE
            | ColumnKind.TIME
            | ColumnKind.DATETIME
            | ColumnKind.TIMESTAMP
            | ColumnKind.CHAR
            | ColumnKind.VARCHAR
            | ColumnKind.BINARY
            | ColumnKind.VARBINARY
            | ColumnKind.ENUM
            | ColumnKind.SET
            | ColumnKind.JSON
            | ColumnKind.VECTOR
        ):
            return kind.value.upper()
        case _:
            assert_never(kind)


_WITH_LENGTH = frozenset(
    {
        ColumnKind.CHAR,
        ColumnKind.VARCHAR,
        ColumnKind.BINARY,
        ColumnKind.VARBINARY,
        ColumnKind.BIT,
        ColumnKind.VECTOR,
    }
)
_WITH_FRACTION = frozenset({ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP})


def column_type(column: Column) -> str:
    """Return the column's type as MySQL's `SHOW COLUMNS` writes it."""
    kind = column.kind
    text = kind.value
    if kind in _WITH_LENGTH and column.length is not None:
        text += f"({column.length})"
    elif kind in _WITH_FRACTION and column.fsp:
        text += f"({column.fsp})"
    elif kind is ColumnKind.DECIMAL:
        text += f"({column.length or 10},{column.scale or 0})"
    elif kind in (ColumnKind.ENUM, ColumnKind.SET):
        members = (member.replace("'", "''") for member in column.members)
        text += "(" + ",".join(f"'{member}'" for member in members) + ")"
    elif kind is ColumnKind.TINYINT and column.length == 1:
        text += "(1)"
    if column.unsigned and kind is not ColumnKind.YEAR:
        text += " unsigned"
    return text + (" zerofill" if column.zerofill else "")
