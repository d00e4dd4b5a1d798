"""What DDL statements ask of tables and columns, once they are read."""

from __future__ import annotations

from dataclasses import dataclass

from cdc_spark.apply.partitions import Definition, Partitions
from cdc_spark.apply.schema import Column

Name = tuple[str | None, str]  # (schema, table); the schema is None when the text does not say it


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    """CREATE DATABASE."""


@dataclass(frozen=True, slots=True)
class DropDatabase:
    """DROP DATABASE."""


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE with columns, or LIKE another table."""

    columns: tuple[Column, ...] = ()
    like: Name | None = None
    partitions: Partitions | None = None


@dataclass(frozen=True, slots=True)
class DropTable:
    """DROP TABLE."""


@dataclass(frozen=True, slots=True)
class TruncateTable:
    """TRUNCATE TABLE."""


@dataclass(frozen=True, slots=True)
class RenameTable:
    """RENAME TABLE old TO new, ...; also ALTER TABLE old RENAME new."""

    pairs: tuple[tuple[Name, Name], ...]


@dataclass(frozen=True, slots=True)
class AddColumn:
    """ADD COLUMN."""

    column: Column


@dataclass(frozen=True, slots=True)
class DropColumn:
    """DROP COLUMN."""

    name: str


@dataclass(frozen=True, slots=True)
class ChangeColumn:
    """CHANGE COLUMN, and MODIFY COLUMN with the old name as the new one."""

    old: str
    column: Column


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """RENAME COLUMN."""

    old: str
    new: str


Alteration = AddColumn | DropColumn | ChangeColumn | RenameColumn


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """ADD PARTITION with definitions, or with so many more by HASH or KEY."""

    definitions: tuple[Definition, ...]
    count: int = 0


@dataclass(frozen=True, slots=True)
class DropPartitions:
    """DROP PARTITION."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TruncatePartitions:
    """TRUNCATE PARTITION; no names means ALL."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReorganizePartitions:
    """REORGANIZE PARTITION ... INTO."""

    names: tuple[str, ...]
    definitions: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class CoalescePartitions:
    """COALESCE PARTITION."""

    count: int


@dataclass(frozen=True, slots=True)
class ExchangePartition:
    """EXCHANGE PARTITION ... WITH TABLE."""

    name: str
    table: Name


@dataclass(frozen=True, slots=True)
class Repartition:
    """PARTITION BY and REMOVE PARTITIONING, and whatever leaves the partitioning unclear."""

    partitions: Partitions | None


PartitionAction = (
    AddPartitions
    | DropPartitions
    | TruncatePartitions
    | ReorganizePartitions
    | CoalescePartitions
    | ExchangePartition
    | Repartition
)


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE: its alterations of columns, all against the table as it was before.

    `partitions` is what it does to partitions.
    """

    name: Name
    alterations: tuple[Alteration, ...]
    renamed: Name | None = None
    partitions: PartitionAction | None = None


Statement = (
    CreateDatabase
    | DropDatabase
    | CreateTable
    | DropTable
    | TruncateTable
    | RenameTable
    | AlterTable
    | None
)
