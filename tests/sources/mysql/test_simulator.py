"""What the connector keeps of a statement, and what it does not."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from harness.errors import StepError
from harness.model.binlog import LogDdl, LogTable
from harness.model.change import DdlRun
from harness.sources.mysql.declared import refuse_row
from harness.sources.mysql.simulator import Server


def _table(*statements: str) -> LogTable:
    """Return the table of the last statement."""
    events = Server(["shop"]).replay(
        DdlRun(sql, "shop", line) for line, sql in enumerate(statements)
    )
    *_, last = (event for event in events if isinstance(event, LogDdl))
    table = last.changes[0].table
    assert table is not None
    return table


@pytest.mark.parametrize("words", ["FLOAT4", "FLOAT SIGNED", "FLOAT(7) SIGNED"])
def test_a_float_without_values_is_refused(words: str) -> None:
    """The connector's converter gives what its schema refuses, and leaves the field null."""
    with pytest.raises(StepError, match="leaves every value out"):
        _table(f"CREATE TABLE shop.t (id INT PRIMARY KEY, f {words})")


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("RENAME TABLES shop.t TO shop.u", "RENAME TABLES: its parser fails"),
        ("ALTER TABLE shop.t ADD v VARCHARACTER(4)", "VARCHARACTER: its parser fails"),
        ("ALTER TABLE shop.t ADD v CHAR(3) ASCII", "behind a type: its parser fails"),
        ("ALTER TABLE shop.t ADD v CHAR BYTE", "behind a type: its parser fails"),
        ("ALTER TABLE shop.t ADD e ENUM('a', 0x41)", "digits as a member"),
        ("ALTER TABLE shop.t ADD e ENUM('a') BINARY", "it knows no members"),
        ("ALTER TABLE shop.t ADD s SET('a') CHARACTER SET binary", "fails at rows with ENUM"),
        ("CREATE TABLE shop.u (id INT, c CHAR(3)) COLLATE=binary", "takes the texts for texts"),
        ("CREATE TABLE shop.u (a CHAR(3)) COLLATE latin1_bin", "no character set from this"),
        ("ALTER TABLE shop.t ADD a CHAR(3) NOT NULL COLLATE latin1_bin", "no character set from"),
        ("ALTER TABLE shop.t ADD e ENUM('a') COLLATE latin1_bin", "no character set from this"),
        ("CREATE DATABASE lat COLLATE latin1_bin", "no character set from this"),
        ("ALTER TABLE shop.t MODIFY ID INT", "MODIFY COLUMN that changes capitals"),
        ("ALTER TABLE shop.t CHANGE id madeAt INT AFTER z", "AFTER the last column"),
        ("ALTER TABLE shop.t ADD y INT, CHANGE id madeAt INT AFTER y", "AFTER the last column"),
    ],
)
def test_what_it_takes_otherwise_than_the_server_is_refused(statement: str, why: str) -> None:
    """It would stop, or have other columns than the rows that follow."""
    with pytest.raises(StepError, match=why):
        _table("CREATE TABLE shop.t (id INT, v0 INT, z INT)", statement)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE shop.t CHANGE id madeAt INT AFTER v0",
        "ALTER TABLE shop.t MODIFY id INT AFTER z",
        "ALTER TABLE shop.t ADD ascii INT COMMENT 'CHAR(3) ASCII'",
        "ALTER TABLE shop.t ADD a CHAR(3) COLLATE latin1_bin NOT NULL",
        "CREATE TABLE shop.u (a CHAR(3)) CHARSET latin1 COLLATE latin1_bin",
        "CREATE TABLE shop.u (a CHAR(3)) COLLATE utf8mb4_general_ci",
    ],
)
def test_what_it_takes_as_the_server_does_is_not(statement: str) -> None:
    """Names in lower case move, others do not only behind the last column."""
    assert _table("CREATE TABLE shop.t (id INT, v0 INT, z INT)", statement).key == ()


@pytest.mark.parametrize("words", ["FLOAT ZEROFILL", "FLOAT(5,2) SIGNED", "FLOAT4(5,2)"])
def test_a_float_that_it_converts_is_not(words: str) -> None:
    """Those are the forms that it knows, and the wide ones."""
    assert _table(f"CREATE TABLE shop.t (id INT PRIMARY KEY, f {words})").key == ("id",)


def test_what_a_column_was_declared_goes_where_its_table_goes() -> None:
    """By RENAME TABLE and LIKE, until another definition takes it away."""
    made = r"""CREATE TABLE shop.t (id INT PRIMARY KEY, v INT SIGNED COMMENT "it's\n")"""
    changed = "ALTER TABLE shop.t CHANGE COLUMN v w INT SIGNED"
    kept = (("w", "SIGNED"),), (("w", r"it's\n"),)
    for last in ("RENAME TABLE shop.t TO shop.u", "CREATE TABLE shop.u LIKE shop.t"):
        found = _table(made, changed, last)
        assert (found.signs, found.comments) == kept
    anew = _table(made, changed, "ALTER TABLE shop.t MODIFY COLUMN w INT")
    assert (anew.signs, anew.comments) == ((), ())


@pytest.mark.parametrize(
    ("words", "value", "refused"),
    [
        ("BINARY", b"\0", True),
        ("BINARY", b"a", False),
        ("BINARY", None, False),
        ("BINARY(1)", b"\0", False),
    ],
)
def test_a_zero_byte_in_a_binary_without_a_length_is_refused(
    words: str, value: bytes | None, *, refused: bool
) -> None:
    """The log has no zeros at the end of it, and the connector knows no length to fill up to."""
    table = _table(f"CREATE TABLE shop.t (id INT PRIMARY KEY, b {words})")
    expected = pytest.raises(StepError, match="declared BINARY without a length")
    with expected if refused else nullcontext():
        refuse_row(table, (1, value), 3)
