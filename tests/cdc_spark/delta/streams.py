"""A stream of the Open Protocol with every kind of DDL between rows."""

from __future__ import annotations

from typing import Any

from tests.cdc_spark import messages
from tests.cdc_spark.messages import (
    column,
    ddl,
    gone,
    key,
    loose,
    message,
    put,
    resolved,
    row,
)

CREATE = "CREATE TABLE `test`.`t` (`id` INT PRIMARY KEY,`v` VARCHAR(16),`d` DATE)"
ALTER = "ALTER TABLE `test`.`t` "
PARTED = (
    "CREATE TABLE `test`.`p` (`id` INT PRIMARY KEY) PARTITION BY RANGE (`id`)"
    " (PARTITION `low` VALUES LESS THAN (10),PARTITION `high` VALUES LESS THAN (20))"
)
DATE = {"t": 10, "f": 64}


def seen(ts: int, number: int, table: str = "t", **columns: Any) -> tuple[str, str]:
    """Return a row of a table in any shape."""
    return row(ts, {"u": {"id": key(number), **columns}}, table)


def statements() -> list[tuple[bytes, bytes]]:
    """Return a stream with every kind of DDL between rows."""
    number, text = {"t": 3, "f": 65}, messages.VARCHAR
    return [
        message(ddl(1, CREATE, 3)),
        message(seen(2, 1, v=column("a"), d=column("0000-00-00", DATE)), put(2, 2, "b")),
        message(put(3, 3, "c"), gone(3, 2)),
        message(ddl(4, f"{ALTER}ADD COLUMN `n` BIGINT UNSIGNED", 5)),
        message(seen(5, 3, v=column("c"), n=column(2**64 - 1, {"t": 8, "f": 193}))),
        message(ddl(6, f"{ALTER}ADD COLUMN `m` INT DEFAULT 5", 5)),
        message(ddl(7, f"{ALTER}RENAME COLUMN `v` TO `w`", 5)),
        message(ddl(8, f"{ALTER}MODIFY COLUMN `m` VARCHAR(10)", 12)),
        message(ddl(9, f"{ALTER}DROP COLUMN `n`", 6)),
        message(ddl(10, "RENAME TABLE `test`.`t` TO `test`.`u`", 14, table="u")),
        message(seen(11, 4, "u", w=column("x"), m=column("9"), d=column("2024-02-29", DATE))),
        message(ddl(12, CREATE, 3), put(13, 7, "a")),
        message(ddl(14, "TRUNCATE TABLE `test`.`t`", 11), put(15, 9, "n")),
        message(ddl(16, "CREATE TABLE `test`.`gone` (`id` INT PRIMARY KEY)", 3, table="gone")),
        message(seen(17, 1, "gone"), ddl(18, "DROP TABLE `test`.`gone`", 4, table="gone")),
        message(loose(19, 7), loose(19, 7), loose(19, 8, rid=1)),
        message(
            loose(20, 7, deleted=True), row(20, {"u": {"n": column(9, number)}}, "loose", rid=1)
        ),
        message(resolved(99)),
        message(row(100, {"u": {"id": key(5), "w": column("late", text)}}, "u")),
    ]


def between() -> list[tuple[bytes, bytes]]:
    """Return rows that come, change and go on either side of DDL, with a key and without."""
    loosely = "ALTER TABLE `test`.`loose` ADD COLUMN"
    return [
        message(ddl(1, CREATE, 3)),
        message(*(seen(2, one, v=column("a"), d=column("2024-02-29", DATE)) for one in (1, 2, 3))),
        message(loose(2, 7), loose(2, 7), loose(2, 8)),
        message(ddl(3, f"{ALTER}ADD COLUMN `n` INT DEFAULT 5", 5)),
        message(gone(4, 1), seen(4, 2, v=column("b"), n=column(6, {"t": 3, "f": 65}))),
        message(ddl(5, f"{loosely} `m` INT", 5, table="loose")),
        message(loose(6, 7, deleted=True)),
        message(ddl(7, f"{ALTER}RENAME COLUMN `v` TO `w`", 5)),
        message(gone(8, 3), seen(8, 1, w=column("again"))),
        message(ddl(9, f"{loosely} `o` INT", 5, table="loose")),
        message(loose(10, 7), loose(10, 8, deleted=True), loose(10, 8)),
        message(ddl(11, f"{loosely} `p` INT", 5, table="loose")),
        message(loose(12, 8, deleted=True)),
        message(ddl(13, f"{ALTER}MODIFY COLUMN `n` VARCHAR(9)", 12), gone(14, 2)),
        message(ddl(15, "TRUNCATE TABLE `test`.`loose`", 11, table="loose")),
        message(loose(16, 9)),
        message(ddl(17, PARTED, 3, table="p"), seen(18, 5, "p"), seen(18, 15, "p")),
        message(ddl(19, "ALTER TABLE `test`.`p` DROP PARTITION `low`", 20, table="p")),
        message(resolved(20)),
    ]
