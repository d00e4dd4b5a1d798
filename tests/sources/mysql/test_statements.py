"""What the connector's parser makes of a statement, by debezium-ddl-parser 3.3.0.Final itself."""

from __future__ import annotations

import pytest

from harness.errors import StepError
from harness.model.binlog import LogDdl
from harness.model.change import DdlRun
from harness.sources.mysql.simulator import Server
from harness.sources.mysql.texts import code, logged, trimmed

T = "CREATE TABLE t (id INT, a INT, u INT NOT NULL, UNIQUE KEY uk (u), KEY ka (a))"
K = "CREATE TABLE k (a INT NOT NULL, b INT, v INT)"


def statements(*sqls: str) -> list[LogDdl]:
    """Return what a connector takes from statements behind those that make `t` and `k`."""
    runs = [DdlRun(sql, "shop", number) for number, sql in enumerate((T, K, *sqls), 1)]
    found = list(Server(["shop", "depot"]).replay(runs))
    return [one for one in found if isinstance(one, LogDdl)][2:]


@pytest.mark.parametrize(
    ("sql", "trim", "log"),
    [
        ("  DROP TABLE t ; \n", "DROP TABLE t", "DROP TABLE t"),
        ("/* a */ x -- b", "x", "/* a */ x -- b"),
        ("# a\nx /* b */ y /*! c */ ;", "x /* b */ y", "# a\nx /* b */ y /*! c */"),
        ("x '/* a */' --b", "x '/* a */' --b", "x '/* a */' --b"),
        ("`#` '\\'--' \"''#\"", "`#` '\\'--' \"''#\"", "`#` '\\'--' \"''#\""),
    ],
)
def test_a_text_ends_where_its_words_do(sql: str, trim: str, log: str) -> None:
    """Comments around a statement are none of its text, those within it are, and in texts all."""
    assert trimmed(sql) == trim
    assert logged(sql) == log


def test_code_has_no_texts_and_keeps_its_places() -> None:
    """What looks like code in a text or a comment is none."""
    assert code("`a b` 'x BOOL' /* REAL */ c") == "`a b`" + " " * 21 + "c"


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("/* c */ TRUNCATE TABLE t", []),
        ("/* c */ DROP TABLE t", ["DROP TABLE `shop`.`t`"]),
        ("DROP TABLE IF EXISTS `a.b`", ["DROP TABLE IF EXISTS `shop`.`a.b`"]),
        ("DROP TABLE IF EXISTS shop.`a``b`", ["DROP TABLE IF EXISTS `shop`.`a``b`"]),
        (
            "/* c */ rename table `shop`.`t` to n /* d */, k TO m # e",
            ["rename table `shop`.`t` to n", "rename table k TO m"],
        ),
        ("/* c */ ALTER TABLE t ADD n INT # d", ["ALTER TABLE t ADD n INT"]),
        ("ALTER TABLE t ENGINE=InnoDB", ["ALTER TABLE t ENGINE=InnoDB"]),
        ("/* c */ CREATE INDEX i ON t (a)", ["/* c */ CREATE INDEX i ON t (a)"]),
        ("/* c */ CREATE DATABASE `x-y` # d", ["CREATE DATABASE `x-y`"]),
        ("CREATE VIEW w AS SELECT id FROM t", []),
    ],
)
def test_the_text_of_a_statement(sql: str, found: list[str]) -> None:
    """A statement's text is what the parser says of it."""
    assert [one.sql for one in statements(sql)] == found


@pytest.mark.parametrize(
    ("sqls", "keys"),
    [
        (["CREATE UNIQUE INDEX i ON k (a)"], [("a",)]),
        (["CREATE UNIQUE INDEX i ON k (b)"], [()]),
        (["CREATE UNIQUE INDEX i ON k ((a + 1))"], [None]),
        (["CREATE UNIQUE INDEX i ON k (a)", "CREATE UNIQUE INDEX j ON k (a)"], [("a",), None]),
        (["CREATE UNIQUE INDEX i ON t (a)"], [None]),
        (["ALTER TABLE k ADD COLUMN (x INT, y INT UNIQUE)"], [("y",)]),
        (["ALTER TABLE k ORDER BY a"], [()]),
        (["RENAME TABLE k TO t2, t TO k", "ALTER TABLE k FORCE"], [(), ("u",), ("u",)]),
    ],
)
def test_the_key_that_a_statement_leaves(
    sqls: list[str], keys: list[tuple[str, ...] | None]
) -> None:
    """A unique index makes a key where there is none; None: the statement describes no table."""
    found = [one.changes[0].table if one.changes else None for one in statements(*sqls)]
    assert [None if table is None else table.key for table in found] == keys


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE OR REPLACE TABLE t (id INT)",
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS a BIGINT",
        "ALTER TABLE t MODIFY COLUMN IF EXISTS x INT",
        "ALTER TABLE t RENAME COLUMN a TO A",
        "ALTER TABLE k ADD COLUMN (x INT UNIQUE, y INT)",
        "ALTER TABLE k ADD COLUMN (x INT, y INT PRIMARY KEY)",
    ],
)
def test_what_the_connector_misreads_is_refused(sql: str) -> None:
    """Rows behind such a statement have other columns than the connector knows."""
    with pytest.raises(StepError, match="the connector misreads"):
        statements(sql)
