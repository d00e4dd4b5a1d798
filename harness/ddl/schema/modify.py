"""When MODIFY COLUMN rewrites the stored rows, and TiDB therefore gives the column a new id.

Source: TiDB pkg/ddl/modify_column.go, `needChangeColumnData`.
"""

from __future__ import annotations

from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind

_TEXTUAL = CHARACTERS | BINARIES
_FIXED = frozenset({ColumnKind.CHAR, ColumnKind.BINARY})
_VARIABLE = frozenset({ColumnKind.VARCHAR, ColumnKind.VARBINARY})
_INTEGER_RANK = (
    ColumnKind.TINYINT,
    ColumnKind.SMALLINT,
    ColumnKind.MEDIUMINT,
    ColumnKind.INT,
    ColumnKind.BIGINT,
)
# Lengths of the kinds that declare none, so that every textual kind can be compared.
_LENGTHS = {
    ColumnKind.TINYTEXT: 2**8 - 1,
    ColumnKind.TINYBLOB: 2**8 - 1,
    ColumnKind.TEXT: 2**16 - 1,
    ColumnKind.BLOB: 2**16 - 1,
    ColumnKind.MEDIUMTEXT: 2**24 - 1,
    ColumnKind.MEDIUMBLOB: 2**24 - 1,
    ColumnKind.LONGTEXT: 2**32 - 1,
    ColumnKind.LONGBLOB: 2**32 - 1,
}


def needs_new_id(old: Column, new: Column) -> bool:
    """Tell whether changing `old` into `new` rewrites rows in TiDB."""
    if old.kind is new.kind:
        return _same_kind(old, new)
    if {old.kind, new.kind} <= INTEGERS:
        narrower = _INTEGER_RANK.index(new.kind) < _INTEGER_RANK.index(old.kind)
        return narrower or old.unsigned != new.unsigned
    if {old.kind, new.kind} <= _TEXTUAL:
        if (old.kind in _FIXED) != (new.kind in _FIXED) and (
            old.kind in _VARIABLE or new.kind in _VARIABLE
        ):
            return True
        return _length(new) < _length(old)
    return True


def _same_kind(old: Column, new: Column) -> bool:
    signs_differ = old.unsigned != new.unsigned
    if old.kind is ColumnKind.DECIMAL:
        return (old.length, old.scale, old.unsigned) != (new.length, new.scale, new.unsigned)
    if old.kind in (ColumnKind.ENUM, ColumnKind.SET):
        return new.members[: len(old.members)] != old.members
    if old.kind in INTEGERS:
        return signs_differ
    if old.kind is ColumnKind.BINARY:
        return old.length != new.length
    if old.kind is ColumnKind.VECTOR:
        return new.length is not None and old.length != new.length
    return _length(new) < _length(old) or (new.scale or 0) < (old.scale or 0) or signs_differ


def _length(column: Column) -> int:
    return column.length or _LENGTHS.get(column.kind, 0)
