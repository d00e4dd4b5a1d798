"""Values as the cells of VStream's rows."""

from __future__ import annotations

import pytest

from harness.model.canonical import canonical
from harness.model.columns import Column, ColumnKind
from harness.model.table import Table, TableId
from harness.sources.vitess.cells import cell, cells

J = Column(1, "j", ColumnKind.JSON)


@pytest.mark.parametrize(
    ("document", "sent"),
    [
        (r'"a\u2028b\u2029"', '"a\u2028b\u2029"'),
        (r'"\\u2028"', r'"\\u2028"'),
        (r'"\\\u2028"', '"\\\\\u2028"'),
        ('{"bb": 1E+5, "a": [1, 2.50]}', '{"a": [1, 2.5], "bb": 100000.0}'),
    ],
)
def test_json_is_printed_as_vitess_prints_it(document: str, sent: str) -> None:
    """Line separators stand as they are; the value that is read is the upstream's all the same."""
    table = Table(TableId("shop", "t"), (J,))
    value = canonical(J, document)
    assert cells(table, (value,)) == (sent.encode(),)
    assert canonical(J, sent) == value


def test_other_texts_keep_what_looks_like_an_escape() -> None:
    """Only JSON has escapes."""
    assert cell(Column(1, "t", ColumnKind.TEXT), r"\u2028") == rb"\u2028"


@pytest.mark.parametrize(
    ("bits", "sent"), [(1, b"\x01"), (8, b"\x01"), (9, b"\0\x01"), (64, bytes(7) + b"\x01")]
)
def test_a_bit_has_the_bytes_of_its_declared_length(bits: int, sent: bytes) -> None:
    """The binary log's bytes are taken as they are: (n + 7) / 8 of them, whatever the value."""
    column = Column(1, "b", ColumnKind.BIT, length=bits)
    assert cell(column, 1) == sent
    table = Table(TableId("shop", "t"), (column,))
    assert cells(table, (1,)) == (sent,)


@pytest.mark.parametrize(
    ("kind", "number", "sent"),
    [
        (ColumnKind.FLOAT, 1.100000023841858, b"1.1E+00"),
        (ColumnKind.DOUBLE, 1.100000023841858, b"1.100000023841858E+00"),
        (ColumnKind.DOUBLE, -0.0, b"-0E+00"),
        (ColumnKind.DOUBLE, 1e300, b"1E+300"),
        (ColumnKind.DOUBLE, 0.05, b"5E-02"),
    ],
)
def test_floats_have_the_digits_of_their_bits(kind: ColumnKind, number: float, sent: bytes) -> None:
    """Vitess prints a FLOAT from its 32 bits, and both with an exponent of two digits or more."""
    assert cell(Column(1, "f", kind), number) == sent
