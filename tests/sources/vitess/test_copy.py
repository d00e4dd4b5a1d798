"""What is copied: the rows of a keyspace by the time that the connector starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.ddl import Catalogue
from harness.model.change import Op, RowChanged
from harness.model.record import Origin
from harness.model.table import TableId
from harness.sources.stored import Stored
from harness.sources.vitess.copy import read_by

T = TableId("shop", "t")
BORN = Origin(1, 0, 0, "insert")


def test_stored_rows_follow_ddl() -> None:
    """Rows have the shape, the table and the number that DDL left them, on every shard."""
    first = Catalogue.with_schemas("shop").apply("CREATE TABLE t (id INT, gone INT)", "shop")
    stored = Stored()
    for shard, key in (("-80", 1), ("80-", 2)):
        stored.apply(shard, RowChanged(Op.INSERT, T, None, (key, 7), 1), BORN)
    catalogue = first.catalogue
    for sql in (
        "ALTER TABLE t DROP COLUMN gone",
        "ALTER TABLE t ADD COLUMN note VARCHAR(9) DEFAULT 'x'",
        "RENAME TABLE t TO u",
    ):
        applied = catalogue.apply(sql, "shop")
        catalogue = applied.catalogue
        for job in applied.jobs:
            stored.follow(job, 1)
    there = replace(T, name="u")
    assert stored.rows == {
        ("-80", there): [((1, "x"), BORN)],
        ("80-", there): [((2, "x"), BORN)],
    }
    emptied = catalogue.apply("TRUNCATE TABLE u", "shop").jobs[0]
    stored.follow(emptied, 1)
    assert not any(stored.rows.values())


@pytest.mark.parametrize(
    ("columns", "by"),
    [
        ("a INT, b INT, PRIMARY KEY (b, a)", ("b", "a")),
        ("a BIGINT NOT NULL, b TINYINT NOT NULL, UNIQUE KEY (a), UNIQUE KEY (b)", ("b",)),
        ("a INT NOT NULL, b INT NOT NULL, c INT NOT NULL, UNIQUE (a, b), UNIQUE (c)", ("c",)),
        ("a INT, b INT, UNIQUE KEY (a)", ("a", "b")),
    ],
)
def test_a_table_is_read_by_its_primary_key_or_what_stands_in(
    columns: str, by: tuple[str, ...]
) -> None:
    """In the key's own order; else by the cheapest unique index without NULL, else all columns."""
    catalogue = (
        Catalogue.with_schemas("shop").apply(f"CREATE TABLE t ({columns})", "shop").catalogue
    )
    table = catalogue.table(T)
    assert tuple(table.columns[n].name for n in read_by(table)) == by
