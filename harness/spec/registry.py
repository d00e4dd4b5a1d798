"""What a Confluent-compatible schema registry promises to producers and consumers of Avro."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, must
from harness.spec.documents import AVRO_SPECIFICATION, CONFLUENT

_WIRE_FORMAT: tuple[Row, ...] = (
    must(
        "registry.frame.magic",
        "An Avro key or value begins with the byte 0x00; another first byte is another format.",
    ),
    must(
        "registry.frame.schema-id",
        "The four bytes behind the magic byte are the schema's id, big-endian.",
    ),
    must(
        "registry.frame.body",
        "Behind the id stands one datum in Avro's binary form, and nothing more.",
    ),
)

_SUBJECT_NAME_STRATEGY: tuple[Row, ...] = (
    must(
        "registry.subject.topic-name",
        "TopicNameStrategy, the default, names the subjects of a topic by its name with "
        "`-key` and `-value`.",
    ),
)

_COMPATIBILITY_TYPES: tuple[Row, ...] = (
    must(
        "registry.compatibility.default", "The compatibility level is BACKWARD unless it was set."
    ),
    must(
        "registry.compatibility.backward",
        "Under BACKWARD a schema is accepted if it can read what the subject's last schema wrote.",
    ),
    must("registry.compatibility.added-field", "Under BACKWARD a new field needs a default."),
    must("registry.compatibility.removed-field", "Under BACKWARD a field may go."),
    must("registry.compatibility.none", "Under NONE every valid schema is accepted."),
)

_SCHEMA_REGISTRY_API: tuple[Row, ...] = (
    must(
        "registry.refused",
        "An incompatible schema is answered with status 409 and changes nothing.",
    ),
    must(
        "registry.id-by-text",
        "A text posted again under its subject gets the id that it got first.",
    ),
    must(
        "registry.id-immutable",
        "What an id names never changes, so a schema fetched once may be kept.",
    ),
    must(
        "registry.id-unknown",
        "An id that nobody was given is answered with status 404 and code 40403.",
    ),
)

_SCHEMA_RESOLUTION: tuple[Row, ...] = (
    must(
        "registry.avro.resolution",
        "A reader's schema may differ from the writer's: fields are matched by name, missing "
        "ones take the reader's default.",
    ),
)

_BINARY_ENCODING: tuple[Row, ...] = (
    must(
        "registry.avro.union-index",
        "A union's value stands behind the index of its branch in the writer's schema.",
    ),
)

_DECIMAL: tuple[Row, ...] = (
    must(
        "registry.avro.decimal",
        "The logical type decimal over bytes is a two's complement, big-endian, to be scaled "
        "by the schema's `scale`.",
    ),
)

REGISTRY_CLAUSES: Mapping[str, Clause] = clauses(
    "registry",
    {
        CONFLUENT.section(
            "Wire format", "fundamentals/serdes-develop/index.html#wire-format"
        ): _WIRE_FORMAT,
        CONFLUENT.section(
            "Subject name strategy", "fundamentals/serdes-develop/index.html#subject-name-strategy"
        ): _SUBJECT_NAME_STRATEGY,
        CONFLUENT.section(
            "Compatibility types", "fundamentals/schema-evolution.html#compatibility-types"
        ): _COMPATIBILITY_TYPES,
        CONFLUENT.section("Schema Registry API", "develop/api.html"): _SCHEMA_REGISTRY_API,
        AVRO_SPECIFICATION.section("Schema Resolution", "schema-resolution"): _SCHEMA_RESOLUTION,
        AVRO_SPECIFICATION.section("Binary Encoding", "binary-encoding"): _BINARY_ENCODING,
        AVRO_SPECIFICATION.section("Decimal", "decimal"): _DECIMAL,
    },
)
