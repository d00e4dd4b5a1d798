"""A relational column, and how its cells become Connect values.

Source: C:relational/Column.java, C:relational/ValueConverter.java.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from harness.codecs.connect.schema import Schema
from harness.model.columns import Column

UNSET: Final = -1
# A row as the connector reads it: texts of the wire, or the values of a log; None for NULL.
Cells = Sequence[Any]
Parse = Callable[[Any], Any]
Convert = Callable[[Any], Any]


class Jdbc(IntEnum):
    """The types of `java.sql.Types` that columns get, under their numbers there."""

    NCHAR = -15
    NVARCHAR = -9
    BIT = -7
    VARBINARY = -3
    CHAR = 1
    NUMERIC = 2
    DECIMAL = 3
    REAL = 7
    BOOLEAN = 16
    SMALLINT = 5
    INTEGER = 4
    BIGINT = -5
    FLOAT = 6
    DOUBLE = 8
    VARCHAR = 12
    BINARY = -2
    BLOB = 2004
    DATE = 91
    TIME = 92
    TIMESTAMP = 93
    TIMESTAMP_WITH_TIMEZONE = 2014
    OTHER = 1111


TEXTS: Final = frozenset({Jdbc.CHAR, Jdbc.VARCHAR, Jdbc.NCHAR, Jdbc.NVARCHAR})
FLOATS: Final = frozenset({Jdbc.FLOAT, Jdbc.REAL, Jdbc.DOUBLE})


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A column of the connector's table; `length` as it knows it, in Vitess a temporal's fraction.

    `upstream` is the column of the database, for connectors that read its DDL.
    """

    name: str
    type: str
    jdbc: Jdbc
    optional: bool
    members: tuple[str, ...] = ()
    length: int = UNSET
    primary: bool = False
    unique: bool = False
    upstream: Column | None = None
    comment: str | None = None

    def __str__(self) -> str:
        """Render as the connector's own `ColumnImpl.toString`, which its errors quote."""
        length = f"({self.length})" if self.length >= 0 else ""
        null = " DEFAULT VALUE NULL" if self.optional else " NOT NULL"
        return f"{self.name} {self.type}{length}{null}"


@dataclass(frozen=True, slots=True)
class Conversion:
    """How one column travels: a cell is parsed, then converted.

    What fails in `parse` is the event's failure, what fails in `convert` leaves the field null.
    `null` is what NULL becomes (null itself where the column allows it, or its type's zero), None
    as well where that zero does not fit the schema. `fails` says that `convert` may refuse a value.
    """

    schema: Schema
    parse: Parse
    convert: Convert | None = None
    null: Any = None
    fails: bool = False
