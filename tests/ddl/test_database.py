"""CREATE, ALTER and DROP DATABASE."""

from __future__ import annotations

from harness.ddl import ActionType, Catalogue
from harness.model.table import TableId
from tests.ddl.applied import run, summary


def test_databases_come_change_and_go() -> None:
    """CREATE, ALTER and DROP DATABASE are one job each, without a table."""
    assert Catalogue.empty().schemas() == ()
    catalogue, jobs = run("create database X charset latin1")
    assert catalogue.schemas() == ("d", "e", "X")
    assert summary(jobs) == [
        (ActionType.CREATE_SCHEMA, "X", "", "CREATE DATABASE `X` CHARACTER SET = latin1")
    ]
    _, jobs = run("create database X", "alter database x collate utf8mb4_general_ci")
    assert summary(jobs) == [
        (
            ActionType.MODIFY_SCHEMA_CHARSET_AND_COLLATE,
            "X",
            "",
            "ALTER DATABASE `x` COLLATE = utf8mb4_general_ci",
        )
    ]
    catalogue, jobs = run("create table t (a int)", "create table e.t (a int)", "drop schema D")
    assert summary(jobs) == [(ActionType.DROP_SCHEMA, "d", "", "DROP DATABASE `D`")]
    assert [table.id for table in catalogue.tables()] == [TableId("e", "t")]
