"""Promises of tables that are known from rows alone: a new shape is followed, an old one is not."""

from __future__ import annotations

from typing import Any

from cdc_spark.apply.shape import Shapes
from cdc_spark.apply.tables import Row, RowChange, Table

OLD = [["id", "integer"], ["v", "text"]]
WIDER = [["id", "integer"], ["v", "text"], ["n", "integer", 7]]


def put(shapes: Shapes, table: Table, shape: list[Any], ts: int, row: Row) -> None:
    """Put a row whose event tells a shape."""
    _, after = shapes.follow(table, shape, ts, (None, row))
    table.apply(RowChange(("id",), None, after))


def after(*steps: tuple[list[Any], int, Row]) -> list[Row]:
    """Return a table's rows after puts."""
    table, shapes = Table("s", "t"), Shapes()
    for shape, ts, row in steps:
        put(shapes, table, shape, ts, row)
    return list(table)


def test_older_rows_take_a_new_columns_default() -> None:
    """The default comes from the shape, NULL where it tells none."""
    first = (OLD, 1, {"id": 1, "v": "a"})
    rows = after(first, (WIDER, 2, {"id": 2, "v": "b", "n": 1}))
    assert rows == [{"id": 1, "v": "a", "n": 7}, {"id": 2, "v": "b", "n": 1}]
    undefined = [*OLD, ["n", "integer"]]
    assert after(first, (undefined, 2, {"id": 2, "v": "b", "n": 1}))[0]["n"] is None


def test_a_column_that_is_gone_is_forgotten() -> None:
    """A column that comes back has its default, not what it once held."""
    rows = after(
        (OLD, 1, {"id": 1, "v": "a"}),
        ([["id", "integer"]], 2, {"id": 2}),
        (OLD, 3, {"id": 3, "v": "c"}),
    )
    assert rows == [{"id": 1, "v": None}, {"id": 2, "v": None}, {"id": 3, "v": "c"}]


def test_a_column_of_another_type_is_a_new_one() -> None:
    """What was text is no number."""
    changed = [["id", "integer"], ["v", "integer"]]
    rows = after((OLD, 1, {"id": 1, "v": "5"}), (changed, 2, {"id": 2, "v": 5}))
    assert rows == [{"id": 1, "v": None}, {"id": 2, "v": 5}]


def test_a_row_that_is_older_than_the_shape_follows_it() -> None:
    """An old row from another partition, or sent again, does not change the table back."""
    rows = after((WIDER, 5, {"id": 2, "v": "b", "n": 1}), (OLD, 3, {"id": 1, "v": "a"}))
    assert rows == [{"id": 2, "v": "b", "n": 1}, {"id": 1, "v": "a", "n": 7}]


def test_rows_without_a_time_are_taken_in_their_order() -> None:
    """Without a commit ts the shape that came last is the table's."""
    rows = after((WIDER, 0, {"id": 2, "v": "b", "n": 1}), (OLD, 0, {"id": 1, "v": "a"}))
    assert rows == [{"id": 2, "v": "b"}, {"id": 1, "v": "a"}]


def test_columns_of_one_name_and_type_keep_their_values_whatever_their_order() -> None:
    """Order is no part of what a row is."""
    swapped = [["v", "text"], ["id", "integer"]]
    rows = after((OLD, 1, {"id": 1, "v": "a"}), (swapped, 2, {"id": 2, "v": "b"}))
    assert rows == [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}]
