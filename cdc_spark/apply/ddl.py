"""What a DDL event does to the tables of its changefeed.

An event either takes effect, or is known to leave rows alone, or is refused (`DecodingError`).
A table that the stream has not mentioned is an empty one: its DDL is no error, because TiCDC's
filters may have removed what came before.

The event's own schema and table are the truth where the statement names one table: TiCDC writes the
name after a rename there, and the statement may leave the schema out (tiflow c7b2588
cdc/model/sink.go:1092, cdc/owner/ddl_sink.go:432).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cdc_spark.apply import ddl_sql
from cdc_spark.apply.partitions import Partitions
from cdc_spark.apply.repartition import UnknownEffect, repartition
from cdc_spark.apply.reshape import reshape
from cdc_spark.apply.statements import (
    AlterTable,
    CreateDatabase,
    CreateTable,
    DropDatabase,
    DropTable,
    ExchangePartition,
    Name,
    RenameTable,
    Statement,
    TruncateTable,
)
from cdc_spark.apply.tables import Table
from cdc_spark.errors import DecodingError

# TiDB action codes whose statements leave rows and their columns alone, whatever the text says.
NO_ROW_EFFECT: Mapping[int, str] = {
    7: "add index",
    8: "drop index",
    9: "add foreign key",
    10: "drop foreign key",
    13: "rebase auto id",
    15: "set default value",
    16: "shard row id",
    17: "modify table comment",
    18: "rename index",
    21: "create view",
    22: "modify table charset and collate",
    24: "drop view",
    26: "modify schema charset and collate",
    27: "lock table",
    28: "unlock table",
    30: "set TiFlash replica",
    31: "update TiFlash replica status",
    32: "add primary key",
    33: "drop primary key",
    34: "create sequence",
    35: "alter sequence",
    36: "drop sequence",
    41: "alter index visibility",
    65: "alter TTL",
    67: "remove TTL",
}
# Action codes whose statements leave rows alone, and say in which partitions they are.
PARTITIONS_ONLY: Mapping[int, str] = {
    19: "add table partition",
    64: "reorganize partition",
    71: "partition by",
    72: "remove partitioning",
}
# Action codes whose effect on rows the stream does not carry.
UNKNOWN_EFFECT: Mapping[int, str] = {
    25: "RECOVER TABLE brings back rows that no event names",
    62: "FLASHBACK CLUSTER changes rows that no event names",
    63: "FLASHBACK DATABASE brings back rows that no event names",
}


class Tables:
    """All tables of one changefeed, by name; names are compared as TiDB does, without case."""

    def __init__(self, make: Callable[[str, str], Table] = Table) -> None:
        """Start without tables; `make` makes one of a schema and a name."""
        self._make = make
        self._tables: dict[tuple[str, str], Table] = {}

    def __iter__(self) -> Iterator[Table]:
        """Iterate over the tables."""
        return iter(self._tables.values())

    def get(self, schema: str, name: str) -> Table:
        """Return a table; one that was not mentioned yet exists from now on, empty."""
        at = (schema.lower(), name.lower())
        if at not in self._tables:
            self._tables[at] = self._make(schema, name)
        return self._tables[at]

    def put(self, table: Table) -> None:
        """Take a table that is known already."""
        self._tables[table.schema.lower(), table.name.lower()] = table

    def execute(self, schema: str, table: str, event: Mapping[str, Any]) -> None:
        """Execute the DDL event `{"q", "t"}` on `schema`.`table`; raises DecodingError."""
        query, action = str(event["q"]), int(event["t"])
        if action in NO_ROW_EFFECT:
            return
        if action in UNKNOWN_EFFECT:
            raise UnknownEffect(f"{UNKNOWN_EFFECT[action]}: {query}")
        try:
            statement = ddl_sql.parse(query)
        except DecodingError as error:
            if action not in PARTITIONS_ONLY:
                raise
            self.get(schema, table).partitions = Partitions("", unclear=error.what)
            return
        self._take_effect(schema, table, statement)

    def _take_effect(self, schema: str, table: str, statement: Statement) -> None:
        match statement:
            case None | CreateDatabase():
                pass
            case DropDatabase():
                kept = {at: of for at, of in self._tables.items() if at[0] != schema.lower()}
                self._tables = kept
            case CreateTable():
                self._create(schema, table, statement)
            case DropTable():
                self._tables.pop((schema.lower(), table.lower()), None)
            case TruncateTable():
                self.get(schema, table).clear()
            case RenameTable():
                for old, new in statement.pairs:
                    self._rename(self._find(schema, old), schema, new)
            case AlterTable():
                self._alter(schema, table, statement)

    def _create(self, schema: str, name: str, statement: CreateTable) -> None:
        """Define a table; one that exists keeps its rows, as with IF NOT EXISTS."""
        columns, partitions = statement.columns, statement.partitions
        if statement.like is not None:
            other = self._find(schema, statement.like)
            columns, partitions = tuple(other.columns.values()), other.partitions
        table = self.get(schema, name)
        table.columns = {column.name.lower(): column for column in columns}
        table.partitions = partitions

    def _alter(self, schema: str, name: str, statement: AlterTable) -> None:
        # The event of a rename has the new name, that of an exchange may have the other table's.
        renamed, exchange = statement.renamed, isinstance(statement.partitions, ExchangePartition)
        named = renamed is not None or exchange
        table = self._find(schema, statement.name) if named else self.get(schema, name)
        if statement.alterations:
            reshape(table, statement.alterations)
        if statement.partitions is not None:
            other = None
            if isinstance(statement.partitions, ExchangePartition):
                other = self._find(schema, statement.partitions.table)
            repartition(table, statement.partitions, other)
        if renamed is not None:
            self._rename(table, schema, renamed)

    def _rename(self, table: Table, schema: str, new: Name) -> None:
        del self._tables[table.schema.lower(), table.name.lower()]
        table.schema, table.name = new[0] or schema, new[1]
        self._tables[table.schema.lower(), table.name.lower()] = table

    def _find(self, schema: str, name: Name) -> Table:
        """Return the table of a statement's name.

        A name without schema may mean the database that was current for the user, which the event
        does not say when the table moves between databases; then it is the only one of that name.
        """
        here = ((name[0] or schema).lower(), name[1].lower())
        elsewhere = [table for at, table in self._tables.items() if at[1] == here[1]]
        if here in self._tables or name[0] is not None or not elsewhere:
            return self.get(name[0] or schema, name[1])
        if len(elsewhere) > 1:
            raise DecodingError(f"{name[1]!r} may be any of {len(elsewhere)} tables")
        return elsewhere[0]
