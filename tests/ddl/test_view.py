"""CREATE VIEW, and views beside tables."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType, DdlError
from harness.model.table import TableId
from tests.ddl.applied import run


def test_views_live_beside_tables() -> None:
    """A view is a table without columns here; it can be replaced and dropped, never altered."""
    catalogue, jobs = run("create view v as select 1", "create or replace view v as select 2")
    assert [job.action for job in jobs] == [ActionType.CREATE_VIEW]
    assert jobs[0].before is not None
    assert catalogue.table(TableId("d", "v")).is_view
    _, jobs = run("create view v as select 1", "create view w as select 1", "drop view v, w")
    assert [job.query for job in jobs] == ["DROP VIEW `d`.`v`", "DROP VIEW `d`.`w`"]
    for sql, what in (
        ("drop table v", "is not BASE TABLE"),
        ("alter table v add a int", "is not BASE TABLE"),
        ("truncate v", "doesn't exist"),
        ("create table v (a int)", "already exists"),
        ("create table x like v", "is not BASE TABLE"),
        ("drop view t", "is not VIEW"),
        ("create or replace view t as select 1", "already exists"),
    ):
        with pytest.raises(DdlError, match=what):
            run("create view v as select 1", "create table t (a int)", sql)
