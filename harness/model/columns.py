"""What a column is: its type with every property that an encoder needs.

A new column type starts here, as a member of `ColumnKind`; mypy and pyright then list every table
and `assert_never` that has to learn it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class ColumnKind(StrEnum):
    """The column types of MySQL and TiDB; the value is the SQL name without length or flags."""

    TINYINT = "tinyint"
    SMALLINT = "smallint"
    MEDIUMINT = "mediumint"
    INT = "int"
    BIGINT = "bigint"
    FLOAT = "float"
    DOUBLE = "double"
    DECIMAL = "decimal"
    BIT = "bit"
    YEAR = "year"
    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"
    TIMESTAMP = "timestamp"
    CHAR = "char"
    VARCHAR = "varchar"
    BINARY = "binary"
    VARBINARY = "varbinary"
    TINYTEXT = "tinytext"
    TEXT = "text"
    MEDIUMTEXT = "mediumtext"
    LONGTEXT = "longtext"
    TINYBLOB = "tinyblob"
    BLOB = "blob"
    MEDIUMBLOB = "mediumblob"
    LONGBLOB = "longblob"
    ENUM = "enum"
    SET = "set"
    JSON = "json"
    VECTOR = "vector"


INTEGERS = frozenset(
    {
        ColumnKind.TINYINT,
        ColumnKind.SMALLINT,
        ColumnKind.MEDIUMINT,
        ColumnKind.INT,
        ColumnKind.BIGINT,
    }
)
TEMPORALS = frozenset({ColumnKind.DATE, ColumnKind.TIME, ColumnKind.DATETIME, ColumnKind.TIMESTAMP})
CHARACTERS = frozenset(
    {
        ColumnKind.CHAR,
        ColumnKind.VARCHAR,
        ColumnKind.TINYTEXT,
        ColumnKind.TEXT,
        ColumnKind.MEDIUMTEXT,
        ColumnKind.LONGTEXT,
    }
)
BINARIES = frozenset(
    {
        ColumnKind.BINARY,
        ColumnKind.VARBINARY,
        ColumnKind.TINYBLOB,
        ColumnKind.BLOB,
        ColumnKind.MEDIUMBLOB,
        ColumnKind.LONGBLOB,
    }
)


@dataclass(frozen=True, slots=True)
class Default:
    """A column's DEFAULT clause.

    `text` is the literal as written (without quotes; None for `DEFAULT NULL`), or the expression's
    restored SQL when `is_expression` (`CURRENT_TIMESTAMP(3)`, `UUID()`); `is_binary` marks a bit
    or hexadecimal literal, whose text is then its lower-case hexadecimal digits. `written` is the
    clause as it stands in the statement, empty where nobody wrote one.
    """

    text: str | None
    is_expression: bool = False
    is_binary: bool = False
    written: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated column's expression (restored SQL) and whether it is stored."""

    expression: str
    stored: bool


@dataclass(frozen=True, slots=True)
class Column:
    """One column of one version of a table.

    `id` is TiDB's column id: given in creation order and never reused within a table.
    `length` is the declared one: characters (CHAR, VARCHAR), bytes (BINARY, VARBINARY), bits (BIT),
    digits (DECIMAL precision), display width (integers, when declared), dimensions (VECTOR).
    `scale` is the digits after the point: DECIMAL scale, or fractional seconds (fsp) of temporals.
    `written` has the members as a statement does, quotes and all, nothing where nobody wrote one.
    `origin_default` is what rows stored before an ADD COLUMN read back as; None when NULL.
    `former_id` is the id before a change of type that rewrote the data, None without one.
    """

    id: int
    name: str
    kind: ColumnKind
    length: int | None = None
    scale: int | None = None
    members: tuple[str, ...] = ()
    charset: str | None = None
    collation: str | None = None
    unsigned: bool = False
    zerofill: bool = False
    nullable: bool = True
    default: Default | None = None
    origin_default: Default | None = None
    generated: Generated | None = None
    on_update: str | None = None
    auto_increment: bool = False
    auto_random: bool = False
    comment: str = ""
    former_id: int | None = None
    written: tuple[str, ...] = field(default=(), compare=False)

    @property
    def fsp(self) -> int:
        """Return the fractional-seconds digits of a temporal column (0 when none were declared)."""
        return self.scale or 0
