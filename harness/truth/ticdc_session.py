"""The connection that a TiCDC vector's SQL ran on, over our DDL catalogue.

Setup statements are run in order; of DML nothing is kept, because a vector lists the rows that it
made. Sessions never change and are kept by their statements: a file's vectors build on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from harness.ddl import ActionType, Catalogue, DdlJob, StatementKind, classify, is_ddl
from harness.model.table import TableId
from harness.truth.result import Vector

# Every vector starts in TiDB's own database `test`.
_SCHEMA = "test"
_REMEMBERED = 4096
Names = MappingProxyType[int, TableId]


@dataclass(frozen=True, slots=True)
class Session:
    """The catalogue, the current database, and the one sql_mode that changes how DDL is read.

    `known_as` holds the names, by physical table id, that a failed rename left in TiCDC's snapshot.
    """

    catalogue: Catalogue = field(default_factory=lambda: Catalogue.with_schemas(_SCHEMA))
    schema: str = _SCHEMA
    ansi_quotes: bool = False
    known_as: Names = field(default_factory=lambda: MappingProxyType({}))

    def run(self, sql: str) -> Ran:
        """Return the session after a statement, and its DDL jobs; DdlError as the catalogue."""
        kind = classify(sql)
        if kind is StatementKind.SET and "sql_mode" in sql.lower():
            return replace(self, ansi_quotes="ANSI" in sql.upper()), ()
        if kind is StatementKind.USE:
            return replace(self, schema=sql.split(None, 1)[1].strip(" `;")), ()
        if not is_ddl(sql):
            return self, ()
        applied = self.catalogue.apply(sql, self.schema, ansi_quotes=self.ansi_quotes)
        after = replace(self, catalogue=applied.catalogue)
        if renamed_twice(applied.jobs):
            # The changefeed fails here and its snapshot keeps the old names, but the vectors that
            # follow go on as if it had been resumed (vectors open_ddl ddl_rename/5, 6).
            tables = [job.before for job in reversed(applied.jobs) if job.before is not None]
            names = {table.physical_id: table.id for table in tables}
            return replace(after, known_as=MappingProxyType({**self.known_as, **names})), (
                applied.jobs
            )
        gone = {job.before.physical_id for job in applied.jobs if job.before is not None}
        left = {key: name for key, name in self.known_as.items() if key not in gone}
        jobs = tuple(self._as_known(job) for job in applied.jobs)
        return replace(after, known_as=MappingProxyType(left)), jobs

    def _as_known(self, job: DdlJob) -> DdlJob:
        known = self.known_as.get(job.before.physical_id) if job.before is not None else None
        if known is None or job.action is not ActionType.RENAME_TABLE:
            return job
        query = f"RENAME TABLE `{known.schema}`.`{known.name}` TO `{job.schema}`.`{job.table}`"
        return replace(job, query=query, old_schema=known.schema, old_table=known.name)


Ran = tuple[Session, tuple[DdlJob, ...]]


def renamed_twice(jobs: Sequence[DdlJob]) -> bool:
    """Return whether one RENAME TABLE moved a table twice, which TiCDC's snapshot cannot follow."""
    ids = [job.before.physical_id for job in jobs if job.before is not None]
    renames = all(job.action is ActionType.RENAME_TABLE for job in jobs)
    return renames and len(set(ids)) < len(ids)


def statements(value: Any) -> tuple[str, ...]:  # noqa: ANN401  (a field of a vector)
    """Return the SQL of a field that may hold one statement, several or none."""
    if not value:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def prepared(vector: Vector) -> Session:
    """Return the session after a vector's setup; DdlError as the catalogue."""
    return after(statements(vector.get("pre_sql")) + statements(vector.get("setup_sql")))[0]


def after(before: tuple[str, ...]) -> Ran:
    """Return the session after some statements, and the jobs of the last; DdlError as above."""
    for end in range(len(before)):
        _after(before[:end])  # so that what follows finds its beginning, however long it is
    return _after(before)


@lru_cache(maxsize=_REMEMBERED)
def _after(before: tuple[str, ...]) -> Ran:
    return _after(before[:-1])[0].run(before[-1]) if before else (Session(), ())
