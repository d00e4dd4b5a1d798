"""What TiCDC Avro demands of any stream."""

from __future__ import annotations

from collections.abc import Iterator

from harness.stream_rules.shared import (
    deletes_first,
    in_one_place,
    one_event_a_row,
    one_table_a_topic,
    rising,
)
from harness.stream_rules.stream import Stream, StreamRule
from harness.stream_rules.ticdc import (
    DISPATCHERS,
    PARTITION_RULES,
    dispatched,
    keeps_rows_together,
)


def _of_one_key(stream: Stream) -> Iterator[str]:
    rule = dispatched(stream)
    keys = {
        sent.number: sent.row if keeps_rows_together(rule(sent)) else None for sent in stream.rows
    }
    yield from in_one_place(stream, lambda sent: keys[sent.number])
    yield from rising(stream, lambda sent: keys[sent.number], lambda sent: sent.ts)


RULES: tuple[StreamRule, ...] = (
    StreamRule(
        "avro.order.per-key",
        _of_one_key,
        "where the table or its handle chooses the partition",
        settings=(DISPATCHERS,),
    ),
    StreamRule("avro.order.deletes-first", deletes_first),
    StreamRule("avro.txn.net-effect", one_event_a_row),
    StreamRule("avro.topic.one-table", one_table_a_topic),
    *PARTITION_RULES,
)
