"""Texts before parsing: splitting, kinds, and the schemas that a statement touches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import DML, DdlError, StatementKind, classify, is_ddl, referenced_schemas, split
from tests.ddl.statements import RESTORED


def test_statements_are_split_outside_strings_and_comments() -> None:
    """Semicolons in strings, names and comments split nothing; places count from 1."""
    text = (
        "insert into t values (';', \"a;b\"); -- not ; here\n"
        "\n"
        "  update `a;b` set c = 'it''s;' /* ; */ where d;;\n"
        "# nothing; at all\n"
        "/*T! delete */ from t"
    )
    assert split(text) == (
        ("insert into t values (';', \"a;b\")", 1, 1),
        ("update `a;b` set c = 'it''s;' /* ; */ where d", 3, 3),
        ("/*T! delete */ from t", 5, 1),
    )


def test_an_executed_comment_at_the_end_stays_whole() -> None:
    """A statement that ends inside `/*T! ... */` keeps the end of the comment."""
    text = "create table t (a int /*T! comment 'x' */); select 1 /*!40000 limit 1 */ /* no */;"
    assert split(text) == (
        ("create table t (a int /*T! comment 'x' */)", 1, 1),
        ("select 1 /*!40000 limit 1 */", 1, 45),
    )


@given(st.lists(st.sampled_from(list(RESTORED)), max_size=4), st.sampled_from([";", " ;\n", ";;"]))
def test_splitting_undoes_joining(statements: list[str], separator: str) -> None:
    """Joined statements come apart again, each where it stands in the text."""
    text = separator.join(statements)
    found = split(text)
    assert [sql for sql, _, _ in found] == statements
    lines = text.split("\n")
    for sql, line, column in found:
        assert lines[line - 1][column - 1 :].startswith(sql.split("\n")[0][:20])


@pytest.mark.parametrize("text", ["select 'x", "select `x", "select /* x", "select /*! x"])
def test_a_torn_text_is_refused_with_its_place(text: str) -> None:
    """A string, name or comment without end cannot be split, and its start is named."""
    with pytest.raises(DdlError) as caught:
        split(f"select 1;\n{text}")
    assert (caught.value.line, caught.value.column) == (2, 8)


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("CREATE TABLE t (a int)", StatementKind.DDL),
        ("/* hi */ create or replace view v as select 1", StatementKind.DDL),
        ("truncate t", StatementKind.DDL),
        ("rename table a to b", StatementKind.DDL),
        ("rename user a to b", StatementKind.OTHER),
        ("create user u", StatementKind.OTHER),
        ("drop role if exists r", StatementKind.OTHER),
        ("create or replace function f() returns int return 1", StatementKind.OTHER),
        ("create definer=`a`@`%` trigger g before insert on t for each row x", StatementKind.OTHER),
        ("create definer = root@localhost procedure p() select 1", StatementKind.OTHER),
        ("create definer=current_user() event e do x", StatementKind.OTHER),
        (
            "create or replace definer=a@b trigger g before insert on t for each row x",
            StatementKind.OTHER,
        ),
        ("create table definer (a int)", StatementKind.DDL),
        ("create definer='a'@'b' view v as select 1", StatementKind.DDL),
        ("insert into t values (1)", StatementKind.INSERT),
        ("replace t values (1)", StatementKind.REPLACE),
        ("update t set a = 1", StatementKind.UPDATE),
        ("delete from t", StatementKind.DELETE),
        ("load data infile 'x' into table t", StatementKind.LOAD),
        ("with c as (select 1) delete from t", StatementKind.DELETE),
        ("with c as (insert) select 1", StatementKind.SELECT),
        ("(select 1) union select 2", StatementKind.SELECT),
        ("begin", StatementKind.TRANSACTION),
        ("start transaction", StatementKind.TRANSACTION),
        ("commit", StatementKind.TRANSACTION),
        ("set @@session.sql_mode = ''", StatementKind.SET),
        ("use d", StatementKind.USE),
        ("lock tables t write", StatementKind.OTHER),
        ("grant all on *.* to u", StatementKind.OTHER),
        ("with c as (select 1)", StatementKind.OTHER),
        ("", StatementKind.OTHER),
    ],
)
def test_the_first_words_decide_the_kind(sql: str, kind: StatementKind) -> None:
    """Every statement has one kind; only schema changes are DDL."""
    assert classify(sql) is kind
    assert is_ddl(sql) is (kind is StatementKind.DDL)


def test_dml_are_the_kinds_that_change_rows() -> None:
    """SELECT, SET and transaction control change no rows."""
    kinds = {classify(sql) for sql in ("insert t", "update t", "delete t", "replace t", "load t")}
    assert kinds == DML


@pytest.mark.parametrize(
    ("sql", "schemas"),
    [
        ("insert into a.t select * from b.u join c on 1", {"a", "b", "cur"}),
        ("insert ignore into a.t (x) values (1) on duplicate key update x = 2", {"a"}),
        ("replace delayed into a.t values (1)", {"a"}),
        ("update low_priority ignore a.t, b.u set t.x = 1", {"a", "b"}),
        ("delete quick from a.t where x in (select y from b.u)", {"a", "b"}),
        (
            "with c as (select 1 from b.u) update a.t set x = 1 where y in (select * from c)",
            {"a", "b"},
        ),
        ("select 1", set()),
        ("begin", set()),
        ("set @x = 1", set()),
        ("use d", {"d"}),
        ("use", set()),
        ("create table a.t (x int references b.u (y))", {"a", "b"}),
        ("create table t like b.u", {"cur", "b"}),
        ("create view a.v as select 1 from b.u, w", {"a", "b", "cur"}),
        ("rename table a.t to b.t", {"a", "b"}),
        ("alter table t exchange partition p with table b.u", {"cur", "b"}),
        ("drop database d", {"d"}),
        ("alter database character set utf8mb4", {"cur"}),
    ],
)
def test_every_schema_that_a_statement_names_is_returned(sql: str, schemas: set[str]) -> None:
    """Tables anywhere in the statement count; a bare name means the current schema."""
    assert referenced_schemas(sql, "cur") == schemas


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("update t set where", (1, 18)),
        ("grant all on *.* to u", (1, 1)),
        ("load data infile 'x' into table t", (1, 1)),
        ("create table t (a", (1, 18)),
        ("insert into t values ('x", (1, 23)),
    ],
)
def test_what_cannot_be_understood_is_refused(sql: str, place: tuple[int, int]) -> None:
    """A guard never gets a guess: it gets DdlError, with the place."""
    with pytest.raises(DdlError) as caught:
        referenced_schemas(sql, "cur")
    assert (caught.value.line, caught.value.column) == place
