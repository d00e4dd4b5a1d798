"""Debezium for Vitess, change by change: updates, deletes, tombstones, moved keys, headers."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import VITESS, VITESS_CODE

_UPDATE_EVENTS: tuple[Row, ...] = (
    must(
        "vitess.row.update",
        "An update that keeps the key is an event with op u and the row before and after the "
        "change.",
    ),
)

_PRIMARY_KEY_UPDATES: tuple[Row, ...] = (
    must(
        "vitess.pk-update.sequence",
        "An update that changes the key is a delete of the old key, its tombstone, and a "
        "create of the new key, in this order.",
    ),
    must(
        "vitess.pk-update.newkey",
        "The delete of a changed key has the header `__debezium.newkey` with the new key.",
    ),
    must(
        "vitess.pk-update.oldkey",
        "The create of a changed key has the header `__debezium.oldkey` with the old key.",
    ),
    must(
        "vitess.pk-update.tombstone-header",
        "The tombstone between the two halves carries the delete's headers.",
    ),
    must("vitess.pk-update.same-source", "Both halves have the same source block."),
    must("vitess.pk-update.keyless", "In a table without a key every update is a plain update."),
    may(
        "vitess.pk-update.apart",
        "The halves of a changed key may go to different partitions, so the create may be "
        "read before the delete.",
    ),
)

_DELETE_EVENTS: tuple[Row, ...] = (
    must(
        "vitess.row.delete", "A delete is an event with op d, the old row in before and after null."
    ),
)

_TOMBSTONE_EVENTS: tuple[Row, ...] = (
    must(
        "vitess.tombstone.follows",
        "Behind every delete comes a record with the same key and a null value.",
    ),
    must(
        "vitess.tombstone.compaction",
        "Because every event holds the whole row, a compacted topic still tells the last "
        "state of each row.",
    ),
    must(
        "vitess.tombstone.ignored",
        "A consumer that has applied a delete changes nothing at its tombstone.",
    ),
    must(
        "vitess.tombstone.keyless",
        "The tombstone of a row without a key has neither key nor value.",
    ),
    must("vitess.tombstone.no-schema", "A tombstone has the key's schema and no value schema."),
)

_TOMBSTONES_ON_DELETE: tuple[Row, ...] = (
    must(
        "vitess.tombstone.off",
        "With `tombstones.on.delete` false no tombstone is sent, behind a changed key's "
        "delete neither.",
    ),
)

_EXTENDED_HEADERS_ENABLED: tuple[Row, ...] = (
    must(
        "vitess.header.context",
        "Data records and tombstones have three headers: the topic prefix, the task's id, and "
        "the connector's name, all prefixed `__debezium.context.`.",
    ),
    must(
        "vitess.header.context-off",
        "With `extended.headers.enabled` false there are no context headers.",
    ),
    must(
        "vitess.header.connector-name",
        "`__debezium.context.connectorName` is always `vitess`, not the name given to Kafka "
        "Connect.",
    ),
    must("vitess.header.order", "The header of a changed key stands before the context headers."),
    must(
        "vitess.header.none-elsewhere",
        "Records of the transaction topic and heartbeats have no headers.",
    ),
)

_VSTREAM_OUTPUT_MESSAGE_DECODER: tuple[Row, ...] = (
    must(
        "vitess.event.column-order",
        "Columns stand in the order in which the stream described the table.",
    ),
    may(
        "vitess.event.partial-image",
        "A row image that the stream shortened arrives with its gaps as NULL, for the "
        "connector does not look at the bitmaps.",
    ),
    must(
        "vitess.event.no-change-event", "A change without a row before and after it makes no event."
    ),
    must(
        "vitess.event.per-shard-schema",
        "Shards may describe a table differently for a while; each row follows the "
        "description of its own shard.",
    ),
)

_LIMITATIONS_WITH_EARLIER_VITESS_VERSIONS: tuple[Row, ...] = (
    may(
        "vitess.limits.decimal-blanks",
        "DECIMAL text of 13 digits or more may have blanks before its digits.",
        "Vitess before 9.0.0",
    ),
    may("vitess.limits.no-json", "JSON columns may be missing.", "Vitess before 9.0.0"),
)

VITESS_EVENT_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section("update events", "vitess-update-events"): _UPDATE_EVENTS,
        VITESS.section("Primary key updates", "vitess-primary-key-updates"): _PRIMARY_KEY_UPDATES,
        VITESS.section("delete events", "vitess-delete-events"): _DELETE_EVENTS,
        VITESS.section("Tombstone events", "vitess-tombstone-events"): _TOMBSTONE_EVENTS,
        VITESS.section(
            "Connector configuration properties", "vitess-property-tombstones-on-delete"
        ): _TOMBSTONES_ON_DELETE,
        VITESS.section(
            "Connector configuration properties", "vitess-property-extended-headers-enabled"
        ): _EXTENDED_HEADERS_ENABLED,
        VITESS_CODE.file(
            "connection/VStreamOutputMessageDecoder.java", 339
        ): _VSTREAM_OUTPUT_MESSAGE_DECODER,
        VITESS.section(
            "Limitations with earlier Vitess versions", "limitations-with-earlier-vitess-versions"
        ): _LIMITATIONS_WITH_EARLIER_VITESS_VERSIONS,
    },
)
