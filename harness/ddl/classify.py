"""SQL texts before they are parsed: splitting, telling kinds apart, which schemas they touch.

Only the tokens are looked at, so that a text of any size and any statement can be judged; the one
exception is `referenced_schemas`, which parses (DDL by our grammar, all else by sqlglot).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from harness.ddl.errors import DdlError, position
from harness.ddl.sql.cursor import words
from harness.ddl.sql.lexer import Token, TokenKind, tokenize
from harness.ddl.statements import VERBS, mentioned_databases


class StatementKind(StrEnum):
    """What a statement does, as far as its first words say."""

    DDL = "ddl"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    REPLACE = "replace"
    LOAD = "load"
    SELECT = "select"
    TRANSACTION = "transaction"
    SET = "set"
    USE = "use"
    OTHER = "other"


DML = frozenset(StatementKind(word) for word in ("insert", "update", "delete", "replace", "load"))
_FIRST_WORDS: Mapping[str, StatementKind] = {
    **{kind.name: kind for kind in (*DML, StatementKind.SELECT, StatementKind.SET)},
    "USE": StatementKind.USE,
    **dict.fromkeys(("TABLE", "VALUES"), StatementKind.SELECT),
    **dict.fromkeys(
        ("BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"), StatementKind.TRANSACTION
    ),
    **dict.fromkeys(VERBS, StatementKind.DDL),
}
_DDL_VERBS = frozenset({"CREATE", "ALTER", "DROP"})
# What CREATE, ALTER and DROP say next when they are about something that streams never show.
_NOT_TABLES = words(
    """
    USER ROLE FUNCTION PROCEDURE TRIGGER EVENT SERVER LOGFILE INSTANCE BINDING STATISTICS
    PREPARE PACKAGE AGGREGATE UNDO TABLESPACE
    """
)
_BEFORE_OBJECT = words("OR REPLACE IF NOT EXISTS GLOBAL SESSION") | {"", "(", ")"}


def split(sql_text: str) -> tuple[tuple[str, int, int], ...]:
    """Split a text on `;` outside strings and comments.

    Returns (statement, line, column) for each that is not empty; the statement runs from its first
    to its last token without the `;`, and the place (from 1) is that of its first character within
    `sql_text`. Raises DdlError for a string, name or comment without end.
    """
    found: list[tuple[str, int, int]] = []
    begin = 0
    last: Token | None = None
    first: Token | None = None
    for token in tokenize(sql_text):
        if token.upper == ";" or token.kind is TokenKind.END:
            if first is not None and last is not None:
                start = _opening(sql_text, begin, first.start)
                end = _closing(sql_text, last.end, token.start)
                found.append((sql_text[start:end], *position(sql_text, start)))
            begin, first, last = token.end, None, None
        else:
            first = first or token
            last = token
    return tuple(found)


def _opening(text: str, begin: int, first: int) -> int:
    """Return where a statement starts whose first token may stand inside an executed comment."""
    between = text[begin:first]
    marks = [between.rfind(mark) for mark in ("/*!", "/*T!")]
    return begin + max(marks) if max(marks) >= 0 and "*/" not in between[max(marks) :] else first


def _closing(text: str, last: int, semicolon: int) -> int:
    """Return where a statement ends whose last token may stand inside an executed comment."""
    between = text[last:semicolon]
    closed = between.find("*/")
    opened = between.find("/*")
    return last + closed + 2 if closed >= 0 and not 0 <= opened < closed else last


def classify(sql: str) -> StatementKind:
    """Tell what one statement is by its words; nothing is parsed. DdlError only for torn tokens."""
    words = [token.upper for token in tokenize(sql)]
    first = next((word for word in words if word != "("), "")
    if first == "WITH":
        return _after_with(words)
    if first in _DDL_VERBS:
        at = words.index("DEFINER") if "DEFINER" in words[1:4] else 0
        if at and words[at + 1] == "=":
            words = [first, *words[at + 3 :]]  # without the user; a host behind it has no `upper`
        following = next((word for word in words[1:] if word not in _BEFORE_OBJECT), "")
        return StatementKind.OTHER if following in _NOT_TABLES else StatementKind.DDL
    if first == "RENAME" and "USER" in words[1:2]:
        return StatementKind.OTHER
    return _FIRST_WORDS.get(first, StatementKind.OTHER)


def _after_with(words: list[str]) -> StatementKind:
    """Find the verb behind common table expressions: the first one outside parentheses."""
    depth = 0
    for word in words:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0 and word in ("SELECT", "UPDATE", "DELETE", "INSERT", "REPLACE"):
            return _FIRST_WORDS[word]
    return StatementKind.OTHER


def is_ddl(sql: str) -> bool:
    """Return whether a statement changes schemas, tables, views, indexes or sequences."""
    return classify(sql) is StatementKind.DDL


def referenced_schemas(sql: str, schema: str = "") -> frozenset[str]:
    """Return the names of all schemas that one statement mentions, spelled as written.

    `schema` is the current one: it is in the answer when a table is named without schema. A name
    that could be a schema counts as one. Raises DdlError when the statement cannot be understood;
    whoever guards schemas then has to refuse it.
    """
    kind = classify(sql)
    if kind in (StatementKind.TRANSACTION, StatementKind.SET):
        return frozenset()
    if kind is StatementKind.USE:
        return frozenset({token.text for token in tokenize(sql)[1:2] if token.text})
    if kind is StatementKind.DDL:
        names = mentioned_databases(sql)
    elif kind in (StatementKind.OTHER, StatementKind.LOAD):
        raise DdlError(
            "this statement is neither DDL nor a row change",
            expected="CREATE, ALTER, DROP, RENAME, TRUNCATE, INSERT, UPDATE, DELETE or REPLACE",
        )
    else:
        names = _schemas_of_query(sql)
    return frozenset(name or schema for name in names)


# Words between a verb and its table that change no name; sqlglot does not read them all.
_MODIFIERS = frozenset({"LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "IGNORE", "QUICK"})


def _plain(sql: str) -> str:
    """Return the statement without modifiers, REPLACE as INSERT: the same tables, places kept."""
    tokens = tokenize(sql)
    text = sql
    for token in tokens[1:]:
        if token.upper not in _MODIFIERS:
            break
        text = text[: token.start] + " " * (token.end - token.start) + text[token.end :]
    if tokens[0].upper == "REPLACE":
        text = text[: tokens[0].start] + "INSERT " + text[tokens[0].end :]
    return text


def _schemas_of_query(sql: str) -> frozenset[str]:
    """Ask sqlglot for the tables of a statement on rows; imported here, for it takes 0.3 s."""
    from sqlglot import exp, parse_one  # noqa: PLC0415 - see above
    from sqlglot.errors import ParseError, SqlglotError  # noqa: PLC0415 - see above

    try:
        tree = parse_one(_plain(sql), dialect="mysql")
    except SqlglotError as error:
        place = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
        raise DdlError(
            "this statement cannot be understood",
            hint="check its syntax near that place, or write it in a simpler form",
            line=place.get("line") or 1,
            column=place.get("col") or 1,
        ) from None
    common = {table.alias.lower() for table in tree.find_all(exp.CTE)}
    tables = [table for table in tree.find_all(exp.Table) if table.name]
    return frozenset(table.db for table in tables if table.db or table.name.lower() not in common)
