"""What the connector's settings are, and how each column kind travels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.settings import CONVERTER_SETTINGS, FLAG
from harness.codecs.debezium.reference import common_settings, setting_rows
from harness.contracts import Setting, TypeForm
from harness.model.columns import ColumnKind

PARTITIONS: Final = "topic.creation.default.partitions"
DECIMALS: Final = ("precise", "string", "double")
UNSIGNED: Final = ("long", "precise")
BINARIES: Final = ("bytes", "base64", "base64-url-safe", "hex")
TIMES: Final = ("adaptive_time_microseconds", "connect", "microseconds", "nanoseconds")

_OWN: Final = setting_rows(
    ("snapshot.mode", "initial", "no_data", "Whether the tables are copied first."),
    ("decimal.handling.mode", "precise", " | ".join(DECIMALS), "How DECIMAL travels."),
    ("bigint.unsigned.handling.mode", "long", " | ".join(UNSIGNED), "How BIGINT UNSIGNED travels."),
    ("include.schema.changes", "true", FLAG, "DDL statements on a topic called like the prefix."),
    (
        "topic.naming.strategy",
        "io.debezium.schema.DefaultTopicNamingStrategy",
        "a class",
        "How topics are named.",
    ),
)
CONNECTOR_SETTINGS: Final = (*common_settings("database"), *_OWN)
SETTINGS: Final[tuple[Setting, ...]] = (
    *CONNECTOR_SETTINGS,
    *CONVERTER_SETTINGS,
    *setting_rows((PARTITIONS, "1", "1..", "The partitions of a topic.")),
)

_WORDS: Final[Mapping[ColumnKind, str]] = {
    ColumnKind.TINYINT: "int16; boolean where it was declared BOOL",
    ColumnKind.SMALLINT: "int16, int32 unsigned",
    ColumnKind.MEDIUMINT: "int32",
    ColumnKind.INT: "int32, int64 unsigned",
    ColumnKind.BIGINT: "int64; unsigned by `bigint.unsigned.handling.mode`",
    ColumnKind.FLOAT: "float",
    ColumnKind.DOUBLE: "double; float where it was declared REAL",
    ColumnKind.DECIMAL: "by `decimal.handling.mode`",
    ColumnKind.BIT: "boolean for one bit, else `io.debezium.data.Bits`, lowest byte first",
    ColumnKind.YEAR: "`io.debezium.time.Year`; 0 is 1900",
    ColumnKind.DATE: "by `time.precision.mode`",
    ColumnKind.TIME: "by `time.precision.mode`",
    ColumnKind.DATETIME: "by `time.precision.mode`",
    ColumnKind.TIMESTAMP: "`io.debezium.time.ZonedTimestamp`, in UTC",
    ColumnKind.ENUM: "`io.debezium.data.Enum`",
    ColumnKind.SET: "`io.debezium.data.EnumSet`",
    ColumnKind.JSON: "`io.debezium.data.Json`",
    ColumnKind.CHAR: "string",
    ColumnKind.VARCHAR: "string",
    ColumnKind.TINYTEXT: "string",
    ColumnKind.TEXT: "string",
    ColumnKind.MEDIUMTEXT: "string",
    ColumnKind.LONGTEXT: "string",
    ColumnKind.BINARY: "by `binary.handling.mode`",
    ColumnKind.VARBINARY: "by `binary.handling.mode`",
    ColumnKind.TINYBLOB: "by `binary.handling.mode`",
    ColumnKind.BLOB: "by `binary.handling.mode`",
    ColumnKind.MEDIUMBLOB: "by `binary.handling.mode`",
    ColumnKind.LONGBLOB: "by `binary.handling.mode`",
    ColumnKind.VECTOR: "not sent",
}
TYPES: Final[Mapping[ColumnKind, TypeForm]] = MappingProxyType(
    {kind: TypeForm(_WORDS[kind]) for kind in ColumnKind}
)
