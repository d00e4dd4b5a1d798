"""Promises of reading DDL text."""

from __future__ import annotations

import pytest

from cdc_spark.apply.column_sql import TYPES, column
from cdc_spark.apply.ddl_sql import parse
from cdc_spark.apply.partitions import Definition, Partitions
from cdc_spark.apply.schema import FAMILIES, Column, Expression, Literal
from cdc_spark.apply.statements import (
    AddColumn,
    AddPartitions,
    AlterTable,
    ChangeColumn,
    CoalescePartitions,
    CreateDatabase,
    CreateTable,
    DropColumn,
    DropDatabase,
    DropPartitions,
    DropTable,
    ExchangePartition,
    RenameColumn,
    RenameTable,
    ReorganizePartitions,
    Repartition,
    Statement,
    TruncatePartitions,
    TruncateTable,
)
from cdc_spark.apply.words import words
from cdc_spark.errors import DecodingError

INT = Column("c", "int")
T = ("test", "t")

STATEMENTS: dict[str, Statement] = {
    "CREATE DATABASE `d` CHARACTER SET = utf8mb4": CreateDatabase(),
    "create schema if not exists d": CreateDatabase(),
    "DROP DATABASE IF EXISTS `D-2`": DropDatabase(),
    "DROP TABLE `test`.`t`": DropTable(),
    "drop table if exists a, b": DropTable(),
    "TRUNCATE TABLE `t`": TruncateTable(),
    "truncate t": TruncateTable(),
    "CREATE TABLE `test`.`t` LIKE `x`.`y`": CreateTable(like=("x", "y")),
    "create table t (like y)": CreateTable(like=(None, "y")),
    "CREATE GLOBAL TEMPORARY TABLE `t` (`c` INT) ON COMMIT DELETE ROWS": CreateTable((INT,)),
    "RENAME TABLE `a` TO `b`, `x`.`c` TO `y`.`d`": RenameTable(
        (((None, "a"), (None, "b")), (("x", "c"), ("y", "d")))
    ),
    "ALTER TABLE `test`.`t` RENAME AS `test`.`u`": AlterTable(T, (), ("test", "u")),
    "alter table t rename u": AlterTable((None, "t"), (), (None, "u")),
    "ALTER TABLE `test`.`t` ADD COLUMN `c` INT FIRST": AlterTable(T, (AddColumn(INT),)),
    "ALTER TABLE `test`.`t` ADD COLUMN /*T! IF NOT EXISTS  */`c` INT": AlterTable(
        T, (AddColumn(INT),)
    ),
    "ALTER TABLE `test`.`t` ADD COLUMN (`c` INT, `d` INT)": AlterTable(
        T, (AddColumn(INT), AddColumn(Column("d", "int")))
    ),
    "ALTER TABLE `test`.`t` DROP COLUMN IF EXISTS `c`": AlterTable(T, (DropColumn("c"),)),
    "ALTER TABLE `test`.`t` MODIFY COLUMN `c` INT AFTER `a`": AlterTable(
        T, (ChangeColumn("c", INT),)
    ),
    "ALTER TABLE `test`.`t` CHANGE COLUMN `b` `c` INT": AlterTable(T, (ChangeColumn("b", INT),)),
    "ALTER TABLE `test`.`t` RENAME COLUMN `a` TO `b`, RENAME COLUMN `b` TO `a`": AlterTable(
        T, (RenameColumn("a", "b"), RenameColumn("b", "a"))
    ),
    "ALTER TABLE `test`.`t` COMMENT = 'a', ADD COLUMN `c` INT": AlterTable(T, (AddColumn(INT),)),
    "ALTER TABLE `test`.`t` ": AlterTable(T, ()),
    "ALTER TABLE `test`.`t` ADD UNIQUE INDEX `i`(`a`), ADD COLUMN `c` INT": AlterTable(
        T, (AddColumn(INT),)
    ),
    "ALTER TABLE `test`.`t` REORGANIZE PARTITION `p1`,`p2` INTO (PARTITION `p` VALUES IN (1, 2))": (
        AlterTable(T, (), None, ReorganizePartitions(("p1", "p2"), (Definition("p", (1, 2)),)))
    ),
    "ALTER TABLE `test`.`t` DROP PARTITION IF EXISTS `p`, q": AlterTable(
        T, (), None, DropPartitions(("p", "q"))
    ),
    "ALTER TABLE `test`.`t` TRUNCATE PARTITION ALL": AlterTable(
        T, (), None, TruncatePartitions(())
    ),
    "ALTER TABLE `test`.`t` EXCHANGE PARTITION p WITH TABLE d.u WITHOUT VALIDATION": AlterTable(
        T, (), None, ExchangePartition("p", ("d", "u"))
    ),
    "ALTER TABLE `test`.`t` ADD PARTITION (PARTITION `p` VALUES LESS THAN (MAXVALUE))": AlterTable(
        T, (), None, AddPartitions((Definition("p", greatest=True),))
    ),
    "ALTER TABLE `test`.`t` ADD PARTITION PARTITIONS 2": AlterTable(
        T, (), None, AddPartitions((), 2)
    ),
    "ALTER TABLE `test`.`t` COALESCE PARTITION 1": AlterTable(T, (), None, CoalescePartitions(1)),
    "ALTER TABLE `test`.`t` REMOVE PARTITIONING": AlterTable(T, (), None, Repartition(None)),
    "ALTER TABLE `test`.`t` PARTITION BY HASH (YEAR(`d`)) PARTITIONS 2": AlterTable(
        T,
        (),
        None,
        Repartition(Partitions("HASH", "d", "YEAR", (Definition("p0"), Definition("p1")))),
    ),
    "ALTER DATABASE `d` COLLATE = utf8mb4_general_ci": None,
    "CREATE UNIQUE INDEX `i` ON `t` (`a`(5), `b` DESC) INVISIBLE": None,
    "DROP INDEX `i` ON `t`": None,
    "CREATE OR REPLACE ALGORITHM = MERGE DEFINER = `root`@`%` VIEW `v` AS SELECT 1": None,
    "DROP VIEW `v`": None,
}

COLUMNS: dict[str, Column] = {
    "`c` INT(11) UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'x, y'": Column(
        "c", "int", length=11, nullable=False, unsigned=True
    ),
    "c varchar(10) character set utf8mb4 collate utf8mb4_bin default _utf8mb4'a''b\\\\'": Column(
        "c", "varchar", length=10, default=Literal("text", "a'b\\")
    ),
    "c varchar(10) charset binary": Column("c", "varbinary", length=10),
    "c DECIMAL(10,2) NULL DEFAULT -1.5": Column(
        "c", "decimal", length=10, scale=2, default=Literal("number", "-1.5")
    ),
    "c dec": Column("c", "decimal", scale=0),
    "c double precision": Column("c", "double"),
    "c float(53)": Column("c", "double", length=53),
    "c timestamp(3) default current_timestamp(3) on update current_timestamp(3)": Column(
        "c", "timestamp", scale=3, default=Expression("current_timestamp")
    ),
    "c BIT(3) DEFAULT b'101'": Column("c", "bit", length=3, default=Literal("bits", "101")),
    "c binary(2) default x'4142'": Column("c", "binary", length=2, default=Literal("hex", "4142")),
    "c ENUM('a','b,c') DEFAULT NULL": Column("c", "enum", members=("a", "b,c")),
    "c boolean default true": Column("c", "tinyint", default=Literal("number", "1")),
    "c int as (a + (1)) virtual": Column("c", "int", virtual=True),
    "c int generated always as (a) stored not null": Column(
        "c", "int", nullable=False, stored=True
    ),
    "c int primary key": Column("c", "int", nullable=False),
    "c int unique key check (c > 0) not enforced": Column("c", "int"),
    "c int references p (id) on delete cascade": Column("c", "int"),
    "c national character varying(5)": Column("c", "varchar", length=5),
    "c json default (json_array())": Column("c", "json", default=Expression("json_array")),
    "c int default (1 + 1)": Column("c", "int", default=Expression("c int default (1 + 1)")),
}

NOT_UNDERSTOOD = (
    "",
    "SELECT 1",
    "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1",
    "CREATE TABLE t AS SELECT 1",
    "CREATE TABLE t (c POINT)",
    "CREATE TABLE t (c INT SOMEHOW)",
    "CREATE TABLE t (c INT",
    "ALTER TABLE t FROBNICATE",
    "ALTER TABLE t ADD COLUMN c INT, DROP PARTITION p",
    "ALTER TABLE t COMMENT 'a', TRUNCATE PARTITION p",
    "ALTER TABLE t EXCHANGE PARTITION p",
    "ALTER TABLE t ADD COLUMN c INT junk",
    "ALTER TABLE t DROP COLUMN c junk",
    "RENAME TABLE a",
    "ALTER TABLE t ADD COLUMN c VARCHAR(3) DEFAULT 'x",
)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_statements(sql: str) -> None:
    """Each statement says what it does to rows, and nothing else."""
    assert parse(sql) == STATEMENTS[sql]


@pytest.mark.parametrize("sql", COLUMNS)
def test_columns(sql: str) -> None:
    """Each definition is read with all that rows can depend on."""
    assert column(words(sql)) == COLUMNS[sql]


@pytest.mark.parametrize("sql", NOT_UNDERSTOOD)
def test_what_is_not_understood_is_refused(sql: str) -> None:
    """No statement is skipped in silence."""
    with pytest.raises(DecodingError):
        parse(sql)


def test_every_type_has_a_family() -> None:
    """A type name that can be read is a kind that has values."""
    assert set(TYPES.values()) <= set(FAMILIES)


def test_a_table_of_all_types_is_read() -> None:
    """Each type name makes a column of its kind."""
    for spelled, kind in TYPES.items():
        arguments = "('a')" if kind in ("enum", "set") else ""
        assert column(words(f"c {spelled}{arguments}")).kind == kind
