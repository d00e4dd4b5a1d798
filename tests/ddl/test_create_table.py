"""CREATE TABLE: every property of columns and keys that an encoder needs."""

from __future__ import annotations

import re

import pytest

from harness.ddl import ActionType, Catalogue, DdlError
from harness.model.columns import ColumnKind, Default, Generated
from harness.model.table import ForeignKey, Table, TableId
from tests.ddl.applied import run, summary


def created(sql: str, *before: str) -> Table:
    """Return the table `d.t` after the statements."""
    catalogue = Catalogue.with_schemas("d")
    for statement in (*before, sql):
        catalogue = catalogue.apply(statement, "d").catalogue
    return catalogue.table(TableId("d", "t"))


@pytest.mark.parametrize(
    ("written", "kind", "length", "scale"),
    [
        ("int", ColumnKind.INT, None, None),
        ("integer(7)", ColumnKind.INT, 7, None),
        ("bool", ColumnKind.TINYINT, 1, None),
        ("decimal", ColumnKind.DECIMAL, 10, 0),
        ("numeric(8)", ColumnKind.DECIMAL, 8, 0),
        ("dec(8, 2)", ColumnKind.DECIMAL, 8, 2),
        ("float(7, 3)", ColumnKind.FLOAT, 7, 3),
        ("float(30)", ColumnKind.DOUBLE, None, None),
        ("real", ColumnKind.DOUBLE, None, None),
        ("bit", ColumnKind.BIT, 1, None),
        ("year", ColumnKind.YEAR, 4, None),
        ("datetime(3)", ColumnKind.DATETIME, None, 3),
        ("time", ColumnKind.TIME, None, None),
        ("char", ColumnKind.CHAR, 1, None),
        ("national char varying(5)", ColumnKind.VARCHAR, 5, None),
        ("binary", ColumnKind.BINARY, 1, None),
        ("char(9) charset binary", ColumnKind.BINARY, 9, None),
        ("text charset binary", ColumnKind.BLOB, None, None),
        ("text(63)", ColumnKind.TINYTEXT, None, None),
        ("text(64)", ColumnKind.TEXT, None, None),
        ("text(16383)", ColumnKind.TEXT, None, None),
        ("text(16384)", ColumnKind.MEDIUMTEXT, None, None),
        ("blob(255)", ColumnKind.TINYBLOB, None, None),
        ("blob(256)", ColumnKind.BLOB, None, None),
        ("blob(16777216)", ColumnKind.LONGBLOB, None, None),
        ("long varchar", ColumnKind.MEDIUMTEXT, None, None),
        ("vector(3)", ColumnKind.VECTOR, 3, None),
    ],
)
def test_every_spelling_becomes_one_kind_with_its_sizes(
    written: str, kind: ColumnKind, length: int | None, scale: int | None
) -> None:
    """Aliases, default sizes and TEXT(n) choose as TiDB does."""
    column = created(f"create table t (c {written})").column("C")
    assert (column.kind, column.length, column.scale) == (kind, length, scale)


@pytest.mark.parametrize(
    ("written", "default"),
    [
        ("int", None),
        ("int default null", Default(None)),
        ("int default -5", Default("-5")),
        ("int default +5", Default("5")),
        ("bool default true", Default("1")),
        ("bool default false", Default("0")),
        ("decimal(9, 3) default 1.5", Default("1.5")),
        ("varchar(9) default 'it''s'", Default("it's")),
        ("bit(10) default b'1010101010'", Default("02aa", is_binary=True)),
        ("bit(3) default b'0'", Default("00", is_binary=True)),
        ("varbinary(9) default X'FF0'", Default("0ff0", is_binary=True)),
        ("varbinary(9) default 0x4142", Default("4142", is_binary=True)),
        ("timestamp default now()", Default("CURRENT_TIMESTAMP", is_expression=True)),
        ("datetime(3) default localtime(3)", Default("CURRENT_TIMESTAMP(3)", is_expression=True)),
        ("varchar(36) default (uuid())", Default("UUID()", is_expression=True)),
        ("int default (1 + 1)", Default("(1+1)", is_expression=True)),
    ],
)
def test_a_default_is_kept_as_written_or_as_its_expression(
    written: str, default: Default | None
) -> None:
    """Literals lose their quotes, bit and hexadecimal ones become bytes, functions stay SQL."""
    assert created(f"create table t (c {written})").column("c").default == default


def test_other_options_of_a_column_are_kept() -> None:
    """Signs, comments, generation, ON UPDATE and AUTO_RANDOM reach the schema."""
    table = created(
        "create table t (a bigint unsigned auto_random primary key, b int zerofill comment 'c',"
        " c int as (b + 1) stored, d timestamp(3) on update current_timestamp(3),"
        " e set('x', 'y') not null)"
    )
    a, b, c, d, e = table.columns
    assert (a.unsigned, a.auto_random, a.nullable) == (True, True, False)
    assert (b.zerofill, b.unsigned, b.comment, b.nullable) == (True, True, "c", True)
    assert c.generated == Generated("`b`+1", stored=True)
    assert d.on_update == "CURRENT_TIMESTAMP(3)"
    assert (e.members, e.nullable) == (("x", "y"), False)
    assert [column.id for column in table.columns] == [1, 2, 3, 4, 5]


def test_character_sets_are_inherited_from_database_to_table_to_column() -> None:
    """The nearest CHARACTER SET or COLLATE wins, and each names the other."""
    table = created(
        "create table d.t (a varchar(9), b varchar(9) charset ascii,"
        " c text collate utf8_general_ci, e char(3) binary,"
        " f enum('x'), g int, h varbinary(3)) collate latin1_swedish_ci",
        "alter database d charset gbk",
    )
    assert (table.charset, table.collation) == ("latin1", "latin1_swedish_ci")
    assert [(c.charset, c.collation) for c in table.columns] == [
        ("latin1", "latin1_swedish_ci"),
        ("ascii", "ascii_bin"),
        ("utf8", "utf8_general_ci"),
        ("latin1", "latin1_bin"),
        ("latin1", "latin1_swedish_ci"),
        (None, None),
        ("binary", "binary"),
    ]
    plain = created("create table t (a char(3))", "alter database d charset gbk")
    assert plain.column("a").collation == "gbk_chinese_ci"
    binary = created("create table t (a char(3), b text) charset binary")
    assert [c.kind for c in binary.columns] == [ColumnKind.BINARY, ColumnKind.BLOB]


def test_keys_get_tidbs_names_and_ids() -> None:
    """Keys of the table come before keys of columns; the nameless take their first column."""
    table = created(
        "create table t (a int unique, b int unique, c int, key (c), key a (b), unique (c),"
        " key ((c + 1)), key ((c * 2)), primary key (b, a) nonclustered)"
    )
    assert [(index.id, index.name, index.unique) for index in table.indexes] == [
        (1, "c", False),
        (2, "a", False),
        (3, "c_2", True),
        (4, "expression_index", False),
        (5, "expression_index_2", False),
        (6, "PRIMARY", True),
        (7, "a_2", True),
        (8, "b", True),
    ]
    assert not table.clustered
    assert table.indexes[3].parts[0].expression == "`c`+1"
    # Two hidden columns hold the expressions.
    assert (table.max_column_id, table.max_index_id) == (5, 8)


@pytest.mark.parametrize(
    ("keys", "clustered", "ids"),
    [
        ("a int primary key, b int", True, [0]),
        ("a int, b int, primary key (a), key (b)", True, [0, 1]),
        ("a int primary key nonclustered, b int", False, [1]),
        ("a varchar(9) primary key, b int", True, [1]),
        ("a int, b int, primary key (a, b)", True, [1]),
        ("a int, b int, primary key (a, b) nonclustered", False, [1]),
        ("a int, b int, key (b)", False, [1]),
    ],
)
def test_a_primary_key_is_clustered_unless_declared_otherwise(
    keys: str,
    clustered: bool,  # noqa: FBT001
    ids: list[int],
) -> None:
    """A clustered key over one integer is the handle itself and has no index id."""
    table = created(f"create table t ({keys})")
    assert table.clustered is clustered
    assert [index.id for index in table.indexes] == ids


@pytest.mark.parametrize(
    ("definitions", "what", "column"),
    [
        ("a int, key (z)", "Key column 'z' doesn't exist in table", 29),
        ("a int, key (a, A)", "Duplicate column name 'A'", 32),
        ("a text, key (a)", "BLOB/TEXT column 'a' used in key specification", 30),
        ("a json unique", "JSON column 'a' cannot be used in key specification", 17),
        ("a int, key (a(2))", "Incorrect prefix key", 29),
        ("a char(3), key (a(4))", "Incorrect prefix key", 33),
        ("a blob, key (a(0))", "Key part 'a' length cannot be 0", 30),
        ("a char(0) primary key", "The used storage engine can't index column 'a'", 17),
        ("a varchar(768), b char, key k (a, b)", "Specified key was too long (3076 bytes)", 41),
    ],
)
def test_a_key_that_no_server_takes_is_refused(definitions: str, what: str, column: int) -> None:
    """Each refusal names the column and its place."""
    with pytest.raises(DdlError) as caught:
        created(f"create table t ({definitions})")
    assert str(caught.value).startswith(f"line 1, column {column}: {what}")


def test_a_prefix_as_long_as_its_column_is_none() -> None:
    """TiDB keeps such a part as a whole column."""
    table = created("create table t (a char(3), b text, key k (a(3), b(3)))")
    assert [part.length for part in table.indexes[0].parts] == [None, 3]


@pytest.mark.parametrize(
    ("definitions", "what", "column"),
    [
        ("a int, g int as (z + 1)", "Unknown column 'z' in 'generated column function'", 24),
        ("a int, key k ((a + z))", "Unknown column 'z' in 'functional index function'", 24),
        ("a int, key ((a + z))", "Unknown column 'z' in 'functional index function'", 24),
        ("g int as (h), h int as (1)", "Generated column can refer only to generated", 17),
        ("g int as (g)", "Generated column can refer only to generated columns", 17),
        ("a int key auto_increment, g int as (a)", "cannot refer to auto-increment column", 43),
    ],
)
def test_what_is_computed_needs_its_columns(definitions: str, what: str, column: int) -> None:
    """Generated columns may use later plain columns, but no later generated ones."""
    assert created("create table t (g int as (b + h) stored, b int, h int, key ((g + b)))")
    with pytest.raises(DdlError, match=re.escape(what)) as caught:
        created(f"create table t ({definitions})")
    assert caught.value.column == column


def test_a_foreign_key_brings_its_index() -> None:
    """An index is added unless one covers the columns already."""
    table = created(
        "create table t (a int, b int, key k (b), foreign key (a) references p (id),"
        " constraint f foreign key (b) references x.q (id) on delete cascade)"
    )
    assert table.foreign_keys == (
        ForeignKey("fk_1", ("a",), TableId("d", "p"), ("id",)),
        ForeignKey("f", ("b",), TableId("x", "q"), ("id",), ("CASCADE", "")),
    )
    assert [index.name for index in table.indexes] == ["k", "fk_1"]


def test_what_tidb_ignores_is_no_index() -> None:
    """FULLTEXT keys and checks are read and leave no trace, as in TiDB."""
    table = created("create table t (a int, b text, fulltext key f (b), check (a > 0))")
    assert table.indexes == ()


def test_table_options_are_kept() -> None:
    """Comment has its field, the rest is found by keyword."""
    table = created(
        "create table t (a int, c datetime) engine=x comment='y' auto_increment=9"
        " ttl=c + interval 1 day"
    )
    assert table.comment == "y"
    assert dict(table.options) == {"ENGINE": "x", "AUTO_INCREMENT": "9", "TTL": "c"}


def test_like_copies_all_but_the_foreign_keys() -> None:
    """CREATE TABLE LIKE gives a table of its own with the same columns, keys and partitions."""
    source = (
        "create table s (a int primary key, b int, key (b), foreign key (b) references s (a))"
        " partition by hash (a) partitions 2"
    )
    catalogue = Catalogue.with_schemas("d").apply(source, "d").catalogue
    applied = catalogue.apply("create table t like s", "d")
    original = catalogue.table(TableId("d", "s"))
    copy = applied.catalogue.table(TableId("d", "t"))
    assert (copy.columns, copy.indexes, copy.partitions) == (
        original.columns,
        original.indexes,
        original.partitions,
    )
    assert copy.foreign_keys == ()
    assert not {original.physical_id, *original.partition_ids} & {
        copy.physical_id,
        *copy.partition_ids,
    }


@pytest.mark.parametrize(
    ("sql", "what", "place"),
    [
        ("create table t (a int, A int)", "Duplicate column name 'A'", (1, 24)),
        ("create table t (a int, key (b))", "Key column 'b' doesn't exist", (1, 29)),
        ("create table t (a int, key k (a), key K (a))", "Duplicate key name 'K'", (1, 35)),
        ("create table t (a int, key k (a, a))", "Duplicate column name 'a'", (1, 34)),
        ("create table t (a int key, b int key)", "Multiple primary key defined", (1, 28)),
        ("create table t (a int, key `primary` (a))", "Incorrect index name 'primary'", (1, 24)),
        ("create table t (a int, primary key ((a + 1)))", "functional index", (1, 24)),
        ("create table t (a int not null default null)", "Invalid default value for 'a'", (1, 17)),
        ("create table t (a int default null, primary key (a))", "Invalid default value", (1, 37)),
        ("create table t (a text default 'x')", "can't have a default value", (1, 17)),
        ("create table t (a varchar(16384))", "Column length too big", (1, 17)),
        ("create table t (a char(256))", "Column length too big", (1, 17)),
        ("create table t (a decimal(3, 5))", "M must be >= D", (1, 17)),
        ("create table t (a char(3) charset gbk collate utf8_bin)", "is not valid for", (1, 17)),
        ("create table t (a int auto_increment)", "only one auto column", (1, 14)),
        ("create table t (a int) select 1", "is not implemented", (1, 14)),
        ("create table x.t (a int)", "Unknown database 'x'", (1, 14)),
        ("create table t like u", "Table 'd.u' doesn't exist", (1, 21)),
    ],
)
def test_what_mysql_refuses_is_refused_in_its_words(
    sql: str, what: str, place: tuple[int, int]
) -> None:
    """The place is that of the offending word."""
    with pytest.raises(DdlError) as caught:
        Catalogue.with_schemas("d").apply(sql, "d")
    assert what in caught.value.what
    assert (caught.value.line, caught.value.column) == place


def test_mariadbs_or_replace_is_a_drop_and_a_create() -> None:
    """TiDB has no such statement, so it is sent as the two that it amounts to."""
    _, jobs = run("create table t (a int)", "create or replace table t (b int)")
    assert summary(jobs) == [
        (ActionType.DROP_TABLE, "d", "t", "DROP TABLE `d`.`t`"),
        (ActionType.CREATE_TABLE, "d", "t", "CREATE TABLE `t` (`b` INT)"),
    ]
