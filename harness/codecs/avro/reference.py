"""What the reference page says: TiCDC's settings for Avro, and how each column kind travels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.codecs.ticdc.settings import (
    BIGINT,
    DECIMAL,
    EXTENSION,
    INTEGRITY,
    LARGE,
    LARGE_OPTIONS,
    MAX_BATCH_SIZE,
    MAX_MESSAGE_BYTES,
    MESSAGE_BYTES,
    ONLY_UPDATED,
    TIME_ZONE,
    WATERMARK,
    with_file_keys,
)
from harness.contracts import Setting, TypeForm
from harness.model.columns import BINARIES, CHARACTERS, ColumnKind
from harness.wire.compression import COMPRESSIONS

_OF_OPEN = "it is of the Open Protocol, and the encoder of Avro does not look at it"
_LARGE_REFUSED = "Refused with ErrInvalidReplicaConfig but for `none`: Avro has no such way."
_ROWS = (
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
        MESSAGE_BYTES,
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
    Setting(
        TIME_ZONE,
        "UTC",
        "a zone",
        "`cdc server --tz`: the zone in which TIMESTAMPs are written; defaults stay in UTC. "
        "TiCDC's own default is its machine's.",
        ("avro.value.timestamp-zone", "avro.default.timestamp-utc"),
    ),
    Setting("namespace", "default", "a name", "The changefeed's, first in every Avro namespace."),
    Setting(
        LARGE + "large-message-handle-option", "none", " | ".join(LARGE_OPTIONS), _LARGE_REFUSED
    ),
    Setting(
        LARGE + "large-message-handle-compression",
        "none",
        " | ".join(COMPRESSIONS),
        "",
        without_effect="the encoder of Avro compresses nothing",
    ),
    *(
        Setting(LARGE + name, default, values, "", without_effect="Avro has no claim checks")
        for name, default, values in (
            ("claim-check-storage-uri", "", "text"),
            ("claim-check-raw-value", "false", "true | false"),
        )
    ),
    *(
        Setting(name, default, values, "", without_effect=_OF_OPEN)
        for name, default, values in (
            (MAX_BATCH_SIZE, "16", "1.."),
            (ONLY_UPDATED, "false", "true | false"),
            ("sink.open.output-old-value", "true", "true | false"),
            ("sink.delete-only-output-handle-key-columns", "false", "true | false"),
        )
    ),
)
SETTINGS = tuple(with_file_keys(_ROWS))

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
