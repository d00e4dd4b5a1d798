"""What the reference page says: the connector's settings, and how each column kind travels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.reference import CONVERTER_SETTINGS
from harness.codecs.debezium_vitess.connector.settings import (
    DEFAULT_FACTORY,
    DEFAULTS,
    ORDERED_FACTORY,
)
from harness.codecs.debezium_vitess.transforms.chain import TRANSFORM_SETTINGS
from harness.contracts import Setting, TypeForm
from harness.model.columns import ColumnKind

FLAG: Final = "true | false"
ADJUST: Final = "none | avro | avro_unicode"
LIST: Final = "regular expressions"
ZONE: Final = "user.timezone"
PARTITIONS: Final = "topic.creation.default.partitions"

# (name, values, meaning); the defaults are the connector's own table.
_ROWS: Final = (
    ("topic.prefix", "a name", "The logical name: first in every topic's and schema's name."),
    ("vitess.keyspace", "a name", "The keyspace; `source.keyspace` whatever an event says."),
    ("vitess.shard", "shards", "The shards to follow; without it all of them."),
    ("vitess.vgtid", "current | VGTID", "Where to start; needs vitess.shard."),
    ("vitess.gtid", "current | VGTID", "The former name of vitess.vgtid: checked, not used."),
    ("vitess.shard.epoch.map", "JSON", "The epoch of each shard at the start."),
    ("vitess.inherit.epoch", FLAG, "A new shard's epoch follows those it took over from."),
    ("vitess.exclude.empty.shards", FLAG, "Asks tablets, not the topology, for the shards."),
    ("vitess.tablet.type", "MASTER | REPLICA | RDONLY", "Which tablets are followed."),
    ("vitess.stop_on_reshard", FLAG, "The stream ends when the keyspace is resharded."),
    ("vitess.stream.keyspace.heartbeats", FLAG, "Follows Vitess's own heartbeat table too."),
    ("vitess.offset.storage.per.task", FLAG, "Several tasks, each with offsets of its own."),
    ("vitess.offset.storage.task.key.gen", "0..", "The generation of those offsets."),
    ("vitess.prev.num.tasks", "1..", "How many tasks the generation before had."),
    ("tasks.max", "1..", "The most tasks; more than one needs offsets per task."),
    ("snapshot.mode", "initial | never", "Whether the tables are copied first."),
    ("tombstones.on.delete", FLAG, "A delete is followed by a record without a value."),
    ("table.include.list", LIST, "Tables to capture, as `keyspace.table`."),
    ("table.exclude.list", LIST, "Tables not to capture."),
    ("column.include.list", LIST, "Columns of values, as `keyspace.table.column`."),
    ("column.exclude.list", LIST, "Columns left out of values; keys keep them."),
    ("column.truncate.to.<n>.chars", LIST, "Texts and bytes cut to n UTF-16 units or bytes."),
    ("column.mask.with.<n>.chars", LIST, "Texts replaced by n asterisks, NULL too."),
    (
        "column.mask.hash.<algorithm>.with.salt.<salt>",
        LIST,
        "Texts replaced by a digest of the salt and Java's serialised string.",
    ),
    (
        "column.mask.hash.v2.<algorithm>.with.salt.<salt>",
        LIST,
        "Texts replaced by a digest of the salt and the UTF-8 text.",
    ),
    ("column.propagate.source.type", LIST, "Adds the source type to the schema's parameters."),
    ("datatype.propagate.source.type", LIST, "The same, by `keyspace.table.TYPE`."),
    ("message.key.columns", "table:columns;…", "Columns of the key instead of the table's own."),
    ("time.precision.mode", "see the types", "How DATE, TIME and DATETIME travel."),
    ("bigint.unsigned.handling.mode", "string | long | precise", "How BIGINT UNSIGNED travels."),
    ("binary.handling.mode", "bytes | base64 | base64-url-safe | hex", "How bytes travel."),
    ("decimal.handling.mode", "precise | double | string", "Checked, and without effect."),
    ("include.unknown.datatypes", FLAG, "BIT, GEOMETRY and VECTOR as bytes of their text."),
    ("override.datetime.to.nullable", FLAG, "DATE and DATETIME may be null: zero dates are."),
    (
        "event.processing.failure.handling.mode",
        "fail | warn | skip",
        "A row whose cells cannot be read stops the task, or is dropped.",
    ),
    ("skipped.operations", "c,u,d,t | none", "Operations that are not emitted or counted."),
    ("skip.messages.without.change", FLAG, "Drops updates that change no column of the value."),
    ("provide.transaction.metadata", FLAG, "Transaction topic and blocks."),
    (
        "transaction.metadata.factory",
        f"{DEFAULT_FACTORY} | {ORDERED_FACTORY}",
        "The ordered one adds epoch and rank.",
    ),
    ("topic.naming.strategy", "a class", "How topics are named."),
    ("topic.delimiter", "text", "Between the parts of a topic's name."),
    ("topic.transaction", "text", "The transaction topic's last part."),
    ("topic.heartbeat.prefix", "text", "The heartbeat topic's first part."),
    ("topic.regex", "a regular expression", "Of the regex strategies."),
    ("topic.replacement", "text", "Of the regex strategies."),
    ("topic.key.enforce.uniqueness", FLAG, "Of the regex strategies: a field in every key."),
    ("topic.key.field.name", "a name", "That field's name."),
    ("topic.key.field.regex", "a regular expression", "How its value is read off the topic."),
    ("topic.key.field.replacement", "text", "How its value is written."),
    ("override.data.change.topic.prefix", "text", "Of TableTopicNamingStrategy."),
    ("override.data.change.topic.prefix.exclude.list", LIST, "Tables that keep the prefix."),
    ("override.schema.change.topic", "a name", "Of TableTopicNamingStrategy."),
    ("schema.name.adjustment.mode", ADJUST, "What becomes of schema names."),
    ("field.name.adjustment.mode", ADJUST, "What becomes of field names."),
    ("extended.headers.enabled", FLAG, "The three `__debezium.context.` headers."),
    ("heartbeat.interval.ms", "0..", "Heartbeats, at most one an interval; 0 for none."),
    ("include.schema.changes", FLAG, "DDL statements on a topic called like the prefix."),
    ("notification.enabled.channels", "sink", "Notifications to a topic."),
    ("notification.sink.topic.name", "a name", "That topic."),
)
# What is Java's and Connect's, and decides records too.
_AROUND: Final = (
    Setting(ZONE, "UTC", "a zone", "The JVM's zone: DATETIMEs in its gaps are moved on."),
    Setting(PARTITIONS, "1", "1..", "The partitions of every topic."),
)
SETTINGS: Final[tuple[Setting, ...]] = (
    *(Setting(name, DEFAULTS.get(name, ""), values, meaning) for name, values, meaning in _ROWS),
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
