"""What running brokers and registries brings with it: retention, growth, restarts, envelopes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.spec.clause import Clause, Row, clauses, may
from harness.spec.documents import CONFLUENT, KAFKA

_RETENTION: tuple[Row, ...] = (
    may(
        "kafka.retention",
        "The oldest messages of a partition may be gone, so that its first offset is not 0.",
    ),
)
_MODIFYING: tuple[Row, ...] = (
    may(
        "kafka.partitions-grow",
        "A topic may get more partitions at any time, and a key may then move to another one.",
    ),
)
_REPLICATION: tuple[Row, ...] = (
    may(
        "kafka.brokers-fail",
        "A broker may be away for a while; what it acknowledged is there again afterwards.",
    ),
)
_GROUPS: tuple[Row, ...] = (
    may(
        "kafka.group-members-change",
        "Partitions may pass from one member of a consumer group to another at any time.",
    ),
)
_RECORD: tuple[Row, ...] = (
    may("kafka.record-headers", "A message may carry headers beside its key and its value."),
    may(
        "kafka.record-timestamps",
        "Timestamps are what producers say, and rise along a partition or not.",
    ),
)
_REGISTRY: tuple[Row, ...] = (
    may(
        "registry.may-be-away",
        "A registry may be away for a while, and knows the same ids when it comes back.",
    ),
)

OPERATIONS_CLAUSES: Mapping[str, Clause] = MappingProxyType(
    {
        **clauses(
            "kafka",
            {
                KAFKA.section("Topic configuration, retention.ms", "topicconfigs_retention.ms"): (
                    _RETENTION
                ),
                KAFKA.section("Modifying topics", "basic_ops_modify_topic"): _MODIFYING,
                KAFKA.section("Replication", "replication"): _REPLICATION,
                KAFKA.section("Consumer groups", "intro_consumers"): _GROUPS,
                KAFKA.section("Record", "record"): _RECORD,
            },
        ),
        **clauses("registry", {CONFLUENT.section("Overview", "index.html"): _REGISTRY}),
    }
)
