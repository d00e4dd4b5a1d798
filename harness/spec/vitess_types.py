"""How Debezium for Vitess writes the values of each column type.

The clause of a column type is `vitess.type.` and the type's name; `TYPES_BY_PROTOCOL` has that
table.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, must
from harness.spec.documents import VITESS, VITESS_CODE

_BASIC_TYPES: tuple[Row, ...] = (
    must("vitess.type.tinyint", "TINYINT and BOOL: int16, signed or unsigned."),
    must("vitess.type.smallint", "SMALLINT: int16; unsigned: int32."),
    must("vitess.type.mediumint", "MEDIUMINT: int32, signed or unsigned."),
    must("vitess.type.int", "INT: int32; unsigned: int64."),
    must("vitess.type.bigint", "BIGINT: int64."),
    must("vitess.type.float", "FLOAT: a double, widened from 32 bits."),
    must("vitess.type.double", "DOUBLE and REAL: a double."),
    must(
        "vitess.type.decimal",
        "DECIMAL and NUMERIC: text as MySQL prints it, whatever `decimal.handling.mode` says.",
    ),
    must("vitess.type.char", "CHAR: text."),
    must("vitess.type.varchar", "VARCHAR: text."),
    must("vitess.type.tinytext", "TINYTEXT: text."),
    must("vitess.type.text", "TEXT: text."),
    must("vitess.type.mediumtext", "MEDIUMTEXT: text."),
    must("vitess.type.longtext", "LONGTEXT: text."),
    must("vitess.type.binary", "BINARY: bytes."),
    must("vitess.type.varbinary", "VARBINARY: bytes."),
    must("vitess.type.tinyblob", "TINYBLOB: bytes."),
    must("vitess.type.blob", "BLOB: bytes."),
    must("vitess.type.mediumblob", "MEDIUMBLOB: bytes."),
    must("vitess.type.longblob", "LONGBLOB: bytes."),
    must("vitess.type.json", "JSON: text with the name `io.debezium.data.Json`."),
    must(
        "vitess.type.enum",
        "ENUM: the member as text with the name `io.debezium.data.Enum` and all members under "
        "`allowed`.",
    ),
    must(
        "vitess.type.set",
        "SET: the members as text, joined by commas, with the name `io.debezium.data.EnumSet` "
        "and all members under `allowed`.",
    ),
    must("vitess.type.year", "YEAR: int32 with the name `io.debezium.time.Year`."),
    must(
        "vitess.type.timestamp",
        "TIMESTAMP: text with the name `io.debezium.time.ZonedTimestamp`, as MySQL prints it: "
        "no zone, no conversion, though the page shows UTC with a Z.",
    ),
    must(
        "vitess.type.bit",
        "BIT: not supported, so the column is missing from the schema and the row.",
    ),
    must(
        "vitess.type.geometry",
        "Spatial columns are not supported, so they are missing from the schema and the row.",
    ),
    must(
        "vitess.type.vector",
        "VECTOR: not supported, so the column is missing from the schema and the row.",
    ),
)

_TEMPORAL_TYPES: tuple[Row, ...] = (
    must(
        "vitess.type.date",
        "DATE by default: int32, days since 1970, named `io.debezium.time.Date`.",
    ),
    must(
        "vitess.type.time",
        "TIME by default: int64 microseconds, named `io.debezium.time.MicroTime`.",
    ),
    must(
        "vitess.type.datetime",
        "DATETIME by default: int64 milliseconds up to three digits, named "
        "`io.debezium.time.Timestamp`, and microseconds beyond, named "
        "`io.debezium.time.MicroTimestamp`.",
    ),
)

_BIGINT_UNSIGNED_HANDLING_MODE: tuple[Row, ...] = (
    must("vitess.bigint-unsigned.string", "BIGINT UNSIGNED is text by default."),
    must(
        "vitess.bigint-unsigned.long",
        "Under `bigint.unsigned.handling.mode=long` BIGINT UNSIGNED is int64.",
    ),
    must(
        "vitess.bigint-unsigned.long-overflow",
        "In long mode a value above 9223372036854775807 is null in a nullable column and "
        "stops the connector in another.",
    ),
    must(
        "vitess.bigint-unsigned.precise",
        "Under `bigint.unsigned.handling.mode=precise` BIGINT UNSIGNED is a Decimal of scale 0.",
    ),
)

_VITESS_TYPE: tuple[Row, ...] = (
    must(
        "vitess.type.text-in-binary", "A text column with a binary collation is text all the same."
    ),
    must(
        "vitess.type.unknown",
        "With `include.unknown.datatypes` an unsupported column is optional bytes of its text.",
    ),
)

_VITESS_VALUE_CONVERTER: tuple[Row, ...] = (
    must(
        "vitess.binary.mode",
        "Under `binary.handling.mode` bytes may be text instead: base64, base64-url-safe or hex.",
    ),
    must(
        "vitess.value.null-in-not-null",
        "A NULL in a NOT NULL column becomes the type's zero: 0, empty text or bytes, 1970.",
    ),
    must(
        "vitess.value.optional",
        "A field is optional where its column may be NULL, and never has a default.",
    ),
    must(
        "vitess.value.utf8", "Text that is not UTF-8 arrives with U+FFFD in place of what is wrong."
    ),
    must("vitess.value.enum-index", "An index that no ENUM member has becomes the empty text."),
    must("vitess.value.set-bit-63", "A SET with its 64th member stops the connector."),
    must(
        "vitess.value.enum-empty-member",
        "An empty member among an ENUM's or SET's corrupts the list of members.",
    ),
    must(
        "vitess.value.allowed-unescaped",
        "`allowed` joins the members by commas without escaping, so a comma within a member "
        "cannot be told.",
    ),
    must(
        "vitess.value.conversion-null",
        "A value that cannot be converted is null where the column allows it, and stops the "
        "connector where not.",
    ),
)

VITESS_VALUE_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section("Basic types", "vitess-basic-types"): _BASIC_TYPES,
        VITESS.section("Temporal types", "vitess-temporal-types"): _TEMPORAL_TYPES,
        VITESS.section(
            "Connector configuration properties", "vitess-property-bigint-unsigned-handling-mode"
        ): _BIGINT_UNSIGNED_HANDLING_MODE,
        VITESS_CODE.file("VitessType.java", 94): _VITESS_TYPE,
        VITESS_CODE.file("VitessValueConverter.java", 67): _VITESS_VALUE_CONVERTER,
    },
)
