"""What a recording refuses to run, because the server may be somebody's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.record.guard import problems
from harness.scenario.document import DdlStep, SqlStatement, TransactionStep
from tests.record.scenes import TABLE, scenario

FOREIGN = ("mysql", "information_schema", "Payroll")


def said(tmp_path: Path, sql: str, *, ddl: bool = False) -> list[str]:
    """Return what the guard says about one statement of a scenario."""
    statement = SqlStatement(sql, 12, 3)
    step = DdlStep(statement) if ddl else TransactionStep("one", (statement,), 12)
    scene = replace(scenario(tmp_path, TABLE), upstream=(step,))
    return [str(problem) for problem in problems(scene, FOREIGN)]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO d.t VALUES (1, 1)",
        "REPLACE INTO d.t SELECT * FROM d.u",
        "UPDATE d.t SET a = 'mysql.user' WHERE id = 1",
        "DELETE mysql FROM d.t AS mysql",
        "WITH x AS (SELECT 1) DELETE FROM d.t WHERE id IN (SELECT * FROM x)",
        "INSERT INTO d.t VALUES (1, 'SLEEP(1)') -- mysql.user",
        "SAVEPOINT x",
        "ROLLBACK TO SAVEPOINT x",
        "RELEASE SAVEPOINT x",
    ],
)
def test_row_changes_inside_are_allowed(tmp_path: Path, sql: str) -> None:
    """Ordinary statements pass, whatever their strings and comments say."""
    assert said(tmp_path, sql) == []


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("DELETE FROM mysql.user", "`mysql` is not one"),
        ("INSERT INTO d.t SELECT 1, 2 FROM `payroll`.salaries", "`payroll` is not one"),
        ("UPDATE d.t, PAYROLL . salaries SET a = 1", "`PAYROLL` is not one"),
        ("INSERT INTO d.t VALUES (1, (SELECT 1 FROM /*! mysql.user */))", "`mysql` is not one"),
        ("UPDATE d.t SET a = mysql.secret()", "`mysql` is not one"),
        ("INSERT INTO d.t VALUES (1, SLEEP(100))", "`SLEEP` reaches out"),
        ("INSERT INTO d.t VALUES (1, load_file('/etc/passwd'))", "`LOAD_FILE` reaches out"),
        ("INSERT INTO d.t SELECT 1, 2 INTO OUTFILE '/tmp/x'", "`OUTFILE` reaches out"),
        ("INSERT INTO d.t VALUES (1 /*M! , SLEEP(9) */)", "does not run what stands in `/*M!"),
        ("LOAD DATA INFILE '/etc/passwd' INTO TABLE d.t", "changes no rows"),
        ("SELECT 1 FROM d.t", "changes no rows"),
        ("CALL d.p()", "changes no rows"),
        ("DO SLEEP(1)", "changes no rows"),
        ("SET GLOBAL max_connections = 1", "changes no rows"),
        ("GRANT ALL ON *.* TO x", "changes no rows"),
        ("SHUTDOWN", "changes no rows"),
        ("INSERT INTO d.t VALUES ('", "never closed"),
    ],
)
def test_what_reaches_out_is_refused(tmp_path: Path, sql: str, what: str) -> None:
    """Other databases, files, waits and administration are named with the statement's place."""
    (problem,) = said(tmp_path, sql)
    assert "up.yaml:12:3: " in problem
    assert what in problem


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("CREATE DATABASE other", "`other` is not one"),
        ("DROP DATABASE mysql", "`mysql` is not one"),
        ("CREATE TABLE other.t (a INT)", "`other` is not one"),
        ("CREATE TABLE d.t LIKE mysql.user", "`mysql` is not one"),
        ("RENAME TABLE d.t TO other.t", "`other` is not one"),
        ("CREATE VIEW d.v AS SELECT * FROM mysql.user", "`mysql` is not one"),
        ("CREATE USER x", "not a DDL statement"),
        ("CREATE TRIGGER d.x BEFORE INSERT ON d.t FOR EACH ROW SET @a = 1", "not a DDL statement"),
        ("ALTER USER x IDENTIFIED BY 'y'", "not a DDL statement"),
        ("CREATE TABLEX d.t (a INT)", "SQL: "),
    ],
)
def test_ddl_stays_inside(tmp_path: Path, sql: str, what: str) -> None:
    """DDL names only the scenario's databases, and makes only what streams show."""
    found = said(tmp_path, sql, ddl=True)
    assert found
    assert all("up.yaml:12:3: " in problem for problem in found)
    assert what in found[0]


def test_ddl_inside_is_allowed(tmp_path: Path) -> None:
    """Names count in any case; emitted DDL is never run, so it is not asked."""
    assert said(tmp_path, "ALTER TABLE D.t ADD COLUMN mysql INT", ddl=True) == []
    scene = scenario(tmp_path, TABLE)
    step = DdlStep(SqlStatement("CREATE DATABASE other", 1), emit=True)
    assert list(problems(replace(scene, upstream=(step,)), FOREIGN)) == []
