"""Table options inside ALTER TABLE."""

from __future__ import annotations

from harness.ddl import ActionType
from tests.ddl.alter.altered import altered


def test_options_without_commas_are_jobs_of_their_own() -> None:
    """TiDB runs one job an option, each with the whole statement as its query."""
    table, jobs = altered("alter table t comment 'x' auto_increment 9")
    assert [job.action for job in jobs] == [
        ActionType.MODIFY_TABLE_COMMENT,
        ActionType.REBASE_AUTO_ID,
    ]
    assert len({job.query for job in jobs}) == 1
    assert (table.comment, table.options["AUTO_INCREMENT"], table.version) == ("x", "9", 3)


def test_a_character_set_changes_the_table_or_all_columns() -> None:
    """CHARACTER SET is for columns to come, CONVERT TO for those that are there."""
    table, _ = altered("alter table t charset latin1")
    assert (table.charset, table.column("b").charset) == ("latin1", "utf8mb4")
    table, _ = altered("alter table t convert to character set latin1 collate latin1_bin")
    assert (table.collation, table.column("b").collation) == ("latin1_bin", "latin1_bin")
    assert table.column("a").charset is None


def test_ttl_comes_and_goes() -> None:
    """ALTER TABLE TTL is one job, REMOVE TTL another."""
    create = "create table t (id int key, c datetime)"
    table, (job,) = altered("alter table t ttl = c + interval 1 day ttl_enable = 'ON'", create)
    assert job.action is ActionType.ALTER_TTL_INFO
    assert dict(table.options) == {"TTL": "c", "TTL_ENABLE": "ON"}
    table, (job,) = altered("alter table t remove ttl", create + " ttl = c + interval 1 day")
    assert job.action is ActionType.ALTER_TTL_REMOVE
    assert dict(table.options) == {}
