"""ALTER TABLE: what the table is afterwards, and which job it was."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType, Catalogue, DdlError, DdlJob
from harness.model.columns import ColumnKind, Default
from harness.model.table import Table, TableId

CREATE = (
    "create table t (id int primary key nonclustered, a int, b varchar(20), u int unique,"
    " key ka (a), key kab (a, b))"
)


def altered(sql: str, create: str = CREATE) -> tuple[Table, tuple[DdlJob, ...]]:
    """Return `d.t` after the statement, and its jobs."""
    catalogue = Catalogue.with_schemas("d").apply(create, "d").catalogue
    applied = catalogue.apply(sql, "d")
    return applied.catalogue.table(TableId("d", "t")), applied.jobs


def names(table: Table) -> str:
    """Return the column names in order."""
    return " ".join(column.name for column in table.columns)


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("alter table t add c int", "id a b u c"),
        ("alter table t add c int first", "c id a b u"),
        ("alter table t add c int after A", "id a c b u"),
        ("alter table t add (c int, e int)", "id a b u c e"),
        ("alter table t add c int, add e int after c", "id a b u c e"),
        ("alter table t drop u", "id a b"),
        ("alter table t modify b varchar(30) first", "b id a u"),
        ("alter table t change a z int after u", "id b u z"),
        ("alter table t rename column a to z", "id z b u"),
        ("alter table t drop u, add u int", "id a b u"),
    ],
)
def test_columns_stand_where_the_statement_puts_them(sql: str, columns: str) -> None:
    """FIRST, AFTER and no place at all, alone and together."""
    assert names(altered(sql)[0]) == columns


def test_ids_rise_and_are_never_given_twice() -> None:
    """A dropped column's id stays dropped; so does an index's."""
    catalogue = Catalogue.with_schemas("d").apply(CREATE, "d").catalogue
    for sql in (
        "alter table t drop u",
        "alter table t add u int unique",
        "alter table t drop key ka",
        "alter table t add key ka (a)",
    ):
        catalogue = catalogue.apply(sql, "d").catalogue
    table = catalogue.table(TableId("d", "t"))
    assert table.column("u").id == 5
    assert {index.name: index.id for index in table.indexes} == {
        "PRIMARY": 3,
        "kab": 2,
        "u": 5,
        "ka": 6,
    }


@pytest.mark.parametrize(
    ("definition", "origin"),
    [
        ("int", None),
        ("int default 5", Default("5")),
        ("int default null", None),
        ("int not null", Default("0")),
        ("varchar(3) not null", Default("")),
        ("decimal(9, 2) not null", Default("0")),
        ("enum('x', 'y') not null", Default("x")),
        ("datetime(2) not null", Default("0000-00-00 00:00:00.00")),
        ("date not null", Default("0000-00-00")),
        ("int as (a + 1)", None),
    ],
)
def test_an_added_column_says_what_old_rows_read(definition: str, origin: Default | None) -> None:
    """The default, else NULL, else the type's zero value."""
    table, _ = altered(f"alter table t add c {definition}")
    assert table.column("c").origin_default == origin


@pytest.mark.parametrize(
    ("old", "new", "rewritten"),
    [
        ("int", "bigint", False),
        ("int", "int unsigned", True),
        ("bigint", "int", True),
        ("int", "varchar(20)", True),
        ("varchar(20)", "varchar(30)", False),
        ("varchar(20)", "varchar(10)", True),
        ("varchar(20)", "char(20)", True),
        ("tinytext", "text", False),
        ("decimal(9, 2)", "decimal(10, 2)", True),
        ("enum('a')", "enum('a', 'b')", False),
        ("enum('a', 'b')", "enum('b', 'a')", True),
        ("datetime(3)", "datetime(6)", False),
        ("datetime(3)", "datetime", True),
        ("binary(3)", "binary(4)", True),
        ("float", "double", True),
        ("vector(3)", "vector(4)", True),
        ("int", "int not null", False),
    ],
)
def test_only_a_change_that_rewrites_rows_gives_a_new_column_id(
    old: str,
    new: str,
    rewritten: bool,  # noqa: FBT001
) -> None:
    """TiDB reorganises then, and its indexes over the column are new as well."""
    part = "(5)" if "text" in new else ""
    table, jobs = altered(
        f"alter table t modify c {new}", f"create table t (c {old}, key k (c{part}))"
    )
    assert (table.column("c").id, table.indexes[0].id) == ((2, 2) if rewritten else (1, 1))
    assert [job.action for job in jobs] == [ActionType.MODIFY_COLUMN]


def test_a_changed_column_keeps_its_key_and_its_place_in_keys() -> None:
    """A primary key stays NOT NULL; indexes and foreign keys follow a new name."""
    table, _ = altered("alter table t modify id int")
    assert not table.column("id").nullable
    table, _ = altered("alter table t change a z bigint not null default 7")
    assert [index.columns for index in table.indexes if index.name in ("ka", "kab")] == [
        ("z",),
        ("z", "b"),
    ]
    column = table.column("z")
    assert (column.kind, column.nullable, column.default) == (
        ColumnKind.BIGINT,
        False,
        Default("7"),
    )
    table, _ = altered("alter table t modify a int unique")
    assert [index.name for index in table.indexes][-1] == "a"


@pytest.mark.parametrize(
    ("sql", "action"),
    [
        ("alter table t add c int", ActionType.ADD_COLUMN),
        ("alter table t add (c int)", ActionType.ADD_COLUMN),
        ("alter table t add c int, algorithm=inplace, lock=none", ActionType.ADD_COLUMN),
        ("alter table t add (c int, e int)", ActionType.MULTI_SCHEMA_CHANGE),
        ("alter table t add c int, drop u", ActionType.MULTI_SCHEMA_CHANGE),
        ("alter table t add key (b)", ActionType.ADD_INDEX),
        ("create unique index i on t (b)", ActionType.ADD_INDEX),
        ("alter table t drop key ka", ActionType.DROP_INDEX),
        ("drop index ka on t", ActionType.DROP_INDEX),
        ("alter table t drop primary key", ActionType.DROP_PRIMARY_KEY),
        ("drop index `primary` on t", ActionType.DROP_PRIMARY_KEY),
        ("alter table t rename key ka to kz", ActionType.RENAME_INDEX),
        ("alter table t alter index ka invisible", ActionType.ALTER_INDEX_VISIBILITY),
        ("alter table t alter a set default 5", ActionType.SET_DEFAULT_VALUE),
        ("alter table t alter a drop default", ActionType.SET_DEFAULT_VALUE),
        ("alter table t rename column a to z", ActionType.MODIFY_COLUMN),
        ("alter table t rename z", ActionType.RENAME_TABLE),
        ("alter table t comment 'x'", ActionType.MODIFY_TABLE_COMMENT),
        ("alter table t auto_increment 9", ActionType.REBASE_AUTO_ID),
        ("alter table t charset latin1", ActionType.MODIFY_TABLE_CHARSET_AND_COLLATE),
        ("alter table t cache", ActionType.ALTER_CACHE_TABLE),
        ("alter table t add foreign key (a) references p (id)", ActionType.ADD_FOREIGN_KEY),
        ("alter table t add foreign key (b) references p (id)", ActionType.MULTI_SCHEMA_CHANGE),
    ],
)
def test_one_specification_is_one_job_several_are_a_multi_schema_change(
    sql: str, action: ActionType
) -> None:
    """LOCK and ALGORITHM do not count; a foreign key counts its index."""
    catalogue = Catalogue.with_schemas("d").apply(CREATE, "d").catalogue
    (job,) = catalogue.apply(sql, "d").jobs
    assert job.action is action
    assert job.before is not None
    assert job.after is not None
    assert job.after.version == job.before.version + 1
    assert (job.old_schema, job.old_table) == ("d", "t")


def test_options_without_commas_are_jobs_of_their_own() -> None:
    """TiDB runs one job an option, each with the whole statement as its query."""
    table, jobs = altered("alter table t comment 'x' auto_increment 9")
    assert [job.action for job in jobs] == [
        ActionType.MODIFY_TABLE_COMMENT,
        ActionType.REBASE_AUTO_ID,
    ]
    assert len({job.query for job in jobs}) == 1
    assert (table.comment, table.options["AUTO_INCREMENT"], table.version) == ("x", "9", 3)


@pytest.mark.parametrize(
    "sql",
    [
        "alter table t add column if not exists a int",
        "alter table t drop column if exists z",
        "alter table t modify column if exists z int",
        "alter table t add index if not exists ka (b)",
        "alter table t drop index if exists z",
        "drop index if exists z on t",
        "alter table t drop foreign key if exists z",
        "alter table t rename column a to A",
        "alter table t rename index ka to KA",
        "alter table t rename to t",
        "alter table t alter index ka visible",
        "alter table t character set utf8mb4 collate utf8mb4_bin",
        "alter table t convert to character set utf8mb4",
        "alter table t remove ttl",
        "alter table t engine = innodb",
        "alter table t add check (a > 0)",
        "alter table t drop check c",
        "alter table t add fulltext key (b)",
        "alter table t enable keys",
        "alter table t lock = none",
        "alter table t",
    ],
)
def test_what_changes_nothing_makes_no_job(sql: str) -> None:
    """Guards that hit, same names, same character sets, and what TiDB ignores."""
    before = altered("alter table t")[0]
    assert altered(sql) == (before, ())


def test_a_character_set_changes_the_table_or_all_columns() -> None:
    """CHARACTER SET is for columns to come, CONVERT TO for those that are there."""
    table, _ = altered("alter table t charset latin1")
    assert (table.charset, table.column("b").charset) == ("latin1", "utf8mb4")
    table, _ = altered("alter table t convert to character set latin1 collate latin1_bin")
    assert (table.collation, table.column("b").collation) == ("latin1_bin", "latin1_bin")
    assert table.column("a").charset is None


def test_ttl_comes_and_goes() -> None:
    """ALTER TABLE TTL is one job, REMOVE TTL another."""
    create = "create table t (id int key, c datetime)"
    table, (job,) = altered("alter table t ttl = c + interval 1 day ttl_enable = 'ON'", create)
    assert job.action is ActionType.ALTER_TTL_INFO
    assert dict(table.options) == {"TTL": "c", "TTL_ENABLE": "ON"}
    table, (job,) = altered("alter table t remove ttl", create + " ttl = c + interval 1 day")
    assert job.action is ActionType.ALTER_TTL_REMOVE
    assert dict(table.options) == {}


@pytest.mark.parametrize(
    ("sql", "what", "column"),
    [
        ("alter table t add a int", "Duplicate column name 'a'", 19),
        ("alter table t add c int after z", "Unknown column 'z' in 't'", 19),
        ("alter table t drop z", "Can't DROP 'z'; check that column/key exists", 20),
        ("alter table t drop a", "can't drop column a with composite index covered", 20),
        ("alter table t drop id", "can't drop column id with primary key covered", 20),
        ("alter table t modify z int", "Unknown column 'z' in 't'", 22),
        ("alter table t change a b int", "Duplicate column name 'b'", 24),
        ("alter table t rename column z to y", "Unknown column 'z' in 't'", 22),
        ("alter table t rename column a to b", "Duplicate column name 'b'", 22),
        ("alter table t alter z drop default", "Unknown column 'z' in 't'", 21),
        ("alter table t alter id set default null", "Invalid default value for 'id'", 21),
        ("alter table t add primary key (a)", "Multiple primary key defined", 19),
        ("alter table t add key ka (b)", "Duplicate key name 'ka'", 19),
        ("alter table t add key (z)", "Key column 'z' doesn't exist in table", 24),
        ("alter table t drop key z", "Can't DROP 'z'; check that column/key exists", 20),
        ("alter table t drop foreign key z", "Can't DROP 'z'", 20),
        ("alter table t rename key z to y", "Key 'z' doesn't exist in table 't'", 22),
        ("alter table t rename key ka to kab", "Duplicate key name 'kab'", 22),
        ("alter table t alter index z visible", "Key 'z' doesn't exist in table 't'", 21),
        ("alter table t rename x.y", "Unknown database 'x'", 22),
        ("alter table z add c int", "Table 'd.z' doesn't exist", 13),
    ],
)
def test_what_mysql_refuses_is_refused_in_its_words(sql: str, what: str, column: int) -> None:
    """The place is that of the offending word, and the catalogue stays as it was."""
    catalogue = Catalogue.with_schemas("d").apply(CREATE, "d").catalogue
    with pytest.raises(DdlError) as caught:
        catalogue.apply(sql, "d")
    assert what in caught.value.what
    assert caught.value.column == column


@pytest.mark.parametrize(
    ("sql", "what", "column"),
    [
        ("alter table t drop a", "'a' has a generated column dependency", 20),
        ("alter table t rename column b to c", "'b' has a functional index dependency", 22),
        ("alter table t add x int, change a z int", "'a' has a generated column dependency", 35),
        ("alter table t add h int as (z)", "Unknown column 'z' in 'generated column", 19),
        ("alter table t modify g int as (h)", "Unknown column 'h'", 22),
        ("alter table t add key k ((h))", "Unknown column 'h' in 'functional index", 19),
        ("create index i on t ((h))", "Unknown column 'h' in 'functional index", 8),
    ],
)
def test_what_is_computed_keeps_its_columns(sql: str, what: str, column: int) -> None:
    """A column that others compute from goes only with them."""
    create = "create table t (a int, b int, g int as (a + 1), key f ((b * 2)))"
    altered("alter table t drop a, drop g", create)
    altered("alter table t drop key f, drop b", create)
    altered("alter table t modify a bigint, comment 'x'", create)
    with pytest.raises(DdlError) as caught:
        altered(sql, create)
    assert what in caught.value.what
    assert caught.value.column == column


def test_tidbs_own_limits_are_kept() -> None:
    """A clustered key cannot be dropped, the last column neither, nor an index in use."""
    with pytest.raises(DdlError, match="clustered index"):
        altered("alter table t drop primary key", "create table t (a int primary key)")
    with pytest.raises(DdlError, match="delete all columns"):
        altered("alter table t drop a", "create table t (a int)")
    with pytest.raises(DdlError, match="needed in a foreign key"):
        altered(
            "alter table t drop key fk_1",
            "create table t (a int, foreign key (a) references p (id))",
        )


def test_a_hint_names_what_was_meant() -> None:
    """A near miss comes with the name that exists."""
    with pytest.raises(DdlError) as caught:
        altered("alter table t drop key kaab")
    assert caught.value.hint == "did you mean 'kab'?"
