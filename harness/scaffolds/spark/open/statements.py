"""DDL: what becomes of the rows. Only what needs no parser of SQL; the rest is declined.

Events tell a statement as TiCDC restores it, and not its type.
"""

from __future__ import annotations

import re

from tables import Declined, Name, Row, Table

NAME = r"`((?:[^`]|``)+)`"
TABLE = rf"{NAME}\.{NAME}"
GONE = re.compile(rf"(?:CREATE TABLE {TABLE} .*|(?:DROP|TRUNCATE) TABLE {TABLE})", re.DOTALL)
DROP_SCHEMA = re.compile(rf"DROP DATABASE {NAME}")
RENAME = re.compile(rf"RENAME TABLE {TABLE} TO {TABLE}")
DROP_COLUMN = re.compile(rf"ALTER TABLE {TABLE} DROP COLUMN {NAME}")
# A new column whose value in older rows is NULL, or a whole number.
ADD_COLUMN = re.compile(
    rf"ALTER TABLE {TABLE} ADD COLUMN {NAME} "
    r"(?:[A-Z]+(?:\([\d,]+\))?(?: UNSIGNED)?(?: NULL)?(?: DEFAULT NULL)?"
    r"|[A-Z]*INT(?:\(\d+\))?(?: UNSIGNED)?(?: NOT NULL)? DEFAULT (?P<number>-?\d+))"
)
# Databases, views, and of tables one change of an index, a key, a default or an option: rows stay
# as they are. Where a table gets another key, its rows say so.
ROWS_STAY = re.compile(
    r"(?:CREATE|ALTER) DATABASE .*|CREATE (?:UNIQUE )?INDEX .*|DROP (?:INDEX|VIEW) .*"
    r"|CREATE (?:OR REPLACE )?ALGORITHM = .* VIEW .*"
    rf"|ALTER TABLE {TABLE} (?:ADD (?:UNIQUE|INDEX|PRIMARY KEY|CONSTRAINT)"
    r"|DROP (?:INDEX|PRIMARY KEY|FOREIGN KEY)|RENAME INDEX|ALTER INDEX|ALTER COLUMN"
    r"|COMMENT =|AUTO_INCREMENT =)(?!.*, [A-Z]+ ).*",
    re.DOTALL,
)


def execute(tables: dict[Name, Table], name: Name, statement: str) -> None:
    """Let a table follow a statement; raises Declined for one that this program does not read."""
    if GONE.fullmatch(statement):
        tables.pop(name, None)
    elif DROP_SCHEMA.fullmatch(statement):
        for other in [other for other in tables if other[0] == name[0]]:
            del tables[other]
    elif found := RENAME.fullmatch(statement):
        schema, old, new_schema, new = map(unquoted, found.groups())
        tables[new_schema, new] = tables.pop((schema, old), Table())
    elif found := ADD_COLUMN.fullmatch(statement):
        added = {unquoted(found[3]): found["number"]}
        tables.setdefault(name, Table()).change(lambda row: row | added)
    elif found := DROP_COLUMN.fullmatch(statement):
        gone = unquoted(found[3])
        tables.setdefault(name, Table()).change(lambda row: without(row, gone))
    elif not ROWS_STAY.fullmatch(statement):
        raise Declined(f"ddl:{' '.join(statement.split()[:2])}")


def without(row: Row, gone: str) -> Row:
    """Return a row without a column."""
    return {name: value for name, value in row.items() if name != gone}


def unquoted(name: str) -> str:
    """Return a name as it was before backticks in it were doubled."""
    return name.replace("``", "`")
