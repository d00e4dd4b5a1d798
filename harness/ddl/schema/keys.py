"""Keys: names for the nameless, ids in TiDB's order, which key is the row's handle.

Source: TiDB pkg/ddl/create_table.go, `checkConstraintNames`, `BuildTableInfo`; pkg/ddl/index.go,
`buildIndexColumns`; pkg/ddl/foreign_key.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.ddl.schema.key_parts import build_parts, find_column
from harness.ddl.schema.refusals import Refused, duplicate_key, unknown_key_column
from harness.ddl.syntax import (
    ColumnDef,
    Constraint,
    ConstraintKind,
    IndexOption,
    KeyPart,
    OptionKind,
)
from harness.model.columns import INTEGERS
from harness.model.table import ForeignKey, Index, IndexPart, Table, TableId

PRIMARY = "PRIMARY"
_EXPRESSION_INDEX = "expression_index"
# Kinds of which TiDB keeps no index in the table (it warns and goes on).
IGNORED = frozenset({ConstraintKind.FULLTEXT, ConstraintKind.SPATIAL})


def inline_constraints(definition: ColumnDef) -> tuple[Constraint, ...]:
    """Return the keys that a column's own options ask for, in their order."""
    part = KeyPart(definition.name, at=definition.at)
    found: list[Constraint] = []
    for option in definition.options:
        if option.kind is OptionKind.PRIMARY_KEY:
            index_option = IndexOption(clustering=option.clustering, is_global=option.flag)
            kind = ConstraintKind.PRIMARY
        elif option.kind is OptionKind.UNIQUE_KEY:
            index_option = IndexOption(is_global=option.flag)
            kind = ConstraintKind.UNIQUE
        else:
            continue
        found.append(Constraint(kind, parts=(part,), option=index_option, at=definition.at))
    return tuple(found)


def free_name(constraint: Constraint, taken: Iterable[str]) -> str:
    """Return the name that a nameless key gets: its first column, then column_2, column_3, ..."""
    first = constraint.parts[0].column
    if any(part.expr is not None for part in constraint.parts):
        first = _EXPRESSION_INDEX
    used = {name.lower() for name in taken}
    number = 1
    name = first
    if first.upper() == PRIMARY:
        number, name = 2, f"{first}_2"
    while name.lower() in used:
        number += 1
        name = f"{first}_{number}"
    return name


def named(constraints: tuple[Constraint, ...]) -> tuple[Constraint, ...]:
    """Give every key a name; explicit ones are taken first. Raises Refused for duplicates."""
    taken: set[str] = set()
    keys = [c for c in constraints if c.kind not in (ConstraintKind.FOREIGN, ConstraintKind.CHECK)]
    for key in keys:
        if key.kind is ConstraintKind.PRIMARY or not key.name:
            continue
        if key.name.lower() in taken:
            raise duplicate_key(key.at, key.name)
        if key.name.upper() == PRIMARY:
            raise Refused(key.at, f"Incorrect index name '{key.name}'")
        taken.add(key.name.lower())
    result: list[Constraint] = []
    for constraint in constraints:
        if constraint not in keys:
            result.append(constraint)
            continue
        name = PRIMARY if constraint.kind is ConstraintKind.PRIMARY else constraint.name
        if not name:
            name = free_name(constraint, taken)
            taken.add(name.lower())
        result.append(replace(constraint, name=name))
    return tuple(result)


def add_key(table: Table, key: Constraint) -> Table:
    """Return the table with the (named) key added; Refused when it cannot be.

    A primary key makes its columns NOT NULL. Whether it is clustered is the caller's decision.
    """
    if any(index.name.lower() == key.name.lower() for index in table.indexes):
        if key.kind is ConstraintKind.PRIMARY:
            raise Refused(key.at, "Multiple primary key defined")
        raise duplicate_key(key.at, key.name)
    parts = build_parts(table, key)
    if key.kind is ConstraintKind.PRIMARY:
        table = _not_null(table, parts, key)
    # TiDB keeps each expression of a key as a hidden column, which takes a column id.
    hidden = sum(1 for part in parts if part.column is None)
    table = replace(
        table,
        max_index_id=table.max_index_id + 1,
        max_column_id=table.max_column_id + hidden,
    )
    index = Index(
        id=table.max_index_id,
        name=key.name,
        parts=parts,
        unique=key.kind in (ConstraintKind.PRIMARY, ConstraintKind.UNIQUE),
        primary=key.kind is ConstraintKind.PRIMARY,
        visible=key.option.visible is not False,
        is_global=key.option.is_global,
    )
    return replace(table, indexes=(*table.indexes, index))


def add_integer_handle(table: Table, key: Constraint) -> Table:
    """Return the table with a clustered primary key over one integer column: no index, id 0."""
    parts = build_parts(table, key)
    table = _not_null(table, parts, key)
    index = Index(id=0, name=PRIMARY, parts=parts, unique=True, primary=True)
    return replace(table, indexes=(*table.indexes, index), clustered=True)


def is_integer_handle(table: Table, key: Constraint) -> bool:
    """Tell whether a clustered primary key would be the integer handle itself."""
    if len(key.parts) != 1 or key.parts[0].expr is not None:
        return False
    column = find_column(table, key.parts[0].column)
    return column is not None and column.kind in INTEGERS


def _not_null(table: Table, parts: tuple[IndexPart, ...], key: Constraint) -> Table:
    names = {part.column.lower() for part in parts if part.column is not None}
    if len(names) < len(parts):
        raise Refused(key.at, "The primary key cannot be a functional index")
    columns = tuple(
        replace(column, nullable=False) if column.name.lower() in names else column
        for column in table.columns
    )
    for column in columns:
        if column.name.lower() in names and column.default and column.default.text is None:
            raise Refused(key.at, f"Invalid default value for '{column.name}'")
    return replace(table, columns=columns)


def add_foreign_key(table: Table, key: Constraint, schema: str) -> Table:
    """Return the table with the foreign key, and with an index for it when none covers it."""
    assert key.reference is not None, "the grammar gives foreign keys a reference"
    name = key.name or _free_foreign_key_name(table)
    columns = tuple(_existing(table, part) for part in key.parts)
    parent = TableId(key.reference.table.schema or schema, key.reference.table.name)
    parent_columns = tuple(part.column for part in key.reference.parts or ())
    if any(existing.name.lower() == name.lower() for existing in table.foreign_keys):
        raise Refused(key.at, f"Duplicate foreign key constraint name '{name}'")
    if not covered(table, columns):
        index_name = name
        if any(index.name.lower() == name.lower() for index in table.indexes):
            index_name = free_name(key, (index.name for index in table.indexes))
        table = add_key(table, Constraint(ConstraintKind.INDEX, index_name, key.parts, at=key.at))
    foreign_key = ForeignKey(name, columns, parent, parent_columns)
    return replace(table, foreign_keys=(*table.foreign_keys, foreign_key))


def _existing(table: Table, part: KeyPart) -> str:
    column = find_column(table, part.column)
    if column is None:
        raise unknown_key_column(part.at, part.column, tuple(c.name for c in table.columns))
    return column.name


def covered(table: Table, columns: tuple[str, ...]) -> bool:
    """Tell whether some index starts with these columns, whole."""
    wanted = tuple(column.lower() for column in columns)
    for index in table.indexes:
        head = index.parts[: len(wanted)]
        if any(part.length for part in head):
            continue
        if tuple((part.column or "").lower() for part in head) == wanted:
            return True
    return False


def _free_foreign_key_name(table: Table) -> str:
    taken = {key.name.lower() for key in table.foreign_keys}
    number = 1
    while f"fk_{number}" in taken:
        number += 1
    return f"fk_{number}"
