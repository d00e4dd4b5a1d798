"""What TiCDC's encoder makes of the Open Protocol where its document is silent or out of date.

Frames and batches, large messages, the order of members, JSON text, DDL text.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.spec.clause import Clause, Row, clauses, may, must
from harness.spec.documents import OPEN, TIFLOW

_OPEN_PROTOCOL_ENCODER: tuple[Row, ...] = (
    must(
        "open.resolved.empty-frame",
        "A resolved event's value is one frame of length 0, eight zero bytes; the document "
        "says that there is none.",
        "current",
    ),
)

_MESSAGE: tuple[Row, ...] = (must("open.frame.no-headers", "Messages have no Kafka headers."),)

_OPEN_PROTOCOL_ENCODER_2: tuple[Row, ...] = (
    must("open.batch.size", "A message holds at most `max-batch-size` events, 16 by default."),
    must(
        "open.batch.bytes",
        "A message is no longer than `max-message-bytes`, keys, values and Kafka's own "
        "overhead counted.",
    ),
    must(
        "open.batch.too-large",
        "A row that alone exceeds `max-message-bytes` stops the changefeed unless large "
        "messages are handled.",
    ),
)

_OPEN_PROTOCOL_ENCODER_3: tuple[Row, ...] = (
    must(
        "open.large.handle-key-only",
        "Under `handle-key-only` a row that is too large is sent with its handle columns "
        "only, and its key has `ohk` true.",
        "from 6.5.4, 7.1.2 and 7.3.0",
    ),
    must(
        "open.large.fetch-row",
        "A consumer that meets `ohk` reads the row's other columns elsewhere, or says that it "
        "cannot.",
        "from 6.5.4, 7.1.2 and 7.3.0",
    ),
)

_OPEN_PROTOCOL_ENCODER_4: tuple[Row, ...] = (
    must(
        "open.large.claim-check",
        "Under `claim-check` a row that is too large lies in a file, and its key has the "
        "file's place under `ccl`.",
        "from 7.3.0",
    ),
)

_OPEN_PROTOCOL_ENCODER_5: tuple[Row, ...] = (
    must(
        "open.frame.compressed",
        "With a compression set each value frame is compressed by itself, keys never.",
        "from 7.4.0",
    ),
)

_MESSAGE_KEY: tuple[Row, ...] = (
    must(
        "open.key.order",
        "A key's members stand in the order ts, scm, tbl, rid, ptn, t, ohk, ccl, and are left "
        "out when empty.",
        "current",
    ),
    must("open.key.no-table", "The key of a DDL on a database has no `tbl`."),
)

_OPEN_PROTOCOL_MESSAGE: tuple[Row, ...] = (
    must(
        "open.row.value-order",
        "A value's members stand in the order u, p, d, and an empty one is left out.",
    ),
    must(
        "open.column.order",
        "The columns of a row are sorted by the bytes of their names, not in the table's order.",
        "current",
    ),
    may("open.row.upsert", "With old values off an insert and an update look alike."),
)

_COLUMN: tuple[Row, ...] = (
    must(
        "open.column.members",
        "A column object's members stand in the order t, h, f, v; `h` is left out when false.",
    ),
    must(
        "open.type.escaped-twice",
        "Binary text is escaped as Go quotes it, and the backslashes of that are escaped "
        "again as JSON.",
    ),
    must(
        "open.json.escapes",
        "JSON text has no blanks between its parts, and writes `<`, `>`, `&` and U+2028 and "
        "U+2029 as \\u escapes.",
    ),
    must(
        "open.json.invalid-utf8",
        "Bytes that are not UTF-8 in a name or a character column become U+FFFD.",
    ),
    must(
        "open.type.float.text",
        "A FLOAT has the shortest digits that name its 32 bits, a DOUBLE those of its 64, "
        "with an exponent below 1e-6 and from 1e21.",
    ),
)

_MQ_DDL_SINK: tuple[Row, ...] = (
    must(
        "open.ddl.topic-broadcast",
        "A DDL event goes to every partition of its table's topic, not to other topics.",
    ),
)

_DDL_SINK: tuple[Row, ...] = (
    must(
        "open.ddl.user-text",
        "Up to 5.3 `q` is the user's text, as in the document's sample.",
        "up to 5.3",
    ),
    must(
        "open.ddl.feature-comments",
        "What only TiDB understands stands in `q` in `/*T!` comments, so other databases pass "
        "over it.",
        "from 5.4.0",
    ),
    must("open.ddl.ttl-off", "In `q` TTL jobs are switched off, whatever the statement said."),
    must(
        "open.ddl.multi-statement",
        "An ALTER TABLE of several changes is one event of type 61, multi-schema change.",
    ),
)

_EVENT_FORMAT_DDL_EVENT: tuple[Row, ...] = (
    must(
        "open.ddl.type-number",
        "A DDL event's type is a JSON number, as in the sample; the document's table calls it "
        "a string.",
    ),
)

_COLUMN_TYPE_CODE: tuple[Row, ...] = (
    may(
        "open.type.other-codes",
        "A consumer takes 14 for a date and 253 for variable text although only 10 and 15 are "
        "sent.",
    ),
)

OPEN_ENCODER_CLAUSES: Mapping[str, Clause] = clauses(
    "open",
    {
        TIFLOW.file("pkg/sink/codec/open/open_protocol_encoder.go", 243): _OPEN_PROTOCOL_ENCODER,
        TIFLOW.file("pkg/sink/codec/common/message.go", 50): _MESSAGE,
        TIFLOW.file("pkg/sink/codec/open/open_protocol_encoder.go", 130): _OPEN_PROTOCOL_ENCODER_2,
        TIFLOW.file("pkg/sink/codec/open/open_protocol_encoder.go", 43): _OPEN_PROTOCOL_ENCODER_3,
        TIFLOW.file("pkg/sink/codec/open/open_protocol_encoder.go", 292): _OPEN_PROTOCOL_ENCODER_4,
        TIFLOW.file("pkg/sink/codec/open/open_protocol_encoder.go", 81): _OPEN_PROTOCOL_ENCODER_5,
        TIFLOW.file("pkg/sink/codec/internal/message_key.go", 24): _MESSAGE_KEY,
        TIFLOW.file("pkg/sink/codec/open/open_protocol_message.go", 53): _OPEN_PROTOCOL_MESSAGE,
        TIFLOW.file("pkg/sink/codec/internal/column.go", 38): _COLUMN,
        TIFLOW.file("cdc/sink/ddlsink/mq/mq_ddl_sink.go", 44): _MQ_DDL_SINK,
        TIFLOW.file("cdc/owner/ddl_sink.go", 432): _DDL_SINK,
        OPEN.section("Event format, DDL Event", "ddl-event"): _EVENT_FORMAT_DDL_EVENT,
        OPEN.section("Column type code", "column-type-code"): _COLUMN_TYPE_CODE,
    },
)
