"""Which DDL is sent of tables with and without a valid index: by the code, and by the document."""

from __future__ import annotations

import pytest

from harness.ddl import Catalogue
from harness.sources.tidb.changefeed import changefeed
from harness.sources.tidb.document_rules import ALWAYS, LISTED, UNLISTED
from harness.sources.tidb.event_types import DDL_EVENTS
from harness.sources.tidb.puller import Puller

KEYED = "CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, a INT, created DATETIME, KEY k (a))"
KEYLESS = "CREATE TABLE t (id INT NOT NULL, a INT, created DATETIME, KEY k (a))"
FEW = "PARTITION p0 VALUES LESS THAN (9), PARTITION p1 VALUES LESS THAN (99)"
PARTS = f"PARTITION BY RANGE (id) ({FEW})"
# What the three columns say: with a valid index, without, without but forced.
Y, N, E = "replicate", "ignore", "stop"


def decided(rules: str, statement: str, *, force: bool, tables: tuple[str, ...]) -> str:
    """Return what becomes of a statement; of several jobs the first that is not sent."""
    feed = changefeed({"ddl-rules": rules, "force-replicate": force}, 1)
    catalogue = Catalogue.with_schemas("shop")
    for sql in tables:
        catalogue = catalogue.apply(sql, "shop").catalogue
    puller = Puller(feed.filters, catalogue, feed.rules(), force_replicate=force)
    judged = puller.judge(catalogue.apply(statement, "shop").jobs)
    outcomes = [decision.outcome.value for _, decision in judged]
    return next((outcome for outcome in outcomes if outcome != Y), Y)


# The statement, and the three columns by the code and by the document.
MATRIX: list[tuple[str, str, str]] = [
    ("CREATE DATABASE d", "YYY", "YYY"),
    ("DROP DATABASE shop", "YYY", "YYY"),
    ("ALTER DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "YYY", "YYY"),
    ("CREATE INDEX i ON t (a)", "YNY", "YYY"),
    ("ALTER TABLE t ADD INDEX i (a)", "YNY", "YYY"),
    ("ALTER TABLE t ADD UNIQUE INDEX i (id)", "YYY", "YYY"),
    ("ALTER TABLE t DROP INDEX k", "YNY", "YNY"),
    ("ALTER TABLE t ADD COLUMN c INT", "YNY", "YNY"),
    ("ALTER TABLE t DROP COLUMN a", "YNY", "YNY"),
    ("ALTER TABLE t MODIFY COLUMN a BIGINT", "YNY", "YNY"),
    ("ALTER TABLE t ALTER COLUMN a SET DEFAULT 1", "YNY", "YNY"),
    ("ALTER TABLE t COMMENT = 'x'", "YNY", "YNY"),
    ("ALTER TABLE t RENAME INDEX k TO l", "YNY", "YNY"),
    ("ALTER TABLE t ALTER INDEX k INVISIBLE", "YNY", "YNY"),
    ("ALTER TABLE t CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "YNY", "YNY"),
    ("ALTER TABLE t AUTO_INCREMENT = 9", "YNY", "YNY"),
    ("ALTER TABLE t TTL = `created` + INTERVAL 1 DAY", "YNY", "YNY"),
    ("TRUNCATE TABLE t", "YNY", "YNY"),
    ("RENAME TABLE t TO u", "YNY", "YNY"),
    ("DROP TABLE t", "YYY", "YNY"),
    ("CREATE VIEW w AS SELECT 1", "YYY", "NNY"),
    ("ALTER TABLE t ADD COLUMN c INT, ADD COLUMN d INT", "YNY", "NNN"),
    ("ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES t (a)", "YNY", "NNN"),
    ("ALTER TABLE t CACHE", "NNN", "NNN"),
    ("CREATE SEQUENCE s", "NNN", "NNN"),
]


@pytest.mark.parametrize(("statement", "code", "document"), MATRIX)
def test_matrix(statement: str, code: str, document: str) -> None:
    """Each statement is decided as the code, or the document's table, says."""
    columns = ((KEYED, False), (KEYLESS, False), (KEYLESS, True))
    for rules, expected in (("code", code), ("document", document)):
        found = [
            decided(rules, statement, force=force, tables=(table,)) for table, force in columns
        ]
        assert found == [{"Y": Y, "N": N}[letter] for letter in expected], rules


LAST: list[tuple[str, str]] = [
    ("ALTER TABLE t DROP PRIMARY KEY", KEYED),
    ("ALTER TABLE t DROP INDEX u", "CREATE TABLE t (id INT NOT NULL, UNIQUE KEY u (id))"),
]


@pytest.mark.parametrize(("statement", "table"), LAST)
def test_the_last_valid_index(statement: str, table: str) -> None:
    """Dropping the last valid index stops the changefeed; by the document it is left out."""
    assert decided("code", statement, force=False, tables=(table,)) == E
    assert decided("document", statement, force=False, tables=(table,)) == N
    for rules in ("code", "document"):
        assert decided(rules, statement, force=True, tables=(table,)) == Y


PARTITIONED: list[tuple[str, str]] = [
    ("ALTER TABLE t ADD PARTITION (PARTITION p2 VALUES LESS THAN (999))", "YN"),
    ("ALTER TABLE t DROP PARTITION p0", "YN"),
    ("ALTER TABLE t TRUNCATE PARTITION p0", "YN"),
    ("ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE x", "YN"),
    ("ALTER TABLE t REMOVE PARTITIONING", "YN"),
]


@pytest.mark.parametrize(("statement", "expected"), PARTITIONED)
def test_partitions(statement: str, expected: str) -> None:
    """Partitions follow their table: they are sent with a valid index, and else not."""
    for key, letter in zip(("PRIMARY KEY", "NOT NULL"), expected, strict=True):
        tables = (f"CREATE TABLE t (id INT {key}) {PARTS}", f"CREATE TABLE x (id INT {key})")
        found = decided("code", statement, force=False, tables=tables)
        assert found == {"Y": Y, "N": N}[letter]


# Tables u and t swap, move on, or leave; what the code and the document say.
SEVERAL: list[tuple[str, str, str]] = [
    ("RENAME TABLE t TO a, u TO b", Y, Y),
    ("RENAME TABLE t TO a, u TO t", Y, Y),
    ("RENAME TABLE t TO x, u TO t, x TO u", E, E),
]


@pytest.mark.parametrize(("statement", "code", "document"), SEVERAL)
def test_several_renames(statement: str, code: str, document: str) -> None:
    """Several tables are renamed together or not at all; a swap of names stops both."""
    tables = (KEYED, KEYED.replace("TABLE t", "TABLE u"))
    assert decided("code", statement, force=False, tables=tables) == code
    assert decided("document", statement, force=False, tables=tables) == document


def test_the_last_table_decides_about_several() -> None:
    """Of several renamed tables TiCDC looks at the first before, and at the last after."""
    keyed_last = (KEYLESS, KEYED.replace("TABLE t", "TABLE u"))
    keyless_last = (KEYED, KEYLESS.replace("TABLE t", "TABLE u"))
    statement = "RENAME TABLE t TO a, u TO b"
    assert decided("code", statement, force=False, tables=keyed_last) == Y
    assert decided("code", statement, force=False, tables=keyless_last) == E
    assert decided("document", statement, force=False, tables=keyed_last) == N


def test_the_document_lists_actions_of_the_code() -> None:
    """What the document lists and what it does not is together what the code replicates."""
    assert set(DDL_EVENTS) == LISTED | UNLISTED
    assert not LISTED & UNLISTED
    assert ALWAYS <= LISTED
