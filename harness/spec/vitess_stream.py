"""Debezium for Vitess as a stream: positions, snapshots, tasks, heartbeats, DDL."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import DEBEZIUM_CODE, VITESS, VITESS_CODE

_OVERVIEW: tuple[Row, ...] = (
    must(
        "vitess.offset.resume",
        "After any stop the connector goes on behind the last position that Kafka Connect stored.",
    ),
)

_SNAPSHOT: tuple[Row, ...] = (
    must(
        "vitess.snapshot.initial",
        "With `snapshot.mode=initial` and no stored position, the connector first copies the "
        "rows of all captured tables.",
    ),
    must(
        "vitess.snapshot.then-streams",
        "After the copy the connector streams from the very position of the copy, so no "
        "change is lost.",
    ),
    must("vitess.snapshot.never", "With `snapshot.mode=never` only changes from now on are sent."),
    must(
        "vitess.snapshot.as-create",
        "A copied row is a create with `snapshot` false, as if it had just been inserted.",
    ),
    may(
        "vitess.snapshot.resumes",
        "A copy that was broken off goes on behind the last primary keys stored; the page "
        "says that it starts over or is skipped.",
    ),
    may(
        "vitess.snapshot.overlap",
        "A row may be sent by the copy and again as a change that the copy had included.",
    ),
)

_STREAMING_CHANGES: tuple[Row, ...] = (
    must(
        "vitess.vgtid.form",
        "A VGTID is the JSON text of an array with an object for each shard: keyspace, shard "
        "and gtid.",
    ),
    must(
        "vitess.vgtid.table-p-ks",
        "Each object of a VGTID also has `table_p_ks`, an empty array but during a copy; the "
        "page's samples lack it.",
    ),
    must(
        "vitess.order.as-generated",
        "The records of a topic's partition stand in the order in which the stream told the "
        "changes.",
    ),
    may(
        "vitess.order.shards-unrelated",
        "Changes of different shards may come in any order relative to each other.",
    ),
    must("vitess.offset.is-vgtid", "The stored position is a VGTID."),
    must(
        "vitess.order.per-key",
        "First copies of the changes of one row that keeps its key are in one partition, in "
        "commit order.",
    ),
)

_OFFSET_STORAGE_PER_TASK: tuple[Row, ...] = (
    must(
        "vitess.task.round-robin",
        "With offsets stored per task, the shards are dealt to the tasks in turn.",
    ),
    must(
        "vitess.task.key",
        "A task's offsets are under its number, the number of tasks and the "
        "`vitess.offset.storage.task.key.gen`: `task0_2_1`.",
    ),
    must(
        "vitess.task.migrates",
        "A new generation of tasks takes over the offsets of the generation before, of which "
        "there were `vitess.prev.num.tasks`.",
    ),
    must(
        "vitess.task.no-more-than-shards",
        "However high `tasks.max` is, there are never more tasks than shards.",
    ),
)

_SOURCE_INFO: tuple[Row, ...] = (
    must(
        "vitess.offset.restart-vgtid",
        "Until a commit the stored position is that of the transaction before, so a restart "
        "repeats the whole transaction.",
    ),
    may(
        "vitess.offset.txn-repeats",
        "Without transaction metadata a restart sends the last transaction again even when "
        "all of it was stored.",
    ),
)

_DDL_METADATA_EXTRACTOR: tuple[Row, ...] = (
    must("vitess.ddl.none", "A DDL makes no record by default."),
    must(
        "vitess.ddl.schema-change",
        "With `include.schema.changes` a DDL makes a record on the topic of the prefix, with "
        "the statement.",
    ),
    must(
        "vitess.ddl.next-row",
        "Rows after a DDL have the new columns as soon as the stream has described the table "
        "again.",
    ),
)

_HEARTBEAT_IMPL: tuple[Row, ...] = (
    must(
        "vitess.heartbeat.topic",
        "With `heartbeat.interval.ms` above 0, heartbeats go to the topic of "
        "`topic.heartbeat.prefix` and the topic prefix, partition 0.",
    ),
    must(
        "vitess.heartbeat.content",
        "A heartbeat's key tells the topic prefix, its value the stored VGTID and the time.",
    ),
)

VITESS_STREAM_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section("Overview", "vitess-overview"): _OVERVIEW,
        VITESS.section("Snapshot", "vitess-snapshot"): _SNAPSHOT,
        VITESS.section("Streaming changes", "vitess-streaming-changes"): _STREAMING_CHANGES,
        VITESS.section(
            "Offset storage per task", "vitess-example-configuration-offset-storage-per-task"
        ): _OFFSET_STORAGE_PER_TASK,
        VITESS_CODE.file("SourceInfo.java", 105): _SOURCE_INFO,
        VITESS_CODE.file("connection/DdlMetadataExtractor.java", 26): _DDL_METADATA_EXTRACTOR,
        DEBEZIUM_CODE.file("heartbeat/HeartbeatImpl.java"): _HEARTBEAT_IMPL,
    },
)
