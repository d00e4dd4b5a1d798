"""How TiCDC Avro writes the values of each column type, and the two modes that change it.

The clause of a column type is `avro.type.` and the type's name; `TYPES_BY_PROTOCOL` has that table.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, must
from harness.spec.documents import AVRO, AVRO_6_1, TIFLOW

_COLUMN_DATA_FORMAT: tuple[Row, ...] = (
    must("avro.type.tinyint", "TINYINT and BOOL: `INT`, an Avro int, signed or unsigned."),
    must("avro.type.smallint", "SMALLINT: `INT`, an Avro int, signed or unsigned."),
    must("avro.type.mediumint", "MEDIUMINT: `INT`, an Avro int, signed or unsigned."),
    must("avro.type.int", "INT: `INT`, an Avro int."),
    must("avro.type.int.unsigned", "INT UNSIGNED: `INT UNSIGNED`, an Avro long."),
    must("avro.type.bigint", "BIGINT: `BIGINT`, an Avro long."),
    must(
        "avro.type.bigint.unsigned-long",
        "BIGINT UNSIGNED under `avro-bigint-unsigned-handling-mode=long`, the default: "
        "`BIGINT UNSIGNED`, an Avro long.",
    ),
    must(
        "avro.type.bigint.unsigned-overflow",
        "In long mode a value above 9223372036854775807 arrives as the negative number of the "
        "same 64 bits.",
    ),
    must(
        "avro.type.bigint.unsigned-string",
        "BIGINT UNSIGNED under `avro-bigint-unsigned-handling-mode=string`: an Avro string of "
        "decimal digits.",
    ),
    must(
        "avro.type.float",
        "FLOAT: `FLOAT`, an Avro float; both documents' tables still say double.",
        "from 7.0.0",
    ),
    must("avro.type.double", "DOUBLE: `DOUBLE`, an Avro double."),
    must(
        "avro.type.decimal",
        "DECIMAL under `avro-decimal-handling-mode=precise`, the default: `DECIMAL`, Avro "
        "bytes with the logical type decimal.",
    ),
    must(
        "avro.type.decimal.string",
        "DECIMAL under `avro-decimal-handling-mode=string`: an Avro string with all digits of "
        "its scale.",
    ),
    must("avro.type.bit", "BIT: `BIT`, Avro bytes."),
    must("avro.type.year", "YEAR: `YEAR`, an Avro int."),
    must("avro.type.date", "DATE: `DATE`, an Avro string, YYYY-MM-DD."),
    must("avro.type.time", "TIME: `TIME`, an Avro string as MySQL prints it."),
    must("avro.type.datetime", "DATETIME: `DATETIME`, an Avro string as MySQL prints it."),
    must("avro.type.timestamp", "TIMESTAMP: `TIMESTAMP`, an Avro string as MySQL prints it."),
    must("avro.type.char", "CHAR: `TEXT`, an Avro string."),
    must("avro.type.varchar", "VARCHAR: `TEXT`, an Avro string."),
    must("avro.type.tinytext", "TINYTEXT: `TEXT`, an Avro string."),
    must("avro.type.text", "TEXT: `TEXT`, an Avro string."),
    must("avro.type.mediumtext", "MEDIUMTEXT: `TEXT`, an Avro string."),
    must("avro.type.longtext", "LONGTEXT: `TEXT`, an Avro string."),
    must("avro.type.binary", "BINARY: `BLOB`, Avro bytes, padded with zero bytes to its length."),
    must("avro.type.varbinary", "VARBINARY: `BLOB`, Avro bytes."),
    must("avro.type.tinyblob", "TINYBLOB: `BLOB`, Avro bytes."),
    must("avro.type.blob", "BLOB: `BLOB`, Avro bytes."),
    must("avro.type.mediumblob", "MEDIUMBLOB: `BLOB`, Avro bytes."),
    must("avro.type.longblob", "LONGBLOB: `BLOB`, Avro bytes."),
    must("avro.type.enum", "ENUM: `ENUM`, an Avro string, the member's name."),
    must(
        "avro.type.set",
        "SET: `SET`, an Avro string, the members' names joined by commas in the order of the "
        "declaration.",
    ),
    must("avro.type.json", "JSON: `JSON`, an Avro string, the document as TiDB prints it."),
    must(
        "avro.type.vector",
        "VECTOR: `TiDBVECTORFloat32`, an Avro string, the numbers in square brackets.",
        "from 8.4.0",
    ),
)

_TIDB_EXTENSION_FIELDS: tuple[Row, ...] = (
    must(
        "avro.extension.no-defaults",
        "Before 7.0.0 the extension fields have no defaults, so switching the extension on "
        "breaks BACKWARD.",
        "up to 6.6",
    ),
)

_COLUMN_DATA_FORMAT_2: tuple[Row, ...] = (
    must("avro.type.float.double", "FLOAT before 7.0.0: `FLOAT`, an Avro double.", "up to 6.6"),
)

_AVRO: tuple[Row, ...] = (
    must(
        "avro.value.bit-bytes",
        "A BIT's bytes are big-endian without leading zero bytes, at least one, however long "
        "the column is.",
    ),
    must(
        "avro.value.decimal-bytes",
        "A precise DECIMAL's bytes are the shortest two's complement of the number without "
        "its point.",
    ),
    must(
        "avro.value.enum-invalid",
        "The invalid member of an ENUM (index 0) cannot be encoded, and the changefeed stops.",
    ),
)

_MOUNTER: tuple[Row, ...] = (
    must(
        "avro.value.temporal-digits",
        "A temporal value has exactly as many fractional digits as its column declares.",
    ),
    must(
        "avro.value.zero-date",
        "Zero dates travel as they are: `0000-00-00`, with a zero time where the type has one.",
    ),
    must(
        "avro.value.time-range",
        "TIME reaches from -838:59:59 to 838:59:59, so it is no time of day.",
    ),
    must(
        "avro.value.timestamp-zone",
        "A TIMESTAMP is told in the changefeed's time zone, without naming it; DATETIME is "
        "never converted.",
    ),
    must("avro.value.char-trimmed", "A CHAR has no trailing blanks."),
    must("avro.value.text-utf8", "Text is UTF-8, whatever the column's character set."),
)

AVRO_VALUE_CLAUSES: Mapping[str, Clause] = clauses(
    "avro",
    {
        AVRO.section("Column data format", "column-data-format"): _COLUMN_DATA_FORMAT,
        AVRO_6_1.section("TiDB extension fields", "tidb-extension-fields"): _TIDB_EXTENSION_FIELDS,
        AVRO_6_1.section("Column data format", "column-data-format"): _COLUMN_DATA_FORMAT_2,
        TIFLOW.file("pkg/sink/codec/avro/avro.go", 782): _AVRO,
        TIFLOW.file("cdc/entry/mounter.go", 772): _MOUNTER,
    },
)
