"""Debezium for Vitess and transactions: the transaction topic and the block in each event."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import DEBEZIUM_CODE, VITESS, VITESS_CODE

_TRANSACTION_METADATA: tuple[Row, ...] = (
    must(
        "vitess.txn.boundaries",
        "With transaction metadata on, each transaction has a BEGIN and an END record around "
        "its events.",
    ),
    must(
        "vitess.txn.topic",
        "Boundaries go to the topic prefix and `topic.transaction`, `transaction` by default, "
        "joined by a point.",
    ),
    must("vitess.txn.status", "A boundary's `status` is BEGIN or END."),
    must(
        "vitess.txn.id",
        "A boundary's `id` is the text of the transaction's VGTID, the same in BEGIN, END and "
        "every event between.",
    ),
    must(
        "vitess.txn.ts",
        "A boundary's `ts_ms` is the source's time of begin or commit, in whole seconds.",
    ),
    must("vitess.txn.begin-empty", "In a BEGIN `event_count` and `data_collections` are null."),
    must(
        "vitess.txn.event-count",
        "An END's `event_count` is the number of events that the transaction made, tombstones "
        "not counted.",
    ),
    must(
        "vitess.txn.data-collections",
        "An END's `data_collections` tells the number of events of each table.",
    ),
    must(
        "vitess.txn.data-collection-name",
        "A data collection is shard, keyspace and table joined by points; the page's sample "
        "leaves out the shard.",
    ),
    must(
        "vitess.txn.field-order",
        "A boundary's fields are status, id, event_count, data_collections and ts_ms, in this "
        "order; the page's sample puts ts_ms third.",
    ),
    may(
        "vitess.txn.only-since",
        "Transactions from before the connector was set up have no boundaries.",
    ),
    must(
        "vitess.txn.block",
        "With transaction metadata on, an event's `transaction` has id, total_order and "
        "data_collection_order.",
    ),
    must(
        "vitess.txn.total-order",
        "`total_order` counts the events of a transaction from 1, over all tables.",
    ),
    must(
        "vitess.txn.collection-order",
        "`data_collection_order` counts the events of a transaction from 1 for each data "
        "collection.",
    ),
    must(
        "vitess.txn.block-null",
        "With transaction metadata off, `transaction` is null and its schema stays.",
    ),
)

_EFFICIENT_TRANSACTION_METADATA: tuple[Row, ...] = (
    must(
        "vitess.txn.vgtid-twice",
        "With transaction metadata on, an event holds the VGTID twice: in its source and as "
        "its transaction's id.",
    ),
    must(
        "vitess.vgtid.all-shards",
        "A VGTID names every shard that is streamed, not only the shard of the event.",
    ),
)

_ABSTRACT_TRANSACTION_STRUCT_MAKER: tuple[Row, ...] = (
    must(
        "vitess.txn.key",
        "A boundary's key is the struct TransactionMetadataKey with the id, its value "
        "TransactionMetadataValue, both of version 1.",
    ),
    must(
        "vitess.txn.empty",
        "A transaction whose rows are all filtered has its boundaries, with a count of 0 and "
        "no data collections.",
    ),
    must(
        "vitess.txn.pk-update-counts",
        "A changed key counts as two events, its delete and its create.",
    ),
    must(
        "vitess.txn.skipped-not-counted", "Events that `skipped.operations` drops are not counted."
    ),
    may("vitess.txn.collections-order", "The data collections of an END may stand in any order."),
)

_VITESS_REPLICATION_CONNECTION: tuple[Row, ...] = (
    must(
        "vitess.txn.last-vgtid",
        "All events of a transaction have its last VGTID, wherever in it that stood.",
    ),
    must(
        "vitess.txn.whole",
        "A transaction's events are sent once its commit has come, in stream order, not mixed "
        "with another's.",
    ),
    must(
        "vitess.txn.malformed",
        "A commit without a begin, or two of either in one buffer, stops the connector.",
    ),
)

VITESS_TRANSACTION_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section(
            "Transaction metadata", "vitess-transaction-metadata"
        ): _TRANSACTION_METADATA,
        VITESS.section(
            "Efficient transaction metadata", "vitess-efficient-transaction-metadata"
        ): _EFFICIENT_TRANSACTION_METADATA,
        DEBEZIUM_CODE.file(
            "pipeline/txmetadata/AbstractTransactionStructMaker.java"
        ): _ABSTRACT_TRANSACTION_STRUCT_MAKER,
        VITESS_CODE.file(
            "connection/VitessReplicationConnection.java", 117
        ): _VITESS_REPLICATION_CONNECTION,
    },
)
