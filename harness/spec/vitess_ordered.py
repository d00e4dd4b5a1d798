"""Debezium for Vitess: ordered transaction metadata, and the transforms that make it small."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import SMT, VITESS, VITESS_CODE

_ORDERED_TRANSACTION_METADATA: tuple[Row, ...] = (
    must(
        "vitess.ordered.fields",
        "With VitessOrderedTransactionMetadataFactory, an event's `transaction` has "
        "transaction_epoch and transaction_rank as well.",
    ),
    must("vitess.ordered.epoch-rises", "The epoch of a shard never falls."),
    must(
        "vitess.ordered.rank-rises",
        "Within an epoch the rank of a shard's transactions never falls.",
    ),
    must(
        "vitess.ordered.by-epoch",
        "Of two events of one shard the one with the higher epoch is the newer.",
    ),
    must("vitess.ordered.by-rank", "At equal epochs the event with the higher rank is the newer."),
    must(
        "vitess.ordered.by-total-order",
        "At equal epochs and ranks the event with the higher total_order is the newer.",
    ),
    must(
        "vitess.ordered.within-shard",
        "Epoch and rank say nothing about events of different shards.",
    ),
    must(
        "vitess.ordered.rank-decimal",
        "`transaction_rank` is a Decimal of scale 0, so Base64 in JSON by default; the page's "
        "sample shows a number.",
    ),
    must(
        "vitess.ordered.block-order",
        "In the block transaction_epoch stands before transaction_rank; the page's sample has "
        "them the other way round.",
    ),
)

_FILTERTRANSACTIONTOPICRECORDS: tuple[Row, ...] = (
    must(
        "vitess.smt.filter",
        "FilterTransactionTopicRecords drops the boundaries and passes all other records.",
    ),
    must(
        "vitess.smt.filter-keyless",
        "FilterTransactionTopicRecords stops the connector at a record without a key schema.",
    ),
)

_REMOVEFIELD: tuple[Row, ...] = (
    must(
        "vitess.smt.remove",
        "RemoveField takes the fields that `field_names` lists out of value and schema.",
    ),
    must(
        "vitess.smt.remove-leaf", "RemoveField takes leaves only: naming a struct changes nothing."
    ),
    must(
        "vitess.smt.remove-tombstone",
        "RemoveField stops the connector at a tombstone, so the page's chain needs "
        "`tombstones.on.delete` false.",
    ),
)

_USELOCALVGTID: tuple[Row, ...] = (
    must(
        "vitess.smt.local",
        "UseLocalVgtid leaves of the source's VGTID the entry of the event's own shard, still "
        "as an array.",
    ),
    must("vitess.smt.local-keeps-id", "UseLocalVgtid leaves the transaction's id as it is."),
)

_REPLACEFIELDVALUE: tuple[Row, ...] = (
    must(
        "vitess.smt.replace",
        "ReplaceFieldValue writes the text of `field_value` into the text fields that "
        "`field_names` lists, and leaves the schema.",
    ),
)

_REMOVE_FIELD: tuple[Row, ...] = (
    must("vitess.smt.headers", "No transform of the connector touches headers."),
)

_GTID: tuple[Row, ...] = (
    must(
        "vitess.ordered.rank-sum",
        "The rank is the sum over the hosts of the GTID of the last number of each host's "
        "first interval.",
    ),
    must(
        "vitess.ordered.mariadb",
        "A GTID in MariaDB's form, as in the page's samples, stops an ordered connector.",
    ),
)

_VITESS_EPOCH_PROVIDER: tuple[Row, ...] = (
    must(
        "vitess.ordered.epoch-step",
        "The epoch rises by one when the GTID's hosts no longer include all those of the "
        "transaction before.",
    ),
    may(
        "vitess.ordered.epoch-start",
        "A shard's first epoch is 0, or 1 after a start from `current` or a snapshot, or what "
        "`vitess.shard.epoch.map` says.",
    ),
    must(
        "vitess.ordered.epoch-inherit",
        "With `vitess.inherit.epoch` a new shard begins one above the highest epoch of the "
        "shards that it overlaps.",
    ),
)

VITESS_ORDERED_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section(
            "Ordered transaction metadata", "vitess-ordered-transaction-metadata"
        ): _ORDERED_TRANSACTION_METADATA,
        SMT.section(
            "FilterTransactionTopicRecords", "vitess-filter-transaction-topic-records.html"
        ): _FILTERTRANSACTIONTOPICRECORDS,
        SMT.section("RemoveField", "vitess-remove-field.html"): _REMOVEFIELD,
        SMT.section("UseLocalVgtid", "vitess-use-local-vgtid.html"): _USELOCALVGTID,
        SMT.section("ReplaceFieldValue", "vitess-replace-field-value.html"): _REPLACEFIELDVALUE,
        VITESS_CODE.file("transforms/RemoveField.java"): _REMOVE_FIELD,
        VITESS_CODE.file("pipeline/txmetadata/Gtid.java", 67): _GTID,
        VITESS_CODE.file(
            "pipeline/txmetadata/VitessEpochProvider.java", 43
        ): _VITESS_EPOCH_PROVIDER,
    },
)
