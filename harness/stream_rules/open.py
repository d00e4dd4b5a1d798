"""What the TiCDC Open Protocol demands of any stream."""

from __future__ import annotations

from collections.abc import Iterator

from harness.codecs.open.dialect import NEWARCH
from harness.codecs.ticdc.settings import MAX_MESSAGE_BYTES, RECORD_OVERHEAD
from harness.errors import plural
from harness.stream_rules.shared import deletes_first, one_event_a_row, physical, rising
from harness.stream_rules.stream import DDL, MARK, ROWS, Sent, Stream, StreamRule
from harness.stream_rules.ticdc import (
    ALONE,
    DISPATCHERS,
    PARTITION_RULES,
    by_handle,
    by_table,
    chosen_alone,
    homes,
    keeps_rows_together,
    marked,
)

_EVENTS = ("sink.kafka-config.codec-config.max-batch-size", "max-batch-size")
_BYTES = ("sink.kafka-config.max-message-bytes", "max-message-bytes")
_EVENTS_DEFAULT = 16


def _in_order_of_ts(stream: Stream) -> Iterator[str]:
    # Each partition of a table has a sorter of its own in TiCDC.
    return rising(stream, lambda s: (s.table, physical(stream, s)), lambda sent: sent.ts)


def _limit(stream: Stream, names: tuple[str, ...], default: int) -> int:
    return int(str(stream.setting(*names) or default))


def _few_enough(stream: Stream) -> Iterator[str]:
    most = _limit(stream, _EVENTS, _EVENTS_DEFAULT)
    for number, record in enumerate(stream.records):
        if len(record.origins) > most:
            held = plural(len(record.origins), "event")
            yield f"message {number} holds {held}, {most} may be in one"


def _small_enough(stream: Stream) -> Iterator[str]:
    most = _limit(stream, _BYTES, MAX_MESSAGE_BYTES)
    for number, record in enumerate(stream.records):
        size = len(record.key or b"") + len(record.value or b"") + RECORD_OVERHEAD
        rows = {origin.kind for origin in record.origins}.isdisjoint({DDL.value, MARK.value})
        if rows and size > most:
            yield f"message {number} is {size} bytes long, at most {most} may be sent"


def _some(stream: Stream) -> Iterator[str]:
    events = {sent.number for sent in stream.events}
    for number, record in enumerate(stream.records):
        if number not in events and not record.value:
            yield f"message {number} holds no event"


def _alone(stream: Stream) -> Iterator[str]:
    for sent in stream.events:
        if sent.event.kind not in ROWS and len(sent.record.origins) > 1:
            yield f"{sent} shares its message with other events"


def _headers(stream: Stream) -> Iterator[str]:
    for number, record in enumerate(stream.records):
        if record.headers:
            yield f"message {number} has the header {record.headers[0][0]!r}"


def _ddl_everywhere(stream: Stream) -> Iterator[str]:
    found: dict[tuple[str, int], dict[int, Sent]] = {}
    topics: dict[int, str] = {}
    for sent in stream.events:
        if sent.event.kind is DDL:
            topic = topics.setdefault(sent.origin.event, sent.record.topic)
            if topic != sent.record.topic:
                yield f"{sent} is in {topic} too, but a DDL event has one topic"
            copies = found.setdefault((sent.record.topic, sent.origin.event), {})
            copies[sent.record.partition] = sent
    for copies in found.values():
        missing = sorted(set(range(stream.partitions)) - copies.keys())
        if missing:
            yield f"{next(iter(copies.values()))} is not in partition {missing[0]} of its topic"


def _marks_everywhere(stream: Stream) -> Iterator[str]:
    marks: dict[str, dict[int, Sent]] = {}
    for sent in stream.events:
        if sent.event.kind is MARK:
            marks.setdefault(sent.record.topic, {})[sent.record.partition] = sent
    for topic, found in marks.items():
        missing = sorted(set(range(stream.partitions)) - found.keys())
        if missing:
            yield f"partition {missing[0]} of {topic} has no resolved event, another has"


RULES: tuple[StreamRule, ...] = (
    StreamRule("open.order.per-table-ts", _in_order_of_ts),
    StreamRule(
        "open.txn.deletes-first",
        deletes_first,
        "but in the newer architecture",
        lambda stream: stream.dialect != NEWARCH.name,
    ),
    StreamRule("open.txn.one-event-per-row", one_event_a_row),
    StreamRule("open.resolved.complete", marked(inclusive=False)),
    StreamRule("open.resolved.per-partition", marked(inclusive=False)),
    StreamRule(
        "open.resolved.inclusive",
        marked(inclusive=True),
        "in the dialects of which a mark promises its own ts too",
        lambda stream: stream.complete == "at-or-below",
    ),
    StreamRule("open.resolved.broadcast", _marks_everywhere),
    StreamRule("open.ddl.topic-broadcast", _ddl_everywhere),
    StreamRule("open.frame.batch", _some),
    StreamRule("open.frame.alone", _alone),
    StreamRule("open.frame.no-headers", _headers),
    StreamRule("open.batch.size", _few_enough, settings=_EVENTS),
    StreamRule("open.batch.bytes", _small_enough, settings=_BYTES),
    StreamRule(
        "open.row.same-partition",
        homes(lambda sent: sent.row, keeps_rows_together),
        "where the table or its handle chooses the partition",
        settings=(DISPATCHERS,),
    ),
    StreamRule(
        "open.partition.by-table",
        homes(lambda sent: sent.table, by_table),
        f"without a dispatcher; {ALONE}",
        chosen_alone,
        (DISPATCHERS,),
    ),
    StreamRule(
        "open.partition.index-value",
        homes(lambda sent: sent.row, by_handle),
        "under `index-value` without `index`",
        settings=(DISPATCHERS,),
    ),
    *PARTITION_RULES,
)
