"""Debezium for Vitess: what every event has, its envelope and its source block.

The document is the connector's page for 3.3; a clause without `versions` says what 3.3.1 does, and
where the page says otherwise the clause names what the page says.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import VITESS

_DATA_CHANGE_EVENTS: tuple[Row, ...] = (
    must(
        "vitess.event.per-row",
        "Each inserted, updated or deleted row makes a change event with a key and a value.",
    ),
    may(
        "vitess.event.schema-by-converter",
        "The converter decides whether a record holds its schema, the schema's id, or neither.",
    ),
)

_CHANGE_EVENT_VALUES: tuple[Row, ...] = (
    must(
        "vitess.envelope.fields",
        "A value has the fields before, after, source, transaction, op, ts_ms, ts_us and "
        "ts_ns, in this order; the page leaves out transaction.",
    ),
    must(
        "vitess.envelope.version",
        "The envelope's schema is version 2, which the page does not show.",
    ),
    must(
        "vitess.envelope.all-columns",
        "The `before` of an update or delete holds all columns of the row.",
    ),
)

_CREATE_EVENTS: tuple[Row, ...] = (
    must(
        "vitess.envelope.same-schema",
        "All events of a table, whatever their kind, have one value schema until the table "
        "changes.",
    ),
    must(
        "vitess.envelope.names",
        "Schemas are named after the topic: `.Key`, `.Value` for both rows, and `.Envelope` "
        "for the whole.",
    ),
    must(
        "vitess.row.create",
        "An insert is an event with op c, before null and the new row in after.",
    ),
    must("vitess.event.op", "`op` is c, u or d, and nothing else."),
    must(
        "vitess.event.ts",
        "`ts_ms`, `ts_us` and `ts_ns` tell one moment: when the connector handled the event, "
        "by its own clock.",
    ),
    must(
        "vitess.source.present",
        "Every event has a source block of the schema `io.debezium.connector.vitess.Source`, "
        "version 1.",
    ),
    must(
        "vitess.source.order",
        "The source's fields are version, connector, name, ts_ms, snapshot, db, sequence, "
        "ts_us, ts_ns, keyspace, table, shard and vgtid.",
    ),
    must(
        "vitess.source.constants",
        "In the source `connector` is vitess, `name` the topic prefix, `db` empty and "
        "`sequence` null.",
    ),
    must(
        "vitess.source.place",
        "The source tells the keyspace of `vitess.keyspace`, the table without it, and the "
        "shard that the row came from.",
    ),
    must("vitess.source.snapshot-false", "The source's `snapshot` is always false."),
    must(
        "vitess.source.snapshot-allowed",
        "The schema of `snapshot` allows seven values; the page lists four.",
    ),
    must(
        "vitess.source.ts-commit",
        "The source's `ts_ms` is the commit time of the row's transaction, in whole seconds.",
    ),
    may(
        "vitess.source.ts-finer",
        "The source's `ts_us` and `ts_ns` are optional and hold no more than `ts_ms`; the "
        "page has them required.",
    ),
    must(
        "vitess.source.vgtid",
        "The source's `vgtid` is required text; the page's schema has an optional int64.",
    ),
)

VITESS_ENVELOPE_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section("Data change events", "vitess-events"): _DATA_CHANGE_EVENTS,
        VITESS.section("Change event values", "vitess-change-events-value"): _CHANGE_EVENT_VALUES,
        VITESS.section("create events", "vitess-create-events"): _CREATE_EVENTS,
    },
)
