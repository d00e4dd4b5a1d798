"""What a table is: columns, indexes and options of one schema version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from harness.model.columns import Column
from harness.model.partitioning import Dealing


@dataclass(frozen=True, slots=True, order=True)
class TableId:
    """A table's qualified name, spelled as it was created."""

    schema: str
    name: str

    def __str__(self) -> str:
        """Render as `schema.name`."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class IndexPart:
    """One key part: a column (with a prefix length when declared) or an expression."""

    column: str | None
    length: int | None = None
    expression: str | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """One index; `id` is TiDB's, given in creation order within the table.

    A clustered primary key over one integer column is the row's own handle: TiDB keeps no index for
    it, so its `id` is 0. `flags` says whether TiDB flags its columns for it: not where it made the
    index itself, for a foreign key of CREATE TABLE (pkg/ddl/create_table.go
    `addIndexForForeignKey`).
    """

    id: int
    name: str
    parts: tuple[IndexPart, ...]
    unique: bool = False
    primary: bool = False
    visible: bool = True
    is_global: bool = False
    flags: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the plain columns among the parts, in key order."""
        return tuple(part.column for part in self.parts if part.column is not None)


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """One foreign key: `columns` of this table point at `parent_columns` of `parent`.

    `actions` are what was said to happen on DELETE and on UPDATE, each "" where nothing was.
    """

    name: str
    columns: tuple[str, ...]
    parent: TableId
    parent_columns: tuple[str, ...] = ()
    actions: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Table:
    """One version of one table.

    `version` rises with every DDL on the table (TiCDC's `TableInfo.Version`).
    `clustered` says whether the primary key is the row's handle (TiDB's default since v5.0);
    False without a primary key. `partitions` holds the partition names, empty when unpartitioned.
    `physical_id` and `partition_ids` are TiDB's physical ids (allocation order).
    `partition_kind` is HASH, KEY, RANGE or LIST, empty when unpartitioned; `dealing` says which
    rows are in which partition, None when unpartitioned.
    `max_column_id` and `max_index_id` are the highest ids given so far, dropped ones included.
    `options` holds what was said beyond the fields, by keyword (`ENGINE`, `AUTO_INCREMENT`, `TTL`).
    """

    id: TableId
    columns: tuple[Column, ...]
    indexes: tuple[Index, ...] = ()
    clustered: bool = False
    version: int = 1
    physical_id: int = 0
    partitions: tuple[str, ...] = ()
    partition_ids: tuple[int, ...] = ()
    partition_kind: str = ""
    dealing: Dealing | None = None
    charset: str = "utf8mb4"
    collation: str = "utf8mb4_bin"
    comment: str = ""
    is_view: bool = False
    is_sequence: bool = False
    foreign_keys: tuple[ForeignKey, ...] = ()
    max_column_id: int = 0
    max_index_id: int = 0
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def primary_key(self) -> Index | None:
        """Return the primary key, or None."""
        return next((index for index in self.indexes if index.primary), None)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Return the names of the columns, in table order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the column of that name (case-insensitive, as in SQL); KeyError when absent."""
        column = self.find_column(name)
        if column is None:
            raise KeyError(name)
        return column

    def find_column(self, name: str) -> Column | None:
        """Return the column of that name (case-insensitive, as in SQL), None when absent."""
        wanted = name.lower()
        return next((column for column in self.columns if column.name.lower() == wanted), None)

    def find_index(self, name: str) -> Index | None:
        """Return the index of that name (case-insensitive, as in SQL), None when absent."""
        wanted = name.lower()
        return next((index for index in self.indexes if index.name.lower() == wanted), None)

    def position(self, name: str) -> int:
        """Return the ordinal (from 0) of a column by name; KeyError when absent."""
        wanted = name.lower()
        for ordinal, column in enumerate(self.columns):
            if column.name.lower() == wanted:
                return ordinal
        raise KeyError(name)
