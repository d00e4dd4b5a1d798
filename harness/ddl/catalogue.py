"""All schemas and tables at one moment; applying a statement gives the next moment.

Law: a `Catalogue` never changes. `apply` returns a new one with the jobs that TiDB would run, or
raises `DdlError` and nothing has happened. Ids (tables, partitions, columns, indexes) are given as
TiDB gives them: rising, never twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from harness.ddl.errors import DdlError
from harness.ddl.grammar.statements import Statement, parse
from harness.ddl.restored.statements import restore
from harness.ddl.schema.columns import DEFAULT_CHARSET, Charset
from harness.ddl.schema.jobs import DdlJob
from harness.ddl.schema.refusals import (
    Refused,
    no_database,
    unknown_database,
    unknown_table,
)
from harness.ddl.syntax import TableRef
from harness.model.table import Table, TableId

FIRST_ID = 100


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Schemas with their character sets, tables by name, and the next id to give.

    Names are kept as written and found in any case, as TiDB does (lower_case_table_names=2).
    """

    databases: Mapping[str, Charset] = field(default_factory=lambda: MappingProxyType({}))
    by_name: Mapping[tuple[str, str], Table] = field(default_factory=lambda: MappingProxyType({}))
    next_id: int = FIRST_ID

    @classmethod
    def empty(cls) -> Catalogue:
        """Return a catalogue without schemas."""
        return cls()

    @classmethod
    def with_schemas(cls, *names: str) -> Catalogue:
        """Return a catalogue with these empty schemas, in TiDB's default character set."""
        return cls(databases=MappingProxyType(dict.fromkeys(names, DEFAULT_CHARSET)))

    def apply(
        self, sql: str | Statement, schema: str = "", *, ansi_quotes: bool = False
    ) -> Applied:
        """Run one DDL statement.

        `schema` is the current database, for names written without one; `ansi_quotes` the sql_mode.
        Raises DdlError (with line and column when `sql` is text) for what cannot be parsed and for
        what MySQL would refuse; then nothing has happened.
        """
        from harness.ddl.schema.run import run  # noqa: PLC0415 - it needs this class itself

        statement = parse(sql, ansi_quotes=ansi_quotes) if isinstance(sql, str) else sql
        source = sql if isinstance(sql, str) else restore(statement)
        try:
            return run(self, statement, source, schema)
        except Refused as refused:
            raise DdlError.at(
                source if isinstance(sql, str) else "",
                refused.at if isinstance(sql, str) else 0,
                refused.what,
                expected=refused.expected,
                hint=refused.hint,
            ) from None

    # ---- questions ----------------------------------------------------------------------------

    def schemas(self) -> tuple[str, ...]:
        """Return the names of all schemas, in creation order."""
        return tuple(self.databases)

    def tables(self) -> tuple[Table, ...]:
        """Return all tables (views and sequences too), in creation order."""
        return tuple(self.by_name.values())

    def table(self, table_id: TableId) -> Table:
        """Return a table by name, in any case; KeyError when there is none."""
        found = self.find(table_id.schema, table_id.name)
        if found is None:
            raise KeyError(table_id)
        return found

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

    def with_table(self, table: Table) -> Catalogue:
        """Return the catalogue with this table added, or in place of the one of its name."""
        tables = dict(self.by_name)
        tables[table.id.schema.lower(), table.id.name.lower()] = table
        return replace(self, by_name=MappingProxyType(tables))

    def without_table(self, table_id: TableId) -> Catalogue:
        """Return the catalogue without this table."""
        gone = (table_id.schema.lower(), table_id.name.lower())
        tables = {key: table for key, table in self.by_name.items() if key != gone}
        return replace(self, by_name=MappingProxyType(tables))

    def with_schema(self, name: str, charset: Charset) -> Catalogue:
        """Return the catalogue with this schema added or changed."""
        databases = {**self.databases, name: charset}
        return replace(self, databases=MappingProxyType(databases))

    def without_schema(self, name: str) -> Catalogue:
        """Return the catalogue without this schema and its tables."""
        lower = name.lower()
        databases = {known: c for known, c in self.databases.items() if known.lower() != lower}
        tables = {key: table for key, table in self.by_name.items() if key[0] != lower}
        return replace(
            self, databases=MappingProxyType(databases), by_name=MappingProxyType(tables)
        )

    def take_ids(self, count: int) -> tuple[Catalogue, tuple[int, ...]]:
        """Return the catalogue after giving `count` ids, and the ids."""
        ids = tuple(range(self.next_id, self.next_id + count))
        return replace(self, next_id=self.next_id + count), ids


@dataclass(frozen=True, slots=True)
class Applied:
    """The catalogue after a statement, and the jobs it ran (none when it changed nothing)."""

    catalogue: Catalogue
    jobs: tuple[DdlJob, ...] = ()
