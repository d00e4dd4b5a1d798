"""ALTER TABLE as a whole: which job it is, and what is refused."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType, Catalogue, DdlError
from tests.ddl.alter.altered import CREATE, altered


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
