"""The TiCDC Open Protocol, statement by statement: events, messages, keys, rows, marks.

The type codes, DDL codes and flags of its three tables are in `open_codes`. The document does not
say everything that its encoder does; what it leaves out is in `changefeed`.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Level, Row, clauses
from harness.spec.documents import OPEN

_OVERVIEW: tuple[Row, ...] = (
    (
        "open.event.kinds",
        Level.MUST,
        "Every event is a row changed event, a DDL event or a resolved event.",
    ),
    (
        "open.ddl.after-success",
        Level.MUST,
        "A DDL event is sent after its statement succeeded upstream.",
    ),
)

_RESTRICTIONS: tuple[Row, ...] = (
    (
        "open.delivery.at-least-once",
        Level.MAY,
        (
            "A row event of one version is normally sent once, but may be sent again after a node "
            "or network failure."
        ),
    ),
    (
        "open.order.per-table-ts",
        Level.MUST,
        "In one table, the versions' row events first appear in ascending order of their ts.",
    ),
    (
        "open.resolved.broadcast",
        Level.MUST,
        "Resolved events are sent to every partition, again and again.",
    ),
    (
        "open.resolved.complete",
        Level.MUST,
        "A resolved event promises that every event with a smaller ts has been sent before it.",
    ),
    ("open.ddl.broadcast", Level.MUST, "A DDL event is sent to every partition."),
    (
        "open.row.same-partition",
        Level.MUST,
        "All row events of one row are sent to the same partition.",
    ),
)

_MESSAGE: tuple[Row, ...] = (
    ("open.frame.batch", Level.MUST, "One message holds one or more events."),
    (
        "open.frame.key-version",
        Level.MUST,
        "A message key begins with the protocol's version number in 8 bytes.",
    ),
    ("open.frame.version-1", Level.MUST, "The protocol's version number is 1."),
    (
        "open.frame.key-length",
        Level.MUST,
        "In the message key each event key stands behind its length in 8 bytes.",
    ),
    (
        "open.frame.value-length",
        Level.MUST,
        (
            "In the message value, which carries no version, each event value stands behind its "
            "length in 8 bytes."
        ),
    ),
    (
        "open.frame.big-endian",
        Level.MUST,
        "Version number and lengths are big-endian 64-bit integers.",
    ),
    (
        "open.frame.pairing",
        Level.MUST,
        "The n-th event key and the n-th event value of a message belong together.",
    ),
)

_ROW: tuple[Row, ...] = (
    (
        "open.key.row",
        Level.MUST,
        "A row event's key holds `ts`, schema `scm`, table `tbl` and `t` 1.",
    ),
    ("open.key.ts", Level.MUST, "A key's `ts` is that of the transaction that made the change."),
    ("open.row.insert", Level.MUST, "An insert's value holds the new row under `u`."),
    ("open.row.update", Level.MUST, "An update's value holds the new row under `u`."),
    (
        "open.row.update.old-value",
        Level.MUST,
        (
            "An update's value also holds the row before the change under `p`, if and only if old "
            "values are switched on."
        ),
    ),
    ("open.row.delete", Level.MUST, "A delete's value holds the removed row under `d`."),
    (
        "open.row.delete.all-columns",
        Level.MUST,
        "With old values switched on, a delete holds all columns of the removed row.",
    ),
    (
        "open.row.delete.handle-columns",
        Level.MUST,
        "With old values switched off, a delete holds the handle columns only.",
    ),
    ("open.column.name", Level.MUST, "A row is an object from column name to column object."),
    ("open.column.type", Level.MUST, "A column object's `t` is the column's type code."),
    (
        "open.column.handle",
        Level.MUST,
        (
            "A column object's `h` tells whether the column is part of the where handle, which "
            "finds the row."
        ),
    ),
    ("open.column.flag", Level.MUST, "A column object's `f` is the column's bit flags."),
    ("open.column.value", Level.MUST, "A column object's `v` is the column's value."),
)

_DDL: tuple[Row, ...] = (
    ("open.key.ddl", Level.MUST, "A DDL event's key holds `ts`, `scm`, `tbl` and `t` 2."),
    (
        "open.key.ddl-empty-names",
        Level.MAY,
        "A DDL event's schema and table may be empty.",
    ),
    ("open.ddl.query", Level.MUST, "A DDL event's value holds the statement under `q`."),
    ("open.ddl.type", Level.MUST, "A DDL event's value holds the DDL type code under `t`."),
)

_RESOLVED: tuple[Row, ...] = (
    ("open.key.resolved", Level.MUST, "A resolved event's key holds `ts` and `t` 3."),
    ("open.resolved.value", Level.MUST, "A resolved event has no value."),
)

_EXAMPLE: tuple[Row, ...] = (
    (
        "open.row.partition-by-key",
        Level.MAY,
        "The rows of one table may be spread over partitions by their key.",
    ),
    (
        "open.txn.one-event-per-row",
        Level.MUST,
        "However often one transaction changes a row, it makes one row event of it.",
    ),
    (
        "open.order.first-occurrence",
        Level.MAY,
        "Repeated row events may come out of order; only the first ones are in order.",
    ),
    (
        "open.resolved.per-partition",
        Level.MUST,
        (
            "A resolved event speaks for its own partition: there every row and DDL event with a "
            "smaller ts has been sent."
        ),
    ),
    (
        "open.type.varchar.base64",
        Level.MUST,
        "In 4.0.0 to 4.0.4, VARCHAR values are Base64 and column objects carry no flags.",
        "up to 4.0.4",
    ),
)

_NOTES: tuple[Row, ...] = (
    (
        "open.handle.valid-index",
        Level.MUST,
        (
            "For each replicated table one valid index is the handle index; its columns carry the "
            "handle flag."
        ),
    ),
    (
        "open.flag.binary.blob-and-text",
        Level.MUST,
        "The binary flag tells BLOB types, where it is set, from TEXT types, where it is not.",
    ),
)

OPEN_CLAUSES: Mapping[str, Clause] = clauses(
    "open",
    {
        OPEN.section("Overview", "ticdc-open-protocol"): _OVERVIEW,
        OPEN.section("Restrictions", "restrictions"): _RESTRICTIONS,
        OPEN.section("Message format", "message-format"): _MESSAGE,
        OPEN.section("Event format, Row Changed Event", "row-changed-event"): _ROW,
        OPEN.section("Event format, DDL Event", "ddl-event"): _DDL,
        OPEN.section("Event format, Resolved Event", "resolved-event"): _RESOLVED,
        OPEN.section(
            "Examples of the Event stream output", "examples-of-the-event-stream-output"
        ): _EXAMPLE,
        OPEN.section("Bit flags of columns, notes", "bit-flags-of-columns"): _NOTES,
    },
)
