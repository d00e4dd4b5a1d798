"""What the reference page says: TiCDC's settings for Avro, and how each column kind travels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.codecs.ticdc.settings import (
    BIGINT,
    DECIMAL,
    EXTENSION,
    INTEGRITY,
    MAX_MESSAGE_BYTES,
    WATERMARK,
)
from harness.contracts import Setting, TypeForm
from harness.model.columns import BINARIES, CHARACTERS, ColumnKind

SETTINGS = (
    Setting(
        EXTENSION,
        "false",
        "true | false",
        "Adds `_tidb_op`, `_tidb_commit_ts` and `_tidb_commit_physical_time` to every value.",
    ),
    Setting(
        DECIMAL,
        "precise",
        "precise | string",
        "Sends DECIMAL as unscaled bytes with a logical type, or as text.",
    ),
    Setting(
        BIGINT,
        "long",
        "long | string",
        "Sends BIGINT UNSIGNED as a signed long, which wraps above 2^63-1, or as text.",
    ),
    Setting(
        WATERMARK,
        "false",
        "true | false",
        "With the extension: sends DDL and checkpoints, as messages without a key.",
    ),
    Setting(
        "max-message-bytes",
        str(MAX_MESSAGE_BYTES),
        "1..",
        "A larger message stops the changefeed; the version 6 has no such limit.",
    ),
    Setting(
        INTEGRITY,
        "none",
        "none | correctness",
        "Adds the row's checksum to every value, whose columns then stand in the order of their"
        " ids; takes the extension and both modes `string`.",
    ),
    Setting(
        "force-replicate",
        "false",
        "true | false",
        "Refused together with Avro: a table without a valid index is not replicated.",
    ),
    Setting("namespace", "default", "a name", "The changefeed's, first in every Avro namespace."),
)

_INT = TypeForm("int, tidb_type INT", "unsigned: tidb_type INT UNSIGNED")
_TEXT = TypeForm("string, tidb_type TEXT")
_BLOB = TypeForm("bytes, tidb_type BLOB")
_NAMED = (
    ColumnKind.DATE,
    ColumnKind.TIME,
    ColumnKind.DATETIME,
    ColumnKind.TIMESTAMP,
    ColumnKind.JSON,
)
TYPES: Mapping[ColumnKind, TypeForm] = MappingProxyType(
    {
        **dict.fromkeys((ColumnKind.TINYINT, ColumnKind.SMALLINT, ColumnKind.MEDIUMINT), _INT),
        ColumnKind.INT: TypeForm("int, tidb_type INT", "unsigned: long, tidb_type INT UNSIGNED"),
        ColumnKind.BIGINT: TypeForm(
            "long, tidb_type BIGINT",
            "unsigned: tidb_type BIGINT UNSIGNED, a long that wraps above 2^63-1; text where"
            f" `{BIGINT}` is string",
        ),
        ColumnKind.FLOAT: TypeForm("float, tidb_type FLOAT", "double in dialect 6"),
        ColumnKind.DOUBLE: TypeForm("double, tidb_type DOUBLE"),
        ColumnKind.DECIMAL: TypeForm(
            "bytes, logical type decimal, tidb_type DECIMAL", f"text where `{DECIMAL}` is string"
        ),
        ColumnKind.BIT: TypeForm(
            "bytes, tidb_type BIT with `length`", "big-endian, without leading zero bytes"
        ),
        ColumnKind.YEAR: TypeForm("int, tidb_type YEAR"),
        **{kind: TypeForm(f"string, tidb_type {kind.name}") for kind in _NAMED},
        **dict.fromkeys(CHARACTERS, _TEXT),
        **dict.fromkeys(BINARIES, _BLOB),
        ColumnKind.ENUM: TypeForm(
            "string, tidb_type ENUM with `allowed`", "the invalid value '' stops the changefeed"
        ),
        ColumnKind.SET: TypeForm("string, tidb_type SET with `allowed`", "names joined by commas"),
        ColumnKind.VECTOR: TypeForm(
            "string, tidb_type TiDBVECTORFloat32", "stops the changefeed in dialect 6"
        ),
    }
)
