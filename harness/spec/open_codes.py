"""The three tables of the TiCDC Open Protocol: type codes, DDL type codes, column flags.

One clause for each row of each table, generated from the rows so that code and text cannot differ.
Codes above 36 in the DDL table are TiDB's own, which the document does not list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from harness.model.columns import ColumnKind
from harness.spec.clause import Clause, Level, Row, clauses
from harness.spec.documents import OPEN, TIDB_CODE

_TYPES_SECTION = OPEN.section("Column type code", "column-type-code")
_DDL_SECTION = OPEN.section("DDL type code", "ddl-type-code")
_FLAGS_SECTION = OPEN.section("Bit flags of columns", "bit-flags-of-columns")
_TIDB_ACTIONS = TIDB_CODE.file("pkg/meta/model/job.go")
_TIDB_TYPES = TIDB_CODE.file("pkg/parser/mysql/type.go")

# Name in the clause id, codes, what `v` holds.
_TYPES: tuple[tuple[str, str, str], ...] = (
    ("tinyint", "1", "TINYINT and BOOL: a JSON integer"),
    ("smallint", "2", "SMALLINT: a JSON integer"),
    ("int", "3", "INT: a JSON integer"),
    ("float", "4", "FLOAT: a JSON number"),
    ("double", "5", "DOUBLE: a JSON number"),
    ("null", "6", "NULL: JSON null"),
    ("timestamp", "7", "TIMESTAMP: text as MySQL prints it"),
    ("bigint", "8", "BIGINT: a JSON integer, exact up to 64 bits, signed or unsigned"),
    ("mediumint", "9", "MEDIUMINT: a JSON integer"),
    ("date", "10 or 14", "DATE: text, YYYY-MM-DD"),
    ("time", "11", "TIME: text as MySQL prints it"),
    ("datetime", "12", "DATETIME: text as MySQL prints it"),
    ("year", "13", "YEAR: a JSON integer"),
    ("varchar", "15 or 253", "VARCHAR: text in UTF-8"),
    ("varbinary", "15 or 253", "VARBINARY: text with invisible bytes escaped"),
    ("bit", "16", "BIT: a JSON integer, unsigned"),
    ("json", "245", "JSON: the document as text"),
    ("decimal", "246", "DECIMAL: text with all digits of its scale"),
    ("enum", "247", "ENUM: the member's index, from 1"),
    ("set", "248", "SET: the members as a bit mask"),
    ("tinytext", "249", "TINYTEXT and TINYBLOB: Base64"),
    ("mediumtext", "250", "MEDIUMTEXT and MEDIUMBLOB: Base64"),
    ("longtext", "251", "LONGTEXT and LONGBLOB: Base64"),
    ("text", "252", "TEXT and BLOB: Base64"),
    ("char", "254", "CHAR: text in UTF-8"),
    ("binary", "254", "BINARY: text with invisible bytes escaped"),
)

# Name in the clause id, code, whether a changefeed replicates such statements at all.
_DDL: tuple[tuple[str, int, bool], ...] = (
    ("create-schema", 1, True),
    ("drop-schema", 2, True),
    ("create-table", 3, True),
    ("drop-table", 4, True),
    ("add-column", 5, True),
    ("drop-column", 6, True),
    ("add-index", 7, True),
    ("drop-index", 8, True),
    ("add-foreign-key", 9, True),
    ("drop-foreign-key", 10, True),
    ("truncate-table", 11, True),
    ("modify-column", 12, True),
    ("rebase-auto-id", 13, True),
    ("rename-table", 14, True),
    ("set-default-value", 15, True),
    ("shard-row-id", 16, False),
    ("modify-table-comment", 17, True),
    ("rename-index", 18, True),
    ("add-table-partition", 19, True),
    ("drop-table-partition", 20, True),
    ("create-view", 21, True),
    ("modify-table-charset-and-collate", 22, True),
    ("truncate-table-partition", 23, True),
    ("drop-view", 24, True),
    ("recover-table", 25, True),
    ("modify-schema-charset-and-collate", 26, True),
    ("lock-table", 27, False),
    ("unlock-table", 28, False),
    ("repair-table", 29, False),
    ("set-tiflash-replica", 30, False),
    ("update-tiflash-replica-status", 31, False),
    ("add-primary-key", 32, True),
    ("drop-primary-key", 33, True),
    ("create-sequence", 34, False),
    ("alter-sequence", 35, False),
    ("drop-sequence", 36, False),
)
_LATER_DDL: tuple[tuple[str, int, bool], ...] = (
    ("alter-index-visibility", 41, True),
    ("exchange-table-partition", 42, True),
    ("multi-schema-change", 61, True),
    ("reorganize-partition", 64, True),
    ("alter-ttl-info", 65, True),
    ("alter-ttl-remove", 67, True),
    ("alter-table-partitioning", 71, True),
    ("remove-partitioning", 72, True),
)

_FLAGS: tuple[tuple[str, int, str], ...] = (
    ("binary", 0x01, "is encoded as binary"),
    ("handle-key", 0x02, "is part of the handle"),
    ("generated-column", 0x04, "is generated"),
    ("primary-key", 0x08, "is part of the primary key"),
    ("unique-key", 0x10, "is part of a unique index"),
    ("multiple-key", 0x20, "is part of a composite index"),
    ("nullable", 0x40, "may be NULL"),
    ("unsigned", 0x80, "is unsigned"),
)


def _type_rows() -> Iterator[Row]:
    for name, code, holds in _TYPES:
        yield f"open.type.{name}", Level.MUST, f"Type code {code}, {holds}."
    yield (
        "open.type.geometry",
        Level.MAY,
        "Type code 255 is kept for GEOMETRY, which is never sent.",
    )


def _ddl_rows(table: tuple[tuple[str, int, bool], ...]) -> Iterator[Row]:
    for name, code, replicated in table:
        level = Level.MUST if replicated else Level.MAY
        words = name.replace("-", " ")
        yield f"open.ddl.type.{name}", level, f"DDL type code {code} is `{words}`."


def _flag_rows() -> Iterator[Row]:
    for name, bit, meaning in _FLAGS:
        yield (
            f"open.flag.{name}",
            Level.MUST,
            f"Flag bit 0x{bit:02x} tells that the column {meaning}.",
        )


_VECTOR: Row = (
    "open.type.vector",
    Level.MUST,
    "Type code 225, VECTOR: its numbers as text in square brackets.",
    "from 8.4.0",
)

CODE_CLAUSES: Mapping[str, Clause] = clauses(
    "open",
    {
        _TYPES_SECTION: tuple(_type_rows()),
        _TIDB_TYPES: (_VECTOR,),
        _DDL_SECTION: tuple(_ddl_rows(_DDL)),
        _TIDB_ACTIONS: tuple(_ddl_rows(_LATER_DDL)),
        _FLAGS_SECTION: tuple(_flag_rows()),
    },
)

# The row of the document's type table that governs a column.
TYPE_CLAUSES: Mapping[ColumnKind, str] = MappingProxyType(
    {
        **{kind: f"open.type.{kind.value}" for kind in ColumnKind},
        ColumnKind.TINYBLOB: "open.type.tinytext",
        ColumnKind.MEDIUMBLOB: "open.type.mediumtext",
        ColumnKind.LONGBLOB: "open.type.longtext",
        ColumnKind.BLOB: "open.type.text",
    }
)
