"""Statements applied one behind the other."""

from __future__ import annotations

from harness.ddl import ActionType, Catalogue, DdlJob


def run(*statements: str, schema: str = "d") -> tuple[Catalogue, tuple[DdlJob, ...]]:
    """Return the catalogue after the statements, and the jobs of the last one."""
    catalogue = Catalogue.with_schemas("d", "e")
    jobs: tuple[DdlJob, ...] = ()
    for sql in statements:
        catalogue, jobs = (applied := catalogue.apply(sql, schema)).catalogue, applied.jobs
    return catalogue, jobs


def summary(jobs: tuple[DdlJob, ...]) -> list[tuple[ActionType, str, str, str]]:
    """Return action, schema, table and query of each job."""
    return [(job.action, job.schema, job.table, job.query) for job in jobs]
