"""The names by which Avro's rows are known."""

from __future__ import annotations

from harness.model.change import Op
from harness.model.columns import Column, ColumnKind, Default
from harness.model.record import Origin
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import TableId
from harness.projections.avro import projection
from tests.source_tables import shop_table


def _insert(table: SourceTable) -> RowEvent:
    return RowEvent(Op.INSERT, table, None, (1, 2), 1, "", 0, Origin(1, 0, 0, "insert"))


def test_names_are_projected_as_avro_takes_them() -> None:
    """Blanks, hyphens and a leading digit are not on the wire; values are untouched."""
    columns = (Column(1, "a-b", ColumnKind.INT, nullable=False), Column(2, "9", ColumnKind.INT))
    visible = projection({})(_insert(shop_table(*columns, name=TableId("my shop", "t.x"))))
    assert visible is not None
    assert visible.table.table.id == TableId("my_shop", "t_x")
    assert [column.name for column in visible.table.table.columns] == ["a_b", "_9"]
    assert visible.after == (1, 2)


def test_a_plain_table_is_projected_as_it_is() -> None:
    """Legal names need no other table."""
    columns = (Column(1, "id", ColumnKind.INT, nullable=False), Column(2, "v", ColumnKind.INT))
    row = _insert(shop_table(*columns))
    assert projection({})(row) == row


def test_in_version_6_a_column_has_the_default_of_old_rows() -> None:
    """Without a default of its own, and there alone: the schema has it."""
    own, old = Default("6"), Default("5")
    columns = (
        Column(1, "id", ColumnKind.INT, nullable=False),
        Column(2, "a", ColumnKind.INT, default=Default(None), origin_default=old),
        Column(3, "b", ColumnKind.INT, default=own, origin_default=old),
    )
    row = _insert(shop_table(*columns))
    assert projection({})(row) == row
    visible = projection({}, "6")(row)
    assert visible is not None
    assert [column.default for column in visible.table.table.columns] == [None, old, own]
