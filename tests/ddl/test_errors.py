"""Bad DDL: every refusal has a place, an expectation, and no traceback but `DdlError`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import Catalogue, DdlError, parse, tokenize
from harness.errors import ExitCode, UsageError
from tests.ddl.statements import QUERIES, RESTORED

REFUSED = [
    ("create tabel t (a int)", 1, 8, "unexpected 'tabel'", "DATABASE, TABLE, VIEW"),
    ("create table t\n (a it)", 2, 5, "unexpected 'it'", "a column type"),
    ("create table t (a int", 1, 22, "the statement ends too early", ")"),
    ("create table t (a int) x", 1, 24, "unexpected 'x'", "the end of the statement"),
    ("create table t (a int); drop table t", 1, 25, "unexpected 'drop'", "the end"),
    ("create table select (a int)", 1, 14, "unexpected 'select'", "the name of a table"),
    ("create table t (a varchar)", 1, 26, "unexpected ')'", "a length"),
    ("create table t (a int default)", 1, 30, "unexpected ')'", "a constant"),
    ("create table t (a int default 'x)", 1, 31, "this string is never closed", "a closing '"),
    ("create table t (`a int)", 1, 17, "this quoted name is never closed", "a closing `"),
    ("create table t (a int) /* x", 1, 24, "this comment is never closed", "*/"),
    ("create table t (a int) /*T! comment 'x'", 1, 24, "this comment is never closed", "*/"),
    ("create table t (a int \\ b)", 1, 23, "unexpected character '\\\\'", ""),
    (
        "create table t (a char(3) charset klingon)",
        1,
        35,
        "unknown character set 'klingon'",
        "utf8",
    ),
    ("create table t (a char(3) collate x_y)", 1, 35, "unknown collation 'x_y'", "utf8mb4_bin"),
    ("create table t (a datetime(7))", 1, 27, "too-big precision 7", "0 to 6"),
    ("create table t (a year(2))", 1, 23, "YEAR(2) is not a type", "YEAR(4)"),
    ("create table t (a double(9))", 1, 25, "DOUBLE takes two sizes or none", "(M, D)"),
    ("create table t (a int as (1) default 2)", 1, 17, "Incorrect usage of DEFAULT", ""),
    ("create table t (a int) partition by range (a)", 1, 24, "For RANGE partitions each", ""),
    (
        "create table t (a int) partition by hash (a) partitions 0",
        1,
        57,
        "unexpected",
        "at least 1",
    ),
    ("create global temporary table t (a int)", 1, 40, "the statement ends", "ON COMMIT"),
    ("alter table t frobnicate", 1, 15, "unexpected 'frobnicate'", "what to alter"),
    ("alter table t add index k (a) using tree", 1, 37, "unexpected 'tree'", "BTREE"),
    (
        "alter table t add foreign key (a) references p (b) on delete panic",
        1,
        62,
        "panic",
        "CASCADE",
    ),
    ("alter table t ttl_enable = 'MAYBE'", 1, 28, "MAYBE", "'ON' or 'OFF'"),
    ("alter table t convert to character x", 1, 26, "unexpected 'character'", "CHARACTER SET"),
    ("create table t (a int) comment 'a', x", 1, 37, "unexpected 'x'", "a table option"),
    ("create table t (a int) default x", 1, 32, "unexpected 'x'", "CHARACTER SET or COLLATE"),
    ("create table t (a int) placement x", 1, 24, "unexpected 'placement'", "the end"),
    ("create table t (a int) data x", 1, 24, "unexpected 'data'", "the end"),
    ("create table t (a int) engine = 5", 1, 33, "unexpected '5'", "the value of ENGINE"),
    ("create temporary view v as select 1", 1, 18, "unexpected 'view'", "TABLE"),
    ("alter database d", 1, 17, "the statement ends", "CHARACTER SET or COLLATE"),
    ("alter sequence s", 1, 17, "the statement ends", "what to alter"),
    ("alter user u", 1, 7, "unexpected 'user'", "TABLE, DATABASE or SEQUENCE"),
    ("create table t (a int default now)", 1, 34, "unexpected ')'", "( after NOW"),
    ("create table t (a int default -'x')", 1, 32, "unexpected \"'x'\"", "a number after"),
    ("create table t (a int comment x)", 1, 31, "unexpected 'x'", "a comment in 'quotes'"),
    ("create table t (a int as (b + interval 1 eon))", 1, 42, "unexpected 'eon'", "a unit of"),
    ("create table a.+ (a int)", 1, 16, "unexpected '+'", "the name of a table"),
    ("alter table t partition p frob", 1, 27, "unexpected 'frob'", "PLACEMENT POLICY"),
    ("create user u", 1, 8, "unexpected 'user'", "DATABASE, TABLE, VIEW"),
    ("select 1", 1, 1, "unexpected 'select'", "a DDL statement"),
    ("", 1, 1, "the statement ends too early", "a DDL statement"),
]


@pytest.mark.parametrize(("sql", "line", "column", "what", "expected"), REFUSED)
def test_a_refusal_says_where_what_and_what_else(
    sql: str, line: int, column: int, what: str, expected: str
) -> None:
    """Line and column point at the offending word; found and expected are told apart."""
    with pytest.raises(DdlError) as caught:
        parse(sql)
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert what in error.what
    assert f"line {line}, column {column}" in error.what
    assert expected in error.expected


def test_it_is_a_usage_error() -> None:
    """Bad SQL is the user's mistake: exit code 2."""
    assert issubclass(DdlError, UsageError)
    assert DdlError("x").exit_code is ExitCode.USAGE


def test_a_reserved_word_comes_with_the_way_out() -> None:
    """Who calls a column `key` is told to quote it."""
    with pytest.raises(DdlError) as caught:
        parse("create table t (a int, primary int)")
    assert "KEY" in caught.value.expected
    with pytest.raises(DdlError) as caught:
        parse("create table t (a int, b int as (order + 1))")
    assert "back quotes" in caught.value.hint


WORLD = (
    Catalogue.with_schemas("d")
    .apply("create table t (a int primary key, b int, key k (b))", "d")
    .catalogue.apply("create table p (a int) partition by hash (a) partitions 3", "d")
    .catalogue
)
WORDS = (
    *("(", ")", ",", ".", "a", "b", "t", "p", "p0", "d", "'x'", "5", "-", "*", "=", "`", "'"),
    *("key", "primary", "index", "add", "drop", "column", "int", "char", "set", "default", "null"),
    *("not", "partition", "by", "values", "in", "first", "after", "to", "as", "select", "from"),
    *("/*", "*/", "/*T![ttl]", "0x1", "b'2'", "1.5", "@", "interval", "day", "unique", "with"),
)


def refusal_of(run: Callable[[], object]) -> DdlError | None:
    """Return how the catalogue refuses, or None when it answers."""
    try:
        run()
    except DdlError as error:
        return error
    return None


@given(data=st.data())
def test_no_text_escapes_with_another_error(data: st.DataObject) -> None:
    """However a statement is torn, the catalogue answers or raises DdlError, nothing else."""
    sql = data.draw(st.sampled_from([*RESTORED, *(f"create view v as {q}" for q in QUERIES)]))
    words = [sql[token.start : token.end] for token in tokenize(sql)[:-1]]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(words)))
        new = data.draw(st.lists(st.sampled_from(WORDS), max_size=2))
        words[at : at + data.draw(st.integers(0, 2))] = new
    torn = " ".join(words)
    for run in (lambda: parse(torn).restore(), lambda: WORLD.apply(torn, "d")):
        refusal = refusal_of(run)
        assert refusal is None or (str(refusal) and refusal.line >= 1 and refusal.column >= 1)
