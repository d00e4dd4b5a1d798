"""What TiDB and TiCDC derive: type codes, flags, handle."""

from __future__ import annotations

import pytest

from harness.ddl import (
    Catalogue,
    ColumnFlag,
    column_flags,
    handle,
    handle_columns,
    is_emitted,
    type_code,
)
from harness.ddl.tidb import TYPE_CODES
from harness.model.columns import Column, ColumnKind
from harness.model.table import Table, TableId

F = ColumnFlag


def created(columns: str) -> Table:
    """Return a table of these columns and keys."""
    catalogue = Catalogue.with_schemas("d").apply(f"create table d.t ({columns})").catalogue
    return catalogue.table(TableId("d", "t"))


@pytest.mark.parametrize("kind", ColumnKind)
def test_every_kind_has_a_type_code(kind: ColumnKind) -> None:
    """No column can be without a `t` on the wire."""
    assert type_code(Column(1, "c", kind)) == TYPE_CODES[kind]


@pytest.mark.parametrize(
    ("columns", "flags"),
    [
        ("a int primary key", [F.BINARY | F.HANDLE_KEY | F.PRIMARY_KEY]),
        ("a int", [F.BINARY | F.NULLABLE]),
        ("a varchar(9)", [F.NULLABLE]),
        ("a enum('x'), b varbinary(3)", [F.NULLABLE, F.BINARY | F.NULLABLE]),
        ("a char(3) charset binary not null", [F.BINARY]),
        ("a enum('x') charset binary, b set('x') charset binary", [F.BINARY | F.NULLABLE] * 2),
        ("a year not null, b bit not null", [F.BINARY | F.UNSIGNED] * 2),
        ("a int zerofill not null", [F.BINARY | F.UNSIGNED]),
        (
            "a int, b int, primary key (a, b)",
            [F.BINARY | F.HANDLE_KEY | F.PRIMARY_KEY | F.MULTIPLE_KEY] * 2,
        ),
        ("a int unique", [F.BINARY | F.NULLABLE | F.UNIQUE_KEY]),
        ("a int not null unique", [F.BINARY | F.HANDLE_KEY | F.UNIQUE_KEY]),
        ("a int, key (a)", [F.BINARY | F.NULLABLE | F.MULTIPLE_KEY]),
        (
            "a int, b int, key (a, b)",
            [F.BINARY | F.NULLABLE | F.MULTIPLE_KEY] * 2,
        ),
        (
            "a int, b int as (a) stored, c int as (a)",
            [
                F.BINARY | F.NULLABLE,
                F.BINARY | F.NULLABLE | F.GENERATED,
                F.BINARY | F.NULLABLE | F.GENERATED,
            ],
        ),
        ("a varchar(9), key ((lower(a)))", [F.NULLABLE]),
    ],
)
def test_flags_are_those_of_ticdc(columns: str, flags: list[ColumnFlag]) -> None:
    """Charset, keys, nullability, sign and generation, bit by bit."""
    assert list(column_flags(created(columns))) == flags


@pytest.mark.parametrize(
    ("columns", "name", "ordinals"),
    [
        ("a int, b int primary key", "PRIMARY", (1,)),
        ("a int, b int", None, ()),
        ("a int unique", None, ()),
        ("a int not null, unique k (a)", "k", (0,)),
        ("a int not null, b int not null, unique k (b, a), unique j (b)", "j", (1,)),
        ("a int not null, b int not null, unique k (b), unique j (a)", "k", (1,)),
        ("a int not null, b int, unique k (b), unique j (a)", "j", (0,)),
        ("a int not null, b int, unique k (b, a)", None, ()),
        ("a int, b int as (a) not null, unique k (b)", None, ()),
        ("a int, b int as (a) stored not null, unique k (b)", "k", (1,)),
        ("a int not null, unique k ((a + 1))", None, ()),
        ("a int not null, unique k (a), b int, primary key (b) nonclustered", "PRIMARY", (1,)),
        ("a varchar(9) not null, unique k (a(3))", "k", (0,)),
    ],
)
def test_the_handle_is_the_key_that_tidb_chooses(
    columns: str, name: str | None, ordinals: tuple[int, ...]
) -> None:
    """The primary key, else the shortest NOT NULL unique index, else nothing."""
    table = created(columns)
    key = handle(table)
    assert (key.name if key else None) == name
    assert handle_columns(table) == ordinals


def test_the_newer_architecture_takes_a_virtual_key_for_the_handle() -> None:
    """A unique index over a virtual column is the handle, and no column that is sent says so."""
    table = created("a int not null, b int as (a) not null, unique k (b), unique j (a)")
    assert handle_columns(table) == (0,)
    key = handle(table, newer=True)
    assert key is not None
    assert key.name == "k"
    assert handle_columns(table, newer=True) == ()
    assert column_flags(table, newer=True)[0] == F.BINARY | F.UNIQUE_KEY


@pytest.mark.parametrize(
    ("keys", "flags"),
    [
        ("primary key (g)", F.PRIMARY_KEY | F.HANDLE_KEY),
        ("primary key (n, g)", F.PRIMARY_KEY),
        ("unique (g)", F.UNIQUE_KEY),
        ("unique (g, n)", F.MULTIPLE_KEY),
        ("unique (n, g)", F(0)),
        ("key (g)", F.MULTIPLE_KEY),
        ("key (g, n)", F.MULTIPLE_KEY),
        ("key (n, g), unique (g)", F.UNIQUE_KEY),
    ],
)
def test_the_newer_architecture_marks_generated_columns_as_tidb_does(
    keys: str, flags: ColumnFlag
) -> None:
    """The flags that an index gives its other columns do not reach a generated one."""
    table = created(f"n int not null, g int as (n) stored not null, {keys}")
    assert column_flags(table, newer=True)[1] == F.BINARY | F.GENERATED | flags


def test_virtual_columns_are_never_emitted() -> None:
    """Stored generated columns are sent like any other."""
    table = created("a int, b int as (a), c int as (a) stored")
    assert [is_emitted(column) for column in table.columns] == [True, False, True]


@pytest.mark.parametrize(
    ("columns", "then", "flagged"),
    [
        ("b int, foreign key (b) references d.p (id)", "", False),
        ("b int, c int, foreign key (b, c) references d.p (id, x)", "", True),
        ("b int, key (b), foreign key (b) references d.p (id)", "", True),
        ("b int", "alter table d.t add foreign key (b) references d.p (id)", True),
        ("b int, foreign key (b) references d.p (id)", "create index k on d.t (b)", True),
        (
            "b int, foreign key (b) references d.p (id)",
            "create index k on d.t (b); drop index k on d.t",
            True,
        ),
    ],
)
def test_a_foreign_keys_own_index_gives_a_flag_where_tidb_flags_it(
    columns: str, then: str, *, flagged: bool
) -> None:
    """CREATE TABLE makes it without; a statement of its own does, and so does what is dropped."""
    catalogue = Catalogue.with_schemas("d").apply("create table d.p (id int primary key, x int)")
    made = catalogue.catalogue.apply(f"create table d.t (id int primary key, {columns})").catalogue
    for statement in filter(None, then.split("; ")):
        made = made.apply(statement).catalogue
    flags = column_flags(made.table(TableId("d", "t")))
    assert bool(flags[1] & F.MULTIPLE_KEY) is flagged
