"""SHOW CREATE TABLE as MariaDB 11.4.5 says it: each text is its answer."""

from __future__ import annotations

import re

import pytest

from harness.ddl import Catalogue
from harness.errors import StepError
from harness.model.table import Table
from harness.sources.mysql.show_create import show_create, shown


def _table(columns: str) -> Table:
    made = Catalogue.with_schemas("shop").apply(f"CREATE TABLE shop.t ({columns})", "shop")
    (table,) = made.catalogue.tables()
    return table


END = ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (
            "id INT PRIMARY KEY, v BOOL NOT NULL DEFAULT 1",
            "`id` int(11) NOT NULL|`v` tinyint(1) NOT NULL DEFAULT 1|PRIMARY KEY (`id`)",
        ),
        (
            "b VARCHAR(5), a INT, v DECIMAL(8,2) UNSIGNED, PRIMARY KEY (a, b)",
            (
                "`b` varchar(5) NOT NULL|`a` int(11) NOT NULL"
                "|`v` decimal(8,2) unsigned DEFAULT NULL|PRIMARY KEY (`a`,`b`)"
            ),
        ),
        (
            "l VARCHAR(20) CHARACTER SET latin1",
            "`l` varchar(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL",
        ),
        (
            "ts TIMESTAMP(3) NOT NULL DEFAULT '2024-01-01 00:00:00', t TIME(2) NOT NULL",
            "`ts` timestamp(3) NOT NULL DEFAULT '2024-01-01 00:00:00.000'|`t` time(2) NOT NULL",
        ),
        (
            r"v VARCHAR(9) DEFAULT 'a\nb', t DATETIME DEFAULT '2024-1-2', h CHAR(5) DEFAULT 0x41",
            (
                r"`v` varchar(9) DEFAULT 'a\nb'|`t` datetime DEFAULT '2024-01-02 00:00:00'"
                "|`h` char(5) DEFAULT 'A'"
            ),
        ),
        (
            (
                "n DECIMAL(6,2) DEFAULT 1.5, d DOUBLE DEFAULT 1e2, f FLOAT DEFAULT 1.50"
                ", t TIME DEFAULT '10:30'"
            ),
            (
                "`n` decimal(6,2) DEFAULT 1.50|`d` double DEFAULT 100|`f` float DEFAULT 1.5"
                "|`t` time DEFAULT '10:30:00'"
            ),
        ),
        (
            "y YEAR NOT NULL DEFAULT 2020, f FLOAT(10,3), d DOUBLE(10,3) NOT NULL",
            (
                "`y` year(4) NOT NULL DEFAULT 2020|`f` float(10,3) DEFAULT NULL"
                "|`d` double(10,3) NOT NULL"
            ),
        ),
        (
            "a INT, v INT AS (a + 1), t VARCHAR(20) AS (CONCAT('<', a, '>')) STORED",
            (
                "`a` int(11) DEFAULT NULL|`v` int(11) GENERATED ALWAYS AS (`a` + 1) VIRTUAL"
                "|`t` varchar(20) GENERATED ALWAYS AS (concat('<',`a`,'>')) STORED"
            ),
        ),
        (
            (
                "p INT, CONSTRAINT of_p FOREIGN KEY (p) REFERENCES shop.p (id) ON DELETE CASCADE"
                " ON UPDATE RESTRICT"
            ),
            (
                "`p` int(11) DEFAULT NULL|KEY `of_p` (`p`)"
                "|CONSTRAINT `of_p` FOREIGN KEY (`p`) REFERENCES `p` (`id`) ON DELETE CASCADE"
            ),
        ),
        (
            "n INT, a INT NOT NULL, UNIQUE KEY n (n), UNIQUE KEY a (a)",
            (
                "`n` int(11) DEFAULT NULL|`a` int(11) NOT NULL|UNIQUE KEY `a` (`a`)"
                "|UNIQUE KEY `n` (`n`)"
            ),
        ),
    ],
)
def test_texts_are_the_servers(columns: str, lines: str) -> None:
    """Widths, NULL and defaults are said as the server says them."""
    body = ",\n  ".join(lines.split("|"))
    assert show_create(_table(columns), 1) == f"CREATE TABLE `t` (\n  {body}\n{END}"


def test_the_next_number_stands_behind_the_engine() -> None:
    """It is there once a row has had one."""
    table = _table("id INT AUTO_INCREMENT PRIMARY KEY")
    assert "ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT" in show_create(table, 1, 3)
    assert "AUTO_INCREMENT=" not in show_create(table, 1)


def test_a_spelling_is_lost() -> None:
    """Who reads the text knows JSON as LONGTEXT, and the width of an INT."""
    columns = shown(_table("j JSON, i INT UNSIGNED")).columns
    assert [(one.kind.value, one.length) for one in columns] == [("longtext", None), ("int", 10)]


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ("a INT, b INT AS (a << 1)", "AS (`a`<<1)"),
        ("a INT, b INT AS (-a)", "AS (-`a`)"),
        ("a INT PRIMARY KEY, FOREIGN KEY (a) REFERENCES shop.p (id)", "a foreign key without"),
    ],
)
def test_what_is_not_worked_out_is_refused(columns: str, why: str) -> None:
    """The reason and the line are said."""
    with pytest.raises(StepError, match=re.escape(why)):
        show_create(_table(columns), 7)


def test_partitions_are_refused() -> None:
    """How rows are dealt is known, and not in which words it was said."""
    made = "CREATE TABLE shop.t (a INT) PARTITION BY HASH (a) PARTITIONS 2"
    (table,) = Catalogue.with_schemas("shop").apply(made, "shop").catalogue.tables()
    with pytest.raises(StepError, match="has partitions"):
        show_create(table, 7)
