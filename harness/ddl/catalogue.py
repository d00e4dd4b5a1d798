"""The catalogue: what the scenario's SQL has made of schemas and tables so far.

Law: a `Catalogue` never changes. `apply` returns a new one with the jobs that TiDB would run, or
raises `DdlError` and nothing has happened. So what a statement made of a catalogue is remembered
for a while: the cases of one scenario, and the consumers of one case, all run the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
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

# More statements than any scenario has; a stream of them without end must not fill the memory.
REMEMBERED = 256


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All schemas and tables at one moment; equal to nothing but itself.

    Names are kept as written and found in any case, as TiDB does (lower_case_table_names=2).
    """

    moment: Moment

    @classmethod
    def empty(cls) -> Catalogue:
        """Return a catalogue without schemas."""
        return cls.with_schemas()

    @classmethod
    def with_schemas(cls, *names: str) -> Catalogue:
        """Return a catalogue with these empty schemas, in TiDB's default character set."""
        return _start(names)

    def apply(
        self, sql: str | Statement, schema: str = "", *, ansi_quotes: bool = False
    ) -> Applied:
        """Run one DDL statement.

        `schema` is the current database, for names written without one; `ansi_quotes` the sql_mode.
        Raises DdlError for what cannot be parsed and for what MySQL would refuse, with line and
        column when `sql` is text; then nothing has happened.
        """
        if isinstance(sql, str):
            return _applied(self, sql, schema, ansi_quotes)
        return _run(self, sql, schema, None)

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


@lru_cache(maxsize=REMEMBERED)
def _start(names: tuple[str, ...]) -> Catalogue:
    return Catalogue(Moment(databases=MappingProxyType(dict.fromkeys(names, DEFAULT_CHARSET))))


@lru_cache(maxsize=REMEMBERED)
def _applied(catalogue: Catalogue, sql: str, schema: str, ansi_quotes: bool) -> Applied:  # noqa: FBT001
    return _run(catalogue, parse(sql, ansi_quotes=ansi_quotes), schema, sql)


def _run(catalogue: Catalogue, statement: Statement, schema: str, sql: str | None) -> Applied:
    """Run a statement, as it was written where it was text."""
    try:
        moment, jobs = run(
            catalogue.moment, statement, restore(statement) if sql is None else sql, schema
        )
    except Refused as refused:
        raise DdlError.at(
            sql or "",
            0 if sql is None else refused.at,
            refused.what,
            expected=refused.expected,
            hint=refused.hint,
        ) from None
    return Applied(catalogue if moment is catalogue.moment else Catalogue(moment), jobs)
