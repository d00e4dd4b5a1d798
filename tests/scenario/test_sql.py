"""SQL texts fall into statements as the lexer sees them, each found again in the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.documents.yaml_file import read
from harness.scenario import sql as sql_module
from harness.scenario.sql import (
    _NEEDS_THE_LEXER,
    TornSqlError,
    _lexed_pieces,
    _quick_pieces,
    pieces,
    statements,
)

# SQL text -> its statements, each with its first word.
SPLITS = [
    ("", []),
    (" ; ;\n;", []),
    ("-- nothing", []),
    ("/* nothing; */ ; # nothing;", []),
    ("SELECT 1", [("SELECT 1", "SELECT")]),
    ("a; b ;", [("a", "A"), ("b", "B")]),
    ("INSERT INTO t VALUES (';'); x", [("INSERT INTO t VALUES (';')", "INSERT"), ("x", "X")]),
    (r"INSERT INTO t VALUES ('\';'); x", [(r"INSERT INTO t VALUES ('\';')", "INSERT"), ("x", "X")]),
    ("INSERT INTO t VALUES (''';'); x", [("INSERT INTO t VALUES (''';')", "INSERT"), ("x", "X")]),
    ('DELETE FROM `a;b` WHERE c = ";"', [('DELETE FROM `a;b` WHERE c = ";"', "DELETE")]),
    (
        "-- one;\nUPDATE t SET a = 1 -- two;\n; x",
        [("UPDATE t SET a = 1", "UPDATE"), ("x", "X")],
    ),
    ("/* ; */ x /* ; */ y; z", [("x /* ; */ y", "X"), ("z", "Z")]),
    (
        "CREATE TABLE t (a INT PRIMARY KEY /*T![clustered_index] NONCLUSTERED */); x",
        [
            ("CREATE TABLE t (a INT PRIMARY KEY /*T![clustered_index] NONCLUSTERED */)", "CREATE"),
            ("x", "X"),
        ],
    ),
    ("/*!40101 SET NAMES utf8 */; x", [("/*!40101 SET NAMES utf8 */", "SET"), ("x", "X")]),
    ("/* plain */ /*!40101 SET x = 1 */", [("/*!40101 SET x = 1 */", "SET")]),
    ("(SELECT 1)", [("(SELECT 1)", "(")]),
    (
        "SELECT @`a;b`, 'c@d', 1 - 2 / 3; x",
        [("SELECT @`a;b`, 'c@d', 1 - 2 / 3", "SELECT"), ("x", "X")],
    ),
    (
        "INSERT INTO t VALUES (1-- 2;\n); x",
        [("INSERT INTO t VALUES (1-- 2;\n)", "INSERT"), ("x", "X")],
    ),
]


@pytest.mark.parametrize(("sql", "expected"), SPLITS, ids=[repr(sql) for sql, _ in SPLITS])
def test_statements_end_at_semicolons_and_nowhere_else(
    sql: str, expected: list[tuple[str, str]]
) -> None:
    """Strings, quoted names and comments hide semicolons; executed comments do not hide code."""
    found = pieces(sql)
    assert [(piece.sql, piece.word) for piece in found] == expected
    assert all(sql.startswith(piece.sql, piece.offset) for piece in found)


FRAGMENTS = (
    *"'\"`;\\ \n\ta1é$.,(#/-@_\u3000",
    *(
        "INSERT ",
        "X'",
        "b'",
        "N'",
        "0x1",
        "-- ",
        "/*",
        "/*;*/",
        "/*!1*/",
        "/*T![ttl] x*/",
        "/*T![y] x*/",
    ),
)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
def test_the_quick_way_agrees_with_the_lexer(sql: str) -> None:
    """Where the quick way answers, the lexer answers the same, or finds an unreadable character."""
    quick = None if _NEEDS_THE_LEXER.search(sql) else _quick_pieces(sql)
    try:
        lexed = _lexed_pieces(sql)
    except TornSqlError as error:
        lexed = quick if "unexpected character" in error.what else None
    assert quick in (None, lexed)


SQL = "INSERT INTO t VALUES ('é\\'s ''q''', 2);  UPDATE t\n  SET a = \"x\" ;\n\nDELETE FROM t"

# How the same three statements may be written in YAML -> where they begin.
WRITTEN = {
    "literal": (
        (
            "sql: |\n  INSERT INTO t VALUES ('é\\'s ''q''', 2);  UPDATE t\n"
            '    SET a = "x" ;\n\n  DELETE FROM t\n'
        ),
        [(2, 3), (2, 44), (5, 3)],
    ),
    "literal, indented more": (
        "sql: |2-\n     INSERT INTO t VALUES (1);\n  UPDATE t SET a = 1; \n  DELETE FROM t\n",
        [(2, 6), (3, 3), (4, 3)],
    ),
    "folded": (
        "sql: >\n  INSERT INTO t\n  VALUES (1); UPDATE t\n  SET a = 1;\n\n\n  DELETE FROM t\n",
        [(2, 3), (3, 15), (7, 3)],
    ),
    "plain": (
        "sql: INSERT INTO t VALUES (1); UPDATE t SET a = 1; DELETE FROM t\n",
        [(1, 6), (1, 32), (1, 52)],
    ),
    "plain over lines": (
        "sql: INSERT INTO t\n  VALUES (1); UPDATE t\n  SET a = 1;\n\n  DELETE FROM t\n",
        [(1, 6), (2, 15), (5, 3)],
    ),
    "single quotes": (
        "sql: 'INSERT INTO t VALUES (''a''); UPDATE t\n  SET a = ''''; DELETE FROM t'\n",
        [(1, 7), (1, 37), (2, 17)],
    ),
    "double quotes": (
        f"sql: {json.dumps(SQL)}\n",
        [(1, 7), (1, 54), (1, 85)],
    ),
    "double quotes over lines": (
        (
            'sql: "INSERT INTO t VALUES (\\x27\\u00e9\\x27);\\\n'
            '  \\ UPDATE t SET a = \\"\\";\n  DELETE FROM t"\n'
        ),
        [(1, 7), (2, 5), (3, 3)],
    ),
    "with a comment of YAML's": (
        "# é\nsql: INSERT INTO t VALUES (1); UPDATE t SET a = 1; DELETE FROM t # ;\n",
        [(2, 6), (2, 32), (2, 52)],
    ),
}


@pytest.mark.parametrize(("text", "places"), WRITTEN.values(), ids=WRITTEN)
def test_each_statement_is_found_in_the_file(text: str, places: list[tuple[int, int]]) -> None:
    """However YAML folds, quotes or escapes SQL, a statement's line and column are true."""
    found = statements(read(text, "f"), ("sql",))
    assert [(statement.line, statement.column) for statement in found] == places
    assert [statement.sql.split()[0] for statement in found] == ["INSERT", "UPDATE", "DELETE"]


def test_places_of_many_statements_take_one_look_at_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a text of thousands of statements costs grows with its length, not with its square."""
    looks: list[str] = []

    def counted(*args: Any) -> Iterator[int]:
        looks.append("a look")
        return visible(*args)

    visible = vars(sql_module)["_visible"]
    monkeypatch.setattr(sql_module, "_visible", counted)
    found = statements(read("sql: |\n" + "  DELETE FROM t;\n" * 3000, "f"), ("sql",))
    assert [statement.line for statement in found] == list(range(2, 3002))
    assert looks == ["a look"]
