"""What Kafka Connect and its converters do to the records of every connector."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, must
from harness.spec.documents import CONFLUENT_CONNECT, KAFKA_CODE

_JSON_CONVERTER: tuple[Row, ...] = (
    must(
        "connect.json.envelope",
        "With `schemas.enable` true, a key or value is an object with `schema` and `payload`, "
        "in this order.",
    ),
    must("connect.json.bare", "With `schemas.enable` false, a key or value is the payload alone."),
    must(
        "connect.json.null",
        "A null key or value with no schema is no bytes at all, not the text `null`.",
    ),
    must(
        "connect.json.default", "An unset optional field with a default is written as its default."
    ),
    must("connect.json.bytes", "Bytes are Base64 text."),
    must(
        "connect.json.decimal-base64",
        "A Decimal is Base64 of its unscaled two's complement under `decimal.format=BASE64`, "
        "the default.",
    ),
    must(
        "connect.json.decimal-numeric",
        "A Decimal is a JSON number with all digits of its scale under `decimal.format=NUMERIC`.",
    ),
    must("connect.json.field-order", "A struct's fields are written in the order of its schema."),
    must(
        "connect.json.schema-types",
        "In JSON schema text a double is `double`, a float `float`, an int64 `int64`, and "
        "each field has its `field` name and `optional`.",
    ),
)

_SIMPLE_HEADER_CONVERTER: tuple[Row, ...] = (
    must(
        "connect.header.simple",
        "Headers are written by SimpleHeaderConverter unless told otherwise: text as it is, a "
        "struct as JSON.",
    ),
)

_WORKER_SOURCE_TASK: tuple[Row, ...] = (
    must(
        "connect.partition.by-key",
        "A record without a partition goes where Kafka's producer puts its serialised key.",
    ),
    must(
        "connect.offset.after-send",
        "An offset is stored only after the records up to it are in Kafka, so a crash repeats "
        "records and loses none.",
    ),
)

_USING_KAFKA_CONNECT_WITH_SCHEMA_REGISTRY: tuple[Row, ...] = (
    must(
        "connect.avro.frame",
        "Under the Avro converter key and value are in the registry's wire format, each "
        "schema registered under the topic's subject.",
    ),
    must(
        "connect.avro.null",
        "Under the Avro converter a null value without a schema is no bytes at all.",
    ),
    must(
        "connect.avro.optional",
        "An optional field is the union of null and its type, null first, unless its default "
        "is not null.",
    ),
)

CONNECT_CLAUSES: Mapping[str, Clause] = clauses(
    "connect",
    {
        KAFKA_CODE.file(
            "connect/json/src/main/java/org/apache/kafka/connect/json/JsonConverter.java"
        ): _JSON_CONVERTER,
        KAFKA_CODE.file(
            "connect/api/src/main/java/org/apache/kafka/connect/storage/SimpleHeaderConverter.java"
        ): _SIMPLE_HEADER_CONVERTER,
        KAFKA_CODE.file(
            "connect/runtime/src/main/java/org/apache/kafka/connect/runtime/AbstractWorkerSourceTask.java"
        ): _WORKER_SOURCE_TASK,
        CONFLUENT_CONNECT.section(
            "Using Kafka Connect with Schema Registry", ""
        ): _USING_KAFKA_CONNECT_WITH_SCHEMA_REGISTRY,
    },
)
