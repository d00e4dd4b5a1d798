"""CREATE INDEX and DROP INDEX, which TiDB runs as ALTER TABLE.

Source: TiDB pkg/parser/parser.y, `CreateIndexStmt`, `DropIndexStmt`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.ddl.alter.keys import AddConstraint, DropIndex
from harness.ddl.alter.plain import LOCK_VALUES
from harness.ddl.alter.specification import IF_EXISTS, IF_NOT_EXISTS
from harness.ddl.alter.table import apply_specifications
from harness.ddl.change import Change, StatementForms
from harness.ddl.definitions.keys import (
    Constraint,
    ConstraintKind,
    parse_index_options,
    parse_key_parts,
    restore_key_parts,
)
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import TableRef, quote_name

_KINDS = {"": ConstraintKind.INDEX} | {
    word: ConstraintKind[word] for word in ("UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR", "COLUMNAR")
}
_WORDS = {kind: f"{word} " if word else "" for word, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class CreateIndex:
    """CREATE [UNIQUE | FULLTEXT | SPATIAL | VECTOR | COLUMNAR] INDEX."""

    table: TableRef
    constraint: Constraint
    lock_and_algorithm: str = ""

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        key = self.constraint
        guard = IF_NOT_EXISTS if key.if_not_exists else ""
        head = f"CREATE {_WORDS[key.kind]}INDEX {guard}{quote_name(key.name)}"
        body = f"{restore_key_parts(key.parts)}{key.option.restore()}"
        return f"{head} ON {self.table.restore()} {body}{self.lock_and_algorithm}"

    def apply(self, change: Change) -> None:
        """Add the index."""
        specs = (AddConstraint(self.constraint),)
        apply_specifications(change, self.table, specs, self.restore())


def _create(cursor: Cursor) -> CreateIndex:
    kind = _KINDS[cursor.take_any(*_KINDS)]
    at = cursor.offset
    cursor.expect_any("INDEX", "KEY")
    guarded = cursor.if_not_exists()
    name = cursor.name("an index")
    using = ""
    if cursor.take_any("USING", "TYPE"):
        using = cursor.expect_any("BTREE", "HASH", "RTREE", "HNSW")
    table = cursor.expect("ON").table()
    parts = parse_key_parts(cursor)
    option = parse_index_options(cursor)
    option = replace(option, using=option.using or using)
    constraint = Constraint(kind, name, parts, option, if_not_exists=guarded, at=at)
    return CreateIndex(table, constraint, _lock_and_algorithm(cursor))


@dataclass(frozen=True, slots=True)
class DropIndexStatement:
    """DROP INDEX ... ON."""

    table: TableRef
    name: str
    if_exists: bool = False
    lock_and_algorithm: str = ""

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        guard = IF_EXISTS if self.if_exists else ""
        name = quote_name(self.name)
        return f"DROP INDEX {guard}{name} ON {self.table.restore()}{self.lock_and_algorithm}"

    def apply(self, change: Change) -> None:
        """Remove the index."""
        specs = (DropIndex(self.name, self.if_exists, self.table.at),)
        apply_specifications(change, self.table, specs, self.restore())


def _drop(cursor: Cursor) -> DropIndexStatement:
    cursor.next()
    guarded = cursor.if_exists()
    name = cursor.part_after_dot("an index")
    table = cursor.expect("ON").table()
    return DropIndexStatement(table, name, guarded, _lock_and_algorithm(cursor))


def _lock_and_algorithm(cursor: Cursor) -> str:
    """Return ALGORITHM and LOCK as TiDB writes them back, a space before; their defaults vanish."""
    found: dict[str, str] = {}
    while cursor.sees_any(*LOCK_VALUES):
        word = cursor.token.upper
        found[word] = cursor.assigned().expect_any(*LOCK_VALUES[word])
    return "".join(
        f" {word} = {found[word]}"
        for word in ("ALGORITHM", "LOCK")
        if found.get(word, "DEFAULT") != "DEFAULT"
    )


FORMS: StatementForms = {
    **{("CREATE", word or "INDEX"): _create for word in _KINDS},
    ("DROP", "INDEX"): _drop,
}
