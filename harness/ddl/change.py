"""One statement at work: the schemas and tables that it changes, and the jobs that it makes.

A statement is data with two methods, and `Change` is what the second one works on. Nothing is kept
of a `Change` whose statement is refused. Ids (of tables, partitions, jobs) are given as TiDB gives
them: rising, never twice.
Source: TiDB pkg/ddl/executor.go; tiflow c7b2588 cdc/model/sink.go:1092.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from harness.ddl.charsets import Charset
from harness.ddl.errors import Refused, unknown_database, unknown_table
from harness.ddl.jobs import ActionType, DdlJob
from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.tree import TableRef, quote_name
from harness.model.table import Table, TableId

# Why a statement about other objects is not understood.
OTHER_OBJECTS = "users, routines, triggers and events make no change events and are not supported"
OBJECTS = "DATABASE, TABLE, VIEW, INDEX or SEQUENCE"


class Statement(Protocol):
    """One DDL statement."""

    def restore(self) -> str:
        """Return the text that TiCDC sends for one job of the statement's own."""
        ...

    def apply(self, change: Change) -> None:
        """Make the changes and the jobs; Refused for what the database would refuse."""
        ...


# The first two words of statements (the second may be "") -> the rule that reads them; the cursor
# stands behind the first word.
StatementForms = Mapping[tuple[str, str], Callable[[Cursor], Statement]]


def full_name(table_id: TableId) -> str:
    """Return a table's name with its schema, in back quotes."""
    return f"{quote_name(table_id.schema)}.{quote_name(table_id.name)}"


def found_by(table_id: TableId) -> tuple[str, str]:
    """Return what a table is found by, in whatever case its name is written."""
    return table_id.schema.lower(), table_id.name.lower()


@dataclass(slots=True)
class Change:
    """The catalogue of one statement while it runs.

    `schema` is the current database, `source` the user's text, `dropped` the tables that DROP and
    TRUNCATE took away, latest last: FLASHBACK finds them. Names are kept as written and found in
    any case, as TiDB does (lower_case_table_names=2).
    """

    databases: dict[str, Charset]
    by_name: dict[tuple[str, str], Table]
    dropped: list[Table]
    next_id: int
    schema: str
    source: str
    jobs: list[DdlJob] = field(default_factory=list[DdlJob])

    def find(self, table_id: TableId) -> Table | None:
        """Return a table by name, in any case, None when there is none."""
        return self.by_name.get(found_by(table_id))

    def database(self, name: str) -> str | None:
        """Return the spelling of a database by name in any case, None when there is none."""
        return next((known for known in self.databases if known.lower() == name.lower()), None)

    def resolve(self, ref: TableRef, schema: str = "") -> TableId:
        """Return the full name of a table reference; Refused when its database is missing."""
        wanted = ref.schema or self.schema or schema
        if not wanted:
            hint = "write the name as schema.table"
            raise Refused(ref.at, "No database selected", hint=hint)
        known = self.database(wanted)
        if known is None:
            raise unknown_database(ref.at, wanted, tuple(self.databases))
        return TableId(known, ref.name)

    def existing(self, ref: TableRef) -> Table:
        """Return the table that a reference means; Refused when there is none."""
        table_id = self.resolve(ref)
        found = self.find(table_id)
        if found is None:
            schema = table_id.schema.lower()
            names = tuple(t.id.name for t in self.by_name.values() if t.id.schema.lower() == schema)
            raise unknown_table(ref.at, table_id.schema, table_id.name, names)
        return found

    def put(self, table: Table) -> None:
        """Add a table, or replace the one of its name."""
        self.by_name[found_by(table.id)] = table

    def remove(self, table_id: TableId) -> None:
        """Remove a table."""
        self.by_name.pop(found_by(table_id), None)

    def take_ids(self, count: int) -> tuple[int, ...]:
        """Give the next `count` ids."""
        self.next_id += count
        return tuple(range(self.next_id - count, self.next_id))

    def with_new_ids(self, table: Table) -> Table:
        """Give a table and its partitions new physical ids, and one id to the job."""
        ids = self.take_ids(2 + len(table.partitions))
        return replace(table, physical_id=ids[0], partition_ids=ids[1:-1])

    def add_job(
        self,
        action: ActionType,
        named: TableId,
        query: str,
        before: Table | None = None,
        after: Table | None = None,
    ) -> None:
        """Add a job about a table, or about a database (a name without table)."""
        job = DdlJob(action, named.schema, named.name, query, self.source, before, after)
        self.jobs.append(job)

    def add_table_job(self, action: ActionType, query: str, before: Table, after: Table) -> DdlJob:
        """Add a job about a table that is there before and after, perhaps under another name."""
        old, new = before.id, after.id
        names = (old.schema, old.name)
        job = DdlJob(action, new.schema, new.name, query, self.source, before, after, *names)
        self.jobs.append(job)
        return job
