"""Partitions inside ALTER TABLE: their names and physical ids."""

from __future__ import annotations

import pytest

from harness.ddl import ActionType, Catalogue, DdlError
from harness.model.table import Table, TableId

RANGE = (
    "create table t (id int primary key) partition by range (id)"
    " (partition p0 values less than (10), partition p1 values less than (20))"
)


HASH = "create table t (id int primary key) partition by hash (id) partitions 3"


def after(*statements: str) -> tuple[Table, Table, ActionType]:
    """Return `d.t` before and after the last statement, and the action of its job."""
    catalogue = Catalogue.with_schemas("d")
    for sql in statements[:-1]:
        catalogue = catalogue.apply(sql, "d").catalogue
    (job,) = catalogue.apply(statements[-1], "d").jobs
    assert job.before is not None
    assert job.after is not None
    return job.before, job.after, job.action


@pytest.mark.parametrize(
    ("create", "sql", "action", "names", "kept"),
    [
        (
            RANGE,
            "alter table t add partition (partition p2 values less than (30))",
            ActionType.ADD_TABLE_PARTITION,
            "p0 p1 p2",
            "p0 p1",
        ),
        (RANGE, "alter table t drop partition P0", ActionType.DROP_TABLE_PARTITION, "p1", "p1"),
        (
            RANGE,
            "alter table t truncate partition p1",
            ActionType.TRUNCATE_TABLE_PARTITION,
            "p0 p1",
            "p0",
        ),
        (
            RANGE,
            "alter table t truncate partition all",
            ActionType.TRUNCATE_TABLE_PARTITION,
            "p0 p1",
            "",
        ),
        (
            RANGE,
            (
                "alter table t reorganize partition p0 into (partition a values less than (5),"
                " partition b values less than (10))"
            ),
            ActionType.REORGANIZE_PARTITION,
            "a b p1",
            "p1",
        ),
        (
            HASH,
            "alter table t add partition partitions 2",
            ActionType.REORGANIZE_PARTITION,
            "p0 p1 p2 p3 p4",
            "",
        ),
        (HASH, "alter table t coalesce partition 1", ActionType.REORGANIZE_PARTITION, "p0 p1", ""),
        (HASH, "truncate t", ActionType.TRUNCATE_TABLE, "p0 p1 p2", ""),
        (HASH, "alter table t remove partitioning", ActionType.REMOVE_PARTITIONING, "", ""),
        (
            RANGE,
            "alter table t partition by key (id) partitions 2",
            ActionType.ALTER_TABLE_PARTITIONING,
            "p0 p1",
            "",
        ),
    ],
)
def test_only_untouched_partitions_keep_their_ids(
    create: str, sql: str, action: ActionType, names: str, kept: str
) -> None:
    """Every partition that is made or emptied gets an id that nobody had before."""
    old, new, found = after(create, sql)
    assert found is action
    assert " ".join(new.partitions) == names
    before = dict(zip(old.partitions, old.partition_ids, strict=True))
    now = dict(zip(new.partitions, new.partition_ids, strict=True))
    same = [name for name in new.partitions if now[name] == before.get(name)]
    assert " ".join(same) == kept
    fresh = {now[name] for name in new.partitions if name not in same}
    assert not fresh & {old.physical_id, *old.partition_ids}
    remade = action in (
        ActionType.TRUNCATE_TABLE,
        ActionType.REMOVE_PARTITIONING,
        ActionType.ALTER_TABLE_PARTITIONING,
    )
    assert (new.physical_id != old.physical_id) is remade


def test_exchange_swaps_the_two_ids() -> None:
    """The partition's rows and the table's rows change places; both tables are in the job."""
    catalogue = Catalogue.with_schemas("d", "e").apply(RANGE, "d").catalogue
    catalogue = catalogue.apply("create table e.x (id int primary key)").catalogue
    part, table = catalogue.table(TableId("d", "t")), catalogue.table(TableId("e", "x"))
    sql = "alter table t exchange partition p1 with table e.x without validation"
    applied = catalogue.apply(sql, "d")
    (job,) = applied.jobs
    assert job.query == (
        "ALTER TABLE `d`.`t` EXCHANGE PARTITION `p1` WITH TABLE `e`.`x` WITHOUT VALIDATION"
    )
    assert job.exchanged is not None
    assert job.exchanged[0] == table
    assert job.after == applied.catalogue.table(TableId("d", "t"))
    assert job.after.partition_ids == (part.partition_ids[0], table.physical_id)
    assert job.exchanged[1].physical_id == part.partition_ids[1]
    assert job.exchanged[1] == applied.catalogue.table(TableId("e", "x"))


@pytest.mark.parametrize(
    ("create", "sql", "what"),
    [
        (RANGE, "alter table t add partition (partition p1 values less than (9))", "Duplicate"),
        (RANGE, "alter table t add partition partitions 2", "each partition must be defined"),
        (RANGE, "alter table t coalesce partition 1", "HASH/KEY"),
        (RANGE, "alter table t drop partition z", "Unknown partition 'z' in table 't'"),
        (RANGE, "alter table t drop partition p0, p1", "Cannot remove all partitions"),
        (RANGE, "alter table t truncate partition z", "Unknown partition 'z'"),
        (HASH, "alter table t drop partition p0", "RANGE/LIST"),
        (HASH, "alter table t coalesce partition 3", "Cannot remove all partitions"),
        (HASH, "alter table t coalesce partition 0", "At least one partition"),
        (HASH, "alter table t reorganize partition", "RANGE or LIST"),
        (HASH, "alter table t exchange partition z with table x", "Unknown partition 'z'"),
        (HASH, "alter table t exchange partition p0 with table y", "different definitions"),
        (HASH, "alter table t exchange partition p0 with table t", "is partitioned"),
        (HASH, "alter table t comment 'c', exchange partition p0 with table x", "stand alone"),
        ("create table t (id int)", "alter table t drop partition p", "not partitioned"),
        ("create table t (id int)", "alter table t exchange partition p with table x", "not part"),
        ("create table t (id int)", "alter table t remove partitioning", "not partitioned"),
    ],
)
def test_what_mysql_refuses_is_refused_in_its_words(create: str, sql: str, what: str) -> None:
    """Partitions that are not there, not of that kind, or the last ones."""
    catalogue = Catalogue.with_schemas("d").apply(create, "d").catalogue
    catalogue = catalogue.apply("create table x (id int primary key)", "d").catalogue
    catalogue = catalogue.apply("create table y (id bigint primary key)", "d").catalogue
    with pytest.raises(DdlError, match=what):
        catalogue.apply(sql, "d")


def test_keys_become_global_with_the_partitioning() -> None:
    """UPDATE INDEXES says so for keys that do not hold the partition's columns."""
    catalogue = Catalogue.with_schemas("d").apply("create table t (a int, b int unique)", "d")
    sql = "alter table t partition by hash (a) partitions 2"
    with pytest.raises(DdlError, match="A UNIQUE INDEX must include"):
        catalogue.catalogue.apply(sql, "d")
    assert catalogue.catalogue.apply(f"{sql} update indexes (b global)", "d").jobs


def test_a_reorganisation_takes_neighbours_only() -> None:
    """Partitions that are not next to each other cannot be merged."""
    create = RANGE[:-1] + ", partition p2 values less than (30))"
    catalogue = Catalogue.with_schemas("d").apply(create, "d").catalogue
    with pytest.raises(DdlError, match="consecutive"):
        catalogue.apply(
            "alter table t reorganize partition p0, p2 into (partition z values less than (30))",
            "d",
        )


def test_guards_and_no_ops() -> None:
    """IF [NOT] EXISTS makes no job when there is nothing to do."""
    catalogue = Catalogue.with_schemas("d").apply(RANGE, "d").catalogue
    for sql in (
        "alter table t add partition if not exists (partition p1 values less than (99))",
        "alter table t drop partition if exists z",
    ):
        assert catalogue.apply(sql, "d").jobs == ()
