"""DROP TABLE, and what brings a table back."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType, DdlError
from harness.model.table import TableId
from tests.ddl.applied import run, summary


def test_several_dropped_tables_are_several_jobs() -> None:
    """TiCDC writes each query anew: full name, no IF EXISTS; what is missing is left out."""
    _, jobs = run(
        "create table a (i int)", "create table e.b (i int)", "drop table if exists A, z, y.x, e.b"
    )
    assert summary(jobs) == [
        (ActionType.DROP_TABLE, "d", "a", "DROP TABLE `d`.`a`"),
        (ActionType.DROP_TABLE, "e", "b", "DROP TABLE `e`.`b`"),
    ]
    assert jobs[0].before is not None
    assert jobs[0].after is None
    assert jobs[0].source == "drop table if exists A, z, y.x, e.b"


def test_a_dropped_table_comes_back_with_its_ids() -> None:
    """FLASHBACK and RECOVER find the latest table of that name, truncated ones too."""
    catalogue, _ = run("create table t (a int)")
    original = catalogue.table(TableId("d", "t"))
    catalogue, (job,) = run("create table t (a int)", "drop table t", "recover table t")
    assert job.action is ActionType.RECOVER_TABLE
    assert catalogue.table(TableId("d", "t")).physical_id == original.physical_id
    catalogue, (job,) = run("create table t (a int)", "truncate t", "flashback table t to u")
    assert job.query == "FLASHBACK TABLE `t` TO `u`"
    assert catalogue.table(TableId("d", "u")).physical_id == original.physical_id
    with pytest.raises(DdlError, match="doesn't exist"):
        run("recover table t")
    with pytest.raises(DdlError, match="already exists"):
        run("create table t (a int)", "truncate t", "recover table t")
