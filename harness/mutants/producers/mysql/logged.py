"""Statements as they were logged: the key of each record, and the text in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.ddl.rename_table import RenameTables
from harness.ddl.sql.tree import quote_name
from harness.mutants.producers.mysql.edits import key_renamed, of_statements, one, row, valued
from harness.mutants.producers.patch import Patch, instead, patch
from harness.mutants.producers.records import SCHEMA_CHANGE
from harness.sources.mysql.statements import Parsed
from harness.sources.mysql.texts import logged, trimmed

_PARSED: Final = "harness.sources.mysql.statements"
_CUT: Final = (
    "A scenario's statement ends with its last word, and no word may follow the name of a database "
    "that is dropped: no scenario can have a comment there that reaches the connector."
)
_UNIQUE: Final = re.compile(r"CREATE\s+UNIQUE\b", re.IGNORECASE)
_DATABASE_OF: Final = {
    "index": re.compile(r"CREATE INDEX \w+ ON (\w+)\."),
    "sequence": re.compile(r"\w+ SEQUENCE `?(\w+)`?\."),
}


def _written_anew(_: str, statement: RenameTables) -> list[str]:
    """Write each pair of RENAME TABLE with back quotes and without a database."""
    pairs = ((quote_name(old.name), quote_name(new.name)) for old, new in statement.pairs)
    return [f"RENAME TABLE {old} TO {new}" for old, new in pairs]


def _unique_as_logged(original: Callable[..., Parsed]) -> Callable[..., Parsed]:
    """Leave the comments around the statement of a unique index where they are."""

    def whole(sql: str, *more: Any) -> Parsed:  # noqa: ANN401 - as the original
        found = original(sql, *more)
        return replace(found, sql=logged(sql)) if _UNIQUE.match(found.sql) else found

    return whole


def _by_its_database(word: str, record: ConnectRecord) -> ConnectRecord:
    """Key the statement of an index or a sequence by the database that stands in it."""
    found = _DATABASE_OF[word].match(record.value["ddl"])
    return record if found is None else replace(record, key={"databaseName": found[1]})


def _by_its_table(record: ConnectRecord) -> ConnectRecord:
    """Key a statement by the first table that its source names, if it names one."""
    table = (record.value["source"]["table"] or "").partition(",")[0]
    return replace(record, key={"databaseName": table}) if table else record


def _by_nothing(verb: str, record: ConnectRecord) -> ConnectRecord:
    """Key the statement that makes, drops or alters a database by an empty text."""
    found = record.value["ddl"].startswith(f"{verb} DATABASE")
    return replace(record, key={"databaseName": ""}) if found else record


def _with_comments(begin: str) -> Patch:
    """Return the patch that leaves comments around statements that begin so where they are."""

    def whole(original: Callable[[str], str]) -> Callable[[str], str]:
        def text(sql: str) -> str:
            found = original(sql)
            return logged(sql) if found.startswith(begin) else found

        return text

    return patch(f"{_PARSED}:trimmed", whole)


ROWS: Final = (
    row(
        "statement-without-a-key",
        "ddl.key",
        "It sends statements without a key.",
        one(SCHEMA_CHANGE, lambda record: replace(record, key=None, key_schema=None)),
    ),
    row(
        "statement-keyed-by-its-table",
        "ddl.key",
        "It writes the statement's table for the database into its key.",
        one(SCHEMA_CHANGE, _by_its_table),
    ),
    row(
        "statement-key-field-renamed",
        "ddl.key",
        "It calls `databaseName` in the key of a statement `database`.",
        key_renamed(SCHEMA_CHANGE, "databaseName", "database"),
    ),
    *(
        row(
            f"{word}-database-keyed-by-nothing",
            "ddl.key",
            f"It keys {verb} DATABASE by an empty text.",
            one(SCHEMA_CHANGE, partial(_by_nothing, verb)),
        )
        for word, verb in (("made", "CREATE"), ("dropped", "DROP"), ("altered", "ALTER"))
    ),
    *(
        row(
            f"{word}-keyed-by-its-database",
            "ddl.key",
            f"It writes the database of {article} {word} into the key of its statement.",
            one(SCHEMA_CHANGE, partial(_by_its_database, word)),
        )
        for article, word in (("an", "index"), ("a", "sequence"))
    ),
    row(
        "statement-in-capitals",
        "ddl.text",
        "It writes statements in capitals.",
        valued(SCHEMA_CHANGE, "ddl", str.upper),
    ),
    row(
        "statement-with-semicolon",
        "ddl.text",
        "It writes a semicolon behind a statement.",
        valued(SCHEMA_CHANGE, "ddl", lambda text: f"{text};"),
    ),
    row(
        "statement-with-comments",
        "ddl.text",
        "It writes the comments behind a statement.",
        instead(f"{_PARSED}:trimmed", str.strip),
    ),
    row(
        "made-database-with-comments",
        "ddl.text",
        "It writes the comments behind CREATE DATABASE.",
        _with_comments("CREATE DATABASE"),
    ),
    replace(
        row(
            "dropped-database-with-comments",
            "ddl.text",
            "It writes the comments behind DROP DATABASE.",
            _with_comments("DROP DATABASE"),
        ),
        equivalent=_CUT,
    ),
    row(
        "index-without-comments",
        "ddl.text",
        "It leaves the comments behind the statement of an index out.",
        instead(f"{_PARSED}:logged", trimmed),
    ),
    *(
        row(
            f"{word}-without-comments",
            "ddl.text",
            f"It leaves the comments behind {begin} out.",
            of_statements(begin, lambda value: value.update(ddl=trimmed(value["ddl"]))),
        )
        for word, begin in (("database", "ALTER DATABASE"), ("sequence", "DROP SEQUENCE"))
    ),
    row(
        "unique-index-with-comments",
        "ddl.text",
        "It writes the comments behind the statement of an index whose table it lists.",
        patch(f"{_PARSED}:_whole", _unique_as_logged),
    ),
    row(
        "renames-written-anew",
        "ddl.text",
        "It writes the names of a RENAME TABLE anew.",
        instead(f"{_PARSED}:_pairs", _written_anew),
    ),
)
