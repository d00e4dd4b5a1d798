"""What a TiCDC changefeed does that its protocol documents leave unsaid.

Read from the source of tiflow at c7b2588 and from what its encoders wrote; a consumer meets all of
it, so each statement is a clause with the file that it was read from.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Level, Row, clauses
from harness.spec.documents import TIFLOW

_SPLIT: tuple[Row, ...] = (
    (
        "open.row.pk-update-split",
        Level.MUST,
        (
            "An update that changes the handle or any unique key is sent as a delete of the old "
            "row and an insert of the new one, at the same ts."
        ),
    ),
    (
        "open.row.split-apart",
        Level.MAY,
        "The two halves of a split update may go to different partitions.",
    ),
)
_ORDER: tuple[Row, ...] = (
    (
        "open.txn.deletes-first",
        Level.MUST,
        "In one table at one ts, deletes come before updates, and updates before inserts.",
    ),
)
_NETTING: tuple[Row, ...] = (
    (
        "open.txn.net-effect",
        Level.MUST,
        (
            "A row event tells a transaction's net effect: inserted and deleted again is nothing, "
            "deleted and inserted again is an update."
        ),
    ),
)
_CONSUMER: tuple[Row, ...] = (
    (
        "open.resolved.inclusive",
        Level.MUST,
        (
            "A resolved event promises that every event with a ts up to and including its own has "
            "been sent before it."
        ),
        "current",
    ),
    (
        "open.resolved.may-regress",
        Level.MAY,
        "After a restart a resolved ts may be smaller than one seen before; the largest counts.",
    ),
    (
        "open.resolved.global",
        Level.MUST,
        "What is complete is told by the smallest resolved ts over all partitions.",
    ),
    (
        "open.row.drop-applied",
        Level.MAY,
        (
            "Row events at or below the resolved ts that a consumer has applied may be dropped as "
            "repetitions."
        ),
    ),
    (
        "open.ddl.after-rows",
        Level.MUST,
        "A DDL event takes effect once all partitions have resolved up to its ts.",
    ),
    (
        "open.ddl.once",
        Level.MUST,
        "The copies of one DDL event, known by ts and statement, are one statement.",
    ),
    (
        "open.ddl.equal-ts",
        Level.MAY,
        "Different DDL events may have the same ts.",
    ),
    (
        "open.ddl.at-least-once",
        Level.MAY,
        "DDL and resolved events may be sent again after a failure.",
    ),
)
_BATCH: tuple[Row, ...] = (
    (
        "open.frame.mixed-batch",
        Level.MAY,
        "One message may mix row events of several tables and ts; where it ends depends on timing.",
    ),
    (
        "open.frame.alone",
        Level.MUST,
        "DDL and resolved events stand alone in their message.",
    ),
)
_KEYS: tuple[Row, ...] = (
    (
        "open.key.row-id",
        Level.MAY,
        "A row event's key may hold the row's integer handle under `rid`.",
        "from 4.0.5",
    ),
    (
        "open.key.partition-id",
        Level.MUST,
        "For a partitioned table a row event's key holds the physical partition under `ptn`.",
        "current",
    ),
)
_DDL_TEXT: tuple[Row, ...] = (
    (
        "open.ddl.restored-query",
        Level.MUST,
        "`q` is the statement as TiDB restores it from its syntax tree, not the user's text.",
        "from 5.4.0",
    ),
    (
        "open.ddl.current-schema",
        Level.MUST,
        "`q` may name tables without their database; `scm` is the current one.",
    ),
)
_DDL_NAMES: tuple[Row, ...] = (
    (
        "open.ddl.rename-names",
        Level.MUST,
        (
            "A rename's key holds the new names; one statement that renames several tables makes "
            "one event for each, all with the same ts."
        ),
    ),
    (
        "open.ddl.drop-names",
        Level.MUST,
        "One statement that drops several tables makes one event for each.",
    ),
)
_VALUES: tuple[Row, ...] = (
    (
        "open.type.null-keeps-code",
        Level.MUST,
        "A NULL keeps its column's own type code; `v` is null.",
    ),
)
_MISSING: tuple[Row, ...] = (
    (
        "open.row.added-column",
        Level.MUST,
        (
            "A row that was stored before a column was added carries that column's default, else "
            "NULL, else the type's zero value."
        ),
    ),
)
_HIDDEN: tuple[Row, ...] = (
    (
        "open.row.no-virtual-columns",
        Level.MUST,
        "Virtual generated columns are never sent; stored ones are.",
    ),
)
_DELETES: tuple[Row, ...] = (
    (
        "open.row.delete.handle-only-setting",
        Level.MUST,
        "With `delete-only-output-handle-key-columns` a delete holds the handle columns only.",
        "from 7.2.0",
    ),
)
_UPDATES: tuple[Row, ...] = (
    (
        "open.row.update.changed-columns-setting",
        Level.MUST,
        "With `only-output-updated-columns`, `p` holds only the columns that changed.",
        "from 7.1.0",
    ),
)
_DISPATCH: tuple[Row, ...] = (
    (
        "open.partition.by-table",
        Level.MUST,
        "Without a dispatcher rule all rows of one table go to one partition.",
    ),
    (
        "open.partition.index-value",
        Level.MUST,
        "Under `index-value` the values of the handle columns decide the partition.",
    ),
)

CHANGEFEED_CLAUSES: Mapping[str, Clause] = clauses(
    "open",
    {
        TIFLOW.file("cdc/model/sink.go", 1187): _SPLIT,
        TIFLOW.file("cdc/processor/sourcemanager/sorter/pebble/encoding/key.go", 85): _ORDER,
        TIFLOW.file("cdc/entry/mounter.go", 160): _NETTING,
        TIFLOW.file("cmd/kafka-consumer/writer.go", 224): _CONSUMER,
        TIFLOW.file("pkg/sink/codec/open/open_protocol_encoder.go", 130): _BATCH,
        TIFLOW.file("pkg/sink/codec/internal/message_key.go", 24): _KEYS,
        TIFLOW.file("cdc/owner/ddl_sink.go", 432): _DDL_TEXT,
        TIFLOW.file("cdc/model/sink.go", 1092): _DDL_NAMES,
        TIFLOW.file("pkg/sink/codec/internal/column.go", 27): _VALUES,
        TIFLOW.file("cdc/entry/mounter.go", 853): _MISSING,
        TIFLOW.file("cdc/model/schema_storage.go", 380): _HIDDEN,
        TIFLOW.file("pkg/sink/codec/open/open_protocol_message.go", 122): _DELETES,
        TIFLOW.file("pkg/sink/codec/open/open_protocol_message.go", 83): _UPDATES,
        TIFLOW.file("cdc/sink/dmlsink/mq/dispatcher/event_router.go", 97): _DISPATCH,
    },
)
