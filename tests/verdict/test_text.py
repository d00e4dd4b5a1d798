"""Values and rows as people read them in a diff."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.model.columns import Column, ColumnKind
from harness.model.values import Value
from harness.verdict.read import raw_text
from harness.verdict.text import cell_text, key_text, row_text, value_text
from tests.source_tables import shop_table

ID = Column(1, "id", ColumnKind.INT)
V = Column(2, "v", ColumnKind.BLOB)
TABLE = shop_table(ID, V)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        ("it's\n", '"it\'s\\n"'),
        ("NULL", "'NULL'"),
        (b"\xff\0", "x'ff00'"),
        (b"", "x''"),
        (7, "7"),
        ("7", "'7'"),
        (0.1, "0.1"),
    ],
)
def test_values(value: Value, text: str) -> None:
    """A value shows its kind: text is quoted, bytes are hexadecimal, NULL is a word."""
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (ColumnKind.ENUM, 2, "2 ('paid')"),
        (ColumnKind.ENUM, 0, "0"),
        (ColumnKind.ENUM, None, "NULL"),
        (ColumnKind.SET, 3, "3 ('new,paid')"),
        (ColumnKind.INT, 2, "2"),
        (ColumnKind.BLOB, b"\xff", "x'ff'"),
    ],
)
def test_numbers_of_members_are_shown_with_the_members(
    kind: ColumnKind, value: Value, text: str
) -> None:
    """Who answers with members knows no numbers."""
    assert cell_text(Column(1, "c", kind, members=("new", "paid")), value) == text


def test_rows() -> None:
    """A row shows the columns that are sent; a key its handle columns, or all without a handle."""
    assert row_text(TABLE, (1, b"a")) == "{id: 1, v: x'61'}"
    assert row_text(replace(TABLE, emitted=(1,)), (1, b"a")) == "{v: x'61'}"
    assert key_text(TABLE, (1, b"a")) == "id=1"
    assert key_text(shop_table(ID, V, key=()), (1, None)) == "id=1,v=NULL"


def test_raw_rows() -> None:
    """A consumer's own row shows what it wrote, quotes and all."""
    assert raw_text({"id": "1", "v": None, "w": [1]}) == "{id: '1', v: NULL, w: [1]}"
