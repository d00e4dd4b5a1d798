"""A table as VStream's FIELD event tells it, and its rows as cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import Catalogue
from harness.ddl.charsets import MYSQL_DEFAULT_CHARSET
from harness.model.columns import ColumnKind
from harness.model.table import Table, TableId
from harness.sources.vitess.cells import cells
from harness.sources.vitess.fields import fields, key_ordinals
from tests.source_tables import tables
from tests.strategies import values

EMPTY = Catalogue.with_schemas("shop", charset=MYSQL_DEFAULT_CHARSET)

# Column definition -> type name, column type, decimals; those of the connector's own vectors.
TYPES = {
    "tinyint(1)": ("INT8", "tinyint(1)", 0),
    "smallint unsigned": ("UINT16", "smallint unsigned", 0),
    "mediumint": ("INT24", "mediumint", 0),
    "int unsigned": ("UINT32", "int unsigned", 0),
    "bigint unsigned": ("UINT64", "bigint unsigned", 0),
    "float": ("FLOAT32", "float", 0),
    "double": ("FLOAT64", "double", 0),
    "decimal(10,4)": ("DECIMAL", "decimal(10,4)", 4),
    "datetime(3)": ("DATETIME", "datetime(3)", 3),
    "time(6)": ("TIME", "time(6)", 6),
    "timestamp": ("TIMESTAMP", "timestamp", 0),
    "year": ("YEAR", "year", 0),
    "varchar(5)": ("VARCHAR", "varchar(5)", 0),
    "binary(4)": ("BINARY", "binary(4)", 0),
    "mediumtext": ("TEXT", "mediumtext", 0),
    "longblob": ("BLOB", "longblob", 0),
    "varchar(5) collate utf8mb4_bin": ("VARBINARY", "varchar(5)", 0),
    "char(5) collate utf8mb4_bin": ("BINARY", "char(5)", 0),
    "text collate utf8mb4_bin": ("BLOB", "text", 0),
    "enum('a') collate utf8mb4_bin": ("BINARY", "enum('a')", 0),
    "set('x y','it''s')": ("SET", "set('x y','it''s')", 0),
    "json": ("JSON", "json", 0),
    "bit(10)": ("BIT", "bit(10)", 0),
    "vector(2)": ("VECTOR", "vector(2)", 0),
}


def table_of(definition: str) -> Table:
    """Return the table that a definition makes."""
    made = EMPTY.apply(f"CREATE TABLE t ({definition})", "shop").catalogue
    return made.table(TableId("shop", "t"))


@pytest.mark.parametrize("definition", TYPES)
def test_types_are_named_as_vitess_names_them(definition: str) -> None:
    """The type's name, MySQL's own text and the digits of a fraction."""
    (field,) = fields(table_of(f"c {definition}"))
    assert (field.type, field.column_type, field.decimals) == TYPES[definition]


@pytest.mark.parametrize(
    ("definition", "flags", "key"),
    [
        ("a INT, b INT, PRIMARY KEY (b, a)", (3, 3), (0, 1)),
        ("a INT NOT NULL, b INT NOT NULL UNIQUE", (1, 3), (1,)),
        ("a INT, b INT UNIQUE, c INT UNIQUE", (0, 4, 4), (1,)),
        ("a INT PRIMARY KEY, b INT UNIQUE", (3, 4), (0,)),
        ("a INT, b INT, UNIQUE (a, b)", (0, 0), ()),
        ("a INT, KEY (a)", (0,), ()),
    ],
)
def test_flags_and_key_follow_the_indexes(
    definition: str, flags: tuple[int, ...], key: tuple[int, ...]
) -> None:
    """The key is the primary one, else the first unique column, else there is none."""
    table = table_of(definition)
    assert tuple(int(field.flags) for field in fields(table)) == flags
    assert key_ordinals(table) == key


@given(st.data(), st.sampled_from(ColumnKind))
def test_every_value_is_a_cell(data: st.DataObject, kind: ColumnKind) -> None:
    """A row has one cell a field, null where it has none; equal rows have equal cells."""
    table = data.draw(tables(kind)).table
    row = tuple(data.draw(values(column)) for column in table.columns)
    found = cells(table, row)
    assert len(found) == len(fields(table))
    assert [cell is None for cell in found] == [value is None for value in row]
    assert found == cells(table, row)
