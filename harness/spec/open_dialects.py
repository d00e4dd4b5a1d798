"""What the oldest and the newest writers of the Open Protocol do otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import OPEN, TICDC

_EXAMPLES_OF_THE_EVENT_STREAM_OUTPUT: tuple[Row, ...] = (
    must(
        "open.dialect.no-flags",
        "In 4.0.0 to 4.0.4 a column object has neither flags nor, in a key, a row id.",
        "up to 4.0.4",
    ),
    must(
        "open.dialect.no-old-value",
        "In 4.0.0 to 4.0.4 an update has no old row, and a delete the handle columns only.",
        "up to 4.0.4",
    ),
    may(
        "open.resolved.behind-rows",
        "A resolved ts may be smaller than that of rows sent before it, as in lines 13 and 14 "
        "of the sample.",
    ),
)

_CODEC: tuple[Row, ...] = (
    must(
        "open.new.column-order",
        "The newer architecture writes columns in the table's order.",
        "new architecture",
    ),
    must("open.new.no-row-id", "The newer architecture writes no `rid`.", "new architecture"),
    must(
        "open.new.key-order",
        "In the newer architecture a key's members stand in the order ts, scm, tbl, t, ohk, "
        "ccl, ptn.",
        "new architecture",
    ),
    must(
        "open.new.names-always",
        "The newer architecture writes `scm` and `tbl` even when they are empty.",
        "new architecture",
    ),
    must(
        "open.new.claim-check",
        "In the newer architecture a claim check's key also has `ohk` false.",
        "new architecture",
    ),
    must(
        "open.new.html-unescaped",
        "The newer architecture writes `<`, `>` and `&` in JSON text as they are.",
        "new architecture",
    ),
)

OPEN_DIALECT_CLAUSES: Mapping[str, Clause] = clauses(
    "open",
    {
        OPEN.section(
            "Examples of the Event stream output", "examples-of-the-event-stream-output"
        ): _EXAMPLES_OF_THE_EVENT_STREAM_OUTPUT,
        TICDC.file("pkg/sink/codec/open/codec.go"): _CODEC,
    },
)
