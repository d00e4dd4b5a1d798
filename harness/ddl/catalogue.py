"""The catalogue: what the scenario's SQL has made of schemas and tables so far.

A `Catalogue` never changes. `apply` returns a new one with the jobs that TiDB would run, or raises
`DdlError` and nothing has happened. So what a statement made of a catalogue is remembered for a
while: the cases of one scenario, and the consumers of one case, all run the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from harness.ddl.change import Change, Statement, found_by
from harness.ddl.charsets import DEFAULT_CHARSET, Charset
from harness.ddl.errors import DdlError, Refused
from harness.ddl.jobs import DdlJob
from harness.ddl.statements import parse
from harness.model.table import Table, TableId

# More statements than any scenario has; a stream of them without end must not fill the memory.
REMEMBERED = 256
_FIRST_ID = 100


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All schemas and tables at one moment; equal to nothing but itself.

    Names are kept as written and found in any case, as TiDB does (lower_case_table_names=2).
    `databases` are the schemas with their character sets, `by_name` the tables by lower-case names,
    `dropped` the tables that DROP and TRUNCATE took away, latest last.
    """

    databases: Mapping[str, Charset]
    by_name: Mapping[tuple[str, str], Table]
    dropped: tuple[Table, ...]
    next_id: int

    @classmethod
    def empty(cls) -> Catalogue:
        """Return a catalogue without schemas."""
        return cls.with_schemas()

    @classmethod
    def with_schemas(cls, *names: str, charset: Charset = DEFAULT_CHARSET) -> Catalogue:
        """Return a catalogue with these empty schemas, in one character set: TiDB's default."""
        return _start(names, charset)

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
        return tuple(self.databases)

    def tables(self) -> tuple[Table, ...]:
        """Return all tables (views and sequences too), in creation order."""
        return tuple(self.by_name.values())

    def find(self, schema: str, name: str) -> Table | None:
        """Return a table by name, in any case, None when there is none."""
        return self.by_name.get(found_by(TableId(schema, name)))

    def table(self, table_id: TableId) -> Table:
        """Return a table by name, in any case; KeyError when there is none."""
        found = self.by_name.get(found_by(table_id))
        if found is None:
            raise KeyError(table_id)
        return found


@dataclass(frozen=True, slots=True)
class Applied:
    """The catalogue after a statement, and the jobs it ran (none when it changed nothing)."""

    catalogue: Catalogue
    jobs: tuple[DdlJob, ...] = ()


@lru_cache(maxsize=REMEMBERED)
def _start(names: tuple[str, ...], charset: Charset) -> Catalogue:
    databases = dict.fromkeys(names, charset)
    return Catalogue(MappingProxyType(databases), MappingProxyType({}), (), _FIRST_ID)


@lru_cache(maxsize=REMEMBERED)
def _applied(catalogue: Catalogue, sql: str, schema: str, ansi_quotes: bool) -> Applied:  # noqa: FBT001
    return _run(catalogue, parse(sql, ansi_quotes=ansi_quotes), schema, sql)


def _run(catalogue: Catalogue, statement: Statement, schema: str, sql: str | None) -> Applied:
    """Run a statement, as it was written where it was text."""
    change = Change(
        dict(catalogue.databases),
        dict(catalogue.by_name),
        list(catalogue.dropped),
        catalogue.next_id,
        schema,
        statement.restore() if sql is None else sql,
    )
    try:
        statement.apply(change)
    except Refused as refused:
        at = 0 if sql is None else refused.at
        raise DdlError.at(
            sql or "", at, refused.what, expected=refused.expected, hint=refused.hint
        ) from None
    if not change.jobs:
        return Applied(catalogue)
    changed = Catalogue(
        MappingProxyType(change.databases),
        MappingProxyType(change.by_name),
        tuple(change.dropped),
        change.next_id,
    )
    return Applied(changed, tuple(change.jobs))
