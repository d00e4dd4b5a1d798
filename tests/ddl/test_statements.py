"""The restored text: what TiCDC sends for what a person writes."""

from __future__ import annotations

import re

import pytest

from harness.ddl import parse
from tests.ddl.statements import EXPRESSIONS, QUERIES, RESTORED

# Written back, these lose what makes them statements, or a backslash: TiDB's own doing.
NOT_STABLE = re.compile(r"placement|attributes|resource group|\\")


@pytest.mark.parametrize(("sql", "sent"), RESTORED.items())
def test_a_statement_is_sent_in_tidbs_words(sql: str, sent: str) -> None:
    """Each statement comes out exactly as TiDB's parser writes it back under TiCDC's flags."""
    assert parse(sql).restore() == sent


@pytest.mark.parametrize(("sql", "sent"), QUERIES.items())
def test_a_views_query_is_sent_in_tidbs_words(sql: str, sent: str) -> None:
    """A view's query keeps its meaning and takes TiDB's layout, joins and aliases included."""
    prefix = "CREATE ALGORITHM = UNDEFINED DEFINER = CURRENT_USER SQL SECURITY DEFINER VIEW `v` AS "
    assert parse(f"create view v as {sql}").restore() == prefix + sent


@pytest.mark.parametrize(("sql", "sent"), EXPRESSIONS.items())
def test_an_expression_is_sent_in_tidbs_words(sql: str, sent: str) -> None:
    """An expression keeps its operators and parentheses; TiDB's renamed functions are renamed."""
    restored = parse(f"create table t (z int as ({sql}))").restore()
    assert restored == f"CREATE TABLE `t` (`z` INT GENERATED ALWAYS AS({sent}) VIRTUAL)"


@pytest.mark.parametrize("sql", [sql for sql in RESTORED if not NOT_STABLE.search(sql)])
def test_what_is_sent_says_the_same_again(sql: str) -> None:
    """A consumer that parses the sent text gets a statement that is sent alike."""
    sent = parse(sql).restore()
    assert parse(sent).restore() == sent


@pytest.mark.parametrize(
    ("sql", "sent"),
    [
        (
            (
                "create or replace algorithm=temptable definer='a'@'H' sql security invoker"
                " view d.v (x, y) as select 1, 2 with local check option"
            ),
            (
                "CREATE OR REPLACE ALGORITHM = TEMPTABLE DEFINER = `a`@`h` SQL SECURITY INVOKER"
                " VIEW `d`.`v` (`x`,`y`) AS SELECT 1,2 WITH LOCAL CHECK OPTION"
            ),
        ),
        (
            "create definer = root view v as select 1 with cascaded check option",
            (
                "CREATE ALGORITHM = UNDEFINED DEFINER = `root`@`%` SQL SECURITY DEFINER VIEW `v` AS"
                " SELECT 1"
            ),
        ),
        (
            "create definer = current_user() view v as (select 1)",
            (
                "CREATE ALGORITHM = UNDEFINED DEFINER = CURRENT_USER SQL SECURITY DEFINER VIEW `v`"
                " AS (SELECT 1)"
            ),
        ),
    ],
)
def test_a_view_shows_all_its_attributes(sql: str, sent: str) -> None:
    """Algorithm, definer and security are always sent; only a LOCAL check option is."""
    assert parse(sql).restore() == sent


def test_executed_comments_are_code() -> None:
    """`/*! */` and known `/*T![feature] */` comments count; others and MariaDB's do not."""
    sql = (
        "create /*!40101 table */ t (a int /*T![clustered_index] primary key */"
        " /*T![not_a_feature] nonsense */ /*M!100000 nonsense */ comment 'c') # end"
    )
    assert parse(sql).restore() == "CREATE TABLE `t` (`a` INT PRIMARY KEY COMMENT 'c')"


def test_ansi_quotes_make_names_of_double_quotes() -> None:
    """The sql_mode decides whether "a" is a name or a string."""
    sql = 'alter table "t" add column "a" varchar(3) default \'x\''
    sent = "ALTER TABLE `t` ADD COLUMN `a` VARCHAR(3) DEFAULT _UTF8MB4'x'"
    assert parse(sql, ansi_quotes=True).restore() == sent
    assert parse('alter table t comment "it\'s"').restore() == "ALTER TABLE `t` COMMENT = 'it''s'"
