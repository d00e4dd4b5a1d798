"""CREATE TABLE, CREATE VIEW and CREATE INDEX.

Source: TiDB pkg/parser/parser.y, `CreateTableStmt`, `CreateViewStmt`, `CreateIndexStmt`.
"""

from __future__ import annotations

from dataclasses import replace

from harness.ddl.grammar.columns import parse_column
from harness.ddl.grammar.cursor import Cursor
from harness.ddl.grammar.keys import (
    parse_constraint,
    parse_index_options,
    parse_key_parts,
    sees_constraint,
)
from harness.ddl.grammar.options import parse_table_options
from harness.ddl.grammar.partitions import parse_partitioning
from harness.ddl.grammar.selects import parse_query
from harness.ddl.lexer import TokenKind
from harness.ddl.syntax import (
    ColumnDef,
    Constraint,
    ConstraintKind,
    CreateIndex,
    CreateTable,
    CreateView,
    Select,
    TableRef,
)

INDEX_KINDS = {
    "": ConstraintKind.INDEX,
    "UNIQUE": ConstraintKind.UNIQUE,
    "FULLTEXT": ConstraintKind.FULLTEXT,
    "SPATIAL": ConstraintKind.SPATIAL,
    "VECTOR": ConstraintKind.VECTOR,
    "COLUMNAR": ConstraintKind.COLUMNAR,
}


def parse_elements(cursor: Cursor) -> tuple[tuple[ColumnDef, ...], tuple[Constraint, ...]]:
    """Return the columns and constraints of a list in parentheses that must stand here."""
    columns: list[ColumnDef] = []
    constraints: list[Constraint] = []

    def element() -> None:
        if sees_constraint(cursor):
            constraints.append(parse_constraint(cursor))
        else:
            columns.append(parse_column(cursor))

    cursor.parenthesised(element)
    return tuple(columns), tuple(constraints)


def parse_create_table(cursor: Cursor, *, temporary: str, or_replace: bool) -> CreateTable:
    """Return the CREATE TABLE statement of which everything before its name is read."""
    if_not_exists = cursor.if_not_exists()
    table = cursor.table()
    statement = CreateTable(
        table, if_not_exists=if_not_exists, temporary=temporary, or_replace=or_replace
    )
    like = _like(cursor)
    filled = replace(statement, like=like) if like is not None else _body(cursor, statement)
    return _on_commit(cursor, filled)


def _like(cursor: Cursor) -> TableRef | None:
    if cursor.take("LIKE"):
        return cursor.table()
    if not cursor.take("(", "LIKE"):
        return None
    table = cursor.table()
    cursor.expect(")")
    return table


def _body(cursor: Cursor, statement: CreateTable) -> CreateTable:
    if cursor.sees("(") and not cursor.sees_subquery():
        columns, constraints = parse_elements(cursor)
        statement = replace(statement, columns=columns, constraints=constraints)
    statement = replace(statement, options=parse_table_options(cursor))
    if cursor.sees("PARTITION", "BY"):
        statement = replace(statement, partitioning=parse_partitioning(cursor))
    on_duplicate = cursor.take_any("IGNORE", "REPLACE")
    cursor.take("AS")
    if cursor.sees_any("SELECT", "WITH", "TABLE", "VALUES") or cursor.sees_subquery():
        select = parse_select(cursor)
        statement = replace(statement, select=select, on_duplicate=on_duplicate)
    elif not statement.columns:
        raise cursor.fail("a list of columns in parentheses, LIKE or a SELECT")
    return statement


def parse_select(cursor: Cursor) -> Select:
    """Return the query that must stand here, with the tables that it reads."""
    already = len(cursor.tables)
    return Select(parse_query(cursor), tuple(cursor.tables[already:]))


def _on_commit(cursor: Cursor, statement: CreateTable) -> CreateTable:
    at = cursor.offset
    found = cursor.take("ON", "COMMIT")
    if found != (statement.temporary == "GLOBAL TEMPORARY"):
        raise cursor.fail("GLOBAL TEMPORARY and ON COMMIT DELETE or PRESERVE ROWS together", at=at)
    if not found:
        return statement
    delete = cursor.expect_any("DELETE", "PRESERVE") == "DELETE"
    cursor.expect("ROWS")
    return replace(statement, on_commit_delete=delete)


def parse_create_view(cursor: Cursor, *, or_replace: bool) -> CreateView:
    """Return the CREATE VIEW statement of which CREATE [OR REPLACE] is read."""
    algorithm = "UNDEFINED"
    definer: tuple[str, str] | None = None
    security = "DEFINER"
    if cursor.take("ALGORITHM", "="):
        algorithm = cursor.expect_any("UNDEFINED", "MERGE", "TEMPTABLE")
    if cursor.take("DEFINER", "="):
        definer = _definer(cursor)
    if cursor.take("SQL", "SECURITY"):
        security = cursor.expect_any("DEFINER", "INVOKER")
    cursor.expect("VIEW")
    view = cursor.table("a view")
    columns: tuple[str, ...] = ()
    if cursor.sees("("):
        columns = cursor.parenthesised(lambda: cursor.name("a column"))
    cursor.expect("AS")
    select = parse_select(cursor)
    check = ""
    if cursor.take("WITH"):
        check = cursor.take_any("LOCAL", "CASCADED") or "CASCADED"
        cursor.expect("CHECK", "OPTION")
    return CreateView(view, select, columns, or_replace, algorithm, definer, security, check)


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


def parse_create_index(cursor: Cursor, kind: str) -> CreateIndex:
    """Return the CREATE INDEX statement of which CREATE [UNIQUE | ...] is read."""
    at = cursor.offset
    cursor.expect_any("INDEX", "KEY")
    guarded = cursor.if_not_exists()
    name = cursor.name("an index")
    using = ""
    if cursor.take_any("USING", "TYPE"):
        using = cursor.expect_any("BTREE", "HASH", "RTREE", "HNSW")
    cursor.expect("ON")
    table = cursor.table()
    parts = parse_key_parts(cursor)
    option = parse_index_options(cursor)
    constraint = Constraint(
        INDEX_KINDS[kind],
        name,
        parts,
        replace(option, using=option.using or using),
        if_not_exists=guarded,
        at=at,
    )
    return CreateIndex(table, constraint, parse_lock_and_algorithm(cursor))


def parse_lock_and_algorithm(cursor: Cursor) -> tuple[str, ...]:
    """Return ALGORITHM and LOCK as TiDB writes them back; their defaults vanish."""
    found: dict[str, str] = {}
    while word := cursor.take_any("LOCK", "ALGORITHM"):
        cursor.take("=")
        found[word] = cursor.expect_any(*_LOCK_VALUES[word])
    return tuple(
        f"{word} = {found[word]}"
        for word in ("ALGORITHM", "LOCK")
        if found.get(word, "DEFAULT") != "DEFAULT"
    )


_LOCK_VALUES = {
    "LOCK": ("DEFAULT", "NONE", "SHARED", "EXCLUSIVE"),
    "ALGORITHM": ("DEFAULT", "COPY", "INPLACE", "INSTANT", "NOCOPY"),
}
