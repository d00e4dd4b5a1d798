"""The catalogue: what a statement makes of it, and of its jobs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import Catalogue, DdlError, parse
from harness.model.table import TableId
from tests.ddl.applied import run


@pytest.mark.parametrize(
    "sql",
    [
        "create database if not exists D",
        "drop database if exists z",
        "alter database d charset utf8mb4",
        "create table if not exists T (z int)",
        "create temporary table x (a int)",
        "drop temporary table t",
        "drop table if exists z, y.x",
        "drop view if exists v",
    ],
)
def test_what_changes_nothing_makes_no_job(sql: str) -> None:
    """Guards that hit, the same character set, and a session's own temporary tables."""
    before, _ = run("create table t (a int)")
    after, jobs = run("create table t (a int)", sql)
    assert jobs == ()
    assert after == before


@pytest.mark.parametrize(
    ("sql", "what", "place"),
    [
        ("create database d", "Can't create database 'd'; database exists", (1, 17)),
        ("drop database z", "Can't drop database 'z'; database doesn't exist", (1, 15)),
        ("alter database z charset gbk", "Unknown database 'z'", (1, 16)),
        ("create table t (a int)", "Table 't' already exists", (1, 14)),
        ("drop table t,\n z", "Table 'd.z' doesn't exist", (2, 2)),
        ("truncate z", "Table 'd.z' doesn't exist", (1, 10)),
        ("rename table t to t", "Table 't' already exists", (1, 19)),
        ("rename table z to y", "Table 'd.z' doesn't exist", (1, 14)),
        ("create index i on z (a)", "Table 'd.z' doesn't exist", (1, 19)),
        ("drop index i on t", "Can't DROP 'i'", (1, 17)),
        ("create view x.v as select 1", "Unknown database 'x'", (1, 13)),
    ],
)
def test_what_mysql_refuses_is_refused_in_its_words(
    sql: str, what: str, place: tuple[int, int]
) -> None:
    """Line and column are those of the offending name within the statement."""
    with pytest.raises(DdlError) as caught:
        run("create table t (a int)", sql)
    assert what in caught.value.what
    assert (caught.value.line, caught.value.column) == place


def test_a_bare_name_needs_a_current_database() -> None:
    """Without `schema`, names must be written in full."""
    catalogue = Catalogue.with_schemas("d")
    assert catalogue.apply("create table d.t (a int)").jobs
    with pytest.raises(DdlError, match="No database selected"):
        catalogue.apply("create table t (a int)")


def test_a_parsed_statement_can_be_applied() -> None:
    """Its source is its restored text, and its errors have no place."""
    catalogue = Catalogue.with_schemas("d")
    (job,) = catalogue.apply(parse("create table t(a int)"), "d").jobs
    assert job.source == job.query == "CREATE TABLE `t` (`a` INT)"
    with pytest.raises(DdlError) as caught:
        catalogue.apply(parse("drop table t"), "d")
    assert (caught.value.line, caught.value.column) == (1, 1)


def test_an_unknown_table_is_a_key_error() -> None:
    """Asking is not a statement, so it is no DdlError."""
    with pytest.raises(KeyError):
        Catalogue.empty().table(TableId("d", "t"))
    assert Catalogue.empty().find("d", "t") is None


STEPS = (
    "create table if not exists t (id int primary key nonclustered, a int, key k (a))",
    "drop table if exists t",
    "truncate t",
    "alter table t add column if not exists b int",
    "alter table t drop column if exists b",
    "alter table t modify a bigint",
    "alter table t modify a int",
    "alter table t add index if not exists j (a)",
    "alter table t drop index if exists j",
    "rename table t to u",
    "rename table u to t",
    "create table if not exists p (i int) partition by hash (i) partitions 2",
    "alter table p add partition partitions 1",
    "truncate p",
)


@given(st.lists(st.sampled_from(STEPS), max_size=20))
def test_no_id_is_ever_given_to_two_things(steps: list[str]) -> None:
    """Whatever happens, physical ids differ, and column and index ids within a table do."""
    catalogue = Catalogue.with_schemas("d")
    for sql in steps:
        try:
            applied = catalogue.apply(sql, "d")
        except DdlError:
            continue
        catalogue = applied.catalogue
        for table in catalogue.tables():
            for column in table.columns:
                assert column.id <= table.max_column_id
            assert len({column.id for column in table.columns}) == len(table.columns)
            assert len({index.id for index in table.indexes}) == len(table.indexes)
            assert all(index.id <= table.max_index_id for index in table.indexes)
    physical = [n for t in catalogue.tables() for n in (t.physical_id, *t.partition_ids)]
    assert len(set(physical)) == len(physical)
