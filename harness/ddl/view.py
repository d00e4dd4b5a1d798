"""CREATE VIEW; views are dropped as tables are.

Source: TiDB pkg/parser/parser.y, `CreateViewStmt`; pkg/parser/ast/ddl.go, `CreateViewStmt.Restore`.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.ddl.change import Change, StatementForms
from harness.ddl.errors import table_exists
from harness.ddl.jobs import ActionType
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.lexer import TokenKind
from harness.ddl.sql.queries import Select, parse_select
from harness.ddl.sql.tree import TableRef, quote_name, quote_names
from harness.model.table import Table


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE VIEW; `definer` is empty for the current user, `check` empty, LOCAL or CASCADED."""

    view: TableRef
    select: Select
    columns: tuple[str, ...] = ()
    algorithm: str = "UNDEFINED"
    definer: tuple[str, str] | None = None
    security: str = "DEFINER"
    check: str = ""
    or_replace: bool = False

    def restore(self) -> str:
        """Return the statement as TiDB writes it."""
        definer = "CURRENT_USER"
        if self.definer is not None:
            user, host = self.definer
            definer = quote_name(user) + (f"@{quote_name(host)}" if host else "")
        columns = f" ({quote_names(self.columns)})" if self.columns else ""
        check = " WITH LOCAL CHECK OPTION" if self.check == "LOCAL" else ""
        return (
            f"CREATE {'OR REPLACE ' if self.or_replace else ''}ALGORITHM = {self.algorithm}"
            f" DEFINER = {definer} SQL SECURITY {self.security} VIEW {self.view.restore()}{columns}"
            f" AS {self.select.expr.restore()}{check}"
        )

    def apply(self, change: Change) -> None:
        """Add the view, as a table without columns."""
        view_id = change.resolve(self.view)
        old = change.find(view_id)
        if old is not None and not (self.or_replace and old.is_view):
            raise table_exists(self.view.at, self.view.name)
        view = change.with_new_ids(Table(view_id, (), is_view=True))
        change.put(view)
        change.add_job(ActionType.CREATE_VIEW, view_id, self.restore(), before=old, after=view)


def _create(cursor: Cursor) -> CreateView:
    algorithm = "UNDEFINED"
    definer: tuple[str, str] | None = None
    security = "DEFINER"
    if cursor.take("ALGORITHM", "="):
        algorithm = cursor.expect_any("UNDEFINED", "MERGE", "TEMPTABLE")
    if cursor.take("DEFINER", "="):
        definer = _definer(cursor)
    if cursor.take("SQL", "SECURITY"):
        security = cursor.expect_any("DEFINER", "INVOKER")
    view = cursor.expect("VIEW").table("a view")
    columns: tuple[str, ...] = ()
    if cursor.sees("("):
        columns = cursor.parenthesised(lambda: cursor.name("a column"))
    select = parse_select(cursor.expect("AS"))
    check = ""
    if cursor.take("WITH"):
        check = cursor.take_any("LOCAL", "CASCADED") or "CASCADED"
        cursor.expect("CHECK", "OPTION")
    return CreateView(view, select, columns, algorithm, definer, security, check)


def _definer(cursor: Cursor) -> tuple[str, str] | None:
    if cursor.take("CURRENT_USER"):
        if cursor.take("("):
            cursor.expect(")")
        return None
    user = cursor.string_or_name("a user")
    if cursor.token.kind is not TokenKind.VARIABLE:
        return user, "%"
    host = cursor.next().text.removeprefix("@")
    return user, host.strip("`'\"").lower()


FORMS: StatementForms = {
    ("CREATE", word): _create for word in ("VIEW", "ALGORITHM", "DEFINER", "SQL")
}
