"""DROP TABLE and DROP VIEW, TRUNCATE TABLE, and what brings a table back: RECOVER and FLASHBACK.

Source: TiDB pkg/parser/parser.y, `DropTableStmt`, `TruncateTableStmt`, `RecoverTableStmt`,
`FlashbackTableStmt`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.ddl.change import (
    OBJECTS,
    OTHER_OBJECTS,
    Change,
    StatementForms,
    found_by,
    full_name,
)
from harness.ddl.errors import Refused, table_exists, unknown_table
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.tree import TableRef, quote_name
from harness.model.table import Table, TableId


@dataclass(frozen=True, slots=True)
class DropTables:
    """DROP TABLE or DROP VIEW of one or more names."""

    tables: tuple[TableRef, ...]
    is_view: bool = False
    if_exists: bool = False
    temporary: str = ""

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        words = "VIEW" if self.is_view else f"{self.temporary} TABLE".strip()
        guard = "IF EXISTS " if self.if_exists else ""
        return f"DROP {words} {guard}{', '.join(table.restore() for table in self.tables)}"

    def apply(self, change: Change) -> None:
        """Remove each; it is a job of its own, whose query TiCDC writes anew from the full name."""
        action = ActionType.DROP_VIEW if self.is_view else ActionType.DROP_TABLE
        word = "VIEW" if self.is_view else "TABLE"
        for ref in self.tables:
            found = self._found(change, ref)
            if found is not None:
                change.take_ids(1)
                change.remove(found.id)
                change.dropped.append(found)
                query = f"DROP {word} {full_name(found.id)}"
                change.add_job(action, found.id, query, before=found)

    def _found(self, change: Change, ref: TableRef) -> Table | None:
        """Return what to drop, None when it is not there and IF EXISTS or TEMPORARY allows that."""
        lenient = self.if_exists or self.temporary == "TEMPORARY"
        if lenient and change.database(ref.schema or change.schema) is None:
            return None
        found = change.find(change.resolve(ref))
        if self.temporary == "TEMPORARY":
            return None
        if found is not None and not found.is_sequence and found.is_view == self.is_view:
            return found
        if lenient:
            return None
        if found is not None:
            raise Refused(ref.at, f"'{found.id}' is not {'VIEW' if self.is_view else 'BASE TABLE'}")
        return change.existing(ref)


def _drop(cursor: Cursor) -> DropTables:
    temporary = cursor.temporary()
    word = cursor.take_any("TABLE", "TABLES", "VIEW")
    if not word:
        raise cursor.fail(OBJECTS, hint=OTHER_OBJECTS)
    guarded = cursor.if_exists()
    tables = cursor.list(cursor.table)
    cursor.take_any("RESTRICT", "CASCADE")
    return DropTables(tables, word == "VIEW", guarded, temporary)


@dataclass(frozen=True, slots=True)
class TruncateTable:
    """TRUNCATE TABLE."""

    table: TableRef

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        return f"TRUNCATE TABLE {self.table.restore()}"

    def apply(self, change: Change) -> None:
        """Replace the table by an empty one with new physical ids."""
        before = change.existing(self.table)
        if before.is_view or before.is_sequence:
            raise unknown_table(self.table.at, before.id.schema, before.id.name)
        after = change.with_new_ids(replace(before, version=before.version + 1))
        change.dropped.append(before)
        change.put(after)
        change.add_table_job(ActionType.TRUNCATE_TABLE, self.restore(), before, after)


def _truncate(cursor: Cursor) -> TruncateTable:
    cursor.take("TABLE")
    return TruncateTable(cursor.table())


@dataclass(frozen=True, slots=True)
class RecoverTable:
    """RECOVER TABLE [n], or FLASHBACK TABLE [TO new_name], of a dropped or truncated table."""

    verb: str
    table: TableRef
    count: int = 0
    new_name: str = ""

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        text = f"{self.verb} TABLE {self.table.restore()}"
        text += f" {self.count}" if self.count else ""
        return text + (f" TO {quote_name(self.new_name)}" if self.new_name else "")

    def apply(self, change: Change) -> None:
        """Bring back the latest table of that name, ids and all."""
        wanted = change.resolve(self.table)
        name = found_by(wanted)
        gone = next((t for t in reversed(change.dropped) if found_by(t.id) == name), None)
        if gone is None:
            raise unknown_table(self.table.at, wanted.schema, wanted.name)
        new_id = TableId(gone.id.schema, self.new_name or gone.id.name)
        if change.find(new_id) is not None:
            raise table_exists(self.table.at, new_id.name)
        after = replace(gone, id=new_id, version=gone.version + 1)
        change.take_ids(1)
        change.put(after)
        change.dropped = [table for table in change.dropped if table is not gone]
        change.add_job(ActionType.RECOVER_TABLE, new_id, self.restore(), after=after)


def _recover(cursor: Cursor) -> RecoverTable:
    table = cursor.expect("TABLE").table()
    count = cursor.number("a number") if cursor.token.kind is TokenKind.INTEGER else 0
    return RecoverTable("RECOVER", table, count)


def _flashback(cursor: Cursor) -> RecoverTable:
    table = cursor.expect("TABLE").table()
    name = cursor.name("a table") if cursor.take("TO") else ""
    return RecoverTable("FLASHBACK", table, new_name=name)


FORMS: StatementForms = {
    **{("DROP", word): _drop for word in ("TABLE", "TABLES", "VIEW", "TEMPORARY", "GLOBAL")},
    ("TRUNCATE", ""): _truncate,
    ("RECOVER", ""): _recover,
    ("FLASHBACK", ""): _flashback,
}
