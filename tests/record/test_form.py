"""Rows and tables, written for review and read back."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given

from harness.model.columns import Column, ColumnKind, Default
from harness.model.table import Index, IndexPart, Table, TableId
from harness.model.values import Row
from harness.model.written import written_value
from harness.record.form import (
    read_row,
    read_table,
    table_id,
    written_row,
    written_table,
)
from tests.record.values import COLUMNS, ROW


@given(ROW)
def test_every_value_survives_the_written_form(row: Row) -> None:
    """Written, dumped, loaded and read, a row of all kinds is what it was, types included."""
    text = orjson.dumps(written_row(COLUMNS, row))
    again = read_row(COLUMNS, orjson.loads(text))
    assert again == row
    assert [type(value) for value in again] == [type(value) for value in row]


def test_tables_keep_what_values_depend_on() -> None:
    """Name, kinds, lengths, members and signs of the columns are read back."""
    table = Table(TableId("d", "a.b"), COLUMNS)
    written = written_table(table)
    assert written is not None
    locked = read_table(orjson.loads(orjson.dumps(written)))
    assert locked.id == table.id
    assert locked.columns == COLUMNS


def test_a_table_s_schema_can_be_reviewed() -> None:
    """Defaults, generated columns and keys are shown; what is unsaid or false is not."""
    table = Table(
        TableId("d", "t"),
        (
            Column(1, "id", ColumnKind.INT, nullable=False),
            Column(2, "v", ColumnKind.VARCHAR, length=9, default=Default("x")),
        ),
        (
            Index(1, "PRIMARY", (IndexPart("id"),), unique=True, primary=True),
            Index(2, "i", (IndexPart("v", length=3), IndexPart(None, expression="`id`+1"))),
        ),
        clustered=True,
    )
    assert written_table(table) == {
        "table": "d.t",
        "columns": [
            {"name": "id", "type": "int", "nullable": False},
            {
                "name": "v",
                "type": "varchar",
                "length": 9,
                "nullable": True,
                "default": {"text": "x"},
            },
        ],
        "indexes": [
            {"name": "PRIMARY", "parts": ["id"], "unique": True},
            {"name": "i", "parts": ["v(3)", "(`id`+1)"]},
        ],
        "clustered": True,
    }
    assert written_table(None) is None


@pytest.mark.parametrize(
    ("kind", "value", "written"),
    [
        (ColumnKind.ENUM, 1, "red"),
        (ColumnKind.ENUM, 0, 0),
        (ColumnKind.ENUM, 3, 3),
        (ColumnKind.ENUM, 4, "7"),
        (ColumnKind.SET, 3, "red,it's"),
        (ColumnKind.SET, 0, 0),
        (ColumnKind.SET, 4, 4),
        (ColumnKind.BLOB, b"\x00\xff", "00ff"),
    ],
)
def test_members_are_written_where_they_read_back(
    kind: ColumnKind, value: int | bytes, written: object
) -> None:
    """ENUM and SET show their members, unless the text would be taken for another value."""
    column = Column(0, "c", kind, members=("red", "it's", "", "7"))
    assert written_value(column, value) == written


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({}, "it lacks `id`"),
        ({"id": 1, "x": 2}, "there is no column `x`"),
        ({"id": "one"}, "column `id`: 'one' is not an integer"),
        ({"id": 2**31}, "column `id`: 2147483648 is out of the range of int"),
    ],
)
def test_rows_that_do_not_fit_are_refused(row: dict[str, object], what: str) -> None:
    """Missing, unknown and ill-typed columns are named."""
    with pytest.raises(ValueError, match="^" + what.replace("'", ".")):
        read_row([Column(0, "id", ColumnKind.INT)], row)


def test_a_table_s_name_may_have_dots() -> None:
    """Only the first dot parts database and table."""
    assert table_id("d.a.b") == TableId("d", "a.b")
