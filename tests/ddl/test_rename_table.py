"""RENAME TABLE."""

from __future__ import annotations

from harness.ddl import ActionType
from harness.model.table import TableId
from tests.ddl.applied import run, summary


def test_one_renamed_table_keeps_its_statement_several_are_rewritten() -> None:
    """Each pair of RENAME TABLE is a job that knows old and new name."""
    _, (job,) = run("create table a (i int)", "rename table a to e.b")
    assert summary((job,)) == [(ActionType.RENAME_TABLE, "e", "b", "RENAME TABLE `a` TO `e`.`b`")]
    assert (job.old_schema, job.old_table) == ("d", "a")
    catalogue, jobs = run(
        "create table a (i int)",
        "create table b (j int)",
        "rename table a to c, b to a, c to e.b",
    )
    assert [job.query for job in jobs] == [
        "RENAME TABLE `d`.`a` TO `d`.`c`",
        "RENAME TABLE `d`.`b` TO `d`.`a`",
        "RENAME TABLE `d`.`c` TO `e`.`b`",
    ]
    assert catalogue.table(TableId("e", "b")).columns[0].name == "i"
    assert catalogue.table(TableId("D", "A")).columns[0].name == "j"
