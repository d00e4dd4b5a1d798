"""Statement by index: which DDL reaches a consumer, one clause for each row of the page's matrix.

The rows say what the code does; `Without` also says where the page's matrix has something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from harness.spec.clause import Clause, Row, clauses, must
from harness.spec.documents import DDL, TIFLOW


class Without(StrEnum):
    """What becomes of a statement on a table without a valid index, `force-replicate` being off."""

    SENT = "is replicated, whether or not a table has a valid index"
    SENT_TOO = (
        "is replicated, whether or not the table has a valid index; the page leaves it out "
        "without one"
    )
    LEFT_OUT = "is replicated if the table has a valid index, and under `force-replicate` if not"
    IF_ELIGIBLE = (
        "is replicated if the table has a valid index before or through it, and under "
        "`force-replicate` if not; the page has it sent always"
    )
    STOPS_AT_LAST = (
        "is replicated if the table has a valid index before and after it, and under "
        "`force-replicate` if not; else dropping the last valid one stops the changefeed"
    )


# Name in the clause id, the statement as the page writes it, without a valid index.
_MATRIX: tuple[tuple[str, str, Without], ...] = (
    ("create-database", "CREATE DATABASE", Without.SENT),
    ("drop-database", "DROP DATABASE", Without.SENT),
    ("alter-database-charset", "ALTER DATABASE CHARACTER SET", Without.SENT),
    ("create-index", "CREATE INDEX", Without.IF_ELIGIBLE),
    ("add-index", "ADD INDEX", Without.IF_ELIGIBLE),
    ("drop-index", "DROP INDEX", Without.STOPS_AT_LAST),
    ("add-primary-key", "ADD PRIMARY KEY", Without.IF_ELIGIBLE),
    ("drop-primary-key", "DROP PRIMARY KEY", Without.STOPS_AT_LAST),
    ("create-table", "CREATE TABLE", Without.LEFT_OUT),
    ("drop-table", "DROP TABLE", Without.SENT_TOO),
    ("add-column", "ADD COLUMN", Without.LEFT_OUT),
    ("drop-column", "DROP COLUMN", Without.LEFT_OUT),
    ("truncate-table", "TRUNCATE TABLE", Without.LEFT_OUT),
    ("modify-column", "MODIFY COLUMN", Without.LEFT_OUT),
    ("rename-table", "RENAME TABLE", Without.LEFT_OUT),
    ("alter-column-default", "ALTER COLUMN DEFAULT VALUE", Without.LEFT_OUT),
    ("alter-table-comment", "ALTER TABLE COMMENT", Without.LEFT_OUT),
    ("rename-index", "RENAME INDEX", Without.LEFT_OUT),
    ("add-partition", "ADD PARTITION", Without.LEFT_OUT),
    ("drop-partition", "DROP PARTITION", Without.LEFT_OUT),
    ("truncate-partition", "TRUNCATE PARTITION", Without.LEFT_OUT),
    ("create-view", "CREATE VIEW", Without.SENT_TOO),
    ("drop-view", "DROP VIEW", Without.SENT_TOO),
    ("alter-table-charset", "ALTER TABLE CHARACTER SET", Without.LEFT_OUT),
    ("recover-table", "RECOVER TABLE", Without.LEFT_OUT),
    ("rebase-auto-id", "REBASE AUTO ID", Without.LEFT_OUT),
    ("index-visibility", "ALTER TABLE INDEX VISIBILITY", Without.LEFT_OUT),
    ("exchange-partition", "EXCHANGE PARTITION", Without.LEFT_OUT),
    ("reorganize-partition", "REORGANIZE PARTITION", Without.LEFT_OUT),
    ("alter-ttl", "ALTER TABLE TTL", Without.LEFT_OUT),
    ("remove-ttl", "ALTER TABLE REMOVE TTL", Without.LEFT_OUT),
)
# The code's list has them, the page's does not.
_UNLISTED: tuple[tuple[str, str, Without], ...] = (
    ("add-foreign-key", "ADD FOREIGN KEY", Without.LEFT_OUT),
    ("drop-foreign-key", "DROP FOREIGN KEY", Without.LEFT_OUT),
    ("multi-schema-change", "ALTER TABLE with several changes", Without.LEFT_OUT),
    ("alter-partitioning", "ALTER TABLE PARTITION BY", Without.LEFT_OUT),
    ("remove-partitioning", "REMOVE PARTITIONING", Without.LEFT_OUT),
)


def _rows(table: tuple[tuple[str, str, Without], ...]) -> Iterator[Row]:
    for name, statement, without in table:
        yield must(f"changefeed.ddl.{name}", f"`{statement}` {without.value}.")


CHANGEFEED_MATRIX_CLAUSES: Mapping[str, Clause] = clauses(
    "changefeed",
    {
        DDL.section("DDL allow list", "ddl-allow-list"): tuple(_rows(_MATRIX)),
        TIFLOW.file("pkg/filter/filter.go", 36): tuple(_rows(_UNLISTED)),
    },
)
