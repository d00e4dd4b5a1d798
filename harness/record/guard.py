"""Which SQL a recording may run: row changes and DDL, inside the scenario's own databases.

The server may be the user's. A statement reaches another database only by naming it, so every name
before a point is held against the databases that exist there; that needs no parser, and no syntax
that we do not know gets around it. Statements without a database name fail by themselves: the
session has no current one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from harness.ddl import (
    DdlError,
    StatementKind,
    TokenKind,
    classify,
    referenced_schemas,
    tokenize,
)
from harness.errors import Location, Problem
from harness.scenario.document import DdlStep, Scenario, SqlStatement, TransactionStep

ROW_CHANGES = frozenset(
    {StatementKind.INSERT, StatementKind.REPLACE, StatementKind.UPDATE, StatementKind.DELETE}
)
SAVEPOINTS = frozenset({"SAVEPOINT", "RELEASE", "ROLLBACK"})
# Words that reach out of the database: files, other servers, locks and waits that others feel.
OUTSIDE = frozenset(
    {
        "BENCHMARK",
        "DUMPFILE",
        "GET_LOCK",
        "LOAD_FILE",
        "MASTER_POS_WAIT",
        "OUTFILE",
        "RELEASE_ALL_LOCKS",
        "RELEASE_LOCK",
        "SLEEP",
        "SYS_EVAL",
        "SYS_EXEC",
    }
)
HIDDEN = "/*M!"  # executed by MariaDB, a comment to TiDB and to our lexer


def problems(scenario: Scenario, foreign: Collection[str]) -> Iterator[Problem]:
    """Yield a problem for each statement that a recording must not run.

    `foreign` are the server's databases that are not the scenario's.
    """
    for step in scenario.upstream:
        if isinstance(step, DdlStep) and not step.emit:
            yield from _checked(scenario, step.statement, foreign, is_ddl=True)
        elif isinstance(step, TransactionStep):
            for statement in step.statements:
                yield from _checked(scenario, statement, foreign, is_ddl=False)


def savepoint(sql: str) -> tuple[str, str]:
    """Return the verb (SAVEPOINT, RELEASE, ROLLBACK) and the name, in small letters, it is about.

    Both are empty for any other statement.
    """
    tokens = tokenize(sql)
    if tokens[0].upper not in SAVEPOINTS:
        return "", ""
    return tokens[0].upper, tokens[-2].text.lower()


def _checked(
    scenario: Scenario, statement: SqlStatement, foreign: Collection[str], *, is_ddl: bool
) -> Iterator[Problem]:
    where = Location(scenario.file, statement.line, statement.column)
    try:
        for what, hint in _faults(scenario, statement.sql, foreign, is_ddl=is_ddl):
            yield Problem(where, what, hint=hint)
    except DdlError as error:
        yield Problem(where, f"SQL: {error.what}", error.expected, error.hint)


def _faults(
    scenario: Scenario, sql: str, foreign: Collection[str], *, is_ddl: bool
) -> Iterator[tuple[str, str]]:
    kind, tokens = classify(sql), tokenize(sql)
    if is_ddl and kind is not StatementKind.DDL:
        yield "this is not a DDL statement on databases, tables, views or indexes", "leave it out"
        return
    if not is_ddl and kind not in ROW_CHANGES and tokens[0].upper not in SAVEPOINTS:
        yield "this statement changes no rows", "leave it out"
        return
    if HIDDEN in sql:
        yield f"a recording does not run what stands in `{HIDDEN} ... */`", "write it plainly"
    words = {token.upper for token in tokens if token.kind is TokenKind.WORD}
    for word in sorted(words & OUTSIDE):
        yield f"`{word}` reaches out of the scenario's databases", "leave it out"
    others = {name.lower() for name in foreign}
    named = {
        token.text
        for token, after in pairwise(tokens)
        if after.upper == "." and token.text.lower() in others
    }
    if is_ddl:
        ours = {name.lower() for name in scenario.databases}
        named |= {name for name in referenced_schemas(sql) if name and name.lower() not in ours}
    for name in sorted(named):
        yield (
            f"`{name}` is not one of the scenario's databases",
            "list it under `databases`, or give the alias another name",
        )
