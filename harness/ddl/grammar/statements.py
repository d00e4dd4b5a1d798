"""Which statement a text is: the first words choose the rule.

Source: TiDB pkg/parser/parser.y, `Statement`; MariaDB's CREATE OR REPLACE TABLE.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from harness.ddl.action import ActionType
from harness.ddl.alterations import AlterTable
from harness.ddl.grammar.alter import parse_alter_table
from harness.ddl.grammar.cursor import Cursor, Rules
from harness.ddl.grammar.expressions import parse_expression, parse_operand
from harness.ddl.grammar.keywords import words
from harness.ddl.grammar.options import parse_database_options, parse_table_options
from harness.ddl.grammar.selects import parse_subquery
from harness.ddl.grammar.tables import (
    INDEX_KINDS,
    parse_create_index,
    parse_create_table,
    parse_create_view,
    parse_lock_and_algorithm,
)
from harness.ddl.lexer import TokenKind
from harness.ddl.syntax import (
    AlterDatabase,
    CreateDatabase,
    CreateIndex,
    CreateTable,
    CreateView,
    DropDatabase,
    DropIndexStatement,
    DropTables,
    PolicyStatement,
    RecoverTable,
    RenameTables,
    SequenceStatement,
    TableRef,
    TruncateTable,
)

Statement = (
    CreateDatabase
    | AlterDatabase
    | DropDatabase
    | CreateTable
    | DropTables
    | RenameTables
    | TruncateTable
    | RecoverTable
    | CreateIndex
    | DropIndexStatement
    | AlterTable
    | CreateView
    | SequenceStatement
    | PolicyStatement
)

_REMEMBERED = 1024
RULES = Rules(expression=parse_expression, operand=parse_operand, subquery=parse_subquery)


@lru_cache(maxsize=_REMEMBERED)
def parse(sql: str, *, ansi_quotes: bool = False) -> Statement:
    """Parse one DDL statement (a `;` at the end is fine).

    Trees never change, and the cases of a scenario run the same statements, so they are remembered.

    `ansi_quotes` is the sql_mode in which double quotes enclose names. Raises DdlError with line,
    column, what was found and what was expected.
    """
    cursor = Cursor(sql, RULES, ansi_quotes=ansi_quotes)
    statement = _statement(cursor)
    cursor.end()
    return statement


def mentioned_databases(sql: str) -> frozenset[str]:
    """Return all databases that a DDL statement names, "" for the current one.

    Raises DdlError as `parse` does.
    """
    cursor = Cursor(sql, RULES)
    statement = _statement(cursor)
    cursor.end()
    databases = {table.schema for table in cursor.tables}
    if isinstance(statement, CreateDatabase | AlterDatabase | DropDatabase):
        databases.add(statement.name)
    return frozenset(databases)


def _statement(cursor: Cursor) -> Statement:
    rule = _VERBS.get(cursor.token.upper)
    if rule is None:
        raise cursor.fail(
            "a DDL statement: CREATE, ALTER, DROP, RENAME or TRUNCATE",
            hint="other statements belong into a transaction",
        )
    cursor.next()
    return rule(cursor)


# ---- CREATE -----------------------------------------------------------------------------------


def _create(cursor: Cursor) -> Statement:
    or_replace = cursor.take("OR", "REPLACE")
    if cursor.take_any("DATABASE", "SCHEMA"):
        guarded = cursor.if_not_exists()
        at = cursor.offset
        name = cursor.name("a database")
        return CreateDatabase(name, parse_database_options(cursor), guarded, at)
    temporary = _temporary(cursor)
    if cursor.take("TABLE"):
        return parse_create_table(cursor, temporary=temporary, or_replace=or_replace)
    if temporary:
        raise cursor.fail("TABLE")
    if cursor.sees_any("VIEW", "ALGORITHM", "DEFINER", "SQL"):
        return parse_create_view(cursor, or_replace=or_replace)
    if cursor.take("SEQUENCE"):
        return _create_sequence(cursor)
    if cursor.sees_any("PLACEMENT", "RESOURCE"):
        return _policy(cursor, "CREATE")
    kind = cursor.take_any(*(word for word in INDEX_KINDS if word))
    if cursor.sees("INDEX") or kind:
        return parse_create_index(cursor, kind)
    raise cursor.fail("DATABASE, TABLE, VIEW, INDEX or SEQUENCE", hint=_FOREIGN_HINT)


_FOREIGN_HINT = "users, routines, triggers and events make no change events and are not supported"


def _temporary(cursor: Cursor) -> str:
    if cursor.take("GLOBAL"):
        cursor.expect("TEMPORARY")
        return "GLOBAL TEMPORARY"
    return "TEMPORARY" if cursor.take("TEMPORARY") else ""


# ---- ALTER ------------------------------------------------------------------------------------


def _alter(cursor: Cursor) -> Statement:
    cursor.take("IGNORE")
    if cursor.take("TABLE"):
        return parse_alter_table(cursor)
    if cursor.take_any("DATABASE", "SCHEMA"):
        options = parse_database_options(cursor)
        name = ""
        at = cursor.offset
        if not options:
            name = cursor.name("a database")
            options = parse_database_options(cursor)
        if not options:
            raise cursor.fail("CHARACTER SET or COLLATE")
        return AlterDatabase(name, options, at)
    if cursor.take("SEQUENCE"):
        guarded = cursor.if_exists()
        sequence = cursor.table("a sequence")
        changes = _sequence_options(cursor)
        if not changes:
            raise cursor.fail("what to alter, such as INCREMENT BY 2")
        return SequenceStatement("ALTER", (sequence,), changes, (), guarded)
    if cursor.sees_any("PLACEMENT", "RESOURCE"):
        return _policy(cursor, "ALTER")
    raise cursor.fail("TABLE, DATABASE or SEQUENCE", hint=_FOREIGN_HINT)


# ---- DROP, RENAME, TRUNCATE -------------------------------------------------------------------


def _drop(cursor: Cursor) -> Statement:
    if cursor.take_any("DATABASE", "SCHEMA"):
        guarded = cursor.if_exists()
        at = cursor.offset
        return DropDatabase(cursor.name("a database"), guarded, at)
    if cursor.sees("INDEX"):
        return _drop_index(cursor)
    if cursor.take("SEQUENCE"):
        guarded = cursor.if_exists()
        names = cursor.list(lambda: cursor.table("a sequence"))
        return SequenceStatement("DROP", names, guarded=guarded)
    if cursor.sees_any("PLACEMENT", "RESOURCE"):
        return _policy(cursor, "DROP")
    temporary = _temporary(cursor)
    word = cursor.take_any("TABLE", "TABLES", "VIEW")
    if not word:
        raise cursor.fail("DATABASE, TABLE, VIEW, INDEX or SEQUENCE", hint=_FOREIGN_HINT)
    guarded = cursor.if_exists()
    tables = cursor.list(cursor.table)
    cursor.take_any("RESTRICT", "CASCADE")
    return DropTables(tables, word == "VIEW", guarded, temporary)


def _drop_index(cursor: Cursor) -> Statement:
    cursor.expect("INDEX")
    guarded = cursor.if_exists()
    name = cursor.part_after_dot("an index")
    cursor.expect("ON")
    table = cursor.table()
    return DropIndexStatement(table, name, guarded, parse_lock_and_algorithm(cursor))


def _rename(cursor: Cursor) -> Statement:
    if not cursor.take_any("TABLE", "TABLES"):
        raise cursor.fail("TABLE", hint=_FOREIGN_HINT)

    def pair() -> tuple[TableRef, TableRef]:
        old = cursor.table()
        cursor.expect("TO")
        return old, cursor.table()

    return RenameTables(cursor.list(pair))


def _truncate(cursor: Cursor) -> Statement:
    cursor.take("TABLE")
    return TruncateTable(cursor.table())


def _recover(cursor: Cursor) -> Statement:
    cursor.expect("TABLE")
    table = cursor.table()
    count = cursor.number("a number") if cursor.token.kind is TokenKind.INTEGER else 0
    return RecoverTable("RECOVER", table, count)


def _flashback(cursor: Cursor) -> Statement:
    cursor.expect("TABLE")
    table = cursor.table()
    name = cursor.name("a table") if cursor.take("TO") else ""
    return RecoverTable("FLASHBACK", table, new_name=name)


# ---- sequences and policies -------------------------------------------------------------------


def _create_sequence(cursor: Cursor) -> Statement:
    guarded = cursor.if_not_exists()
    name = cursor.table("a sequence")
    options = _sequence_options(cursor)
    return SequenceStatement("CREATE", (name,), options, parse_table_options(cursor), guarded)


def _sequence_options(cursor: Cursor) -> tuple[str, ...]:
    options: list[str] = []
    while word := cursor.take_any(*_SEQUENCE_WORDS):
        if word == "NO":
            word += cursor.expect_any("MINVALUE", "MAXVALUE", "CACHE", "CYCLE")
        options.append(_SEQUENCE_RESTORED.get(word, word) + _sequence_value(cursor, word))
    return tuple(options)


_SEQUENCE_WORDS = words(
    """
    INCREMENT START MINVALUE MAXVALUE CACHE CYCLE NO NOMINVALUE NOMAXVALUE NOCACHE NOCYCLE RESTART
    """
)
_SEQUENCE_RESTORED = {
    "INCREMENT": "INCREMENT BY",
    "START": "START WITH",
    "NOMINVALUE": "NO MINVALUE",
    "NOMAXVALUE": "NO MAXVALUE",
}


def _sequence_value(cursor: Cursor, word: str) -> str:
    if word.startswith("NO") or word == "CYCLE":
        return ""
    introduced = cursor.take_any("BY", "WITH", "=")
    sign = cursor.take_any("-", "+")
    bare = not introduced and not sign and cursor.token.kind is not TokenKind.INTEGER
    if word == "RESTART" and bare:
        return ""
    value = cursor.number(f"the value of {word}")
    minus = "-" if sign == "-" else ""
    return f" WITH {minus}{value}" if word == "RESTART" else f" {minus}{value}"


_POLICY_ACTIONS = {
    ("CREATE", "PLACEMENT"): ActionType.CREATE_PLACEMENT_POLICY,
    ("ALTER", "PLACEMENT"): ActionType.ALTER_PLACEMENT_POLICY,
    ("DROP", "PLACEMENT"): ActionType.DROP_PLACEMENT_POLICY,
    ("CREATE", "RESOURCE"): ActionType.CREATE_RESOURCE_GROUP,
    ("ALTER", "RESOURCE"): ActionType.ALTER_RESOURCE_GROUP,
    ("DROP", "RESOURCE"): ActionType.DROP_RESOURCE_GROUP,
}


def _policy(cursor: Cursor, verb: str) -> Statement:
    """Read a placement policy or resource group; what it says is of no consequence to a stream."""
    word = cursor.expect_any("PLACEMENT", "RESOURCE")
    cursor.expect("POLICY" if word == "PLACEMENT" else "GROUP")
    if not cursor.if_exists():
        cursor.if_not_exists()
    name = cursor.name("a policy")
    while cursor.token.kind is not TokenKind.END and not cursor.sees(";"):
        cursor.next()
    return PolicyStatement(_POLICY_ACTIONS[verb, word], name)


_VERBS: Mapping[str, Callable[[Cursor], Statement]] = {
    "CREATE": _create,
    "ALTER": _alter,
    "DROP": _drop,
    "RENAME": _rename,
    "TRUNCATE": _truncate,
    "RECOVER": _recover,
    "FLASHBACK": _flashback,
}
