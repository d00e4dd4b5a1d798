"""Debezium for Vitess: the settings that choose or change what is sent."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must, should
from harness.spec.documents import DEBEZIUM_CODE, VITESS

_TABLE_INCLUDE_LIST: tuple[Row, ...] = (
    must(
        "vitess.filter.table-include",
        "With `table.include.list` only tables whose `keyspace.table` it matches are captured.",
    ),
)

_TABLE_EXCLUDE_LIST: tuple[Row, ...] = (
    must(
        "vitess.filter.table-exclude",
        "With `table.exclude.list` all tables are captured but those that it matches.",
    ),
)

_COLUMN_INCLUDE_LIST: tuple[Row, ...] = (
    must(
        "vitess.filter.column-include",
        "With `column.include.list` a row has only the columns whose `keyspace.table.column` "
        "it matches.",
    ),
)

_COLUMN_EXCLUDE_LIST: tuple[Row, ...] = (
    must(
        "vitess.filter.column-exclude",
        "With `column.exclude.list` a row lacks the columns that it matches.",
    ),
    should(
        "vitess.filter.not-both",
        "An include list and the exclude list of the same kind are not set together.",
    ),
    must(
        "vitess.filter.anchored",
        "A filter's expression matches the whole name, in any case of letters.",
    ),
)

_COLUMN_TRUNCATE_TO_LENGTH_CHARS: tuple[Row, ...] = (
    must(
        "vitess.column.truncate",
        "`column.truncate.to.N.chars` cuts text of matching columns to N UTF-16 units and "
        "leaves numbers alone.",
    ),
)

_MASK_STRINGS: tuple[Row, ...] = (
    must(
        "vitess.column.mask",
        "`column.mask.with.N.chars` writes N asterisks for text of matching columns, NULL "
        "included.",
    ),
    must(
        "vitess.column.hash",
        "`column.mask.hash` writes a salted hash for text of matching columns and keeps NULL.",
    ),
)

_COLUMN_PROPAGATE_SOURCE_TYPE: tuple[Row, ...] = (
    must(
        "vitess.column.propagate",
        "`column.propagate.source.type` adds the source's type, length and name as parameters "
        "of matching fields.",
    ),
)

_DATATYPE_PROPAGATE_SOURCE_TYPE: tuple[Row, ...] = (
    must(
        "vitess.datatype.propagate",
        "`datatype.propagate.source.type` adds them for all columns of matching types.",
    ),
)

_SKIPPED_OPERATIONS: tuple[Row, ...] = (
    must("vitess.skipped.operations", "Operations that `skipped.operations` lists are not sent."),
    must(
        "vitess.skipped.default", "By default only truncates are skipped, of which there are none."
    ),
    must(
        "vitess.skipped.pk-update",
        "Skipping creates also drops the create of a changed key, whose delete stays.",
    ),
)

_RELATIONAL_CHANGE_RECORD_EMITTER: tuple[Row, ...] = (
    must(
        "vitess.skipped.without-change",
        "With `skip.messages.without.change` an update that changes no captured column is not "
        "sent.",
    ),
)

_PROVIDE_TRANSACTION_METADATA: tuple[Row, ...] = (
    must("vitess.txn.default-off", "Transaction metadata is off by default."),
)

_TOPIC_TRANSACTION: tuple[Row, ...] = (
    must(
        "vitess.txn.topic-setting",
        "`topic.transaction` names the last part of the transaction topic.",
    ),
)

_SHARD: tuple[Row, ...] = (
    must(
        "vitess.shard.all",
        "Without `vitess.shard` all shards of the keyspace are streamed, shards that a "
        "resharding adds included.",
    ),
    must("vitess.shard.one", "With `vitess.shard` only the shards named are streamed."),
)

_GTID: tuple[Row, ...] = (
    must(
        "vitess.shard.gtid",
        "With `vitess.vgtid` streaming starts from that position, else from the present; the "
        "page calls it `vitess.gtid`, which 3.3.1 ignores.",
    ),
)

_STOP_ON_RESHARD: tuple[Row, ...] = (
    must(
        "vitess.reshard.stop",
        "With `vitess.stop_on_reshard` the stream ends after a resharding, else it moves to "
        "the new shards.",
    ),
)

_STREAM_KEYSPACE_HEARTBEATS: tuple[Row, ...] = (
    may(
        "vitess.heartbeat.table",
        "With `vitess.stream.keyspace.heartbeats` rows of a heartbeat table may be in the stream.",
    ),
)

_MAX_QUEUE_SIZE: tuple[Row, ...] = (
    may(
        "vitess.batch.bounded",
        "How events are cut into batches is no part of the stream: any batch size gives the "
        "same records.",
    ),
)

VITESS_SETTING_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section(
            "Connector configuration properties", "vitess-property-table-include-list"
        ): _TABLE_INCLUDE_LIST,
        VITESS.section(
            "Connector configuration properties", "vitess-property-table-exclude.list"
        ): _TABLE_EXCLUDE_LIST,
        VITESS.section(
            "Connector configuration properties", "vitess-property-column-include-list"
        ): _COLUMN_INCLUDE_LIST,
        VITESS.section(
            "Connector configuration properties", "vitess-property-column-exclude-list"
        ): _COLUMN_EXCLUDE_LIST,
        VITESS.section(
            "Connector configuration properties", "vitess-property-column-truncate-to-length-chars"
        ): _COLUMN_TRUNCATE_TO_LENGTH_CHARS,
        DEBEZIUM_CODE.file("relational/mapping/MaskStrings.java"): _MASK_STRINGS,
        VITESS.section(
            "Connector configuration properties", "vitess-property-column-propagate-source-type"
        ): _COLUMN_PROPAGATE_SOURCE_TYPE,
        VITESS.section(
            "Connector configuration properties", "vitess-property-datatype-propagate-source-type"
        ): _DATATYPE_PROPAGATE_SOURCE_TYPE,
        VITESS.section(
            "Connector configuration properties", "vitess-property-skipped-operations"
        ): _SKIPPED_OPERATIONS,
        DEBEZIUM_CODE.file(
            "relational/RelationalChangeRecordEmitter.java"
        ): _RELATIONAL_CHANGE_RECORD_EMITTER,
        VITESS.section(
            "Connector configuration properties", "vitess-property-provide-transaction-metadata"
        ): _PROVIDE_TRANSACTION_METADATA,
        VITESS.section(
            "Connector configuration properties", "vitess-property-topic-transaction"
        ): _TOPIC_TRANSACTION,
        VITESS.section("Connector configuration properties", "vitess-property-shard"): _SHARD,
        VITESS.section("Connector configuration properties", "vitess-property-gtid"): _GTID,
        VITESS.section(
            "Connector configuration properties", "vitess-property-stop-on-reshard"
        ): _STOP_ON_RESHARD,
        VITESS.section(
            "Connector configuration properties", "vitess-property-stream-keyspace-heartbeats"
        ): _STREAM_KEYSPACE_HEARTBEATS,
        VITESS.section(
            "Connector configuration properties", "vitess-property-max-queue-size"
        ): _MAX_QUEUE_SIZE,
    },
)
