"""Sequences and policies."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType, DdlError
from harness.model.table import TableId
from tests.ddl.applied import run


def test_sequences_and_policies_make_jobs_that_ticdc_never_sends() -> None:
    """They are known, so that a scenario may use them, and have actions of their own."""
    catalogue, jobs = run("create sequence s", "create sequence if not exists s")
    assert jobs == ()
    assert catalogue.table(TableId("d", "s")).is_sequence
    actions = [
        job.action
        for sql in ("alter sequence s increment 2", "drop sequence if exists s, z")
        for job in run("create sequence s", sql)[1]
    ]
    assert actions == [ActionType.ALTER_SEQUENCE, ActionType.DROP_SEQUENCE]
    _, (job,) = run("create placement policy p followers=1")
    assert job.action is ActionType.CREATE_PLACEMENT_POLICY
    _, (job,) = run("alter database d placement policy p")
    assert job.action is ActionType.MODIFY_SCHEMA_DEFAULT_PLACEMENT
    for sql in ("create sequence s", "drop sequence z", "alter sequence t increment 2"):
        with pytest.raises(DdlError):
            run("create sequence s", "create table t (a int)", sql)
