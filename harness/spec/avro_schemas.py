"""TiCDC Avro's schemas: names, the block of a column, nullability, defaults."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import AVRO, AVRO_SPECIFICATION, TIFLOW

_COLUMN_DATA_FORMAT: tuple[Row, ...] = (
    must(
        "avro.column.block",
        "A column's type is an object with the Avro type and `connect.parameters`, whose "
        "`tidb_type` names the type in TiDB.",
    ),
    must(
        "avro.column.nullable",
        "A nullable column without a default is the union of null and its type, null first, "
        "with default null.",
    ),
    must("avro.column.not-null", "A NOT NULL column's type is no union."),
    must(
        "avro.column.tidb-type", "`tidb_type` names a family of types: many column types share one."
    ),
    must(
        "avro.column.tidb-type.unsigned",
        "An unsigned integer column's `tidb_type` ends with ` UNSIGNED`; unsigned FLOAT, "
        "DOUBLE and DECIMAL have no such mark.",
    ),
    must(
        "avro.column.bit-length",
        "A BIT column's `connect.parameters` has its `length` in bits, as text.",
    ),
    must(
        "avro.column.allowed",
        "An ENUM or SET column's `connect.parameters` has its members under `allowed`, joined "
        "by commas.",
    ),
    must(
        "avro.column.enum-or-set",
        "An ENUM's `tidb_type` is `ENUM` and a SET's is `SET`; the document's sample writes "
        "both as one word.",
    ),
    must(
        "avro.column.decimal-logical",
        "In precise mode a DECIMAL's type has `logicalType` decimal with the column's "
        "`precision` and `scale`, after `connect.parameters`.",
    ),
)

_NAMES: tuple[Row, ...] = (
    must(
        "avro.schema.names-legal",
        "Record and field names begin with a letter or `_` and go on with letters, digits and `_`.",
    ),
)

_HELPER: tuple[Row, ...] = (
    must(
        "avro.schema.sanitised",
        "In a name, each character that Avro forbids becomes `_`; a leading digit gets `_` "
        "before it.",
    ),
    must(
        "avro.schema.namespace",
        "The namespace is the changefeed's `namespace`, a point, and the database, both "
        "sanitised: `default.test`.",
    ),
    must(
        "avro.schema.collision",
        "Two columns whose sanitised names are equal, or one that equals an extension field, "
        "stop the changefeed.",
    ),
)

_HELPER_2: tuple[Row, ...] = (
    must(
        "avro.column.allowed.commas",
        "In `allowed` a comma within a member is written `\\,`, and an escaped quote as the "
        "bare quote.",
    ),
)

_AVRO: tuple[Row, ...] = (
    must(
        "avro.schema.text",
        "A schema's text is compact JSON in the order type, name, namespace, fields; a "
        "field's keys are in the order default, name, type.",
    ),
    must(
        "avro.column.key-order",
        "In a column's type object `type` stands before `connect.parameters`; the document "
        "shows them the other way round.",
    ),
    must(
        "avro.schema.html-escapes",
        "In schema text `<`, `>` and `&` are written as \\u003c, \\u003e and \\u0026.",
    ),
    must(
        "avro.extension.defaults",
        'In the schema `_tidb_op` has the default "" and both times have 0; the document '
        "shows no defaults.",
        "from 7.0.0",
    ),
    must(
        "avro.column.nullable-default",
        "A nullable column with a default is the union of its type and null, the type first, "
        "with that default; the document has null first always.",
    ),
    must("avro.column.not-null-default", "A NOT NULL column with a default has it in the schema."),
    must(
        "avro.column.branch",
        "A consumer finds the branch of a union by its index, for null is the second one "
        "where there is a default.",
    ),
)

_AVRO_2: tuple[Row, ...] = (
    must(
        "avro.default.decimal-precise",
        "In precise mode a DECIMAL's default is not in the schema: a nullable one has null, a "
        "NOT NULL one none.",
    ),
    must(
        "avro.default.decimal-string",
        "In string mode a DECIMAL's default is the text that the table was declared with, not "
        "padded to its scale.",
    ),
    must(
        "avro.default.bytes-base64",
        "The default of a BIT or binary column is Base64 text, though Avro would have one "
        "character per byte.",
    ),
    must(
        "avro.default.float-widened",
        "A FLOAT's default is printed with the digits of the double that it widens to.",
    ),
    must(
        "avro.default.timestamp-utc",
        "A TIMESTAMP's default is in UTC, while the row's value is in the changefeed's time zone.",
    ),
    must(
        "avro.default.function",
        "A default that is a function stands as its text: `CURRENT_TIMESTAMP`, `uuid()`.",
    ),
    must(
        "avro.default.unsigned-wraps",
        "In long mode the default of a BIGINT UNSIGNED above 9223372036854775807 is written "
        "as the negative number that it wraps to.",
    ),
    must(
        "avro.default.bigint-max",
        "A nullable BIGINT whose default is 9223372036854775807 stops the changefeed.",
    ),
)

_AVRO_3: tuple[Row, ...] = (
    must(
        "avro.message.too-large",
        "A message longer than `max-message-bytes` stops the changefeed.",
        "from 7.3.0",
    ),
)

_AVRO_4: tuple[Row, ...] = (
    must(
        "avro.checksum.requires",
        "Row checksums need the extension and both string modes; without them the changefeed "
        "is refused.",
        "from 7.1.0",
    ),
    must(
        "avro.checksum.fields",
        "With checksums on, `_tidb_row_level_checksum` (text), `_tidb_corrupted` (boolean) "
        "and `_tidb_checksum_version` (int) follow the extension fields.",
        "from 7.1.0",
    ),
    must(
        "avro.checksum.column-order",
        "With checksums on, the value's columns are in the order of their ids, not of the table.",
        "from 7.1.0",
    ),
    must(
        "avro.checksum.zero-not-enabled",
        "A checksum of 0 means that there is none: a consumer must not call the row corrupt.",
        "from 7.1.0",
    ),
    may(
        "avro.checksum.split-insert",
        "The insert half of a split update may carry the checksum 0.",
        "from 7.1.0",
    ),
)

AVRO_SCHEMA_CLAUSES: Mapping[str, Clause] = clauses(
    "avro",
    {
        AVRO.section("Column data format", "column-data-format"): _COLUMN_DATA_FORMAT,
        AVRO_SPECIFICATION.section("Names", "names"): _NAMES,
        TIFLOW.file("pkg/sink/codec/common/helper.go", 345): _HELPER,
        TIFLOW.file("pkg/sink/codec/common/helper.go", 323): _HELPER_2,
        TIFLOW.file("pkg/sink/codec/avro/avro.go", 525): _AVRO,
        TIFLOW.file("pkg/sink/codec/avro/avro.go", 552): _AVRO_2,
        TIFLOW.file("pkg/sink/codec/avro/avro.go", 210): _AVRO_3,
        TIFLOW.file("pkg/sink/codec/avro/avro.go", 581): _AVRO_4,
    },
)
