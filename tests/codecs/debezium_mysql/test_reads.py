"""What a SELECT says of a TIMESTAMP that the log has as no second at all."""

from __future__ import annotations

import pytest

from harness.codecs.debezium_mysql.reads import as_read
from harness.model.columns import Column, ColumnKind, Default
from harness.model.values import Value

ZERO = "0000-00-00 00:00:00.000"
LITERAL = "2020-01-02 03:04:05.000"


@pytest.mark.parametrize(
    ("nullable", "default", "read"),
    [
        (True, None, None),
        (False, None, "1970-01-01 00:00:00"),
        (False, Default("CURRENT_TIMESTAMP(3)", is_expression=True), "1970-01-01 00:00:00"),
        (False, Default(ZERO), "1970-01-01 00:00:00"),
        (False, Default(LITERAL), LITERAL),
    ],
)
def test_a_zero_timestamp_is_no_value(
    nullable: bool,  # noqa: FBT001 - a parameter of the table
    default: Default | None,
    read: Value,
) -> None:
    """It is null where the column may be, and else its default or the first moment of 1970."""
    column = Column(1, "ts", ColumnKind.TIMESTAMP, scale=3, nullable=nullable, default=default)
    assert as_read((column,), (ZERO,)) == (read,)
