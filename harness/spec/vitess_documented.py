"""Where the connector's page shows what 3.3.1 does not send: what the dialect `documented` writes.

Each of them has a counterpart that says what the connector does.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, must
from harness.spec.documents import VITESS

_CREATE_EVENTS: tuple[Row, ...] = (
    must(
        "vitess.documented.source-order",
        "By the page the source's three times follow its name and are required.",
        "documented",
    ),
    must(
        "vitess.documented.snapshot-allowed",
        "By the page the source's `snapshot` may be true, last, false or incremental.",
        "documented",
    ),
    must(
        "vitess.documented.envelope",
        "By the page a value has a transaction field only with transaction metadata on.",
        "documented",
    ),
)

_SNAPSHOT: tuple[Row, ...] = (
    must(
        "vitess.documented.read",
        "By the page's idea of a snapshot a copied row is an event with op r whose source has "
        "`snapshot` true.",
        "documented",
    ),
)

_TRANSACTION_METADATA: tuple[Row, ...] = (
    must(
        "vitess.documented.collection-name",
        "By the page a data collection is the keyspace and the table, without the shard.",
        "documented",
    ),
    must(
        "vitess.documented.vgtid",
        "By the page an entry of a VGTID has keyspace, shard and gtid, and no more.",
        "documented",
    ),
)

_ORDERED_TRANSACTION_METADATA: tuple[Row, ...] = (
    must(
        "vitess.documented.rank-first",
        "By the page's sample transaction_rank stands before transaction_epoch.",
        "documented",
    ),
)

VITESS_DOCUMENTED_CLAUSES: Mapping[str, Clause] = clauses(
    "vitess",
    {
        VITESS.section("create events", "vitess-create-events"): _CREATE_EVENTS,
        VITESS.section("Snapshot", "vitess-snapshot"): _SNAPSHOT,
        VITESS.section(
            "Transaction metadata", "vitess-transaction-metadata"
        ): _TRANSACTION_METADATA,
        VITESS.section(
            "Ordered transaction metadata", "vitess-ordered-transaction-metadata"
        ): _ORDERED_TRANSACTION_METADATA,
    },
)
