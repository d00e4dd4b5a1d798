"""A table and its ALTER statements."""

from __future__ import annotations

from harness.ddl import Catalogue, DdlJob
from harness.model.table import Table, TableId

CREATE = (
    "create table t (id int primary key nonclustered, a int, b varchar(20), u int unique,"
    " key ka (a), key kab (a, b))"
)


def altered(sql: str, create: str = CREATE) -> tuple[Table, tuple[DdlJob, ...]]:
    """Return `d.t` after the statement, and its jobs."""
    catalogue = Catalogue.with_schemas("d").apply(create, "d").catalogue
    applied = catalogue.apply(sql, "d")
    return applied.catalogue.table(TableId("d", "t")), applied.jobs
