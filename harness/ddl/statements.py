"""Which statement a text is: its first words choose the rule.

To add a form of a family, write it into that family's module and its `FORMS`; a new family is a
module and a line here.
Source: TiDB pkg/parser/parser.y, `Statement`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from harness.ddl import create_table, database, drop_table, index, rename_table, sequence, view
from harness.ddl.alter import table as alter_table
from harness.ddl.change import OBJECTS, OTHER_OBJECTS, Statement, StatementForms
from harness.ddl.create_table import CreateTable
from harness.ddl.database import AlterDatabase, CreateDatabase, DropDatabase
from harness.ddl.errors import DdlError
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.queries import RULES
from harness.ddl.sql.tree import Expr
from harness.ddl.view import CreateView

_FORMS: StatementForms = {
    **database.FORMS,
    **create_table.FORMS,
    **alter_table.FORMS,
    **drop_table.FORMS,
    **rename_table.FORMS,
    **index.FORMS,
    **view.FORMS,
    **sequence.FORMS,
}
# What may stand behind a verb, for errors.
_EXPECTED = {"CREATE": OBJECTS, "ALTER": "TABLE, DATABASE or SEQUENCE", "DROP": OBJECTS}
VERBS = frozenset(verb for verb, _ in _FORMS)
_REMEMBERED = 1024
_Read = TypeVar("_Read")


@lru_cache(maxsize=_REMEMBERED)
def parse(sql: str, *, ansi_quotes: bool = False) -> Statement:
    """Parse one DDL statement (a `;` at the end is fine).

    Trees never change, and the cases of a scenario run the same statements, so they are remembered.

    `ansi_quotes` is the sql_mode in which double quotes enclose names. Raises DdlError with line,
    column, what was found and what was expected.
    """
    return _bounded(Cursor(sql, RULES, ansi_quotes=ansi_quotes), _statement)


@lru_cache(maxsize=_REMEMBERED)
def parse_expression(text: str) -> Expr:
    """Parse one expression, such as an event filter's; raises DdlError."""
    cursor = Cursor(text, RULES)
    expr = _bounded(cursor, RULES.expression)
    cursor.end()
    return expr


def mentioned_databases(sql: str) -> frozenset[str]:
    """Return all databases that a DDL statement names, "" for the current one.

    Raises DdlError as `parse` does.
    """
    cursor = Cursor(sql, RULES)
    statement = _bounded(cursor, _statement)
    databases = {table.schema for table in cursor.tables}
    if isinstance(statement, CreateDatabase | AlterDatabase | DropDatabase):
        databases.add(statement.name)
    return frozenset(databases)


def _bounded(cursor: Cursor, read: Callable[[Cursor], _Read]) -> _Read:
    """Read, and refuse what nests deeper than a recursive descent can follow."""
    try:
        return read(cursor)
    except RecursionError:
        what = "the text nests too deeply here"
        hint = (
            "leave out parentheses and operators that change nothing; `a IN (1, 2)` does not nest"
        )
        raise DdlError.at(cursor.sql, cursor.offset, what, hint=hint) from None


def _statement(cursor: Cursor) -> Statement:
    verb = cursor.token.upper
    if verb not in VERBS:
        raise cursor.fail(
            "a DDL statement: CREATE, ALTER, DROP, RENAME or TRUNCATE",
            hint="other statements belong into a transaction",
        )
    cursor.next()
    or_replace = verb == "CREATE" and cursor.take("OR", "REPLACE")
    if verb == "ALTER":
        cursor.take("IGNORE")
    rule = _FORMS.get((verb, cursor.token.upper), _FORMS.get((verb, "")))
    if rule is None:
        raise cursor.fail(_EXPECTED[verb], hint=OTHER_OBJECTS)
    statement = rule(cursor)
    cursor.end()
    if or_replace and isinstance(statement, CreateTable | CreateView):
        return replace(statement, or_replace=True)
    return statement
