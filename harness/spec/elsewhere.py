"""Clauses that no stream to a consumer can show, and the test that proves each instead.

Law: short, and each entry says why. A clause stands here only if whatever it governs never becomes
a record, a delivery or a stopped changefeed; one that a scenario can witness belongs to a scenario.
A test holds that every named test exists and that no scenario cites the clause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a clause in place of a scenario.

    `test` is `path::function` of a test, `path` of a file of the corpus, or `path::id` of a vector
    that `harness truth` compares, each from the root of the repository; empty where only the reason
    speaks.
    """

    why: str
    test: str = ""


_REFUSED = "What it refuses never streams; the corpus holds the file and the words."
_TASKS = "Connect's own offsets decide it before the first record, and records do not tell of it."
_CORPUS = "tests/corpus/invalid"
_CONNECTOR = "tests/codecs/debezium_vitess/connector"

ELSEWHERE: Mapping[str, Proof] = MappingProxyType(
    {
        "kafka.compaction.keyless-refused": Proof(
            "The broker refuses the producer; the fault leaves such topics out.",
            "tests/faults/test_delivery.py::test_topics_without_keys_are_not_compacted",
        ),
        "registry.compatibility.none": Proof(
            "TiCDC and Debezium meet a registry as it is configured; a run's are at BACKWARD.",
            "tests/wire/test_registry.py::test_levels",
        ),
        "changefeed.rules.three-parts": Proof(_REFUSED, f"{_CORPUS}/filter-in-three-parts.yaml"),
        "changefeed.event-filter.unknown": Proof(_REFUSED, f"{_CORPUS}/event-filter-unknown.yaml"),
        "changefeed.force-replicate.refused": Proof(_REFUSED, f"{_CORPUS}/avro-forced.yaml"),
        "avro.table.force-replicate-refused": Proof(_REFUSED, f"{_CORPUS}/avro-forced.yaml"),
        "avro.topic.placeholder-order": Proof(_REFUSED, f"{_CORPUS}/topic-in-the-wrong-order.yaml"),
        "open.json.invalid-utf8": Proof(
            "Databases refuse such text, and a scenario's rows are text or bytes.",
            "tests/wire/test_go_json.py::test_string",
        ),
        "avro.registry.request": Proof(
            "It is said to the registry, and no record tells of it.",
            "tests/wire/test_registry_http.py::test_bodies",
        ),
        "avro.registry.server-error": Proof(
            "The changefeed waits, then sends what it would have sent.",
            "tests/services/test_schemas.py::test_trouble_is_retried",
        ),
        "avro.registry.root": Proof(
            "It is asked before a changefeed starts; the harness plays changefeeds that started."
        ),
        "vitess.topic.prefix-legal": Proof(_REFUSED, f"{_CORPUS}/vitess-prefix-of-blanks.yaml"),
        "vitess.filter.not-both": Proof(_REFUSED, f"{_CORPUS}/vitess-include-and-exclude.yaml"),
        "vitess.start.bad-config": Proof(_REFUSED, f"{_CORPUS}/vitess-tasks-without-offsets.yaml"),
        "vitess.failure.retries": Proof(
            "The stream pauses and goes on as it would have; the harness keeps no VTGate away.",
            "golden/truth/vitess/07_protocol_errors.jsonl::err.grpc_unavailable",
        ),
        "vitess.type.geometry": Proof(
            "Scenarios are written in the types that TiDB has as well, and it has none of these.",
            f"{_CONNECTOR}/test_values.py::test_unsupported_columns_are_left_out",
        ),
        "vitess.txn.malformed": Proof(
            "No SQL makes VTGate send such events.",
            f"{_CONNECTOR}/test_sequences.py::test_refused",
        ),
        "vitess.ordered.mariadb": Proof(
            "The upstream that scenarios play writes GTIDs as MySQL does.",
            f"{_CONNECTOR}/test_ordering.py::test_unranked",
        ),
        "vitess.ordered.epoch-step": Proof(
            "No SQL and no resharding takes a host out of a shard's GTID set.",
            f"{_CONNECTOR}/test_ordering.py::test_epoch",
        ),
        "vitess.smt.headers": Proof(
            "Goldens show no headers, and no table depends on them.",
            "tests/codecs/debezium_vitess/transforms/test_chain.py::test_headers_stay",
        ),
        "vitess.task.round-robin": Proof(
            _TASKS, f"{_CONNECTOR}/test_tasks.py::test_shards_are_dealt_in_turn"
        ),
        "vitess.task.no-more-than-shards": Proof(
            _TASKS, f"{_CONNECTOR}/test_tasks.py::test_shards_are_dealt_in_turn"
        ),
        "vitess.task.key": Proof(_TASKS, f"{_CONNECTOR}/test_tasks.py::test_the_name_of_a_task"),
        "vitess.task.migrates": Proof(
            _TASKS, f"{_CONNECTOR}/test_tasks.py::test_a_generation_takes_over"
        ),
    }
)
