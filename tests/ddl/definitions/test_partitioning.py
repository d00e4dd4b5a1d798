"""PARTITION BY: names, ids, and clauses that do not fit."""

from __future__ import annotations

import pytest

from harness.ddl import Catalogue, DdlError, parse
from harness.model.table import TableId

HASH = "create table t (id int primary key) partition by hash (id) partitions 3"


def test_partitions_are_named_and_numbered_after_their_table() -> None:
    """The table's physical id comes first, then one for each partition."""
    catalogue = Catalogue.with_schemas("d").apply(HASH, "d").catalogue
    table = catalogue.table(TableId("d", "t"))
    assert table.partitions == ("p0", "p1", "p2")
    assert table.partition_kind == "HASH"
    first = table.physical_id
    assert table.partition_ids == (first + 1, first + 2, first + 3)


@pytest.mark.parametrize(
    ("keys", "by", "what"),
    [
        ("", "hash (z)", "Unknown column 'z' in 'partition function'"),
        ("", "range columns (z) (partition p values less than (1))", "Unknown column 'z'"),
        (", primary key (a)", "hash (b)", "A PRIMARY KEY must include all columns"),
        (", unique (a)", "key (a, b)", "A UNIQUE INDEX must include all columns"),
        (", c varchar(9), unique (c(2))", "key (c)", "A UNIQUE INDEX must include"),
        (", unique (a) global", "hash (b)", ""),
        (", key (a), unique (b, a)", "list (a + b) (partition p values in (1))", ""),
    ],
)
def test_unique_keys_hold_what_decides_about_the_partition(keys: str, by: str, what: str) -> None:
    """Unless the key is global, nothing else keeps it unique."""
    sql = f"create table t (a int, b int{keys}) partition by {by}"
    catalogue = Catalogue.with_schemas("d")
    if not what:
        assert catalogue.apply(sql, "d").jobs
        return
    with pytest.raises(DdlError, match=what) as caught:
        catalogue.apply(sql, "d")
    assert caught.value.column == sql.index("partition by") + 1


WRONG_CLAUSES = {
    "hash (a) partitions 3 (partition p0)": "Wrong number of partitions defined",
    "list (a)": "For LIST partitions each partition must be defined",
    "system_time (partition p0 history)": "at least one HISTORY",
    "hash (a) (partition p0 values less than (5))": "Only RANGE PARTITIONING can use",
    "hash (a) (partition p0 values in (5))": "Only LIST PARTITIONING can use",
    "range (a) (partition p0)": "requires definition of VALUES LESS THAN",
    "list (a) (partition p0)": "requires definition of VALUES IN",
    "hash (a) (partition p0 history)": "expected type: SYSTEM_TIME",
    "range (a) (partition p0 values less than (1, 2))": "Cannot have more than one value",
    "range columns (a, b) (partition p0 values less than (1))": "Inconsistency in usage",
    "list columns (a, b) (partition p0 values in (1, 2))": "Inconsistency in usage",
    "list columns (a, b) (partition p0 values in ((1, 2), 3))": "Inconsistency in usage",
    "list (a) (partition p0 values in ((1, 2)))": "Row expressions in VALUES IN only",
    "hash (a) (partition p0 (subpartition s0))": "It is only possible to mix",
    "range (a) subpartition by range (b) (partition p0 values less than (1))": "Subpartitions can",
    "range (a) subpartition by hash (b) subpartitions 2"
    " (partition p values less than (1) (subpartition s))": "Wrong number of subpartitions",
    "range (a) subpartition by hash (b) (partition p values less than (1) (subpartition s),"
    " partition q values less than (2))": "Wrong number of subpartitions",
}


@pytest.mark.parametrize(("by", "what"), WRONG_CLAUSES.items())
def test_a_partition_clause_fits_itself(by: str, what: str) -> None:
    """Its parts agree about kind, columns and numbers; the message is MySQL's."""
    with pytest.raises(DdlError, match=what) as caught:
        parse(f"create table t (a int, b int) partition by {by}")
    assert caught.value.column == 31
