"""The catalogue: schemas, tables and views through their lives, and the jobs of each statement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import ActionType, Catalogue, DdlError, DdlJob, parse
from harness.model.table import TableId


def run(*statements: str, schema: str = "d") -> tuple[Catalogue, tuple[DdlJob, ...]]:
    """Return the catalogue after the statements, and the jobs of the last one."""
    catalogue = Catalogue.with_schemas("d", "e")
    jobs: tuple[DdlJob, ...] = ()
    for sql in statements:
        catalogue, jobs = (applied := catalogue.apply(sql, schema)).catalogue, applied.jobs
    return catalogue, jobs


def told(jobs: tuple[DdlJob, ...]) -> list[tuple[ActionType, str, str, str]]:
    """Return what each job is and says."""
    return [(job.action, job.schema, job.table, job.query) for job in jobs]


def test_databases_come_change_and_go() -> None:
    """CREATE, ALTER and DROP DATABASE are one job each, without a table."""
    assert Catalogue.empty().schemas() == ()
    catalogue, jobs = run("create database X charset latin1")
    assert catalogue.schemas() == ("d", "e", "X")
    assert told(jobs) == [
        (ActionType.CREATE_SCHEMA, "X", "", "CREATE DATABASE `X` CHARACTER SET = latin1")
    ]
    _, jobs = run("create database X", "alter database x collate utf8mb4_general_ci")
    assert told(jobs) == [
        (
            ActionType.MODIFY_SCHEMA_CHARSET_AND_COLLATE,
            "X",
            "",
            "ALTER DATABASE `x` COLLATE = utf8mb4_general_ci",
        )
    ]
    catalogue, jobs = run("create table t (a int)", "create table e.t (a int)", "drop schema D")
    assert told(jobs) == [(ActionType.DROP_SCHEMA, "d", "", "DROP DATABASE `D`")]
    assert [table.id for table in catalogue.tables()] == [TableId("e", "t")]


def test_several_dropped_tables_are_several_jobs() -> None:
    """TiCDC writes each query anew: full name, no IF EXISTS; what is missing is left out."""
    _, jobs = run(
        "create table a (i int)", "create table e.b (i int)", "drop table if exists A, z, y.x, e.b"
    )
    assert told(jobs) == [
        (ActionType.DROP_TABLE, "d", "a", "DROP TABLE `d`.`a`"),
        (ActionType.DROP_TABLE, "e", "b", "DROP TABLE `e`.`b`"),
    ]
    assert jobs[0].before is not None
    assert jobs[0].after is None
    assert jobs[0].source == "drop table if exists A, z, y.x, e.b"


def test_one_renamed_table_keeps_its_statement_several_are_rewritten() -> None:
    """Each pair of RENAME TABLE is a job that knows old and new name."""
    _, (job,) = run("create table a (i int)", "rename table a to e.b")
    assert told((job,)) == [(ActionType.RENAME_TABLE, "e", "b", "RENAME TABLE `a` TO `e`.`b`")]
    assert (job.old_schema, job.old_table) == ("d", "a")
    catalogue, jobs = run(
        "create table a (i int)",
        "create table b (j int)",
        "rename table a to c, b to a, c to e.b",
    )
    assert [job.query for job in jobs] == [
        "RENAME TABLE `d`.`a` TO `d`.`c`",
        "RENAME TABLE `d`.`b` TO `d`.`a`",
        "RENAME TABLE `d`.`c` TO `e`.`b`",
    ]
    assert catalogue.table(TableId("e", "b")).columns[0].name == "i"
    assert catalogue.table(TableId("D", "A")).columns[0].name == "j"


def test_views_live_beside_tables() -> None:
    """A view is a table without columns here; it can be replaced and dropped, never altered."""
    catalogue, jobs = run("create view v as select 1", "create or replace view v as select 2")
    assert [job.action for job in jobs] == [ActionType.CREATE_VIEW]
    assert jobs[0].before is not None
    assert catalogue.table(TableId("d", "v")).is_view
    _, jobs = run("create view v as select 1", "create view w as select 1", "drop view v, w")
    assert [job.query for job in jobs] == ["DROP VIEW `d`.`v`", "DROP VIEW `d`.`w`"]
    for sql, what in (
        ("drop table v", "is not BASE TABLE"),
        ("alter table v add a int", "is not BASE TABLE"),
        ("truncate v", "doesn't exist"),
        ("create table v (a int)", "already exists"),
        ("create table x like v", "is not BASE TABLE"),
        ("drop view t", "is not VIEW"),
        ("create or replace view t as select 1", "already exists"),
    ):
        with pytest.raises(DdlError, match=what):
            run("create view v as select 1", "create table t (a int)", sql)


def test_sequences_and_policies_make_jobs_that_ticdc_never_sends() -> None:
    """They are known, so that a scenario may use them, and have actions of their own."""
    catalogue, jobs = run("create sequence s", "create sequence if not exists s")
    assert jobs == ()
    assert catalogue.table(TableId("d", "s")).is_sequence
    actions = [
        job.action
        for sql in ("alter sequence s increment 2", "drop sequence if exists s, z")
        for job in run("create sequence s", sql)[1]
    ]
    assert actions == [ActionType.ALTER_SEQUENCE, ActionType.DROP_SEQUENCE]
    _, (job,) = run("create placement policy p followers=1")
    assert job.action is ActionType.CREATE_PLACEMENT_POLICY
    _, (job,) = run("alter database d placement policy p")
    assert job.action is ActionType.MODIFY_SCHEMA_DEFAULT_PLACEMENT
    for sql in ("create sequence s", "drop sequence z", "alter sequence t increment 2"):
        with pytest.raises(DdlError):
            run("create sequence s", "create table t (a int)", sql)


def test_a_dropped_table_comes_back_with_its_ids() -> None:
    """FLASHBACK and RECOVER find the latest table of that name, truncated ones too."""
    catalogue, _ = run("create table t (a int)")
    original = catalogue.table(TableId("d", "t"))
    catalogue, (job,) = run("create table t (a int)", "drop table t", "recover table t")
    assert job.action is ActionType.RECOVER_TABLE
    assert catalogue.table(TableId("d", "t")).physical_id == original.physical_id
    catalogue, (job,) = run("create table t (a int)", "truncate t", "flashback table t to u")
    assert job.query == "FLASHBACK TABLE `t` TO `u`"
    assert catalogue.table(TableId("d", "u")).physical_id == original.physical_id
    with pytest.raises(DdlError, match="doesn't exist"):
        run("recover table t")
    with pytest.raises(DdlError, match="already exists"):
        run("create table t (a int)", "truncate t", "recover table t")


def test_mariadbs_or_replace_is_a_drop_and_a_create() -> None:
    """TiDB has no such statement, so it is sent as the two that it amounts to."""
    _, jobs = run("create table t (a int)", "create or replace table t (b int)")
    assert told(jobs) == [
        (ActionType.DROP_TABLE, "d", "t", "DROP TABLE `d`.`t`"),
        (ActionType.CREATE_TABLE, "d", "t", "CREATE TABLE `t` (`b` INT)"),
    ]


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
