"""What the connector's settings are, and how each column kind travels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.settings import CONVERTER_SETTINGS, FLAG
from harness.codecs.connect.transforms import OF_KAFKA, OF_KAFKA_SETTINGS, transform_settings
from harness.codecs.debezium.reference import common_settings, idle_rows, setting_rows
from harness.contracts import Setting, TypeForm
from harness.model.columns import ColumnKind

PARTITIONS: Final = "topic.creation.default.partitions"
DECIMALS: Final = ("precise", "string", "double")
UNSIGNED: Final = ("long", "precise")
BINARIES: Final = ("bytes", "base64", "base64-url-safe", "hex")
TIMES: Final = ("adaptive_time_microseconds", "connect", "microseconds", "nanoseconds")

SNAPSHOTS: Final = ("initial", "initial_only", "no_data", "always", "when_needed")
NO_SNAPSHOTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "schema_only": "release 3.3 does not know it any more, it is `no_data`",
        "schema_only_recovery": "release 3.3 does not know it any more, it is `recovery`",
        "recovery": "it repairs a schema history that was lost, and no scenario loses one",
        "never": "a connector that knows no tables fails at the first row of one that is there",
        "configuration_based": "it is one of the others, said in five settings",
        "custom": "it names a Java class of a user's own, which nothing here runs",
    }
)

_OWN: Final = setting_rows(
    (
        "snapshot.mode",
        "initial",
        " | ".join(SNAPSHOTS),
        "Whether the rows that are there are read first, and whether changes follow.",
    ),
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
_IDLE: Final = idle_rows(
    "no scenario writes a log that cannot be read",
    (
        "event.processing.failure.handling.mode",
        "fail",
        "fail | warn | skip | ignore",
        "An event of the log that cannot be read stops the task, or is dropped.",
    ),
)
_NOT_WRITTEN: Final = "what this connector notifies of, on a topic of its own, is not worked out"
_UNWRITTEN: Final = ("notification.enabled.channels", "notification.sink.topic.name")
_CLOCK: Final = "Here the connector's clock goes on by a second with each event of the log."
_ACTION: Final = Setting(
    "heartbeat.action.query",
    "",
    "SQL",
    "What is run in the database with each heartbeat.",
    refused="it writes to the database, and a scenario's own SQL alone does",
)


def _here(row: Setting) -> Setting:
    """Return a row of the settings that connectors share as this one has it."""
    if row.name in _UNWRITTEN:
        return replace(row, refused=_NOT_WRITTEN)
    if row.name == "heartbeat.interval.ms":
        return replace(row, meaning=f"{row.meaning} {_CLOCK}")
    return row


_DEBEZIUM: Final = "io.debezium.transforms"
FLAT: Final = (
    "what it sends is no change event: a row without its operation and its place in the log"
)
NO_TRANSFORMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        f"{_DEBEZIUM}.ExtractNewRecordState": FLAT,
        f"{_DEBEZIUM}.ExtractChangedRecordState": "it adds headers that no clause here speaks of",
        f"{_DEBEZIUM}.outbox.EventRouter": FLAT,
        f"{_DEBEZIUM}.ByLogicalTableRouter": "it adds a field to keys, and "
        "`topic.naming.strategy` io.debezium.schema.DefaultRegexTopicNamingStrategy renames "
        "topics without",
    }
)
# Of the Vitess connector's jar, which is not beside this connector.
VITESS_TRANSFORMS: Final = "io.debezium.connector.vitess.transforms."
_TRANSFORMS: Final = tuple(
    replace(
        row,
        meaning=f"{row.meaning} A chain may drop tombstones, boundaries, statements and "
        "heartbeats, but no row. Refused: "
        + "; ".join(f"{name.rpartition('.')[2]} ({why})" for name, why in NO_TRANSFORMS.items())
        + "; those of the Vitess connector's jar (it is another connector's).",
    )
    if row.name == "transforms.<alias>.type"
    else row
    for row in transform_settings(OF_KAFKA, *OF_KAFKA_SETTINGS)
)
CONNECTOR_SETTINGS: Final = (
    *map(_here, common_settings("database", TIMES)),
    _ACTION,
    *_OWN,
    *_IDLE,
)
SETTINGS: Final[tuple[Setting, ...]] = (
    *CONNECTOR_SETTINGS,
    *CONVERTER_SETTINGS,
    *_TRANSFORMS,
    *setting_rows((PARTITIONS, "1", "1..", "The partitions of a topic.")),
)

_WORDS: Final[Mapping[ColumnKind, str]] = {
    ColumnKind.TINYINT: "int16; boolean where it was declared BOOL",
    ColumnKind.SMALLINT: "int16, int32 unsigned",
    ColumnKind.MEDIUMINT: "int32",
    ColumnKind.INT: "int32, int64 unsigned",
    ColumnKind.BIGINT: "int64; unsigned above 2^63-1 a negative one, a Decimal where "
    "`bigint.unsigned.handling.mode` is precise",
    ColumnKind.FLOAT: "float",
    ColumnKind.DOUBLE: "double; float where it was declared REAL",
    ColumnKind.DECIMAL: "bytes `org.apache.kafka.connect.data.Decimal`, its scale in the schema; "
    "`decimal.handling.mode` double: float64, string: text",
    ColumnKind.BIT: "boolean for one bit, else bytes `io.debezium.data.Bits`, lowest byte first",
    ColumnKind.YEAR: "int32 `io.debezium.time.Year`; 0 is 1900",
    ColumnKind.DATE: "int32 `io.debezium.time.Date`; `time.precision.mode` connect: "
    "`org.apache.kafka.connect.data.Date`",
    ColumnKind.TIME: "int64 `io.debezium.time.MicroTime`; `time.precision.mode` nanoseconds: "
    "`NanoTime`, connect: int32 `org.apache.kafka.connect.data.Time`",
    ColumnKind.DATETIME: "int64 `io.debezium.time.Timestamp` up to 3 digits, `MicroTimestamp` "
    "beyond; `time.precision.mode` microseconds, nanoseconds, connect: always that unit",
    ColumnKind.TIMESTAMP: "string `io.debezium.time.ZonedTimestamp`, in UTC, ending with Z",
    ColumnKind.ENUM: "string `io.debezium.data.Enum`, the member",
    ColumnKind.SET: "string `io.debezium.data.EnumSet`, members joined by commas",
    ColumnKind.JSON: "string `io.debezium.data.Json`",
    ColumnKind.CHAR: "string",
    ColumnKind.VARCHAR: "string",
    ColumnKind.TINYTEXT: "string",
    ColumnKind.TEXT: "string",
    ColumnKind.MEDIUMTEXT: "string",
    ColumnKind.LONGTEXT: "string",
    ColumnKind.BINARY: "bytes; text by `binary.handling.mode`",
    ColumnKind.VARBINARY: "bytes; text by `binary.handling.mode`",
    ColumnKind.TINYBLOB: "bytes; text by `binary.handling.mode`",
    ColumnKind.BLOB: "bytes; text by `binary.handling.mode`",
    ColumnKind.MEDIUMBLOB: "bytes; text by `binary.handling.mode`",
    ColumnKind.LONGBLOB: "bytes; text by `binary.handling.mode`",
    ColumnKind.VECTOR: "not sent",
}
TYPES: Final[Mapping[ColumnKind, TypeForm]] = MappingProxyType(
    {kind: TypeForm(_WORDS[kind]) for kind in ColumnKind}
)
