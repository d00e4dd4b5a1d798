"""What the reference page says: the connector's settings, and how each column kind travels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.settings import CONVERTER_SETTINGS, FLAG
from harness.codecs.debezium.reference import common_settings, idle_rows, setting_rows
from harness.codecs.debezium.temporal import ISOSTRING, MODES
from harness.codecs.debezium_vitess.transforms import TRANSFORM_SETTINGS
from harness.contracts import Setting, TypeForm
from harness.model.columns import ColumnKind

ZONE: Final = "user.timezone"
# The two values of `vitess.vgtid` that name no position: the latest, and a copy of the tables.
CURRENT: Final = "current"
EMPTY: Final = ""
PARTITIONS: Final = "topic.creation.default.partitions"
DEFAULT_FACTORY: Final = "io.debezium.pipeline.txmetadata.DefaultTransactionMetadataFactory"
ORDERED_FACTORY: Final = (
    "io.debezium.connector.vitess.pipeline.txmetadata.VitessOrderedTransactionMetadataFactory"
)

_OWN: Final = setting_rows(
    ("vitess.keyspace", "", "a name", "The keyspace; `source.keyspace` whatever an event says."),
    ("vitess.shard", "", "shards", "The shards to follow; without it all of them."),
    (
        "vitess.vgtid",
        "current",
        "current | VGTID",
        (
            "Where to start; needs vitess.shard, and `snapshot.mode` never. The log of the first "
            "shard of a scenario is MySQL56/aaaaaaaa-0000-11ec-8e20-0242ac110004:1-1 at first, "
            "those of the next begin with bbbbbbbb, cccccccc and so on; each DDL and each "
            "transaction counts 1."
        ),
    ),
    ("vitess.shard.epoch.map", "", "JSON", "The epoch of each shard at the start."),
    ("vitess.inherit.epoch", "false", FLAG, "A new shard's epoch follows those it took over from."),
    ("vitess.stop_on_reshard", "false", FLAG, "The stream ends when the keyspace is resharded."),
    (
        "vitess.offset.storage.per.task",
        "false",
        FLAG,
        "Several tasks, each with offsets of its own.",
    ),
    (
        "vitess.offset.storage.task.key.gen",
        "-1",
        "0..",
        "The generation of those offsets; only 0 starts, as no scenario has offsets from before.",
    ),
    ("vitess.prev.num.tasks", "-1", "1..", "How many tasks the generation before had."),
    ("tasks.max", "1", "1..", "The most tasks; more than one needs offsets per task."),
    ("snapshot.mode", "initial", "initial | never", "Whether the tables are copied first."),
    (
        "event.processing.failure.handling.mode",
        "fail",
        "fail | warn | skip | ignore",
        "A row whose cells cannot be read stops the task, or is dropped.",
    ),
    (
        "bigint.unsigned.handling.mode",
        "string",
        "string | long | precise",
        "How BIGINT UNSIGNED travels.",
    ),
    (
        "include.unknown.datatypes",
        "false",
        FLAG,
        "BIT, GEOMETRY and VECTOR as bytes of their text.",
    ),
    (
        "override.datetime.to.nullable",
        "false",
        FLAG,
        "DATE and DATETIME may be null: zero dates are.",
    ),
    (
        "transaction.metadata.factory",
        DEFAULT_FACTORY,
        f"{DEFAULT_FACTORY} | {ORDERED_FACTORY}",
        "The ordered one adds epoch and rank.",
    ),
    (
        "topic.naming.strategy",
        "io.debezium.schema.SchemaTopicNamingStrategy",
        "a class",
        "How topics are named.",
    ),
    ("override.data.change.topic.prefix", "", "text", "Of TableTopicNamingStrategy."),
    (
        "override.data.change.topic.prefix.exclude.list",
        "",
        "regular expressions",
        "Tables that keep the prefix.",
    ),
    ("override.schema.change.topic", "", "a name", "Of TableTopicNamingStrategy."),
    ("include.schema.changes", "false", FLAG, "DDL statements on a topic called like the prefix."),
)
_IDLE: Final = (
    *idle_rows(
        "3.3.1 checks it and reads `vitess.vgtid`",
        ("vitess.gtid", CURRENT, f"{CURRENT} | VGTID", "The former name of `vitess.vgtid`."),
    ),
    *idle_rows(
        "every shard of a scenario's keyspace has a tablet, and a shard's tablets log the same",
        (
            "vitess.exclude.empty.shards",
            "false",
            FLAG,
            "Asks tablets, not the topology, for the shards.",
        ),
        (
            "vitess.tablet.type",
            "MASTER",
            "MASTER | REPLICA | RDONLY",
            "Which tablets are followed.",
        ),
    ),
    *idle_rows(
        "a scenario's keyspace has no heartbeat table",
        (
            "vitess.stream.keyspace.heartbeats",
            "false",
            FLAG,
            "Follows Vitess's own heartbeat table too.",
        ),
    ),
    *idle_rows(
        "VStream sends a DECIMAL as its text, and the connector passes it on",
        ("decimal.handling.mode", "precise", "precise | double | string", "How DECIMAL travels."),
    ),
    *idle_rows(
        "a scenario has no network",
        ("vitess.keepalive.interval.ms", "", "0..", "Between signs of life of gRPC."),
        ("vitess.grpc.headers", "", "k1:v1,k2:v2", "Headers of the requests to VTGate."),
        ("vitess.grpc.max_inbound_message_size", "4194304", "1..", "The largest response."),
        (
            "vitess.grpc.default.load.balancing.policy",
            "round_robin",
            "a policy",
            "Which VTGate is asked.",
        ),
    ),
    *idle_rows(
        "the page's samples have it; 3.3.1 asks VTGate alone and does not read it",
        ("vitess.vtctld.host", "", "a host", "Where VTCtld is."),
        ("vitess.vtctld.port", "", "a port", "Its port."),
        ("vitess.vtctld.user", "", "a name", "Who asks."),
        ("vitess.vtctld.password", "", "text", "With which password."),
    ),
)
CONNECTOR_SETTINGS: Final = (*_OWN, *common_settings("keyspace", (*MODES, ISOSTRING)), *_IDLE)
# What is Java's and Connect's, and decides records too.
_AROUND: Final = (
    Setting(ZONE, "UTC", "a zone", "The JVM's zone: DATETIMEs in its gaps are moved on."),
    Setting(PARTITIONS, "1", "1..", "The partitions of every topic."),
)
SETTINGS: Final[tuple[Setting, ...]] = (
    *CONNECTOR_SETTINGS,
    *_AROUND,
    *CONVERTER_SETTINGS,
    *TRANSFORM_SETTINGS,
)

_STRING: Final = TypeForm("string", "binary collations too: VARBINARY with a character type")
_BYTES: Final = TypeForm("bytes", "base64, base64-url-safe or hex text by binary.handling.mode")
_BINARY_KINDS: Final = (
    ColumnKind.BINARY,
    ColumnKind.VARBINARY,
    ColumnKind.TINYBLOB,
    ColumnKind.BLOB,
    ColumnKind.MEDIUMBLOB,
    ColumnKind.LONGBLOB,
)
_TEXT_KINDS: Final = (
    ColumnKind.CHAR,
    ColumnKind.VARCHAR,
    ColumnKind.TINYTEXT,
    ColumnKind.TEXT,
    ColumnKind.MEDIUMTEXT,
    ColumnKind.LONGTEXT,
)
_LEFT_OUT: Final = TypeForm(
    "left out", "with include.unknown.datatypes bytes of the text, U+FFFD for what is no UTF-8"
)
TYPES: Mapping[ColumnKind, TypeForm] = MappingProxyType(
    {
        ColumnKind.TINYINT: TypeForm("int16"),
        ColumnKind.SMALLINT: TypeForm("int16", "unsigned: int32"),
        ColumnKind.MEDIUMINT: TypeForm("int32"),
        ColumnKind.INT: TypeForm("int32", "unsigned: int64"),
        ColumnKind.BIGINT: TypeForm(
            "int64",
            "unsigned: string, int64 (null above 2^63-1) or Decimal by "
            "bigint.unsigned.handling.mode",
        ),
        ColumnKind.FLOAT: TypeForm("float64", "rounded to 32 bits, then widened"),
        ColumnKind.DOUBLE: TypeForm("float64"),
        ColumnKind.DECIMAL: TypeForm("string", "whatever decimal.handling.mode says"),
        ColumnKind.BIT: _LEFT_OUT,
        ColumnKind.YEAR: TypeForm("int32 io.debezium.time.Year"),
        ColumnKind.DATE: TypeForm(
            "int32 io.debezium.time.Date",
            "connect: org.apache.kafka.connect.data.Date; isostring: string",
        ),
        ColumnKind.TIME: TypeForm(
            "int64 io.debezium.time.MicroTime",
            "adaptive: Time up to 3 digits; nanoseconds: NanoTime; connect: "
            "org.apache.kafka.connect.data.Time, null outside the day; isostring: string",
        ),
        ColumnKind.DATETIME: TypeForm(
            "int64 io.debezium.time.Timestamp or MicroTimestamp",
            "by digits (up to 3, up to 6); microseconds, nanoseconds, connect: always that unit; "
            "isostring: string",
        ),
        ColumnKind.TIMESTAMP: TypeForm(
            "string io.debezium.time.ZonedTimestamp", "MySQL's text as it is, not ISO 8601"
        ),
        **dict.fromkeys(_TEXT_KINDS, _STRING),
        **dict.fromkeys(_BINARY_KINDS, _BYTES),
        ColumnKind.ENUM: TypeForm("string io.debezium.data.Enum", "the invalid value is empty"),
        ColumnKind.SET: TypeForm("string io.debezium.data.EnumSet", "members joined by commas"),
        ColumnKind.JSON: TypeForm("string io.debezium.data.Json"),
        ColumnKind.VECTOR: _LEFT_OUT,
    }
)
