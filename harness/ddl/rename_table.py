"""RENAME TABLE.

Source: TiDB pkg/parser/parser.y, `RenameTableStmt`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.ddl.change import OTHER_OBJECTS, Change, StatementForms, full_name
from harness.ddl.errors import table_exists
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import TableRef


@dataclass(frozen=True, slots=True)
class RenameTables:
    """RENAME TABLE: (old, new) pairs, in order."""

    pairs: tuple[tuple[TableRef, TableRef], ...]

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        pairs = (f"{old.restore()} TO {new.restore()}" for old, new in self.pairs)
        return f"RENAME TABLE {', '.join(pairs)}"

    def apply(self, change: Change) -> None:
        """Rename; one pair keeps the statement, several become one rebuilt query for each pair."""
        for old_ref, new_ref in self.pairs:
            before = change.existing(old_ref)
            new_id = change.resolve(new_ref)
            if change.find(new_id) is not None:
                raise table_exists(new_ref.at, new_ref.name)
            after = replace(before, id=new_id, version=before.version + 1)
            change.remove(before.id)
            change.put(after)
            query = self.restore()
            if len(self.pairs) > 1:
                query = f"RENAME TABLE {full_name(before.id)} TO {full_name(new_id)}"
            change.add_table_job(ActionType.RENAME_TABLE, query, before, after)
        change.take_ids(1)


def _rename(cursor: Cursor) -> RenameTables:
    if not cursor.take_any("TABLE", "TABLES"):
        raise cursor.fail("TABLE", hint=OTHER_OBJECTS)

    def pair() -> tuple[TableRef, TableRef]:
        old = cursor.table()
        cursor.expect("TO")
        return old, cursor.table()

    return RenameTables(cursor.list(pair))


FORMS: StatementForms = {("RENAME", ""): _rename}
