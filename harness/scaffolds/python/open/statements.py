"""DDL: what becomes of the rows. Only what needs no parser of SQL; the rest is declined."""

from __future__ import annotations

import re

from tables import Declined, Name, Row, Table

CREATE_TABLE = 3
DROP_SCHEMA = 2
DROP_TABLE, TRUNCATE_TABLE = 4, 11
ADD_COLUMN, DROP_COLUMN = 5, 6
RENAME_TABLE = 14
# Databases, keys and indexes, comments, defaults, views, partitions without rows: rows stay as they
# are. Where a table gets another key, its rows say so.
ROWS_STAY = {1, 7, 8, 9, 10, 13, 15, 17, 18, 19, 21, 24, 26, 32, 33, 41, 64, 65, 67, 71, 72}
NAME = r"`((?:[^`]|``)+)`"
RENAME = re.compile(rf"RENAME TABLE {NAME}\.{NAME} TO {NAME}\.{NAME};?")
DROP = re.compile(rf"ALTER TABLE {NAME}\.{NAME} DROP COLUMN {NAME}")
# A new column whose value in older rows is NULL, or a whole number.
ADD = re.compile(
    rf"ALTER TABLE {NAME}\.{NAME} ADD COLUMN {NAME} "
    r"(?:[A-Z]+(?:\([\d,]+\))?(?: UNSIGNED)?(?: NULL)?(?: DEFAULT NULL)?"
    r"|[A-Z]*INT(?:\(\d+\))?(?: UNSIGNED)?(?: NOT NULL)? DEFAULT (?P<number>-?\d+))"
)


def execute(tables: dict[Name, Table], name: Name, statement: str, action: int) -> None:
    """Let a table follow a statement; raises Declined for one that this program does not read."""
    if action == CREATE_TABLE:
        tables[name] = Table()
    elif action in (DROP_TABLE, TRUNCATE_TABLE):
        tables.pop(name, None)
    elif action == DROP_SCHEMA:
        for other in [other for other in tables if other[0] == name[0]]:
            del tables[other]
    elif action == RENAME_TABLE and (found := RENAME.fullmatch(statement)):
        schema, old, new_schema, new = map(unquoted, found.groups())
        tables[new_schema, new] = tables.pop((schema, old), Table())
    elif action == ADD_COLUMN and (found := ADD.fullmatch(statement)):
        added = {unquoted(found[3]): found["number"]}
        tables.setdefault(name, Table()).change(lambda row: row | added)
    elif action == DROP_COLUMN and (found := DROP.fullmatch(statement)):
        gone = unquoted(found[3])
        tables.setdefault(name, Table()).change(lambda row: without(row, gone))
    elif action not in ROWS_STAY:
        raise Declined(f"ddl:{action}")


def without(row: Row, gone: str) -> Row:
    """Return a row without a column."""
    return {name: value for name, value in row.items() if name != gone}


def unquoted(name: str) -> str:
    """Return a name as it was before backticks in it were doubled."""
    return name.replace("``", "`")
