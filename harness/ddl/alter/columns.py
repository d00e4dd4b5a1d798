"""ADD, DROP and RENAME COLUMN; ALTER COLUMN ... DEFAULT.

Source: TiDB pkg/parser/parser.y, `AlterTableSpec`; pkg/ddl/executor.go, `AddColumn`, `DropColumn`,
`RenameColumn`, `AlterColumn`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from harness.ddl.alter.specification import (
    IF_EXISTS,
    IF_NOT_EXISTS,
    Effect,
    Effects,
    Forms,
    charset_of,
    with_column,
)
from harness.ddl.change import Change
from harness.ddl.create_table import parse_elements
from harness.ddl.definitions.columns import ColumnDef, parse_column, parse_default
from harness.ddl.definitions.keys import Constraint, ConstraintKind
from harness.ddl.definitions.stored_columns import build_column, origin_default, stored_default
from harness.ddl.definitions.stored_keys import add_key, inline_constraints, unused_name
from harness.ddl.errors import Refused, cannot_drop, duplicate_column, unknown_column
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.expressions import parse_expression
from harness.ddl.sql.tree import Expr, Literal, quote_name
from harness.model.columns import Column
from harness.model.table import Index, IndexPart, Table


@dataclass(frozen=True, slots=True)
class Position:
    """Where a column goes: FIRST, AFTER a column, or (both empty) where it stands or last."""

    first: bool = False
    after: str = ""

    def restore(self) -> str:
        """Return the position as TiDB writes it, with a space before it."""
        if self.first:
            return " FIRST"
        return f" AFTER {quote_name(self.after)}" if self.after else ""

    def insert(self, columns: tuple[Column, ...], column: Column, table: Table, at: int) -> Table:
        """Return the table with these columns and one more."""
        place = 0 if self.first else len(columns)
        if self.after:
            names = tuple(other.name for other in columns)
            known = [name.lower() for name in names]
            if self.after.lower() not in known:
                raise unknown_column(at, self.after, table.id.name, names)
            place = known.index(self.after.lower()) + 1
        return replace(table, columns=(*columns[:place], column, *columns[place:]))


UNSAID = Position()


def parse_position(cursor: Cursor) -> Position:
    """Return FIRST or AFTER, or the position that nothing said."""
    if cursor.take("FIRST"):
        return Position(first=True)
    return Position(after=cursor.column()) if cursor.take("AFTER") else UNSAID


@dataclass(frozen=True, slots=True)
class AddColumns:
    """ADD COLUMN; `listed` is the form with parentheses, which may hold constraints too."""

    columns: tuple[ColumnDef, ...]
    constraints: tuple[Constraint, ...] = ()
    position: Position = UNSAID
    listed: bool = False
    if_not_exists: bool = False

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        guard = IF_NOT_EXISTS if self.if_not_exists else ""
        if not self.listed:
            return f"ADD COLUMN {guard}{self.columns[0].restore()}{self.position.restore()}"
        elements = [column.restore() for column in self.columns]
        elements += [constraint.restore() for constraint in self.constraints]
        return f"ADD COLUMN {guard}({', '.join(elements)})"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Add the first column, and the keys among its options (MySQL takes them)."""
        if not self.columns:
            return ()
        definition = self.columns[0]
        if table.find_column(definition.name) is not None:
            if self.if_not_exists:
                return ()
            raise duplicate_column(definition.at, definition.name)
        column = build_column(definition, table.max_column_id + 1, charset_of(table))
        column = replace(column, origin_default=origin_default(column))
        table = self.position.insert(table.columns, column, table, definition.at)
        table = replace(table, max_column_id=column.id)
        for key in inline_constraints(definition):
            name = "PRIMARY" if key.kind is ConstraintKind.PRIMARY else unused_name(table, key)
            table = add_key(table, replace(key, name=name))
        return (Effect(table, ActionType.ADD_COLUMN),)


def _add(cursor: Cursor) -> AddColumns:
    cursor.next()
    cursor.take("COLUMN")
    guarded = cursor.if_not_exists()
    if cursor.sees("("):
        columns, constraints = parse_elements(cursor)
        return AddColumns(columns, constraints, listed=True, if_not_exists=guarded)
    column = parse_column(cursor)
    return AddColumns((column,), position=parse_position(cursor), if_not_exists=guarded)


@dataclass(frozen=True, slots=True)
class DropColumn:
    """DROP COLUMN."""

    name: str
    if_exists: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"DROP COLUMN {IF_EXISTS if self.if_exists else ''}{quote_name(self.name)}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Remove the column; its single-column indexes go with it, as in TiDB."""
        column = table.find_column(self.name)
        if column is None:
            if self.if_exists:
                return ()
            raise cannot_drop(self.at, self.name, table.column_names)
        if len(table.columns) == 1:
            what = "You can't delete all columns with ALTER TABLE; use DROP TABLE instead"
            raise Refused(self.at, what)
        kept: list[Index] = []
        for index in table.indexes:
            if column.name not in index.columns:
                kept.append(index)
            elif len(index.parts) > 1 or index.primary:
                kind = "primary key" if index.primary else "composite index"
                what = f"can't drop column {column.name} with {kind} covered"
                raise Refused(self.at, what, hint=f"drop the index {index.name} first")
        columns = tuple(other for other in table.columns if other is not column)
        table = replace(table, columns=columns, indexes=tuple(kept))
        return (Effect(table, ActionType.DROP_COLUMN),)


def _drop(cursor: Cursor) -> DropColumn:
    at = cursor.behind()
    cursor.take("COLUMN")
    guarded = cursor.if_exists()
    name = cursor.column()
    cursor.take_any("RESTRICT", "CASCADE")
    return DropColumn(name, guarded, at)


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """RENAME COLUMN."""

    old: str
    new: str
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"RENAME COLUMN {quote_name(self.old)} TO {quote_name(self.new)}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Rename the column, in the keys over it too."""
        column = existing_column(table, self.old, self.at)
        if self.old.lower() == self.new.lower():
            return ()
        if table.find_column(self.new) is not None:
            raise duplicate_column(self.at, self.new)
        table = with_column(table, column, replace(column, name=self.new))
        return (Effect(renamed_in_keys(table, column.name, self.new), ActionType.MODIFY_COLUMN),)


def existing_column(table: Table, name: str, at: int) -> Column:
    """Return the column of that name; Refused when there is none."""
    found = table.find_column(name)
    if found is None:
        raise unknown_column(at, name, table.id.name, table.column_names)
    return found


def renamed_in_keys(table: Table, old: str, new: str) -> Table:
    """Return the table with a column's new name in all keys."""
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


def _rename(cursor: Cursor) -> RenameColumn:
    at = cursor.behind()
    old = cursor.expect("COLUMN").name("a column")
    cursor.expect("TO")
    return RenameColumn(old, cursor.name("a column"), at)


@dataclass(frozen=True, slots=True)
class AlterDefault:
    """ALTER COLUMN ... SET DEFAULT `expr`, or DROP DEFAULT when None."""

    name: str
    expr: Expr | None
    at: int = field(default=0, compare=False)
    written: str = field(default="", compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        start = f"ALTER COLUMN {quote_name(self.name)}"
        if self.expr is None:
            return f"{start} DROP DEFAULT"
        text = self.expr.restore()
        return f"{start} SET DEFAULT {text if isinstance(self.expr, Literal) else f'({text})'}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Set or drop the default; TiDB counts both as setting it."""
        column = existing_column(table, self.name, self.at)
        default = None if self.expr is None else stored_default(self.expr, self.written)
        if default is not None and default.text is None and not column.nullable:
            raise Refused(self.at, f"Invalid default value for '{column.name}'")
        table = with_column(table, column, replace(column, default=default))
        return (Effect(table, ActionType.SET_DEFAULT_VALUE),)


def _alter(cursor: Cursor) -> AlterDefault:
    at = cursor.behind()
    cursor.take("COLUMN")
    name = cursor.column()
    if cursor.take("DROP", "DEFAULT"):
        return AlterDefault(name, None, at)
    cursor.expect("SET", "DEFAULT")
    begin = cursor.offset
    enclosed = cursor.sees("(")
    expr = cursor.enclosed(parse_expression) if enclosed else parse_default(cursor)
    return AlterDefault(name, expr, at, cursor.since(begin))


FORMS: Forms = {
    ("ADD",): _add,
    ("DROP",): _drop,
    ("RENAME", "COLUMN"): _rename,
    ("ALTER",): _alter,
}
