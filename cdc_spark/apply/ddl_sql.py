"""DDL text -> what it asks of tables and columns; what leaves rows alone becomes None.

A statement is read to its end as far as rows can depend on it; what is not understood is
refused (`DecodingError`), never skipped. Words that are known to leave rows alone stand in tables.

TiCDC sends restored SQL (upper-case keywords, quoted names), version 4.0.4 the user's own text;
both read alike. Source: MySQL 8.0 Reference Manual, §15.1 Data Definition Statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cdc_spark.apply import column_sql, partition_sql
from cdc_spark.apply.partitions import Partitions
from cdc_spark.apply.statements import (
    AddColumn,
    Alteration,
    AlterTable,
    ChangeColumn,
    CreateDatabase,
    CreateTable,
    DropColumn,
    DropDatabase,
    DropTable,
    Name,
    RenameColumn,
    RenameTable,
    Repartition,
    Statement,
    TruncateTable,
)
from cdc_spark.apply.words import WordKind, Words, words


def parse(sql: str) -> Statement:
    """Return what a DDL statement asks for, None when nothing of rows; raises DecodingError."""
    read = words(sql)
    verb = read.next().text.upper()
    if verb not in _VERBS:
        read.position -= 1
        read.refuse("a DDL statement")
    return _VERBS[verb](read)


def _create(read: Words) -> Statement:
    while read.here.text.upper() in _CREATE_MODIFIERS:
        read.next()
    if read.take("DATABASE") or read.take("SCHEMA"):
        return CreateDatabase()
    if any(read.take(what) for what in _NO_ROWS):
        return None
    if not read.take("TABLE"):  # CREATE OR REPLACE ALGORITHM = ... VIEW, and whatever comes
        if any(word.text.upper() == "VIEW" for word in read.found):
            return None
        read.refuse("TABLE, DATABASE, INDEX, VIEW or SEQUENCE")
    _if_exists(read)
    read.table_name()
    if read.take("LIKE"):
        return CreateTable(like=read.table_name())
    body = read.group()
    if body.take("LIKE"):
        return CreateTable(like=body.table_name())
    items = [item for item in body.split() if not _is_constraint(item)]
    columns = tuple(column_sql.column(item) for item in items)
    return CreateTable(columns, partitions=partition_sql.of_create(read))


def _is_constraint(item: Words) -> bool:
    return item.here.form is WordKind.PLAIN and item.here.text.upper() in _CONSTRAINTS


def _drop(read: Words) -> Statement:
    while read.here.text.upper() in _CREATE_MODIFIERS:
        read.next()
    if read.take("DATABASE") or read.take("SCHEMA"):
        return DropDatabase()
    if read.take("TABLE") or read.take("TABLES"):
        return DropTable()
    if not any(read.take(what) for what in _NO_ROWS):
        read.refuse("TABLE, DATABASE, INDEX, VIEW or SEQUENCE")
    return None


def _truncate(read: Words) -> Statement:
    read.take("TABLE")
    return TruncateTable()


def _rename(read: Words) -> Statement:
    read.expect("TABLE")
    return RenameTable(tuple(_pair(part) for part in read.split()))


def _pair(part: Words) -> tuple[Name, Name]:
    old = part.table_name()
    part.expect("TO")
    return old, part.table_name()


def _alter(read: Words) -> Statement:
    read.take("IGNORE")
    if not read.take("TABLE"):
        if any(read.take(what) for what in ("DATABASE", "SCHEMA", "VIEW", "SEQUENCE")):
            return None
        read.refuse("TABLE or DATABASE")
    name = read.table_name()
    partitions = partition_sql.action(read)
    if partitions is not None:
        return AlterTable(name, (), partitions=partitions)
    alterations: list[Alteration] = []
    renamed: Name | None = None
    for part in read.split():
        if part.done:  # a bare ALTER TABLE t: its options were feature comments
            continue
        if part.here.text.upper() in _PARTITIONING:  # takes up the rest, with commas of its own
            alterations.extend(_alteration(part))
            partitions = Repartition(Partitions("", unclear=read.sql))
            break
        if _is_rename(part):
            _ = part.take("TO") or part.take("AS") or part.take("=")
            renamed = part.table_name()
        else:
            alterations.extend(_alteration(part))
    return AlterTable(name, tuple(alterations), renamed, partitions)


def _is_rename(part: Words) -> bool:
    """Read the RENAME of a table, and nothing else."""
    others = ("COLUMN", "INDEX", "KEY")
    if part.sees("RENAME") and not any(part.sees("RENAME", other) for other in others):
        return part.take("RENAME")
    return False


def _alteration(part: Words) -> list[Alteration]:
    verb = part.here.text.upper()
    if part.here.form is not WordKind.PLAIN or verb not in _ALTERATIONS:
        part.refuse("an alteration that is known")
    part.next()
    return _ALTERATIONS[verb](part)


def _add(part: Words) -> list[Alteration]:
    if part.take("COLUMN"):
        _if_exists(part)
    elif _is_constraint(part) or any(part.sees(*what) for what in _ADD_NO_ROWS):
        return []
    if part.sees("("):
        items = part.group().split()
        return [AddColumn(column_sql.column(item)) for item in items if not _is_constraint(item)]
    return [AddColumn(column_sql.column(part))]


def _drop_part(part: Words) -> list[Alteration]:
    if part.take("COLUMN"):
        _if_exists(part)
    elif _is_constraint(part):
        return []
    elif part.sees("PARTITION"):
        part.refuse("DROP PARTITION alone in its ALTER TABLE")
    name = part.name()
    _ = part.take("RESTRICT") or part.take("CASCADE")
    if not part.done:
        part.refuse("the end of DROP COLUMN")
    return [DropColumn(name)]


def _modify(part: Words) -> list[Alteration]:
    part.take("COLUMN")
    _if_exists(part)
    definition = column_sql.column(part)
    return [ChangeColumn(definition.name, definition)]


def _change(part: Words) -> list[Alteration]:
    part.take("COLUMN")
    _if_exists(part)
    old = part.name()
    return [ChangeColumn(old, column_sql.column(part))]


def _rename_part(part: Words) -> list[Alteration]:
    if not part.take("COLUMN"):
        return []  # an index
    old = part.name()
    part.expect("TO")
    return [RenameColumn(old, part.name())]


def _add_nothing(part: Words) -> list[Alteration]:
    """Leave the rest: the verb alone says that rows stay as they are."""
    del part
    return []


def _refuse(part: Words) -> list[Alteration]:
    part.position -= 1
    part.refuse("an alteration whose effect on rows the stream carries")


def _if_exists(read: Words) -> None:
    _ = read.take("IF", "NOT", "EXISTS") or read.take("IF", "EXISTS")


_CREATE_MODIFIERS = frozenset(
    {"GLOBAL", "TEMPORARY", "UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR", "OR", "REPLACE"}
)
_NO_ROWS = ("INDEX", "VIEW", "SEQUENCE", "PLACEMENT", "USER", "FUNCTION", "PROCEDURE")
_CONSTRAINTS = frozenset(
    {"PRIMARY", "UNIQUE", "KEY", "INDEX", "CONSTRAINT", "FOREIGN", "FULLTEXT", "SPATIAL", "CHECK"}
)
_ADD_NO_ROWS = (("PARTITION",), ("VECTOR", "INDEX"))
_VERBS: Mapping[str, Callable[[Words], Statement]] = {
    "CREATE": _create,
    "DROP": _drop,
    "TRUNCATE": _truncate,
    "RENAME": _rename,
    "ALTER": _alter,
}
_PARTITIONING = frozenset({"REORGANIZE", "COALESCE", "PARTITION", "REMOVE", "TRUNCATE", "EXCHANGE"})
# TRUNCATE PARTITION and its kin, which change rows, stand alone in their ALTER TABLE.
_ALTERATIONS: Mapping[str, Callable[[Words], list[Alteration]]] = {
    "ADD": _add,
    "DROP": _drop_part,
    "MODIFY": _modify,
    "CHANGE": _change,
    "RENAME": _rename_part,
    **dict.fromkeys(("TRUNCATE", "EXCHANGE", "DISCARD", "IMPORT"), _refuse),
    **dict.fromkeys(("ALTER", "ORDER", "CONVERT", "DEFAULT", "CHARACTER", "CHARSET"), _add_nothing),
    **dict.fromkeys(("COLLATE", "COMMENT", "ENGINE", "AUTO_INCREMENT"), _add_nothing),
    **dict.fromkeys(("AUTO_ID_CACHE", "AUTO_RANDOM_BASE", "FORCE", "LOCK"), _add_nothing),
    **dict.fromkeys(("ALGORITHM", "ROW_FORMAT", "STATS_PERSISTENT", "TTL"), _add_nothing),
    **dict.fromkeys(("SHARD_ROW_ID_BITS", "PRE_SPLIT_REGIONS", "TTL_ENABLE"), _add_nothing),
    **dict.fromkeys(("TTL_JOB_INTERVAL", "CACHE", "NOCACHE", "SET"), _add_nothing),
    **dict.fromkeys(("REMOVE", "REORGANIZE", "COALESCE", "PARTITION"), _add_nothing),
    **dict.fromkeys(("REBUILD", "OPTIMIZE", "ANALYZE", "CHECK", "REPAIR"), _add_nothing),
    **dict.fromkeys(("ATTRIBUTES", "PLACEMENT", "COMPRESSION", "KEY_BLOCK_SIZE"), _add_nothing),
    **dict.fromkeys(("ENABLE", "DISABLE", "WITH", "WITHOUT", "UNION"), _add_nothing),
}
