"""A plain SQL file becomes steps as a database would have run it, or says why not."""

from __future__ import annotations

import pytest

from harness.authoring.sql_steps import read_steps
from harness.ddl import StatementKind
from harness.errors import UsageError

TABLE = "CREATE TABLE shop.t (a INT PRIMARY KEY, b TEXT);\n"


def transactions(sql: str, *databases: str) -> list[tuple[str, ...]]:
    """Return the statements of each transaction of a text whose first line makes a table."""
    steps = read_steps(TABLE + sql, "a.sql", databases).steps
    assert steps[0].ddl
    return [step.statements for step in steps if not step.ddl]


SPLITS = {
    "a run is one": (
        "INSERT INTO shop.t VALUES (1,''); DELETE FROM shop.t;",
        [("INSERT INTO shop.t VALUES (1,'')", "DELETE FROM shop.t")],
    ),
    "brackets delimit": (
        "DELETE FROM shop.t; BEGIN; DELETE FROM shop.t; COMMIT; DELETE FROM shop.t",
        [("DELETE FROM shop.t",)] * 3,
    ),
    "start transaction too": (
        "START TRANSACTION; DELETE FROM shop.t; COMMIT WORK; START TRANSACTION READ WRITE; COMMIT",
        [("DELETE FROM shop.t",)],
    ),
    "DDL commits": (
        "BEGIN; DELETE FROM shop.t; TRUNCATE TABLE shop.t; DELETE FROM shop.t;",
        [("DELETE FROM shop.t",)] * 2,
    ),
    "BEGIN commits": (
        "BEGIN; DELETE FROM shop.t; BEGIN; DELETE FROM shop.t; COMMIT",
        [("DELETE FROM shop.t",)] * 2,
    ),
    "savepoints stay": (
        "BEGIN; SAVEPOINT s; DELETE FROM shop.t; ROLLBACK TO s; COMMIT",
        [("SAVEPOINT s", "DELETE FROM shop.t", "ROLLBACK TO s")],
    ),
    "semicolons in texts do not split": (
        "INSERT INTO shop.t VALUES (1, 'a;b -- c'); -- d; e",
        [("INSERT INTO shop.t VALUES (1, 'a;b -- c')",)],
    ),
}


@pytest.mark.parametrize("name", SPLITS)
def test_transactions_are_delimited_as_a_database_does(name: str) -> None:
    """BEGIN, COMMIT and DDL bound transactions; without them a run of statements is one."""
    sql, expected = SPLITS[name]
    assert transactions(sql) == expected


NAMES = {
    "INSERT INTO t VALUES (1, 't')": "INSERT INTO shop.t VALUES (1, 't')",
    "REPLACE INTO t (a) VALUES (1)": "REPLACE INTO shop.t (a) VALUES (1)",
    "UPDATE `t` SET b = '😀t' WHERE a IN (SELECT a FROM t)": (
        "UPDATE shop.`t` SET b = '😀t' WHERE a IN (SELECT a FROM shop.t)"
    ),
    "DELETE x FROM t AS x JOIN t AS y ON x.a = y.a": (
        "DELETE x FROM shop.t AS x JOIN shop.t AS y ON x.a = y.a"
    ),
    "INSERT INTO shop.t SELECT a + 1, b FROM t": "INSERT INTO shop.t SELECT a + 1, b FROM shop.t",
}


@pytest.mark.parametrize("sql", NAMES)
def test_the_current_database_gets_into_the_names(sql: str) -> None:
    """USE and --database end up before each table without a database, and nowhere else."""
    assert transactions(f"USE shop; {sql}") == [(NAMES[sql],)]
    assert transactions(sql, "shop") == [(NAMES[sql],)]


def test_ddl_gets_the_current_database_too() -> None:
    """Every table that a DDL statement names is qualified, references as well."""
    read = read_steps(
        "CREATE TABLE t (a INT PRIMARY KEY, p INT REFERENCES t (a)); RENAME TABLE t TO u",
        "f",
        ("d",),
    )
    assert [step.statements[0] for step in read.steps] == [
        "CREATE TABLE d.t (a INT PRIMARY KEY, p INT REFERENCES d.t (a))",
        "RENAME TABLE d.t TO d.u",
    ]
    assert [str(table.id) for table in read.tables] == ["d.u"]
    assert read.databases == ("d",)
    assert read.kinds == {StatementKind.DDL}


def test_what_is_left_out_is_reported() -> None:
    """Statements that a scenario cannot hold are named with their line and the reason."""
    read = read_steps(
        "DROP DATABASE IF EXISTS shop;\nCREATE DATABASE shop;\nSET NAMES utf8;\n"
        f"{TABLE}SELECT 1;\nBEGIN; DELETE FROM shop.t; ROLLBACK;\n"
        "LOAD DATA INFILE 'x' INTO TABLE shop.t;\nCREATE USER u;\nUSE;",
        "a.sql",
    )
    places = [note.split(" ")[0] for note in read.left_out]
    assert places == [
        "a.sql:1:",
        "a.sql:2:",
        "a.sql:3:",
        "a.sql:5:",
        "a.sql:6:",
        "a.sql:7:",
        "a.sql:8:",
    ]
    assert len(read.steps) == 1


WRONG = {
    "no database": ("\nDELETE FROM t", "a.sql:3: ", "without its database"),
    "bad DDL": ("\nALTER TABLE shop.t\n  FROB x", "a.sql:4: ", ""),
    "an unknown table": ("\nALTER TABLE shop.u ADD c INT", "a.sql:3: ", ""),
    "bad rows": ("\nINSERT INTO shop.t VALUES (((1", "a.sql:3: ", "cannot be understood"),
    "a string without end": ("\nDELETE FROM shop.t WHERE b = 'x", "a.sql:3: ", ""),
    "no commit": ("\nBEGIN; DELETE FROM shop.t", "a.sql:3: ", "never committed"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_a_step_is_named(name: str) -> None:
    """A mistake in the SQL is a usage error with file and line."""
    sql, place, what = WRONG[name]
    with pytest.raises(UsageError) as caught:
        read_steps(TABLE + sql, "a.sql")
    assert str(caught.value).startswith(place)
    assert what in str(caught.value)


def test_a_file_that_changes_nothing_is_refused() -> None:
    """Comments and questions make no scenario."""
    with pytest.raises(UsageError, match="changes a table"):
        read_steps("-- nothing\nSELECT 1;", "a.sql")


DUMP = """DROP TABLE IF EXISTS `t`;
CREATE TABLE `t` (`a` int NOT NULL, PRIMARY KEY (`a`));
/*!40000 ALTER TABLE `t` DISABLE KEYS */;
INSERT INTO `t` VALUES (1);
/*!40000 ALTER TABLE `t` ENABLE KEYS */;
DROP TABLE IF EXISTS `u`;
CREATE TABLE `u` (`a` int NOT NULL, PRIMARY KEY (`a`));
DROP TABLE IF EXISTS `t`;
"""


def test_what_a_dump_says_about_its_own_loading_is_left_out() -> None:
    """It drops each table before it makes it; a table that is there is dropped nevertheless."""
    steps = read_steps(DUMP, "a.sql", ("shop",))
    assert [step.statements[0].split()[0] for step in steps.steps] == [
        "CREATE",
        "INSERT",
        "CREATE",
        "DROP",
    ]
    assert [text.rpartition("(")[2] for text in steps.left_out] == [
        "the table is not there yet)",
        "how a dump is loaded)",
        "how a dump is loaded)",
        "the table is not there yet)",
    ]


TRIGGER = """CREATE TABLE `t` (`a` int NOT NULL, PRIMARY KEY (`a`));
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `g` BEFORE INSERT ON `t`
FOR EACH ROW BEGIN
  IF NEW.a < 0 THEN SET NEW.a = 0; END IF;
END */;;
CREATE DEFINER=`root`@`localhost` PROCEDURE `p`()
BEGIN DELETE FROM t; SELECT 1; END ;;
DELIMITER ;
INSERT INTO `t` VALUES (1);
"""


def test_triggers_and_procedures_of_a_dump_are_left_out_whole() -> None:
    """A statement between DELIMITER lines ends at that delimiter, and lines go on to be counted."""
    steps = read_steps(TRIGGER, "a.sql", ("shop",))
    assert [step.statements[0].split()[0] for step in steps.steps] == ["CREATE", "INSERT"]
    trigger, procedure = steps.left_out
    assert trigger.startswith(
        "a.sql:3: CREATE TRIGGER `g` BEFORE INSERT ON `t` FOR EACH ROW BEGIN "
    )
    assert trigger.endswith(
        "END … (no trigger runs in a scenario: write what it does to rows as statements)"
    )
    assert procedure.startswith(
        "a.sql:7: CREATE PROCEDURE `p`() BEGIN DELETE FROM t; SELECT 1; END ("
    )
    assert steps.steps[1].line == 10
    with pytest.raises(UsageError, match=r"^a\.sql:12: "):
        read_steps(f"{TRIGGER}\nDELETE FROM x WHERE b = 'y", "a.sql", ("shop",))
