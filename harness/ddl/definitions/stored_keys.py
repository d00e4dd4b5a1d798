"""What a table keeps of its keys: names for the nameless, ids in TiDB's order, their parts.

A key is refused here that TiDB, MySQL and MariaDB refuse alike, with MySQL's words.
Source: TiDB pkg/ddl/create_table.go, `checkConstraintNames`, `BuildTableInfo`; pkg/ddl/index.go,
`buildIndexColumns`, `checkIndexColumn`, `checkIndexPrefixLength`; pkg/ddl/foreign_key.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, count

from harness.ddl.charsets import find_charset
from harness.ddl.definitions.columns import ColumnDef, OptionKind
from harness.ddl.definitions.keys import Constraint, ConstraintKind, IndexOption, KeyPart
from harness.ddl.errors import Refused, duplicate_key, nearest
from harness.model.columns import BINARIES, CHARACTERS, INTEGERS, Column, ColumnKind
from harness.model.table import ForeignKey, Index, IndexPart, Table, TableId

PRIMARY = "PRIMARY"
_EXPRESSION_INDEX = "expression_index"
# Kinds of which TiDB keeps no index in the table (it warns and goes on).
IGNORED = frozenset({ConstraintKind.FULLTEXT, ConstraintKind.SPATIAL})
_SIZED = frozenset({ColumnKind.CHAR, ColumnKind.VARCHAR, ColumnKind.BINARY, ColumnKind.VARBINARY})
_TEXTUAL = CHARACTERS | BINARIES
_MAX_BYTES = 3072


_INLINE = {
    OptionKind.PRIMARY_KEY: ConstraintKind.PRIMARY,
    OptionKind.UNIQUE_KEY: ConstraintKind.UNIQUE,
}


def inline_constraints(definition: ColumnDef) -> tuple[Constraint, ...]:
    """Return the keys that a column's own options ask for, in their order."""
    part = KeyPart(definition.name, at=definition.at)
    found: list[Constraint] = []
    for option in definition.options:
        if kind := _INLINE.get(option.kind):
            index_option = IndexOption(clustering=option.clustering, is_global=option.flag)
            found.append(Constraint(kind, parts=(part,), option=index_option, at=definition.at))
    return tuple(found)


def _free_name(constraint: Constraint, taken: Iterable[str]) -> str:
    """Return the name that a nameless key gets: its first column, then column_2, column_3, ..."""
    first = constraint.parts[0].column
    if any(part.expr is not None for part in constraint.parts):
        first = _EXPRESSION_INDEX
    used = {PRIMARY.lower(), *(name.lower() for name in taken)}
    names = chain((first,), (f"{first}_{number}" for number in count(2)))
    return next(name for name in names if name.lower() not in used)


def unused_name(table: Table, key: Constraint) -> str:
    """Return the name that a nameless key gets in this table."""
    return _free_name(key, (index.name for index in table.indexes))


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
        name = PRIMARY if constraint.kind is ConstraintKind.PRIMARY else constraint.name
        if not name and constraint in keys:
            name = _free_name(constraint, taken)
            taken.add(name.lower())
        result.append(replace(constraint, name=name))
    return tuple(result)


def add_key(table: Table, key: Constraint, *, flags: bool = True) -> Table:
    """Return the table with the (named) key added; Refused when it cannot be.

    A primary key makes its columns NOT NULL. Whether it is clustered is the caller's decision;
    `flags` as in `Index`.
    """
    if table.find_index(key.name) is not None:
        if key.kind is ConstraintKind.PRIMARY:
            raise Refused(key.at, "Multiple primary key defined")
        raise duplicate_key(key.at, key.name)
    parts = _build_parts(table, key)
    if key.kind is ConstraintKind.PRIMARY:
        table = _not_null(table, parts, key)
    # TiDB keeps each expression of a key as a hidden column, which takes a column id.
    hidden = sum(1 for part in parts if part.column is None)
    ids = table.max_index_id + 1
    table = replace(table, max_index_id=ids, max_column_id=table.max_column_id + hidden)
    index = Index(
        id=table.max_index_id,
        name=key.name,
        parts=parts,
        unique=key.kind in (ConstraintKind.PRIMARY, ConstraintKind.UNIQUE),
        primary=key.kind is ConstraintKind.PRIMARY,
        visible=key.option.visible is not False,
        is_global=key.option.is_global,
        flags=flags,
    )
    return replace(table, indexes=(*table.indexes, index))


def add_integer_handle(table: Table, key: Constraint) -> Table:
    """Return the table with a clustered primary key over one integer column: no index, id 0."""
    parts = _build_parts(table, key)
    table = _not_null(table, parts, key)
    index = Index(id=0, name=PRIMARY, parts=parts, unique=True, primary=True)
    return replace(table, indexes=(*table.indexes, index), clustered=True)


def is_integer_handle(table: Table, key: Constraint) -> bool:
    """Return whether a clustered primary key would be the integer handle itself."""
    if len(key.parts) != 1 or key.parts[0].expr is not None:
        return False
    column = table.find_column(key.parts[0].column)
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


def add_foreign_key(table: Table, key: Constraint, schema: str, *, flags: bool = True) -> Table:
    """Return the table with the foreign key, and with an index for it when none covers it.

    `flags` of that index as in `Index`.
    """
    assert key.reference is not None, "the grammar gives foreign keys a reference"
    name = key.name or _free_foreign_key_name(table)
    columns = tuple(_existing(table, part).name for part in key.parts)
    parent = TableId(key.reference.table.schema or schema, key.reference.table.name)
    parent_columns = tuple(part.column for part in key.reference.parts or ())
    if any(existing.name.lower() == name.lower() for existing in table.foreign_keys):
        raise Refused(key.at, f"Duplicate foreign key constraint name '{name}'")
    if not covered(table, columns):
        index_name = name if table.find_index(name) is None else unused_name(table, key)
        own = Constraint(ConstraintKind.INDEX, index_name, key.parts, at=key.at)
        table = add_key(table, own, flags=flags)
    actions = key.reference.on_delete, key.reference.on_update
    foreign_key = ForeignKey(name, columns, parent, parent_columns, actions)
    return replace(table, foreign_keys=(*table.foreign_keys, foreign_key))


def covered(table: Table, columns: tuple[str, ...]) -> bool:
    """Return whether some index starts with these columns, whole."""
    wanted = tuple(column.lower() for column in columns)
    heads = (index.parts[: len(wanted)] for index in table.indexes)
    return any(
        tuple(None if part.length else (part.column or "").lower() for part in head) == wanted
        for head in heads
    )


def _free_foreign_key_name(table: Table) -> str:
    taken = {key.name.lower() for key in table.foreign_keys}
    return next(name for number in count(1) if (name := f"fk_{number}") not in taken)


# ---- which columns a key may hold, and how much of them -----------------------------------------


def _existing(table: Table, part: KeyPart) -> Column:
    column = table.find_column(part.column)
    if column is None:
        what = f"Key column '{part.column}' doesn't exist in table"
        raise Refused(part.at, what, hint=nearest(part.column, table.column_names))
    return column


def _build_parts(table: Table, key: Constraint) -> tuple[IndexPart, ...]:
    """Return the parts of a key as the table keeps them; Refused when it cannot hold them."""
    parts: list[IndexPart] = []
    seen: set[str] = set()
    size = 0
    for part in key.parts:
        if part.expr is not None:
            parts.append(IndexPart(None, expression=part.expr.restore()))
            continue
        column = _existing(table, part)
        if column.name in seen:
            raise Refused(part.at, f"Duplicate column name '{part.column}'")
        seen.add(column.name)
        parts.append(_plain_part(column, part))
        size += _bytes(column, part.length)
    if size > _MAX_BYTES:
        what = f"Specified key was too long ({size} bytes); max key length is {_MAX_BYTES} bytes"
        raise Refused(
            key.at, what, hint="shorten a column, or give its part a length: (column(20))"
        )
    return tuple(parts)


def refuse_unfit_change(indexes: tuple[Index, ...], old: str, column: Column, at: int) -> None:
    """Raise Refused when `column`, replacing `old`, cannot stay in the keys over it."""
    for index in indexes:
        for part in index.parts:
            if part.column == old:
                room = (column.length or _MAX_BYTES) if column.kind in _TEXTUAL else 0
                keeps = part.length is not None and part.length < room
                _refuse_unfit(column, part.length if keeps else None, at)


def _plain_part(column: Column, part: KeyPart) -> IndexPart:
    _refuse_unfit(column, part.length, part.at)
    # A prefix as long as the column is no prefix.
    is_whole = column.kind in _SIZED and part.length == column.length
    return IndexPart(column.name, None if is_whole else part.length)


def _refuse_unfit(column: Column, length: int | None, at: int) -> None:
    name = column.name
    if column.kind is ColumnKind.JSON:
        raise Refused(at, f"JSON column '{name}' cannot be used in key specification.")
    if column.kind in _TEXTUAL and column.length == 0:
        raise Refused(at, f"The used storage engine can't index column '{name}'")
    if column.kind in _TEXTUAL and column.kind not in _SIZED and length is None:
        what = f"BLOB/TEXT column '{name}' used in key specification without a key length"
        raise Refused(at, what, hint=f"write {name}(20) to index the first 20 characters")
    if length is None:
        return
    if length == 0:
        raise Refused(at, f"Key part '{name}' length cannot be 0")
    too_long = column.kind in _SIZED and length > (column.length or 1)
    if column.kind not in _TEXTUAL or too_long:
        raise Refused(
            at,
            "Incorrect prefix key; the used key part isn't a string, the used length is longer than"
            " the key part, or the storage engine doesn't support unique prefix keys",
        )


def _bytes(column: Column, length: int | None) -> int:
    if column.kind not in _TEXTUAL:
        return 0
    charset = find_charset(column.charset or "")
    width = 1 if charset is None or column.kind in BINARIES else charset.width
    return (length or column.length or 1) * width
