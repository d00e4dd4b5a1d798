"""MODIFY and CHANGE COLUMN: ids, keys and what stays."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType
from harness.model.columns import ColumnKind, Default
from tests.ddl.alter.altered import altered


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
    ("sql", "names"),
    [
        ("alter table t modify a bigint primary key", ("a", "b")),
        ("alter table t modify a bigint primary key after b", ("b", "a")),
        ("alter table t change a z bigint primary key first", ("z", "b")),
        ("alter table t change a z bigint primary key", ("z", "b")),
    ],
)
def test_a_column_that_becomes_the_primary_key_changes_as_well(
    sql: str, names: tuple[str, ...]
) -> None:
    """It has its new name, type and place once, and is NOT NULL, as MySQL has it."""
    table, _ = altered(sql, "create table t (a int, b int)")
    assert table.column_names == names
    column = next(column for column in table.columns if column.name != "b")
    assert (column.kind, column.nullable) == (ColumnKind.BIGINT, False)
    assert table.primary_key is not None
    assert table.primary_key.columns == (column.name,)


def test_a_key_that_comes_with_a_new_type_is_over_that_type() -> None:
    """A TEXT column has no key without a length, but the VARCHAR that it becomes has one."""
    table, _ = altered("alter table t modify a varchar(9) unique", "create table t (a text)")
    assert [(index.name, index.columns) for index in table.indexes] == [("a", ("a",))]
