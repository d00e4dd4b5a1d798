"""MODIFY and CHANGE COLUMN.

Source: TiDB pkg/parser/parser.y, `AlterTableSpec`; pkg/ddl/modify_column.go,
`needChangeColumnData`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.ddl.alter.columns import UNSAID, Position, parse_position, renamed_in_keys
from harness.ddl.alter.specification import (
    IF_EXISTS,
    Effect,
    Effects,
    Forms,
    charset_of,
    with_column,
)
from harness.ddl.change import Change
from harness.ddl.definitions.columns import ColumnDef, parse_column
from harness.ddl.definitions.keys import ConstraintKind
from harness.ddl.definitions.stored_columns import BLOB_SIZES, build_column
from harness.ddl.definitions.stored_keys import (
    add_key,
    inline_constraints,
    refuse_unfit_change,
    unused_name,
)
from harness.ddl.errors import duplicate_column, unknown_column
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import quote_name
from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind
from harness.model.table import Index, Table


@dataclass(frozen=True, slots=True)
class ModifyColumn:
    """MODIFY COLUMN, or CHANGE COLUMN when `old_name` is not empty."""

    column: ColumnDef
    old_name: str = ""
    position: Position = UNSAID
    if_exists: bool = False

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        guard = IF_EXISTS if self.if_exists else ""
        definition = self.column.restore() + self.position.restore()
        if self.old_name:
            return f"CHANGE COLUMN {guard}{quote_name(self.old_name)} {definition}"
        return f"MODIFY COLUMN {guard}{definition}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Change the column; a change that rewrites the data gives it a new id."""
        at = self.column.at
        old_name = self.old_name or self.column.name
        old = table.find_column(old_name)
        if old is None:
            if self.if_exists:
                return ()
            raise unknown_column(at, old_name, table.id.name, table.column_names)
        if table.find_column(self.column.name) not in (None, old):
            raise duplicate_column(at, self.column.name)
        column = build_column(self.column, old.id, charset_of(table))
        column = replace(
            column,
            origin_default=old.origin_default,
            nullable=column.nullable and not _in_primary_key(table, old.name),
            auto_random=column.auto_random or old.auto_random,
        )
        refuse_unfit_change(table.indexes, old.name, column, at)
        if _rewrites(old, column):
            table = replace(table, max_column_id=table.max_column_id + 1)
            column = replace(column, id=table.max_column_id, former_id=old.id)
            table = _reindexed(table, old.name)
        table = self._placed(table, old, column)
        table = renamed_in_keys(table, old.name, column.name)
        table = _with_inline_keys(table, self.column)
        return (Effect(table, ActionType.MODIFY_COLUMN),)

    def _placed(self, table: Table, old: Column, column: Column) -> Table:
        if self.position == UNSAID:
            return with_column(table, old, column)
        others = tuple(other for other in table.columns if other is not old)
        return self.position.insert(others, column, table, self.column.at)


def _in_primary_key(table: Table, name: str) -> bool:
    primary = table.primary_key
    return primary is not None and name in primary.columns


def _reindexed(table: Table, column: str) -> Table:
    """Give the indexes over a rewritten column new ids, as TiDB's reorganisation does."""
    highest = table.max_index_id
    indexes: list[Index] = []
    for index in table.indexes:
        if column in index.columns and index.id:
            highest += 1
            indexes.append(replace(index, id=highest))
        else:
            indexes.append(index)
    return replace(table, indexes=tuple(indexes), max_index_id=highest)


def _with_inline_keys(table: Table, definition: ColumnDef) -> Table:
    for key in inline_constraints(definition):
        is_primary = key.kind is ConstraintKind.PRIMARY
        if not (is_primary and _in_primary_key(table, definition.name)):
            name = "PRIMARY" if is_primary else unused_name(table, key)
            table = add_key(table, replace(key, name=name))
    return table


def _modify(cursor: Cursor) -> ModifyColumn:
    renames = cursor.next().upper == "CHANGE"
    cursor.take("COLUMN")
    guarded = cursor.if_exists()
    old_name = cursor.column() if renames else ""
    column = parse_column(cursor)
    return ModifyColumn(column, old_name, parse_position(cursor), guarded)


FORMS: Forms = {("MODIFY",): _modify, ("CHANGE",): _modify}


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
_LENGTHS = {kind: size for size, *kinds in BLOB_SIZES for kind in kinds}


def _rewrites(old: Column, new: Column) -> bool:
    """Return whether changing `old` into `new` rewrites rows in TiDB."""
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
