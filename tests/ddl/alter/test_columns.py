"""ADD, DROP and RENAME COLUMN: what the table is afterwards."""

from __future__ import annotations

import pytest

from harness.ddl import Catalogue, DdlError
from harness.model.columns import Default
from harness.model.table import Table, TableId
from tests.ddl.alter.altered import CREATE, altered


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
