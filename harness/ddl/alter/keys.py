"""Keys, foreign keys and checks inside ALTER TABLE; CREATE INDEX and DROP INDEX ask them too.

Source: TiDB pkg/parser/parser.y, `AlterTableSpec`; pkg/ddl/executor.go, `AlterTable` and what it
calls.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from harness.ddl.alter.specification import (
    IF_EXISTS,
    Effect,
    Effects,
    Forms,
    PlainSpecification,
)
from harness.ddl.change import Change
from harness.ddl.definitions.keys import Constraint, ConstraintKind, parse_constraint
from harness.ddl.definitions.stored_keys import (
    IGNORED,
    PRIMARY,
    add_foreign_key,
    add_key,
    covered,
    unused_name,
)
from harness.ddl.errors import Refused, cannot_drop, duplicate_key, nearest
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import quote_name
from harness.model.table import Index, Table


@dataclass(frozen=True, slots=True)
class AddConstraint:
    """ADD INDEX, KEY, UNIQUE, PRIMARY KEY, FOREIGN KEY or CHECK."""

    constraint: Constraint

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"ADD {self.constraint.restore()}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Add the key; two effects for a foreign key that needs an index.

        TiDB ignores some kinds, and checks (tidb_enable_check_constraint is OFF by default).
        """
        key = self.constraint
        if key.kind in IGNORED or key.kind is ConstraintKind.CHECK:
            return ()
        if key.kind is ConstraintKind.FOREIGN:
            return _add_foreign_key(table, key)
        if key.kind is ConstraintKind.PRIMARY:
            # A primary key that comes later is never clustered.
            table = add_key(table, replace(key, name=PRIMARY))
            return (Effect(table, ActionType.ADD_PRIMARY_KEY),)
        if key.name.upper() == PRIMARY:
            raise Refused(key.at, f"Incorrect index name '{key.name}'")
        if key.if_not_exists and table.find_index(key.name) is not None:
            return ()
        action = ActionType.ADD_INDEX
        if key.kind in (ConstraintKind.VECTOR, ConstraintKind.COLUMNAR):
            action = ActionType.ADD_COLUMNAR_INDEX
        named = replace(key, name=key.name or unused_name(table, key))
        return (Effect(add_key(table, named), action),)


def _add_foreign_key(table: Table, key: Constraint) -> Effects:
    after = add_foreign_key(table, key, table.id.schema)
    effect = Effect(after, ActionType.ADD_FOREIGN_KEY)
    if covered(table, tuple(part.column for part in key.parts)):
        return (effect,)
    with_index = replace(table, indexes=after.indexes, max_index_id=after.max_index_id)
    return (Effect(with_index, ActionType.ADD_INDEX), effect)


def _add(cursor: Cursor) -> AddConstraint:
    return AddConstraint(parse_constraint(cursor.expect("ADD")))


@dataclass(frozen=True, slots=True)
class DropPrimaryKey:
    """DROP PRIMARY KEY."""

    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return "DROP PRIMARY KEY"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Remove the key, unless it is clustered. Its columns stay NOT NULL."""
        primary = table.primary_key
        if primary is None:
            raise cannot_drop(self.at, PRIMARY)
        if table.clustered:
            raise Refused(
                self.at,
                "Unsupported drop primary key when the table is using clustered index",
                hint="declare the key /*T![clustered_index] NONCLUSTERED */ to drop it later",
            )
        return (Effect(_without(table, primary), ActionType.DROP_PRIMARY_KEY),)


@dataclass(frozen=True, slots=True)
class DropIndex:
    """DROP INDEX or KEY."""

    name: str
    if_exists: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"DROP INDEX {IF_EXISTS if self.if_exists else ''}{quote_name(self.name)}"

    def apply(self, table: Table, change: Change) -> Effects:
        """Remove the index; DROP INDEX `PRIMARY` drops the primary key."""
        index = table.find_index(self.name)
        if index is None:
            if self.if_exists:
                return ()
            raise cannot_drop(self.at, self.name, _names(table))
        if index.primary:
            return DropPrimaryKey(self.at).apply(table, change)
        without = _without(table, index)
        for key in table.foreign_keys:
            if covered(table, key.columns) and not covered(without, key.columns):
                what = f"Cannot drop index '{index.name}': needed in a foreign key constraint"
                raise Refused(self.at, what, hint=f"drop the foreign key {key.name} first")
        return (Effect(without, ActionType.DROP_INDEX),)


@dataclass(frozen=True, slots=True)
class DropForeignKey:
    """DROP FOREIGN KEY."""

    name: str
    if_exists: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"DROP FOREIGN KEY {IF_EXISTS if self.if_exists else ''}{quote_name(self.name)}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Remove the foreign key; its index stays."""
        kept = tuple(k for k in table.foreign_keys if k.name.lower() != self.name.lower())
        if len(kept) < len(table.foreign_keys):
            return (Effect(replace(table, foreign_keys=kept), ActionType.DROP_FOREIGN_KEY),)
        if self.if_exists:
            return ()
        raise cannot_drop(self.at, self.name, tuple(k.name for k in table.foreign_keys))


def _drop_primary_key(cursor: Cursor) -> DropPrimaryKey:
    at = cursor.behind()
    cursor.expect("PRIMARY", "KEY")
    return DropPrimaryKey(at)


def _drop_index(cursor: Cursor) -> DropIndex:
    at = cursor.behind()
    cursor.next()
    guarded = cursor.if_exists()
    return DropIndex(cursor.part_after_dot("an index"), guarded, at)


def _drop_foreign_key(cursor: Cursor) -> DropForeignKey:
    at = cursor.behind()
    guarded = cursor.expect("FOREIGN", "KEY").if_exists()
    return DropForeignKey(cursor.name("a foreign key"), guarded, at)


@dataclass(frozen=True, slots=True)
class RenameIndex:
    """RENAME INDEX."""

    old: str
    new: str
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"RENAME INDEX {quote_name(self.old)} TO {quote_name(self.new)}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Rename the index; the primary key has no name to change."""
        index = _existing(table, self.old, self.at)
        if index.primary:
            raise _unknown(table, self.old, self.at)
        if self.old.lower() == self.new.lower():
            return ()
        if table.find_index(self.new) is not None:
            raise duplicate_key(self.at, self.new)
        table = _with_index(table, index, replace(index, name=self.new))
        return (Effect(table, ActionType.RENAME_INDEX),)


@dataclass(frozen=True, slots=True)
class AlterIndexVisibility:
    """ALTER INDEX ... VISIBLE or INVISIBLE."""

    name: str
    visible: bool
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the specification as TiDB writes it."""
        return f"ALTER INDEX {quote_name(self.name)} {'VISIBLE' if self.visible else 'INVISIBLE'}"

    def apply(self, table: Table, _change: Change) -> Effects:
        """Show or hide the index."""
        index = _existing(table, self.name, self.at)
        if index.visible == self.visible:
            return ()
        table = _with_index(table, index, replace(index, visible=self.visible))
        return (Effect(table, ActionType.ALTER_INDEX_VISIBILITY),)


def _rename_index(cursor: Cursor) -> RenameIndex:
    at = cursor.behind()
    cursor.next()
    old = cursor.part_after_dot("an index")
    cursor.expect("TO")
    return RenameIndex(old, cursor.name("an index"), at)


def _alter_index(cursor: Cursor) -> AlterIndexVisibility:
    at = cursor.behind()
    cursor.next()
    name = cursor.name("an index")
    visible = cursor.expect_any("VISIBLE", "INVISIBLE") == "VISIBLE"
    return AlterIndexVisibility(name, visible, at)


def _names(table: Table) -> tuple[str, ...]:
    return tuple(index.name for index in table.indexes)


def _existing(table: Table, name: str, at: int) -> Index:
    index = table.find_index(name)
    if index is None:
        raise _unknown(table, name, at)
    return index


def _unknown(table: Table, name: str, at: int) -> Refused:
    what = f"Key '{name}' doesn't exist in table '{table.id.name}'"
    return Refused(at, what, hint=nearest(name, _names(table)))


def _without(table: Table, index: Index) -> Table:
    """Remove an index; what still begins with its first column flags that from now on.

    Source: TiDB pkg/ddl/index.go `DropIndexColumnFlag`.
    """
    first = index.columns[:1]
    others = (other for other in table.indexes if other is not index)
    kept = (replace(one, flags=one.flags or one.columns[:1] == first) for one in others)
    return replace(table, indexes=tuple(kept))


def _with_index(table: Table, old: Index, new: Index) -> Table:
    return replace(table, indexes=tuple(new if index is old else index for index in table.indexes))


# ---- checks, which TiDB does not keep ------------------------------------------------------------


def _drop_check(cursor: Cursor) -> PlainSpecification:
    cursor.next()
    cursor.next()
    return PlainSpecification(f"DROP CHECK {quote_name(cursor.name('a constraint'))}")


def _alter_check(cursor: Cursor) -> PlainSpecification:
    cursor.next()
    cursor.next()
    name = quote_name(cursor.name("a constraint"))
    enforced = "NOT ENFORCED" if cursor.take("NOT") else "ENFORCED"
    cursor.expect("ENFORCED")
    return PlainSpecification(f"ALTER CHECK {name} {enforced}")


# The words behind ADD that start a constraint, and not a column.
_CONSTRAINTS = (
    *("CONSTRAINT", "PRIMARY", "KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK"),
    *("VECTOR INDEX", "VECTOR KEY", "COLUMNAR INDEX", "COLUMNAR KEY"),
)
FORMS: Forms = {
    **{("ADD", *words.split()): _add for words in _CONSTRAINTS},
    ("DROP", "PRIMARY", "KEY"): _drop_primary_key,
    ("DROP", "INDEX"): _drop_index,
    ("DROP", "KEY"): _drop_index,
    ("DROP", "FOREIGN", "KEY"): _drop_foreign_key,
    ("DROP", "CHECK"): _drop_check,
    ("DROP", "CONSTRAINT"): _drop_check,
    ("RENAME", "INDEX"): _rename_index,
    ("RENAME", "KEY"): _rename_index,
    ("ALTER", "INDEX"): _alter_index,
    ("ALTER", "KEY"): _alter_index,
    ("ALTER", "CHECK"): _alter_check,
    ("ALTER", "CONSTRAINT"): _alter_check,
}
