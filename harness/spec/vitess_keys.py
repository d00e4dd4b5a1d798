"""Debezium for Vitess: keys, topics, and the names of schemas and fields."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import DEBEZIUM_CODE, VITESS

_OVERVIEW: tuple[Row, ...] = (
    must("vitess.topic.per-table", "Each table's events go to a topic of its own."),
)

_TOPICS_NAMES: tuple[Row, ...] = (
    must(
        "vitess.topic.one-per-table", "Inserts, updates and deletes of one table go to one topic."
    ),
    must(
        "vitess.topic.name",
        "The topic is the topic prefix, the keyspace and the table, joined by points.",
    ),
    must("vitess.topic.no-shard", "All shards of a keyspace share the table's topic."),
)

_CHANGE_EVENT_KEYS: tuple[Row, ...] = (
    must(
        "vitess.key.primary-key",
        "The key has a field for each column of the primary key, in column order.",
    ),
    must(
        "vitess.key.struct",
        "The key is a required struct named after the topic with `.Key`; its fields are typed "
        "as in the row.",
    ),
    must("vitess.key.keyless", "A table without a primary or unique key has null keys."),
    must(
        "vitess.key.filtered-column",
        "A key column that is excluded, truncated or masked in the row is whole in the key.",
    ),
)

_DATA_CHANGE_EVENTS: tuple[Row, ...] = (
    must(
        "vitess.key.first-unique",
        "Without a primary key the key is the first column, in column order, that a unique "
        "key has; the page says the first single-column unique key.",
    ),
    may("vitess.key.unique-nullable", "A key made of a nullable unique column may be null inside."),
    may(
        "vitess.name.collision",
        "Tables whose names differ only in characters that are replaced share a topic and a "
        "schema name.",
    ),
    must("vitess.name.at-column", "A column whose name begins with `@` stops the connector."),
    must(
        "vitess.name.untouched",
        "Without an adjustment mode names stay as they are; the page says that they always "
        "suit Avro.",
    ),
)

_MESSAGE_KEY_COLUMNS: tuple[Row, ...] = (
    must(
        "vitess.key.message-key-columns",
        "`message.key.columns` names the key's columns for the tables that it matches, and "
        "their order.",
    ),
    must(
        "vitess.key.message-key-unknown",
        "Where `message.key.columns` names no column of the table, the table's own key is used.",
    ),
)

_SCHEMA_NAME_ADJUSTMENT_MODE: tuple[Row, ...] = (
    must(
        "vitess.name.schema-avro",
        "`schema.name.adjustment.mode=avro` writes `_` for each character that a schema name "
        "may not have in Avro.",
    ),
    must(
        "vitess.name.schema-avro-unicode",
        "`schema.name.adjustment.mode=avro_unicode` writes `_u` and the code in hexadecimal "
        "for such a character and for `_` itself.",
    ),
)

_FIELD_NAME_ADJUSTMENT_MODE: tuple[Row, ...] = (
    must(
        "vitess.name.field-avro",
        "`field.name.adjustment.mode=avro` writes `_` for each character that a field name "
        "may not have in Avro, and before a leading digit.",
    ),
    must(
        "vitess.name.field-avro-unicode",
        "`field.name.adjustment.mode=avro_unicode` writes such characters of a field name, "
        "and `_`, as `_u` and their code.",
    ),
    must(
        "vitess.name.field-conflict",
        "Two columns that are adjusted to one name stop the connector.",
    ),
)

_TOPIC_NAMING_STRATEGY: tuple[Row, ...] = (
    must(
        "vitess.topic.schema-strategy",
        "SchemaTopicNamingStrategy is the default topic naming strategy.",
    ),
)

_OVERRIDE_DATA_CHANGE_TOPIC_PREFIX: tuple[Row, ...] = (
    must(
        "vitess.topic.table-strategy",
        "Under TableTopicNamingStrategy the topic is the prefix and the table, and the prefix "
        "may be overridden for data topics.",
    ),
)

_TOPIC_DELIMITER: tuple[Row, ...] = (
    must(
        "vitess.topic.delimiter",
        "`topic.delimiter` stands between the parts of a topic name in the place of the point.",
    ),
)

_TOPIC_PREFIX: tuple[Row, ...] = (
    must(
        "vitess.topic.prefix-legal",
        "A topic prefix has letters, digits, hyphens, points and underscores only.",
    ),
)

_ABSTRACT_REGEX_TOPIC_NAMING_STRATEGY: tuple[Row, ...] = (
    must(
        "vitess.topic.regex-strategy",
        "Under a regex naming strategy `topic.regex` and `topic.replacement` make the topic "
        "of what would have been its name.",
    ),
    must(
        "vitess.key.topic-field",
        "Under a regex naming strategy each key has a further field, `topic.key.field.name`, "
        "that tells tables of one topic apart.",
    ),
)

_ABSTRACT_TOPIC_NAMING_STRATEGY: tuple[Row, ...] = (
    must(
        "vitess.topic.sanitised",
        "In a topic name each character that Kafka forbids is replaced by `_`.",
    ),
)

VITESS_KEY_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section("Overview", "vitess-overview"): _OVERVIEW,
        VITESS.section("Topics names", "vitess-topic-names"): _TOPICS_NAMES,
        VITESS.section("Change event keys", "vitess-change-events-key"): _CHANGE_EVENT_KEYS,
        VITESS.section("Data change events", "vitess-events"): _DATA_CHANGE_EVENTS,
        VITESS.section(
            "Connector configuration properties", "vitess-property-message-key-columns"
        ): _MESSAGE_KEY_COLUMNS,
        VITESS.section(
            "Connector configuration properties", "vitess-property-schema-name-adjustment-mode"
        ): _SCHEMA_NAME_ADJUSTMENT_MODE,
        VITESS.section(
            "Connector configuration properties", "vitess-property-field-name-adjustment-mode"
        ): _FIELD_NAME_ADJUSTMENT_MODE,
        VITESS.section(
            "Connector configuration properties", "vitess-property-topic-naming-strategy"
        ): _TOPIC_NAMING_STRATEGY,
        VITESS.section(
            "Connector configuration properties",
            "vitess-property-override-data-change-topic-prefix",
        ): _OVERRIDE_DATA_CHANGE_TOPIC_PREFIX,
        VITESS.section(
            "Connector configuration properties", "vitess-property-topic-delimiter"
        ): _TOPIC_DELIMITER,
        VITESS.section(
            "Connector configuration properties", "vitess-property-topic-prefix"
        ): _TOPIC_PREFIX,
        DEBEZIUM_CODE.file(
            "schema/AbstractRegexTopicNamingStrategy.java"
        ): _ABSTRACT_REGEX_TOPIC_NAMING_STRATEGY,
        DEBEZIUM_CODE.file(
            "schema/AbstractTopicNamingStrategy.java", 138
        ): _ABSTRACT_TOPIC_NAMING_STRATEGY,
    },
)
