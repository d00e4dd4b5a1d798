"""The specifications of ALTER TABLE, one class for each thing that changes a table.

What changes no table that a stream shows (LOCK, ALGORITHM, CACHE, ATTRIBUTES, ...) is a
`PlainSpec`: its restored words, and the job that TiDB would run for it, if any.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.ddl.action import ActionType
from harness.ddl.expressions import Expr
from harness.ddl.syntax import (
    ColumnDef,
    Constraint,
    PartitionDef,
    Partitioning,
    TableOption,
    TableRef,
)


@dataclass(frozen=True, slots=True)
class Position:
    """Where a column goes: FIRST, AFTER a column, or (both empty) where it stands or last."""

    first: bool = False
    after: str = ""


@dataclass(frozen=True, slots=True)
class AddColumns:
    """ADD COLUMN; `listed` tells the form with parentheses, which may hold constraints too."""

    columns: tuple[ColumnDef, ...]
    constraints: tuple[Constraint, ...] = ()
    position: Position = Position()
    listed: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddConstraint:
    """ADD INDEX, KEY, UNIQUE, PRIMARY KEY, FOREIGN KEY or CHECK."""

    constraint: Constraint


@dataclass(frozen=True, slots=True)
class DropColumn:
    """DROP COLUMN."""

    name: str
    if_exists: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class DropPrimaryKey:
    """DROP PRIMARY KEY."""

    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class DropIndex:
    """DROP INDEX or KEY."""

    name: str
    if_exists: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class DropForeignKey:
    """DROP FOREIGN KEY."""

    name: str
    if_exists: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ModifyColumn:
    """MODIFY COLUMN, or CHANGE COLUMN when `old_name` is not empty."""

    column: ColumnDef
    old_name: str = ""
    position: Position = Position()
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """RENAME COLUMN."""

    old: str
    new: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AlterDefault:
    """ALTER COLUMN ... SET DEFAULT `expr`, or DROP DEFAULT when None."""

    name: str
    expr: Expr | None
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class RenameTable:
    """RENAME [TO | AS] inside ALTER TABLE."""

    table: TableRef


@dataclass(frozen=True, slots=True)
class RenameIndex:
    """RENAME INDEX."""

    old: str
    new: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AlterIndexVisibility:
    """ALTER INDEX ... VISIBLE or INVISIBLE."""

    name: str
    visible: bool
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AlterTableOptions:
    """Table options in one specification, CONVERT TO CHARACTER SET among them."""

    options: tuple[TableOption, ...]


@dataclass(frozen=True, slots=True)
class RemoveTtl:
    """REMOVE TTL."""


@dataclass(frozen=True, slots=True)
class DropCheck:
    """DROP CHECK or CONSTRAINT."""

    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AlterCheck:
    """ALTER CHECK ... [NOT] ENFORCED."""

    name: str
    enforced: bool
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """ADD PARTITION with definitions, or with a `count` of hash or key partitions."""

    definitions: tuple[PartitionDef, ...] | None
    count: int = 0
    if_not_exists: bool = False
    no_binlog: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class CoalescePartitions:
    """COALESCE PARTITION."""

    count: int
    no_binlog: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class DropPartitions:
    """DROP PARTITION."""

    names: tuple[str, ...]
    if_exists: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class TruncatePartitions:
    """TRUNCATE PARTITION; no names means ALL."""

    names: tuple[str, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ReorganizePartitions:
    """REORGANIZE PARTITION ... INTO; no names means the bare form."""

    names: tuple[str, ...]
    definitions: tuple[PartitionDef, ...]
    no_binlog: bool = False
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ExchangePartition:
    """EXCHANGE PARTITION ... WITH TABLE."""

    name: str
    table: TableRef
    validation: bool = True
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PartitionBy:
    """PARTITION BY inside ALTER TABLE."""

    partitioning: Partitioning


@dataclass(frozen=True, slots=True)
class RemovePartitioning:
    """REMOVE PARTITIONING."""

    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PartitionPlacement:
    """PARTITION p PLACEMENT POLICY ...: written back as nothing."""

    name: str
    options: tuple[TableOption, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PlainSpec:
    """A specification without effect on columns, keys or partitions.

    `ignored` marks those that TiDB skips when it counts specifications (LOCK, ALGORITHM). An empty
    `text` is not written back at all (ATTRIBUTES, which TiDB drops along with placement).
    """

    text: str
    action: ActionType | None = None
    ignored: bool = False


Alteration = (
    AddColumns
    | AddConstraint
    | DropColumn
    | DropPrimaryKey
    | DropIndex
    | DropForeignKey
    | ModifyColumn
    | RenameColumn
    | AlterDefault
    | RenameTable
    | RenameIndex
    | AlterIndexVisibility
    | AlterTableOptions
    | RemoveTtl
    | DropCheck
    | AlterCheck
    | AddPartitions
    | CoalescePartitions
    | DropPartitions
    | TruncatePartitions
    | ReorganizePartitions
    | ExchangePartition
    | PartitionBy
    | RemovePartitioning
    | PartitionPlacement
    | PlainSpec
)


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE."""

    table: TableRef
    specs: tuple[Alteration, ...]
