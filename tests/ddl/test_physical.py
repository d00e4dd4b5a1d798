"""Which partition a row is in, by every way of dealing rows that TiDB has and we know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from harness.ddl import Catalogue
from harness.ddl.physical import physical_of
from harness.errors import StepError
from harness.model.change import Change, Op
from harness.model.source_events import RowEvent
from harness.model.table import Table
from harness.model.values import Row
from tests.changelogs import SCHEMA, T, ddl, delete, feed, insert, log, mount, transaction, update
from tests.vectors import full_truth, lines

ALL = full_truth()
LINE = 7


def table(*statements: str) -> Table:
    """Return the table `t` that the statements leave."""
    catalogue = Catalogue.with_schemas(SCHEMA)
    for sql in statements:
        catalogue = catalogue.apply(sql, SCHEMA).catalogue
    return catalogue.table(T)


def ordinals(made: Table, rows: Sequence[Row]) -> list[int]:
    """Return for each row the number of its partition."""
    physical = physical_of(made)
    assert physical is not None
    return [made.partition_ids.index(physical(row, LINE)) for row in rows]


BY_INT = "CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY"
BIG = "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY) PARTITION BY"
LOOSE = "CREATE TABLE t (a INT, b VARCHAR(9), d DATETIME, x VARBINARY(9)) PARTITION BY"
RANGES = "(PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20)"
MONDAY = "2024-02-05 00:00:00"
# Statement, rows, and their partitions. The numbers of KEY are CRC-32s, worked out with Python's.
DEALT: dict[str, tuple[str, list[Row], list[int]]] = {
    "range": (f"{BY_INT} RANGE (id) {RANGES})", [(-5,), (9,), (10,), (19,)], [0, 0, 1, 1]),
    "range with a roof": (
        f"{BY_INT} RANGE (id) {RANGES}, PARTITION p2 VALUES LESS THAN MAXVALUE)",
        [(20,), (2**31 - 1,)],
        [2, 2],
    ),
    "negative bounds": (
        (
            f"{BY_INT} RANGE (id) (PARTITION a VALUES LESS THAN (-1),"
            " PARTITION b VALUES LESS THAN (5))"
        ),
        [(-2,), (-1,), (4,)],
        [0, 1, 1],
    ),
    "null is least": (f"{LOOSE} RANGE (a) {RANGES})", [(None, "", MONDAY, b"")], [0]),
    "range of years": (
        (
            f"{LOOSE} RANGE (YEAR(d)) (PARTITION a VALUES LESS THAN (2024),"
            " PARTITION b VALUES LESS THAN (YEAR('2025-06-01')))"
        ),
        [(1, "", "2023-12-31 23:59:59", b""), (1, "", MONDAY, b""), (1, "", None, b"")],
        [0, 1, 0],
    ),
    "range of days": (
        (
            f"{LOOSE} RANGE (TO_DAYS(d)) (PARTITION a VALUES LESS THAN (TO_DAYS('2024-02-05')),"
            " PARTITION b VALUES LESS THAN (739400))"
        ),
        [(1, "", "2024-02-04 23:59:59", b""), (1, "", MONDAY, b"")],
        [0, 1],
    ),
    "range of columns": (
        (
            f"{LOOSE} RANGE COLUMNS (a, b) (PARTITION a VALUES LESS THAN (1, 'm'),"
            " PARTITION b VALUES LESS THAN (2, MAXVALUE))"
        ),
        [(0, "z", None, b""), (1, "l", None, b""), (1, "m", None, b""), (2, "zz", None, b"")],
        [0, 0, 1, 1],
    ),
    "range of dates": (
        (
            f"{LOOSE} RANGE COLUMNS (d) (PARTITION a VALUES LESS THAN ('2024-02-05'),"
            " PARTITION b VALUES LESS THAN ('2025-01-01'))"
        ),
        [(1, "", "2024-02-04 23:59:59", b""), (1, "", MONDAY, b"")],
        [0, 1],
    ),
    "list": (
        f"{LOOSE} LIST (a) (PARTITION a VALUES IN (1, 3), PARTITION b VALUES IN (NULL, -2))",
        [(3, "", None, b""), (None, "", None, b""), (-2, "", None, b"")],
        [0, 1, 1],
    ),
    "list of columns": (
        (
            f"{LOOSE} LIST COLUMNS (a, b) (PARTITION a VALUES IN ((1, 'x'), (2, 'y')),"
            " PARTITION b VALUES IN ((2, 'x')))"
        ),
        [(2, "y", None, b""), (2, "x  ", None, b"")],
        [0, 1],
    ),
    "list with the rest": (
        f"{LOOSE} LIST (a) (PARTITION a VALUES IN (1), PARTITION b VALUES IN (2, DEFAULT))",
        [(1, "", None, b""), (77, "", None, b"")],
        [0, 1],
    ),
    "hash": (f"{BY_INT} HASH (id) PARTITIONS 3", [(1,), (2,), (3,), (-4,)], [1, 2, 0, 1]),
    "hash of 64 bits": (f"{BIG} HASH (id) PARTITIONS 3", [(2**64 - 2,), (2**63 + 1,)], [2, 1]),
    "hash of null": (f"{LOOSE} HASH (a) PARTITIONS 3", [(None, "", None, b"")], [0]),
    "hash of years": (f"{LOOSE} HASH (YEAR(d)) PARTITIONS 5", [(1, "", MONDAY, b"")], [4]),
    "key": (f"{BY_INT} KEY () PARTITIONS 4", [(1,), (2,), (-3,)], [3, 1, 2]),
    "key of columns": (
        f"{LOOSE} KEY (a, b, x) PARTITIONS 7",
        [(2, "c  ", None, b"\xff"), (None, "b", None, None)],
        [6, 1],
    ),
    "intervals": (
        (
            f"{BY_INT} RANGE (id) INTERVAL (10) FIRST PARTITION LESS THAN (10)"
            " LAST PARTITION LESS THAN (30) MAXVALUE PARTITION"
        ),
        [(9,), (10,), (29,), (30,)],
        [0, 1, 2, 3],
    ),
}


@pytest.mark.parametrize("words", DEALT.values(), ids=DEALT)
def test_dealt(words: tuple[str, list[Row], list[int]]) -> None:
    """Each row is in the partition that TiDB puts it into."""
    sql, rows, wanted = words
    assert ordinals(table(sql), rows) == wanted


ALTERED: dict[str, tuple[list[str], list[Row], list[int]]] = {
    "added": (["ADD PARTITION (PARTITION p2 VALUES LESS THAN (30))"], [(9,), (25,)], [0, 2]),
    "dropped": (["DROP PARTITION p0"], [(9,), (11,)], [0, 0]),
    "truncated": (["TRUNCATE PARTITION p0"], [(9,), (11,)], [0, 1]),
    "reorganised": (
        [
            (
                "REORGANIZE PARTITION p0 INTO"
                " (PARTITION a VALUES LESS THAN (5), PARTITION b VALUES LESS THAN (10))"
            )
        ],
        [(4,), (9,), (11,)],
        [0, 1, 2],
    ),
    "dealt anew": (["PARTITION BY HASH (id) PARTITIONS 2", "COALESCE PARTITION 1"], [(1,)], [0]),
    "more of them": (
        ["PARTITION BY HASH (id) PARTITIONS 2", "ADD PARTITION PARTITIONS 1"],
        [(5,)],
        [2],
    ),
}


@pytest.mark.parametrize("words", ALTERED.values(), ids=ALTERED)
def test_altered(words: tuple[list[str], list[Row], list[int]]) -> None:
    """After each alteration of the partitions a row is where the new definitions put it."""
    alterations, rows, wanted = words
    made = table(f"{BY_INT} RANGE (id) {RANGES})", *(f"ALTER TABLE t {sql}" for sql in alterations))
    assert ordinals(made, rows) == wanted


def test_no_partitions() -> None:
    """A table without partitions, or without them any more, has no partition ids."""
    assert physical_of(table("CREATE TABLE t (id INT)")) is None
    cut = table(f"{BY_INT} HASH (id) PARTITIONS 3", "ALTER TABLE t REMOVE PARTITIONING")
    assert physical_of(cut) is None


REFUSED: dict[str, tuple[str, Row, str]] = {
    "no partition takes it": (f"{BY_INT} RANGE (id) {RANGES})", (20,), "has no partition for 20"),
    "no list has it": (f"{BY_INT} LIST (id) (PARTITION a VALUES IN (1))", (2,), "no partition"),
    "another function": (f"{BY_INT} HASH (id + 1) PARTITIONS 2", (1,), "`id`+1"),
    "a function of a bound": (
        f"{LOOSE} RANGE (a) (PARTITION a VALUES LESS THAN (1 + 1))",
        (1, "", None, b""),
        "1+1",
    ),
    "a collation of its own": (
        (
            "CREATE TABLE t (a VARCHAR(9) COLLATE utf8mb4_general_ci)"
            " PARTITION BY KEY (a) PARTITIONS 2"
        ),
        ("a",),
        "a varchar decides, a",
    ),
    "a float": ("CREATE TABLE t (a FLOAT) PARTITION BY KEY (a) PARTITIONS 2", (1.0,), "a float"),
    "one of two is null": (
        f"{LOOSE} RANGE COLUMNS (a, b) (PARTITION a VALUES LESS THAN (1, 'm'))",
        (None, "a", None, b""),
        "NULL",
    ),
}


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_refused(words: tuple[str, Row, str]) -> None:
    """What cannot be worked out, or is in no partition, is told with its line, and not guessed."""
    sql, row, wanted = words
    physical = physical_of(table(sql))
    assert physical is not None
    with pytest.raises(StepError) as caught:
        physical(row, LINE)
    assert wanted in caught.value.what
    assert caught.value.line == LINE


def sent(*changes: Change) -> list[tuple[Op, int, int, int]]:
    """Return of each row event: kind, first column, number of its partition, row id."""
    events = mount(log(*changes), feed(1, force_replicate=True), (SCHEMA,), end_resolved=False)
    found: list[tuple[Op, int, int, int]] = []
    for event in events:
        if isinstance(event, RowEvent):
            image: Any = event.before if event.after is None else event.after
            ordinal = event.table.table.partition_ids.index(event.physical_id)
            found.append((event.op, image[0], ordinal, event.row_id))
    return found


def test_each_partition_is_a_table_of_its_own() -> None:
    """A commit's rows come partition by partition, each with its deletes before its inserts."""
    create = ddl(f"{BY_INT} HASH (id) PARTITIONS 2")
    first = transaction(insert(1), insert(2), insert(3))
    second = transaction(delete(1), delete(2), insert(4), insert(5))
    assert [event[:3] for event in sent(create, first, second)] == [
        (Op.INSERT, 2, 0),
        (Op.INSERT, 1, 1),
        (Op.INSERT, 3, 1),
        (Op.DELETE, 2, 0),
        (Op.INSERT, 4, 0),
        (Op.DELETE, 1, 1),
        (Op.INSERT, 5, 1),
    ]


def test_a_row_that_moves_is_a_new_row() -> None:
    """An update into another partition is a delete there and an insert here, under a new row id."""
    create = ddl("CREATE TABLE t (a INT, b INT) PARTITION BY HASH (a) PARTITIONS 2")
    changes = (
        transaction(insert(2, 0)),
        transaction(update((2, 0), (4, 0))),
        transaction(update((4, 0), (3, 0))),
    )
    assert sent(create, *changes) == [
        (Op.INSERT, 2, 0, 1),
        (Op.UPDATE, 4, 0, 1),
        (Op.DELETE, 4, 0, 1),
        (Op.INSERT, 3, 1, 2),
    ]


def emitted(vector: Any) -> Iterator[tuple[Row, int]]:
    """Yield a vector's rows with the physical ids that the vendor's mounter saw."""
    for row in vector["rows"]:
        image = row["columns"] or row["pre_columns"]
        yield tuple(int(column["value"]["int64"]) for column in image), row["physical_table_id"]


@pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")
@pytest.mark.parametrize("name", ["open_dml", "avro_dml", "dispatch"])
def test_all_vectors(name: str) -> None:
    """Rows that the vendor keeps in one partition, and their order, are so with us."""
    assert ALL is not None
    compared = 0
    for vector in lines(ALL / f"{name}.jsonl"):
        create = next((s for s in vector["setup_sql"] or () if "partition by" in s.lower()), None)
        if create is None:
            continue
        made = table(create.replace("test.pt(", "t(").replace("test.t(", "t("))
        rows = list(emitted(vector))
        ours = ordinals(made, [row for row, _ in rows])
        theirs = [number for _, number in rows]
        first = theirs[0] - ours[0]
        assert [number - first for number in theirs] == ours, vector["id"]
        compared += len(rows)
    assert compared
