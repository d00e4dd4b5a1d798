"""Where rows are after a DDL that moves partitions: gone, in the other table, or as they were."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.ddl import Catalogue, DdlError
from harness.ddl.stored_rows import moved_by
from harness.model.values import Row

RANGE = (
    "CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id)"
    " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))"
)
HASH = "CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY HASH (id) PARTITIONS 3"
LIST = (
    "CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY LIST (id)"
    " (PARTITION a VALUES IN (1, 2), PARTITION b VALUES IN (3, 11))"
)
SPARE = "CREATE TABLE s (id INT PRIMARY KEY, v INT)"
ROWS: tuple[Row, ...] = ((1, 0), (2, 0), (3, 0), (11, 0))


def left(create: str, alteration: str, rows: Sequence[Row] = ROWS) -> dict[str, list[Row]]:
    """Return the rows of `t` by the table that they are in after an alteration."""
    catalogue = Catalogue.with_schemas("d")
    for sql in (create, SPARE):
        catalogue = catalogue.apply(sql, "d").catalogue
    (job,) = catalogue.apply(f"ALTER TABLE t {alteration}", "d").jobs
    assert job.before is not None
    move = moved_by(job)[job.before.id]
    found: dict[str, list[Row]] = {}
    for place in filter(None, map(move, rows)):
        found.setdefault(place[0].id.name, []).append(place[1])
    return found


@pytest.mark.parametrize(
    ("create", "alteration", "stay"),
    [
        (RANGE, "TRUNCATE PARTITION p0", [(11, 0)]),
        (RANGE, "TRUNCATE PARTITION ALL", []),
        (RANGE, "DROP PARTITION P1", [(1, 0), (2, 0), (3, 0)]),
        (HASH, "TRUNCATE PARTITION p0, p1", [(2, 0), (11, 0)]),
        (LIST, "DROP PARTITION b", [(1, 0), (2, 0)]),
        (LIST, "TRUNCATE PARTITION a", [(3, 0), (11, 0)]),
        (RANGE, "REORGANIZE PARTITION p0, p1 INTO (PARTITION p0 VALUES LESS THAN (20))", ROWS),
        (RANGE, "ADD PARTITION (PARTITION p2 VALUES LESS THAN (30))", ROWS),
        (HASH, "COALESCE PARTITION 1", ROWS),
        (HASH, "REMOVE PARTITIONING", ROWS),
        (HASH, "PARTITION BY KEY (id) PARTITIONS 2", ROWS),
    ],
)
def test_rows_go_with_the_partition_that_goes(
    create: str, alteration: str, stay: Sequence[Row]
) -> None:
    """Rows of a truncated or dropped partition go; whatever copies rows keeps them all."""
    assert left(create, alteration).get("t", []) == list(stay)


def test_an_exchange_moves_rows_both_ways() -> None:
    """The partition's rows are in the table afterwards, and the table's in the partition."""
    assert left(RANGE, "EXCHANGE PARTITION p1 WITH TABLE s") == {
        "t": [(1, 0), (2, 0), (3, 0)],
        "s": [(11, 0)],
    }
    catalogue = Catalogue.with_schemas("d")
    for sql in (RANGE, SPARE):
        catalogue = catalogue.apply(sql, "d").catalogue
    (job,) = catalogue.apply("ALTER TABLE t EXCHANGE PARTITION p1 WITH TABLE s", "d").jobs
    assert job.exchanged is not None
    place = moved_by(job)[job.exchanged[0].id]((15, 0))
    assert place is not None
    assert (place[0].id.name, place[1]) == ("t", (15, 0))


def test_a_row_that_no_partition_takes_stays() -> None:
    """What is in none of the partitions that are known is in none that goes."""
    assert left(RANGE, "TRUNCATE PARTITION ALL", [(99, 0)]) == {"t": [(99, 0)]}


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("ALTER TABLE t COMMENT 'x', TRUNCATE PARTITION p0", "multi schema change for truncate"),
        ("ALTER TABLE t COMMENT 'x', DROP PARTITION p0", "multi schema change for drop partition"),
        ("ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE keyed", "different definitions"),
    ],
)
def test_what_tidb_refuses_is_refused(sql: str, what: str) -> None:
    """A statement on partitions stands alone, and exchanges tables with the same keys only."""
    catalogue = Catalogue.with_schemas("d")
    keyed = "CREATE TABLE keyed (id INT PRIMARY KEY, v INT, KEY by_v (v))"
    for made in (RANGE, keyed):
        catalogue = catalogue.apply(made, "d").catalogue
    with pytest.raises(DdlError, match=what):
        catalogue.apply(sql, "d")
