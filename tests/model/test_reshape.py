"""What a stored row reads back as after its table changed shape, or that it has no exact form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.canonical import canonical
from harness.model.columns import Column, ColumnKind, Default
from harness.model.reshape import (
    added_value,
    converted,
    default_value,
    keeps_rows,
    reshape,
    zero_value,
)
from harness.model.table import Table, TableId
from harness.model.values import Value
from tests.strategies import EACH_KIND, columns, narrow, values

K = ColumnKind


def of(kind: ColumnKind, name: str = "c", number: int = 1, **properties: Any) -> Column:
    """Return a column of a kind."""
    return Column(number, name, kind, **properties)


def table(*members: Column) -> Table:
    """Return a table over these columns."""
    return Table(TableId("shop", "t"), members)


# Column, DEFAULT clause, value.
DEFAULTS: list[tuple[Column, Default | None, Value]] = [
    (of(K.INT), None, None),
    (of(K.INT), Default(None), None),
    (of(K.INT), Default("-7"), -7),
    (of(K.INT), Default("0f", is_binary=True), 15),
    (of(K.BIT, length=8), Default("05", is_binary=True), 5),
    (of(K.DECIMAL, scale=2), Default("1.5"), "1.50"),
    (of(K.VARCHAR), Default("a'b"), "a'b"),
    (of(K.VARCHAR), Default("6162", is_binary=True), "ab"),
    (of(K.VARBINARY), Default("ab"), b"ab"),
    (of(K.VARBINARY), Default("ff00", is_binary=True), b"\xff\x00"),
    (of(K.BINARY, length=3), Default("a"), b"a\0\0"),
    (of(K.ENUM, members=("s", "m")), Default("m"), 2),
    (of(K.SET, members=("x", "y")), Default("x,y"), 3),
    (of(K.DATETIME, scale=3), Default("2024-01-02 03:04:05"), "2024-01-02 03:04:05.000"),
    (of(K.YEAR), Default("2024"), 2024),
]


@pytest.mark.parametrize(("column", "default", "value"), DEFAULTS)
def test_default(column: Column, default: Default | None, value: Value) -> None:
    """A literal default is read by its column's type; bits and hexadecimal as bytes or number."""
    assert default_value(column, default) == value


def test_default_expression() -> None:
    """The value of an expression is not to be known, and is not guessed."""
    with pytest.raises(ValueError, match=r"default UUID\(\) of 'c' is not a literal"):
        default_value(of(K.VARCHAR), Default("UUID()", is_expression=True))


# tiflow c7b2588 cdc/entry/mounter.go:853; TiDB pkg/table/column.go GetZeroValue.
ZEROS: dict[ColumnKind, Value] = {
    **dict.fromkeys([K.TINYINT, K.SMALLINT, K.MEDIUMINT, K.INT, K.BIGINT, K.BIT, K.YEAR, K.SET], 0),
    **dict.fromkeys([K.CHAR, K.VARCHAR, K.TINYTEXT, K.TEXT, K.MEDIUMTEXT, K.LONGTEXT], ""),
    **dict.fromkeys([K.VARBINARY, K.TINYBLOB, K.BLOB, K.MEDIUMBLOB, K.LONGBLOB], b""),
    K.BINARY: b"\0\0\0",
    K.FLOAT: 0.0,
    K.DOUBLE: 0.0,
    K.DECIMAL: "0",
    K.ENUM: 1,
    K.DATE: "0000-00-00",
    K.TIME: "00:00:00",
    K.DATETIME: "0000-00-00 00:00:00",
    K.TIMESTAMP: "0000-00-00 00:00:00",
    K.JSON: "null",
    K.VECTOR: "[]",
}


@pytest.mark.parametrize("kind", K)
def test_zero(kind: ColumnKind) -> None:
    """Each kind has the zero value that TiDB gives it, in canonical form."""
    column = of(kind, members=("s",), length=3)
    value = zero_value(column)
    assert value == ZEROS[kind]
    assert canonical(column, value) == value


def test_zero_has_fraction() -> None:
    """A zero date with fractional seconds has all of them."""
    assert zero_value(of(K.DATETIME, scale=2)) == "0000-00-00 00:00:00.00"


def test_added() -> None:
    """An added column reads back as its origin default, else NULL, else zero."""
    literal = Default("5")
    assert added_value(of(K.INT, origin_default=literal, nullable=False)) == 5
    assert added_value(of(K.INT, origin_default=literal)) == 5
    assert added_value(of(K.INT, default=literal)) is None
    assert added_value(of(K.INT, origin_default=Default(None))) is None
    assert added_value(of(K.INT, nullable=False)) == 0


TRIO = ("a", "b", "c")
# From, value, to, value.
CONVERSIONS: list[tuple[Column, Value, Column, Value]] = [
    (of(K.INT), 7, of(K.BIGINT), 7),
    (of(K.INT), 7, of(K.VARCHAR), "7"),
    (of(K.INT), 7, of(K.DECIMAL, scale=2), "7.00"),
    (of(K.INT), 7, of(K.VARBINARY), b"7"),
    (of(K.INT), 2, of(K.ENUM, members=TRIO), 2),
    (of(K.DECIMAL, scale=2), "7.00", of(K.INT), 7),
    (of(K.DECIMAL, scale=2), "7.50", of(K.VARCHAR), "7.50"),
    (of(K.DOUBLE), 1.0, of(K.VARCHAR), "1"),
    (of(K.DOUBLE), -0.25, of(K.VARCHAR), "-0.25"),
    (of(K.DOUBLE), 0.1, of(K.FLOAT), narrow(0.1)),
    (of(K.VARCHAR), "7", of(K.INT), 7),
    (of(K.VARCHAR), "ab", of(K.VARBINARY), b"ab"),
    (of(K.VARCHAR), "é", of(K.BLOB), "é".encode()),
    (of(K.VARCHAR), "a  ", of(K.CHAR), "a"),
    (of(K.VARCHAR), "b", of(K.ENUM, members=TRIO), 2),
    (of(K.VARBINARY), b"ab", of(K.VARCHAR), "ab"),
    (of(K.VARBINARY), b"ab", of(K.BINARY, length=4), b"ab\0\0"),
    (of(K.BLOB), b"\xff", of(K.LONGBLOB), b"\xff"),
    (of(K.ENUM, members=TRIO), 2, of(K.ENUM, members=("b", "z")), 1),
    (of(K.ENUM, members=TRIO), 0, of(K.ENUM, members=("b", "z")), 0),
    (of(K.ENUM, members=TRIO), 3, of(K.SET, members=TRIO), 4),
    (of(K.ENUM, members=TRIO), 3, of(K.VARCHAR), "c"),
    (of(K.ENUM, members=TRIO), 3, of(K.VARBINARY), b"c"),
    (of(K.ENUM, members=TRIO), 3, of(K.INT), 3),
    (of(K.SET, members=TRIO), 5, of(K.SET, members=("z", *TRIO)), 10),
    (of(K.SET, members=TRIO), 5, of(K.VARCHAR), "a,c"),
    (of(K.SET, members=TRIO), 4, of(K.ENUM, members=TRIO), 3),
    (of(K.DATETIME, scale=3), "2024-01-02 03:04:05.000", of(K.DATETIME), "2024-01-02 03:04:05"),
    (of(K.DATETIME), "2024-01-02 03:04:05", of(K.VARCHAR), "2024-01-02 03:04:05"),
    (of(K.TIME), "01:02:03", of(K.TIME, scale=1), "01:02:03.0"),
    (of(K.INT), None, of(K.VARCHAR), None),
    (of(K.INT), None, of(K.VARCHAR, nullable=False), ""),
]


@pytest.mark.parametrize(("old", "value", "new", "became"), CONVERSIONS)
def test_converted(old: Column, value: Value, new: Column, became: Value) -> None:
    """A value keeps its meaning in its column's new type: members by name, text as bytes."""
    assert converted(old, new, value) == became


INEXACT: list[tuple[Column, Value, Column]] = [
    (of(K.INT), 300, of(K.TINYINT)),
    (of(K.INT), -1, of(K.INT, unsigned=True)),
    (of(K.DECIMAL, scale=2), "7.50", of(K.INT)),
    (of(K.DOUBLE), 1e22, of(K.VARCHAR)),
    (of(K.DOUBLE), 1e-7, of(K.VARCHAR)),
    (of(K.VARCHAR), "x", of(K.INT)),
    (of(K.VARCHAR), "z", of(K.ENUM, members=TRIO)),
    (of(K.VARBINARY), b"\xff", of(K.VARCHAR)),
    (of(K.ENUM, members=TRIO), 1, of(K.ENUM, members=("z",))),
    (of(K.SET, members=TRIO), 5, of(K.ENUM, members=TRIO)),
    (of(K.DATETIME, scale=3), "2024-01-02 03:04:05.001", of(K.DATETIME)),
    (of(K.DATETIME), "2024-01-02 03:04:05", of(K.DATE)),
]


@pytest.mark.parametrize(("old", "value", "new"), INEXACT)
def test_inexact(old: Column, value: Value, new: Column) -> None:
    """What has no exact form in the new type is refused, not rounded, cut or guessed."""
    with pytest.raises(ValueError, match=r"\S"):
        converted(old, new, value)


@pytest.mark.parametrize("kind", K)
@EACH_KIND
@given(data=st.data())
def test_same_type_same_value(kind: ColumnKind, data: st.DataObject) -> None:
    """A column that only got another name, place or comment keeps its values."""
    column = data.draw(columns(kind))
    value = data.draw(values(column))
    assert converted(column, column, value) == value


def test_reshape() -> None:
    """Columns are found by id whatever their names and places; added ones read their default."""
    before = table(of(K.INT, "a", 1), of(K.INT, "b", 2), of(K.VARCHAR, "c", 3))
    after = table(
        of(K.VARCHAR, "d", 4, origin_default=Default("x")),
        of(K.INT, "a", 2),
        of(K.BIGINT, "b", 1),
    )
    assert reshape(before, after, (1, 2, "three")) == ("x", 2, 1)


def test_reshape_rewritten_column() -> None:
    """A column whose new type rewrote the data has a new id; its former one finds it."""
    before = table(of(K.INT, "a", 1), of(K.INT, "b", 2))
    after = table(of(K.INT, "a", 1), of(K.VARCHAR, "c", 3, former_id=2))
    assert reshape(before, after, (1, 2)) == (1, "2")
    replaced = table(of(K.INT, "a", 1), of(K.VARCHAR, "b", 3))
    assert reshape(before, replaced, (1, 2)) == (1, None)


def test_reshape_drop_and_add() -> None:
    """A column dropped and added again under its name, by two statements, is a new column."""
    before = table(of(K.INT, "a", 1), of(K.INT, "b", 2))
    between = table(of(K.INT, "a", 1))
    after = table(of(K.INT, "a", 1), of(K.INT, "b", 3))
    assert reshape(between, after, reshape(before, between, (1, 2))) == (1, None)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"comment": "other"}, True),
        ({"physical_id": 8}, False),
        ({"physical_id": 8, "partition_kind": "", "partitions": ()}, True),
        ({"physical_id": 8, "partition_kind": "HASH", "partitions": ("p0", "p1")}, True),
    ],
)
def test_keeps_rows(change: dict[str, Any], *, kept: bool) -> None:
    """TRUNCATE empties a table, PARTITION BY and REMOVE PARTITIONING copy its rows."""
    table = Table(TableId("d", "t"), (), physical_id=7, partitions=("p0",), partition_kind="RANGE")
    assert keeps_rows(table, replace(table, **change)) is kept
