"""What Kafka itself promises, and does not, to every consumer of every protocol."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import KAFKA

_MAIN_CONCEPTS_AND_TERMINOLOGY: tuple[Row, ...] = (
    must(
        "kafka.order-within-partition",
        "The messages of one partition are read in the order in which they were written.",
    ),
    may(
        "kafka.no-order-across-partitions",
        "Messages of different partitions may be read in any order relative to each other.",
    ),
    must(
        "kafka.same-key-same-partition",
        "Messages with the same key go to the same partition while the number of partitions "
        "stays, unless their producer chooses otherwise.",
    ),
)

_MESSAGE_DELIVERY_SEMANTICS: tuple[Row, ...] = (
    may(
        "kafka.at-least-once",
        "A consumer that stores its position after its results may see messages again after a "
        "crash.",
    ),
    may(
        "kafka.at-most-once",
        "A consumer that stores its position before its results may lose messages in a crash.",
    ),
    may(
        "kafka.aborted-transactions",
        "A partition may hold markers and aborted messages, which a consumer under "
        "`read_committed` never sees.",
    ),
)

_THE_CONSUMER: tuple[Row, ...] = (
    may(
        "kafka.offsets-have-gaps",
        "Offsets of a partition rise but need not be consecutive; the position tells the end.",
    ),
    must(
        "kafka.position-is-next",
        "A committed offset is that of the next message to read, not of the last one read.",
    ),
)

_LOG_COMPACTION: tuple[Row, ...] = (
    must(
        "kafka.compaction.last-value",
        "A compacted topic keeps at least the last message of each key.",
    ),
    may(
        "kafka.compaction.older-gone",
        "In a compacted topic older messages of a key may be gone, so a reader may meet an "
        "update without its insert.",
    ),
    must(
        "kafka.compaction.tombstone",
        "A message with a key and a null value removes that key, earlier messages first.",
    ),
    may(
        "kafka.compaction.tombstone-gone",
        "A tombstone may itself be gone after a while, so a reader may never see a key that "
        "was deleted.",
    ),
    must(
        "kafka.compaction.order-kept",
        "Compaction changes neither the order of messages nor their offsets.",
    ),
    must("kafka.compaction.keyless-refused", "A compacted topic takes no message without a key."),
)

_PRODUCER_CONFIGURATION_PARTITIONER_CLASS: tuple[Row, ...] = (
    must(
        "kafka.partition.murmur2",
        "Where a producer names no partition, a key's murmur2 hash without its sign, modulo "
        "the number of partitions, chooses it.",
    ),
    may("kafka.partition.no-key", "A message without a key may go to any partition."),
)

KAFKA_CLAUSES: Mapping[str, Clause] = clauses(
    "kafka",
    {
        KAFKA.section(
            "Main Concepts and Terminology", "intro_concepts_and_terms"
        ): _MAIN_CONCEPTS_AND_TERMINOLOGY,
        KAFKA.section("Message Delivery Semantics", "semantics"): _MESSAGE_DELIVERY_SEMANTICS,
        KAFKA.section("The Consumer", "theconsumer"): _THE_CONSUMER,
        KAFKA.section("Log Compaction", "compaction"): _LOG_COMPACTION,
        KAFKA.section(
            "Producer configuration, partitioner.class", "producerconfigs_partitioner.class"
        ): _PRODUCER_CONFIGURATION_PARTITIONER_CLASS,
    },
)
