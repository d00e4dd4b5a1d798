"""ALTER TABLE's specifications about columns, keys, names and options.

Each rule takes the table as it stands after the specifications before it and returns an `Effect`,
or None when the specification changes nothing (IF NOT EXISTS hit, same name).
Source: TiDB pkg/ddl/executor.go, `AlterTable` and what it calls; pkg/ddl/modify_column.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from harness.ddl.action import ActionType
from harness.ddl.alterations import (
    AddConstraint,
    AlterDefault,
    AlterIndexVisibility,
    DropColumn,
    DropForeignKey,
    DropIndex,
    ModifyColumn,
    Position,
    RenameColumn,
    RenameIndex,
)
from harness.ddl.schema.columns import Charset, build_column
from harness.ddl.schema.defaults import origin_default, stored_default
from harness.ddl.schema.key_parts import find_column, refuse_unfit_change
from harness.ddl.schema.keys import (
    IGNORED,
    add_foreign_key,
    add_key,
    covered,
    free_name,
    inline_constraints,
)
from harness.ddl.schema.modify import needs_new_id
from harness.ddl.schema.refusals import (
    Refused,
    cannot_drop,
    duplicate_column,
    duplicate_key,
    unknown_column,
    unknown_index,
)
from harness.ddl.syntax import ColumnDef, Constraint, ConstraintKind
from harness.model.columns import Column, Default
from harness.model.table import Index, IndexPart, Table


@dataclass(frozen=True, slots=True)
class Effect:
    """What one specification does: the table after it and the job for it, when it stands alone."""

    table: Table
    action: ActionType


def names_of(table: Table) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return tuple(column.name for column in table.columns)


def charset_of(table: Table) -> Charset:
    """Return the character set that new columns inherit from the table."""
    return Charset(table.charset, table.collation)


def existing_column(table: Table, name: str, at: int) -> Column:
    """Return the column of that name; Refused when there is none."""
    found = find_column(table, name)
    if found is None:
        raise unknown_column(at, name, table.id.name, names_of(table))
    return found


# ---- adding and dropping columns --------------------------------------------------------------


def add_column(
    table: Table, definition: ColumnDef, position: Position, *, guarded: bool
) -> Effect | None:
    """ADD COLUMN; keys among the column's options are added with it (MySQL takes them)."""
    if find_column(table, definition.name) is not None:
        if guarded:
            return None
        raise duplicate_column(definition.at, definition.name)
    column = build_column(definition, table.max_column_id + 1, charset_of(table))
    column = replace(column, origin_default=origin_default(column))
    columns = placed(table.columns, column, position, table.id.name, definition.at)
    table = replace(table, columns=columns, max_column_id=table.max_column_id + 1)
    for key in inline_constraints(definition):
        name = "PRIMARY" if key.kind is ConstraintKind.PRIMARY else _free(table, key)
        table = add_key(table, replace(key, name=name))
    return Effect(table, ActionType.ADD_COLUMN)


def placed(
    columns: tuple[Column, ...], column: Column, position: Position, table: str, at: int
) -> tuple[Column, ...]:
    """Return the columns with one more, first, after another or last."""
    if position.first:
        return (column, *columns)
    if not position.after:
        return (*columns, column)
    for ordinal, other in enumerate(columns):
        if other.name.lower() == position.after.lower():
            return (*columns[: ordinal + 1], column, *columns[ordinal + 1 :])
    raise unknown_column(at, position.after, table, tuple(c.name for c in columns))


def drop_column(table: Table, spec: DropColumn) -> Effect | None:
    """DROP COLUMN; its single-column indexes go with it, as in TiDB."""
    column = find_column(table, spec.name)
    if column is None:
        if spec.if_exists:
            return None
        raise cannot_drop(spec.at, spec.name, names_of(table))
    if len(table.columns) == 1:
        raise Refused(
            spec.at,
            "You can't delete all columns with ALTER TABLE; use DROP TABLE instead",
        )
    kept: list[Index] = []
    for index in table.indexes:
        if column.name not in index.columns:
            kept.append(index)
        elif len(index.parts) > 1 or index.primary:
            kind = "primary key" if index.primary else "composite index"
            raise Refused(
                spec.at,
                f"can't drop column {column.name} with {kind} covered",
                hint=f"drop the index {index.name} first",
            )
    columns = tuple(other for other in table.columns if other is not column)
    return Effect(replace(table, columns=columns, indexes=tuple(kept)), ActionType.DROP_COLUMN)


# ---- changing columns -------------------------------------------------------------------------


def modify_column(table: Table, spec: ModifyColumn) -> Effect | None:
    """MODIFY and CHANGE COLUMN; a change that rewrites the data gives the column a new id."""
    at = spec.column.at
    old_name = spec.old_name or spec.column.name
    old = find_column(table, old_name)
    if old is None:
        if spec.if_exists:
            return None
        raise unknown_column(at, old_name, table.id.name, names_of(table))
    taken = find_column(table, spec.column.name)
    if taken is not None and taken is not old:
        raise duplicate_column(at, spec.column.name)
    column = build_column(spec.column, old.id, charset_of(table))
    column = replace(
        column,
        origin_default=old.origin_default,
        nullable=column.nullable and not _in_primary_key(table, old.name),
        auto_random=column.auto_random or old.auto_random,
    )
    refuse_unfit_change(table.indexes, old.name, column, at)
    if needs_new_id(old, column):
        table = replace(table, max_column_id=table.max_column_id + 1)
        column = replace(column, id=table.max_column_id, former_id=old.id)
        table = _reindexed(table, old.name)
    table = _with_inline_keys(table, spec.column, old)
    table = replace(table, columns=_moved(table, old, column, spec, at))
    return Effect(_renamed_in_keys(table, old.name, column.name), ActionType.MODIFY_COLUMN)


def _moved(
    table: Table, old: Column, column: Column, spec: ModifyColumn, at: int
) -> tuple[Column, ...]:
    if spec.position == Position():
        return tuple(column if other is old else other for other in table.columns)
    others = tuple(other for other in table.columns if other is not old)
    return placed(others, column, spec.position, table.id.name, at)


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


def _with_inline_keys(table: Table, definition: ColumnDef, old: Column) -> Table:
    for key in inline_constraints(definition):
        if key.kind is ConstraintKind.PRIMARY and _in_primary_key(table, old.name):
            continue
        over_old = replace(key, parts=(replace(key.parts[0], column=old.name),))
        name = "PRIMARY" if key.kind is ConstraintKind.PRIMARY else _free(table, over_old)
        table = add_key(table, replace(over_old, name=name))
    return table


def rename_column(table: Table, spec: RenameColumn) -> Effect | None:
    """RENAME COLUMN."""
    column = existing_column(table, spec.old, spec.at)
    if spec.old.lower() == spec.new.lower():
        return None
    if find_column(table, spec.new) is not None:
        raise duplicate_column(spec.at, spec.new)
    renamed = replace(column, name=spec.new)
    columns = tuple(renamed if other is column else other for other in table.columns)
    table = _renamed_in_keys(replace(table, columns=columns), column.name, spec.new)
    return Effect(table, ActionType.MODIFY_COLUMN)


def _renamed_in_keys(table: Table, old: str, new: str) -> Table:
    if old == new:
        return table

    def part(original: IndexPart) -> IndexPart:
        return replace(original, column=new) if original.column == old else original

    indexes = tuple(
        replace(index, parts=tuple(part(p) for p in index.parts)) for index in table.indexes
    )
    keys = tuple(
        replace(key, columns=tuple(new if name == old else name for name in key.columns))
        for key in table.foreign_keys
    )
    return replace(table, indexes=indexes, foreign_keys=keys)


def alter_default(table: Table, spec: AlterDefault) -> Effect:
    """ALTER COLUMN ... SET or DROP DEFAULT; TiDB counts both as setting it."""
    column = existing_column(table, spec.name, spec.at)
    default: Default | None = stored_default(spec.expr) if spec.expr is not None else None
    if default is not None and default.text is None and not column.nullable:
        raise Refused(spec.at, f"Invalid default value for '{column.name}'")
    changed = replace(column, default=default)
    columns = tuple(changed if other is column else other for other in table.columns)
    return Effect(replace(table, columns=columns), ActionType.SET_DEFAULT_VALUE)


# ---- keys -------------------------------------------------------------------------------------


def add_constraint(table: Table, spec: AddConstraint) -> tuple[Effect, ...]:
    """ADD INDEX, UNIQUE, PRIMARY KEY, FOREIGN KEY, CHECK.

    No effect: the key exists and was guarded, TiDB ignores its kind, or it is a check (TiDB's
    tidb_enable_check_constraint is OFF by default). Two: a foreign key that needs an index.
    """
    key = spec.constraint
    if key.kind in IGNORED or key.kind is ConstraintKind.CHECK:
        return ()
    if key.kind is ConstraintKind.FOREIGN:
        return _add_foreign_key(table, key)
    if key.kind is ConstraintKind.PRIMARY:
        # A primary key that comes later is never clustered.
        return (Effect(add_key(table, replace(key, name="PRIMARY")), ActionType.ADD_PRIMARY_KEY),)
    if key.name.upper() == "PRIMARY":
        raise Refused(key.at, f"Incorrect index name '{key.name}'")
    if key.if_not_exists and find_index(table, key.name) is not None:
        return ()
    action = ActionType.ADD_INDEX
    if key.kind in (ConstraintKind.VECTOR, ConstraintKind.COLUMNAR):
        action = ActionType.ADD_COLUMNAR_INDEX
    return (Effect(add_key(table, replace(key, name=key.name or _free(table, key))), action),)


def _add_foreign_key(table: Table, key: Constraint) -> tuple[Effect, ...]:
    after = add_foreign_key(table, key, table.id.schema)
    effect = Effect(after, ActionType.ADD_FOREIGN_KEY)
    columns = tuple(part.column for part in key.parts)
    if covered(table, columns):
        return (effect,)
    with_index = replace(table, indexes=after.indexes, max_index_id=after.max_index_id)
    return (Effect(with_index, ActionType.ADD_INDEX), effect)


def _free(table: Table, key: Constraint) -> str:
    return free_name(key, (index.name for index in table.indexes))


def find_index(table: Table, name: str) -> Index | None:
    """Return the index of that name in any case, None when there is none."""
    return next((i for i in table.indexes if i.name.lower() == name.lower()), None)


def drop_index(table: Table, spec: DropIndex) -> Effect | None:
    """DROP INDEX; DROP INDEX `PRIMARY` drops the primary key."""
    index = find_index(table, spec.name)
    if index is None:
        if spec.if_exists:
            return None
        raise cannot_drop(spec.at, spec.name, tuple(i.name for i in table.indexes))
    if index.primary:
        return drop_primary_key(table, spec.at)
    for key in table.foreign_keys:
        without = replace(table, indexes=tuple(i for i in table.indexes if i is not index))
        if covered(table, key.columns) and not covered(without, key.columns):
            what = f"Cannot drop index '{index.name}': needed in a foreign key constraint"
            raise Refused(spec.at, what, hint=f"drop the foreign key {key.name} first")
    indexes = tuple(other for other in table.indexes if other is not index)
    return Effect(replace(table, indexes=indexes), ActionType.DROP_INDEX)


def drop_primary_key(table: Table, at: int) -> Effect:
    """DROP PRIMARY KEY; TiDB refuses to drop a clustered one. Its columns stay NOT NULL."""
    primary = table.primary_key
    if primary is None:
        raise cannot_drop(at, "PRIMARY")
    if table.clustered:
        raise Refused(
            at,
            "Unsupported drop primary key when the table is using clustered index",
            hint="declare the key /*T![clustered_index] NONCLUSTERED */ to drop it later",
        )
    indexes = tuple(index for index in table.indexes if not index.primary)
    return Effect(replace(table, indexes=indexes), ActionType.DROP_PRIMARY_KEY)


def drop_foreign_key(table: Table, spec: DropForeignKey) -> Effect | None:
    """DROP FOREIGN KEY."""
    kept = tuple(k for k in table.foreign_keys if k.name.lower() != spec.name.lower())
    if len(kept) == len(table.foreign_keys):
        if spec.if_exists:
            return None
        raise cannot_drop(spec.at, spec.name, tuple(k.name for k in table.foreign_keys))
    return Effect(replace(table, foreign_keys=kept), ActionType.DROP_FOREIGN_KEY)


def rename_index(table: Table, spec: RenameIndex) -> Effect | None:
    """RENAME INDEX."""
    index = find_index(table, spec.old)
    if index is None or index.primary:
        raise unknown_index(spec.at, spec.old, table.id.name, tuple(i.name for i in table.indexes))
    if spec.old.lower() == spec.new.lower():
        return None
    if find_index(table, spec.new) is not None:
        raise duplicate_key(spec.at, spec.new)
    return _with_index(table, index, replace(index, name=spec.new), ActionType.RENAME_INDEX)


def alter_visibility(table: Table, spec: AlterIndexVisibility) -> Effect | None:
    """ALTER INDEX ... VISIBLE or INVISIBLE."""
    index = find_index(table, spec.name)
    if index is None:
        raise unknown_index(spec.at, spec.name, table.id.name, tuple(i.name for i in table.indexes))
    if index.visible == spec.visible:
        return None
    changed = replace(index, visible=spec.visible)
    return _with_index(table, index, changed, ActionType.ALTER_INDEX_VISIBILITY)


def _with_index(table: Table, old: Index, new: Index, action: ActionType) -> Effect:
    indexes = tuple(new if index is old else index for index in table.indexes)
    return Effect(replace(table, indexes=indexes), action)


def without_options(table: Table, *kinds: str) -> Mapping[str, str]:
    """Return the table's options without some."""
    return MappingProxyType({k: v for k, v in table.options.items() if k not in kinds})
