"""The syntax tree of DDL statements: what was written, resolved against nothing.

Names are spelled as written, a missing schema is the empty string, and clauses keep their order,
because the restored text shows both. `at` is an offset into the SQL text, for error messages only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from harness.ddl.action import ActionType
from harness.ddl.expressions import Expr, quote_name
from harness.model.columns import ColumnKind


@dataclass(frozen=True, slots=True)
class TableRef:
    """A table's name as written; `schema` is empty when it was left out."""

    schema: str
    name: str
    at: int = field(default=0, compare=False)


def table_text(table: TableRef) -> str:
    """Return a table's name in back quotes, with its schema when that was written."""
    if not table.schema:
        return quote_name(table.name)
    return f"{quote_name(table.schema)}.{quote_name(table.name)}"


@dataclass(frozen=True, slots=True)
class DataType:
    """A column's type as written, aliases already resolved (INTEGER is INT, BOOL is TINYINT(1)).

    `length` and `scale` are None where nothing was written, except where the alias implies them.
    `binary` is the BINARY attribute of a character type (its binary collation).
    """

    kind: ColumnKind
    length: int | None = None
    scale: int | None = None
    members: tuple[str, ...] = ()
    charset: str = ""
    binary: bool = False
    unsigned: bool = False
    zerofill: bool = False


class Clustering(StrEnum):
    """Whether a primary key was asked to be the row's handle."""

    UNSAID = ""
    CLUSTERED = "CLUSTERED"
    NONCLUSTERED = "NONCLUSTERED"


class OptionKind(StrEnum):
    """The options of a column definition."""

    NOT_NULL = "NOT NULL"
    NULL = "NULL"
    AUTO_INCREMENT = "AUTO_INCREMENT"
    AUTO_RANDOM = "AUTO_RANDOM"
    PRIMARY_KEY = "PRIMARY KEY"
    UNIQUE_KEY = "UNIQUE KEY"
    DEFAULT = "DEFAULT"
    ON_UPDATE = "ON UPDATE"
    COMMENT = "COMMENT"
    GENERATED = "GENERATED ALWAYS AS"
    REFERENCE = "REFERENCES"
    COLLATE = "COLLATE"
    CHECK = "CHECK"
    COLUMN_FORMAT = "COLUMN_FORMAT"
    STORAGE = "STORAGE"
    ENGINE_ATTRIBUTE = "SECONDARY_ENGINE_ATTRIBUTE"
    INVISIBLE = "INVISIBLE"


@dataclass(frozen=True, slots=True)
class Reference:
    """What a foreign key points at; actions are empty when unsaid."""

    table: TableRef
    parts: tuple[KeyPart, ...] | None
    match: str = ""
    on_delete: str = ""
    on_update: str = ""


@dataclass(frozen=True, slots=True)
class ColumnOption:
    """One option of a column definition; which fields count depends on `kind`.

    `expr`: default, ON UPDATE, generation or check. `text`: comment, collation, format, check name.
    `flag`: stored (generated), enforced (check), global (keys). `numbers`: AUTO_RANDOM's bits.
    """

    kind: OptionKind
    expr: Expr | None = None
    text: str = ""
    flag: bool = False
    clustering: Clustering = Clustering.UNSAID
    numbers: tuple[int, ...] = ()
    reference: Reference | None = None


@dataclass(frozen=True, slots=True)
class ColumnDef:
    """A column definition; `type` is None only where ALTER COLUMN names a column alone."""

    name: str
    type: DataType
    options: tuple[ColumnOption, ...] = ()
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One part of a key as written: a column with a prefix length, or an expression."""

    column: str
    length: int | None = None
    expr: Expr | None = None
    descending: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class IndexOption:
    """The options after a key's parts."""

    clustering: Clustering = Clustering.UNSAID
    key_block_size: int = 0
    using: str = ""
    parser: str = ""
    comment: str = ""
    is_global: bool = False
    visible: bool | None = None
    pre_split: str = ""
    columnar: bool = False
    engine_attribute: str = ""
    where: Expr | None = None


class ConstraintKind(StrEnum):
    """The table constraints; the value is how a definition of it starts when written back."""

    PRIMARY = "PRIMARY KEY"
    INDEX = "INDEX"
    UNIQUE = "UNIQUE"
    FULLTEXT = "FULLTEXT"
    SPATIAL = "SPATIAL"
    VECTOR = "VECTOR INDEX"
    COLUMNAR = "COLUMNAR INDEX"
    FOREIGN = "FOREIGN KEY"
    CHECK = "CHECK"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A key, foreign key or check that stands by itself."""

    kind: ConstraintKind
    name: str = ""
    parts: tuple[KeyPart, ...] = ()
    option: IndexOption = IndexOption()
    reference: Reference | None = None
    expr: Expr | None = None
    enforced: bool = True
    if_not_exists: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class TableOption:
    """One table, partition or sequence option; `kind` is its keyword without value.

    `text` and `number` hold the value, `default` says that it was the word DEFAULT, `convert` that
    a character set came by CONVERT TO, `force` that FORCE stood before, `expr` is TTL's interval.
    """

    kind: str
    text: str = ""
    number: int = 0
    default: bool = False
    convert: bool = False
    force: bool = False
    tables: tuple[TableRef, ...] = ()
    expr: Expr | None = None


@dataclass(frozen=True, slots=True)
class DatabaseOption:
    """One option of CREATE or ALTER DATABASE."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SubPartition:
    """One subpartition's name and options."""

    name: str
    options: tuple[TableOption, ...] = ()


@dataclass(frozen=True, slots=True)
class PartitionDef:
    """One partition: VALUES LESS THAN (`less_than`), VALUES IN (`rows`), or a bare `word`."""

    name: str
    less_than: tuple[Expr, ...] | None = None
    rows: tuple[tuple[Expr, ...], ...] | None = None
    word: str = ""
    options: tuple[TableOption, ...] = ()
    subpartitions: tuple[SubPartition, ...] = ()
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PartitionInterval:
    """TiDB's shorthand for equally wide range partitions; `unit` is empty for numbers."""

    width: Expr
    unit: str = ""
    first: Expr | None = None
    last: Expr | None = None
    null_partition: bool = False
    max_partition: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PartitionMethod:
    """How rows are dealt to partitions; `kind` is HASH, KEY, RANGE, LIST or SYSTEM_TIME."""

    kind: str
    linear: bool = False
    expr: Expr | None = None
    columns: tuple[str, ...] = ()
    algorithm: int = 0
    count: int = 0
    unit: str = ""
    limit: int = 0
    interval: PartitionInterval | None = None


@dataclass(frozen=True, slots=True)
class Partitioning:
    """A whole PARTITION BY clause."""

    method: PartitionMethod
    sub: PartitionMethod | None = None
    definitions: tuple[PartitionDef, ...] = ()
    update_indexes: tuple[tuple[str, bool], ...] = ()
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Select:
    """A query inside DDL: its tree, and the tables that it reads (for whoever guards schemas)."""

    expr: Expr
    tables: tuple[TableRef, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    """CREATE DATABASE."""

    name: str
    options: tuple[DatabaseOption, ...] = ()
    if_not_exists: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AlterDatabase:
    """ALTER DATABASE; `name` is empty when the current database is meant."""

    name: str
    options: tuple[DatabaseOption, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class DropDatabase:
    """DROP DATABASE."""

    name: str
    if_exists: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE in all its forms; `temporary` is empty, GLOBAL TEMPORARY or TEMPORARY."""

    table: TableRef
    columns: tuple[ColumnDef, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    options: tuple[TableOption, ...] = ()
    partitioning: Partitioning | None = None
    like: TableRef | None = None
    select: Select | None = None
    on_duplicate: str = ""
    if_not_exists: bool = False
    temporary: str = ""
    on_commit_delete: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class DropTables:
    """DROP TABLE or DROP VIEW of one or more names."""

    tables: tuple[TableRef, ...]
    is_view: bool = False
    if_exists: bool = False
    temporary: str = ""


@dataclass(frozen=True, slots=True)
class RenameTables:
    """RENAME TABLE: (old, new) pairs, in order."""

    pairs: tuple[tuple[TableRef, TableRef], ...]


@dataclass(frozen=True, slots=True)
class TruncateTable:
    """TRUNCATE TABLE."""

    table: TableRef


@dataclass(frozen=True, slots=True)
class RecoverTable:
    """RECOVER TABLE [n], or FLASHBACK TABLE [TO new_name], of a dropped or truncated table."""

    verb: str
    table: TableRef
    count: int = 0
    new_name: str = ""


@dataclass(frozen=True, slots=True)
class CreateIndex:
    """CREATE INDEX; `kind` is empty, UNIQUE, FULLTEXT, SPATIAL, VECTOR or COLUMNAR."""

    table: TableRef
    constraint: Constraint
    lock_and_algorithm: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DropIndexStatement:
    """DROP INDEX ... ON."""

    table: TableRef
    name: str
    if_exists: bool = False
    lock_and_algorithm: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE VIEW; `definer` is empty for the current user, `check` empty, LOCAL or CASCADED."""

    view: TableRef
    select: Select
    columns: tuple[str, ...] = ()
    or_replace: bool = False
    algorithm: str = "UNDEFINED"
    definer: tuple[str, str] | None = None
    security: str = "DEFINER"
    check: str = ""


@dataclass(frozen=True, slots=True)
class SequenceStatement:
    """CREATE, ALTER or DROP SEQUENCE; `verb` says which, `options` are written back as they are."""

    verb: str
    sequences: tuple[TableRef, ...]
    options: tuple[str, ...] = ()
    table_options: tuple[TableOption, ...] = ()
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class PolicyStatement:
    """A statement about a placement policy or resource group: TiCDC replicates none of them."""

    action: ActionType
    name: str
