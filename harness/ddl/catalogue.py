"""The catalogue: what the scenario's SQL has made of schemas and tables so far.

Law: a `Catalogue` never changes. `apply` returns a new one with the jobs that TiDB would run, or
raises `DdlError` and nothing has happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from harness.ddl.errors import DdlError
from harness.ddl.grammar.statements import Statement, parse
from harness.ddl.restored.statements import restore
from harness.ddl.schema.columns import DEFAULT_CHARSET
from harness.ddl.schema.jobs import DdlJob
from harness.ddl.schema.refusals import Refused
from harness.ddl.schema.run import run
from harness.ddl.schema.state import Moment
from harness.model.table import Table, TableId


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All schemas and tables at one moment.

    Names are kept as written and found in any case, as TiDB does (lower_case_table_names=2).
    """

    moment: Moment

    @classmethod
    def empty(cls) -> Catalogue:
        """Return a catalogue without schemas."""
        return cls(Moment())

    @classmethod
    def with_schemas(cls, *names: str) -> Catalogue:
        """Return a catalogue with these empty schemas, in TiDB's default character set."""
        return cls(Moment(databases=MappingProxyType(dict.fromkeys(names, DEFAULT_CHARSET))))

    def apply(
        self, sql: str | Statement, schema: str = "", *, ansi_quotes: bool = False
    ) -> Applied:
        """Run one DDL statement.

        `schema` is the current database, for names written without one; `ansi_quotes` the sql_mode.
        Raises DdlError for what cannot be parsed and for what MySQL would refuse, with line and
        column when `sql` is text; then nothing has happened.
        """
        is_text = isinstance(sql, str)
        statement = parse(sql, ansi_quotes=ansi_quotes) if isinstance(sql, str) else sql
        source = sql if isinstance(sql, str) else restore(statement)
        try:
            moment, jobs = run(self.moment, statement, source, schema)
        except Refused as refused:
            raise DdlError.at(
                source if is_text else "",
                refused.at if is_text else 0,
                refused.what,
                expected=refused.expected,
                hint=refused.hint,
            ) from None
        return Applied(Catalogue(moment), jobs)

    def schemas(self) -> tuple[str, ...]:
        """Return the names of all schemas, in creation order."""
        return self.moment.schemas()

    def tables(self) -> tuple[Table, ...]:
        """Return all tables (views and sequences too), in creation order."""
        return self.moment.tables()

    def find(self, schema: str, name: str) -> Table | None:
        """Return a table by name, in any case, None when there is none."""
        return self.moment.find(schema, name)

    def table(self, table_id: TableId) -> Table:
        """Return a table by name, in any case; KeyError when there is none."""
        found = self.moment.find(table_id.schema, table_id.name)
        if found is None:
            raise KeyError(table_id)
        return found


@dataclass(frozen=True, slots=True)
class Applied:
    """The catalogue after a statement, and the jobs it ran (none when it changed nothing)."""

    catalogue: Catalogue
    jobs: tuple[DdlJob, ...] = ()
