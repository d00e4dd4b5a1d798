"""What Kafka itself promises, and does not, to every consumer of every protocol."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Level, Row, Source, clauses

_INTRODUCTION = Source(
    "Apache Kafka documentation",
    "Main Concepts and Terminology",
    "https://kafka.apache.org/documentation/#intro_concepts_and_terms",
)
_SEMANTICS = Source(
    "Apache Kafka documentation",
    "Message Delivery Semantics",
    "https://kafka.apache.org/documentation/#semantics",
)
_CONSUMER = Source(
    "Apache Kafka documentation",
    "The Consumer",
    "https://kafka.apache.org/documentation/#theconsumer",
)

_TABLES: Mapping[Source, tuple[Row, ...]] = {
    _INTRODUCTION: (
        (
            "kafka.order-within-partition",
            Level.MUST,
            "The messages of one partition are read in the order in which they were written.",
        ),
        (
            "kafka.no-order-across-partitions",
            Level.MAY,
            "Messages of different partitions may be read in any order relative to each other.",
        ),
    ),
    _SEMANTICS: (
        (
            "kafka.at-least-once",
            Level.MAY,
            (
                "A consumer that stores its position after its results may see messages again "
                "after a crash."
            ),
        ),
    ),
    _CONSUMER: (
        (
            "kafka.offsets-have-gaps",
            Level.MAY,
            "Offsets of a partition rise but need not be consecutive; the position tells the end.",
        ),
    ),
}

KAFKA_CLAUSES: Mapping[str, Clause] = clauses("kafka", _TABLES)
