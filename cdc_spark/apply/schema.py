"""What a column is, as far as rows depend on it: kind, size, members, whether NULL is allowed.

Definitions come from `job.json` and from DDL; a table known from its rows only has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """Kinds whose values look alike in the contract's JSON."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    TEXT = "text"
    BYTES = "bytes"
    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"
    ENUM = "enum"
    SET = "set"
    JSON = "json"
    VECTOR = "vector"


FAMILIES: Mapping[str, Family] = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint"), Family.INTEGER),
    **dict.fromkeys(("bit", "year"), Family.INTEGER),
    "decimal": Family.DECIMAL,
    **dict.fromkeys(("float", "double"), Family.FLOAT),
    **dict.fromkeys(("char", "varchar"), Family.TEXT),
    **dict.fromkeys(("tinytext", "text", "mediumtext", "longtext"), Family.TEXT),
    **dict.fromkeys(("binary", "varbinary"), Family.BYTES),
    **dict.fromkeys(("tinyblob", "blob", "mediumblob", "longblob"), Family.BYTES),
    "date": Family.DATE,
    "time": Family.TIME,
    **dict.fromkeys(("datetime", "timestamp"), Family.DATETIME),
    "enum": Family.ENUM,
    "set": Family.SET,
    "json": Family.JSON,
    "vector": Family.VECTOR,
}


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal of SQL: its form (`text`, `number`, `hex`, `bits`) and characters or digits."""

    form: str
    text: str


@dataclass(frozen=True, slots=True)
class Expression:
    """A default that is computed; its value is known to the database only."""

    sql: str


@dataclass(frozen=True, slots=True)
class Column:
    """One column's definition.

    `length` is in characters, bytes, bits or decimal digits; `scale` is decimal digits after the
    point or, for temporals, fractional seconds. `default` None means NULL or none.
    `unsigned` widens what a number may be, and with it the type that a sink needs.
    `virtual` columns are computed on reading: no row event and no result has them.
    """

    name: str
    kind: str
    length: int | None = None
    scale: int | None = None
    members: tuple[str, ...] = ()
    nullable: bool = True
    default: Literal | Expression | None = None
    virtual: bool = False
    stored: bool = False
    unsigned: bool = False

    @property
    def family(self) -> Family:
        """Return the family of the column's kind."""
        return FAMILIES[self.kind]
