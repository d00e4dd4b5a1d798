"""TiCDC Avro and the schema registry: subjects, topics, evolution, refusals, watermarks."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must, should
from harness.spec.documents import AVRO, AVRO_6_1, TIFLOW

_DDL_EVENTS_AND_SCHEMA_CHANGES: tuple[Row, ...] = (
    must("avro.ddl.none", "No DDL event is sent."),
    must(
        "avro.watermark.none",
        "No watermark is sent, so a stream never says how far it is complete.",
    ),
    must(
        "avro.schema.change-registered",
        "When a row's table has changed, its new schemas are registered before the row is sent.",
    ),
    must(
        "avro.schema.compatibility-checked",
        "The registry judges a new schema by the subject's compatibility level, and a refusal "
        "fails the registration.",
    ),
    must(
        "avro.schema.no-repair",
        "A refused schema is not repaired, reordered or retried: the changefeed goes to the "
        "state error.",
    ),
    must(
        "avro.schema.backward-not-null",
        "Under BACKWARD a new NOT NULL column without a default is refused, and the "
        "changefeed goes to the state error.",
    ),
    must(
        "avro.consumer.follows-versions",
        "After a schema change a consumer reads both the messages of the old schema and those "
        "of the new one.",
    ),
)

_DDL_EVENTS_AND_SCHEMA_CHANGES_2: tuple[Row, ...] = (
    must(
        "avro.registry.value-first",
        "Before 7.0.0 the value schema is registered before the key schema.",
        "up to 6.6",
    ),
    may(
        "avro.consumer.may-need-upgrade",
        "A schema that the registry accepted may still ask producers and consumers to learn "
        "it before they work on.",
    ),
)

_TOPIC_DISTRIBUTION: tuple[Row, ...] = (
    must(
        "avro.subject.topic-name",
        "Subjects are named by TopicNameStrategy, the only one supported: the topic's name "
        "with `-key` and `-value`.",
    ),
    should(
        "avro.topic.tables-share-none",
        "No two tables are put into one topic; where a fixed topic name does it, their "
        "schemas take turns under one subject.",
    ),
    must(
        "avro.topic.placeholders",
        "A topic rule with placeholders that lacks `{schema}` or `{table}` is refused when "
        "the changefeed is created.",
    ),
)

_COMPATIBILITY: tuple[Row, ...] = (
    must(
        "avro.float.upgrade",
        "After an upgrade to 7.0.0 a table with a FLOAT registers an incompatible schema, so "
        "its changefeed fails unless the level is NONE.",
        "from 7.0.0",
    ),
)

_EXPRESSION: tuple[Row, ...] = (
    may(
        "avro.topic.fixed-name",
        "A rule may be a fixed topic name; the documents say that a rule without placeholders "
        "is refused.",
    ),
    must(
        "avro.topic.placeholder-order",
        "In a topic rule `{schema}` stands before `{table}`; the reverse is refused.",
    ),
)

_AVRO: tuple[Row, ...] = (
    must("avro.subject.points", "In a subject, points of the topic's name are written `_`."),
)

_CONFLUENT_SCHEMA_REGISTRY: tuple[Row, ...] = (
    must(
        "avro.registry.every-ddl",
        "Every DDL on a table, even one that changes no column, posts both schemas again with "
        "the next row.",
    ),
    must(
        "avro.registry.same-text", "Posting a text that the subject has already yields its old id."
    ),
    must(
        "avro.registry.key-first",
        "The key schema is registered before the value schema, and stays when the value's is "
        "refused.",
        "from 7.0.0",
    ),
    must("avro.registry.client-error", "An answer of 4xx fails at once."),
    must("avro.registry.server-error", "An answer of 5xx is retried until it changes."),
    must(
        "avro.registry.request",
        "A schema is posted to `/subjects/SUBJECT/versions` as JSON with the one key `schema`.",
    ),
)

_CONFLUENT_SCHEMA_REGISTRY_2: tuple[Row, ...] = (
    must(
        "avro.registry.root",
        "The registry's root answers exactly `{}`, else the changefeed does not start.",
    ),
)

_AVRO_2: tuple[Row, ...] = (
    must(
        "avro.watermark.extension",
        "With both the extension and `avro-enable-watermark`, a resolved mark is a null key "
        "and a value of the byte 0x02 and the ts in 8 bytes.",
        "from 6.5.5 and 7.1.0",
    ),
    must(
        "avro.ddl.extension",
        "With both the extension and `avro-enable-watermark`, a DDL is a null key and a value "
        "of the byte 0x01 and JSON with query, type, schema, table and commitTs.",
        "from 6.5.5 and 7.1.0",
    ),
    must(
        "avro.watermark.not-avro",
        "Whoever meets watermarks or DDL messages must not read them as Avro: their first "
        "byte is not 0x00.",
        "from 6.5.5 and 7.1.0",
    ),
)

AVRO_REGISTRY_CLAUSES: Mapping[str, Clause] = clauses(
    "avro",
    {
        AVRO.section(
            "DDL events and schema changes", "ddl-events-and-schema-changes"
        ): _DDL_EVENTS_AND_SCHEMA_CHANGES,
        AVRO_6_1.section(
            "DDL events and schema changes", "ddl-events-and-schema-changes"
        ): _DDL_EVENTS_AND_SCHEMA_CHANGES_2,
        AVRO.section("Topic distribution", "topic-distribution"): _TOPIC_DISTRIBUTION,
        AVRO.section("Compatibility", "compatibility"): _COMPATIBILITY,
        TIFLOW.file("cdc/sink/dmlsink/mq/dispatcher/topic/expression.go", 75): _EXPRESSION,
        TIFLOW.file("pkg/sink/codec/avro/avro.go", 455): _AVRO,
        TIFLOW.file(
            "pkg/sink/codec/avro/confluent_schema_registry.go", 292
        ): _CONFLUENT_SCHEMA_REGISTRY,
        TIFLOW.file(
            "pkg/sink/codec/avro/confluent_schema_registry.go", 75
        ): _CONFLUENT_SCHEMA_REGISTRY_2,
        TIFLOW.file("pkg/sink/codec/avro/avro.go", 256): _AVRO_2,
    },
)
