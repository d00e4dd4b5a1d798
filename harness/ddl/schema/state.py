"""All schemas and tables at one moment, and how the next moment is made from it.

Law: a `Moment` never changes; every `with_...` returns a new one. Ids (tables, partitions) are
given as TiDB gives them: rising, never twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from harness.ddl.schema.columns import Charset
from harness.ddl.schema.jobs import DdlJob
from harness.ddl.schema.refusals import no_database, unknown_database, unknown_table
from harness.ddl.syntax import TableRef
from harness.model.table import Table, TableId

FIRST_ID = 100


@dataclass(frozen=True, slots=True)
class Moment:
    """Schemas with their character sets, tables by (lower-case) name, and the next id to give.

    `dropped` holds the tables that DROP and TRUNCATE took away, latest last: FLASHBACK finds them.

    Names are kept as written and found in any case, as TiDB does (lower_case_table_names=2).
    """

    databases: Mapping[str, Charset] = field(default_factory=lambda: MappingProxyType({}))
    by_name: Mapping[tuple[str, str], Table] = field(default_factory=lambda: MappingProxyType({}))
    next_id: int = FIRST_ID
    dropped: tuple[Table, ...] = ()

    # ---- questions ----------------------------------------------------------------------------

    def schemas(self) -> tuple[str, ...]:
        """Return the names of all schemas, in creation order."""
        return tuple(self.databases)

    def tables(self) -> tuple[Table, ...]:
        """Return all tables (views and sequences too), in creation order."""
        return tuple(self.by_name.values())

    def find(self, schema: str, name: str) -> Table | None:
        """Return a table by name, in any case, None when there is none."""
        return self.by_name.get((schema.lower(), name.lower()))

    def schema_name(self, name: str) -> str | None:
        """Return the spelling of a schema by name in any case, None when there is none."""
        return next((known for known in self.databases if known.lower() == name.lower()), None)

    # ---- questions that must have an answer ---------------------------------------------------

    def resolve(self, ref: TableRef, schema: str) -> TableId:
        """Return the full name that a table reference means; Refused when its schema is missing."""
        wanted = ref.schema or schema
        if not wanted:
            raise no_database(ref.at)
        known = self.schema_name(wanted)
        if known is None:
            raise unknown_database(ref.at, wanted, self.schemas())
        return TableId(known, ref.name)

    def existing(self, ref: TableRef, schema: str) -> Table:
        """Return the table that a reference means; Refused when there is none."""
        table_id = self.resolve(ref, schema)
        found = self.find(table_id.schema, table_id.name)
        if found is None:
            names = tuple(
                t.id.name for t in self.tables() if t.id.schema.lower() == table_id.schema.lower()
            )
            raise unknown_table(ref.at, table_id.schema, table_id.name, names)
        return found

    # ---- next moments -------------------------------------------------------------------------

    def with_table(self, table: Table) -> Moment:
        """Return the moment with this table added, or in place of the one of its name."""
        tables = dict(self.by_name)
        tables[table.id.schema.lower(), table.id.name.lower()] = table
        return replace(self, by_name=MappingProxyType(tables))

    def without_table(self, table_id: TableId) -> Moment:
        """Return the moment without this table."""
        gone = (table_id.schema.lower(), table_id.name.lower())
        tables = {key: table for key, table in self.by_name.items() if key != gone}
        return replace(self, by_name=MappingProxyType(tables))

    def with_schema(self, name: str, charset: Charset) -> Moment:
        """Return the moment with this schema added or changed."""
        databases = {**self.databases, name: charset}
        return replace(self, databases=MappingProxyType(databases))

    def without_schema(self, name: str) -> Moment:
        """Return the moment without this schema and its tables."""
        lower = name.lower()
        databases = {known: c for known, c in self.databases.items() if known.lower() != lower}
        tables = {key: table for key, table in self.by_name.items() if key[0] != lower}
        return replace(
            self, databases=MappingProxyType(databases), by_name=MappingProxyType(tables)
        )

    def take_ids(self, count: int) -> tuple[Moment, tuple[int, ...]]:
        """Return the moment after giving `count` ids, and the ids."""
        ids = tuple(range(self.next_id, self.next_id + count))
        return replace(self, next_id=self.next_id + count), ids


# What applying a statement gives: the next moment, and the jobs that made it.
Ran = tuple[Moment, tuple[DdlJob, ...]]
