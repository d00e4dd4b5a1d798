"""Looking into a table: names in any case, the primary key, the columns of an index."""

from __future__ import annotations

import pytest

from harness.model.columns import Column, ColumnKind
from harness.model.finding import Place
from harness.model.record import Origin
from harness.model.table import Index, IndexPart, Table, TableId

PARTS = (IndexPart("b"), IndexPart(None, expression="`a`+1"), IndexPart("A", length=3))
TABLE = Table(
    TableId("shop", "t"),
    (Column(1, "A", ColumnKind.VARCHAR, scale=None), Column(2, "b", ColumnKind.TIME, scale=3)),
    (
        Index(1, "i", PARTS),
        Index(2, "PRIMARY", (IndexPart("b"),), unique=True, primary=True),
    ),
)


def test_columns_in_any_case() -> None:
    """A column is found by its name in any case, as in SQL, and by nothing else."""
    assert TABLE.column("a") is TABLE.columns[0]
    assert TABLE.column("B") is TABLE.columns[1]
    assert (TABLE.position("a"), TABLE.position("B")) == (0, 1)
    for ask in (TABLE.column, TABLE.position):
        with pytest.raises(KeyError):
            ask("c")


def test_keys() -> None:
    """The primary key is the index that says so; an expression is no column of an index."""
    assert TABLE.primary_key is TABLE.indexes[1]
    assert Table(TABLE.id, TABLE.columns).primary_key is None
    assert TABLE.indexes[0].columns == ("b", "A")


def test_fractional_seconds() -> None:
    """Without a declaration a column has no fractional seconds."""
    assert [column.fsp for column in TABLE.columns] == [0, 3]


def test_texts() -> None:
    """Tables and places print as people write them."""
    assert str(TABLE.id) == "shop.t"
    place = Place("ticdc", 1, 7, Origin(1, 1, 1, "insert"))
    assert str(place) == "ticdc/1@7"
