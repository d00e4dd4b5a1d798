"""Open Protocol messages cut and joined anew: where a batch ends depends on timing upstream.

DDL events and resolved events stand alone and no batch reaches over them. The size of a message is
counted as TiCDC counts it.

Source: TiCDC codec notes §2.7; clauses `open.frame.batch`, `open.frame.mixed-batch`,
`open.frame.alone`; tiflow c7b2588 pkg/sink/codec/common/message.go:31.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from harness.errors import DecodingError, StepError
from harness.faults.choose import Place, is_rows, nothing, place
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import COUNT_MAX, Option, Options, Takes
from harness.model.record import Origin, Record
from harness.wire.framing import frame_keys, frame_values, unframe

# What TiCDC adds to a message's bytes: the greatest overhead of a Kafka record.
RECORD_OVERHEAD = 36
_VERSION = 8
_LENGTHS = 16

Event = tuple[bytes, bytes, Origin]


@dataclass(slots=True)
class _Open:
    """The message of one partition that still takes events."""

    like: Record
    room: int
    events: list[Event] = field(default_factory=list[Event])
    size: int = _VERSION + RECORD_OVERHEAD

    def record(self) -> Record:
        """Return the message."""
        keys = frame_keys([key for key, _, _ in self.events])
        values = frame_values([value for _, value, _ in self.events])
        origins = tuple(origin for _, _, origin in self.events)
        return Record(self.like.topic, self.like.partition, keys, values, origins)


def rebatch(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Cut the row messages into events and join these to messages of at most that many, or bytes.

    StepError when one event alone exceeds `bytes`, or when nothing changes.
    """
    out = tuple(_rebatched(records, options, random))
    if out == tuple(records):
        raise nothing(
            "the messages have these sizes already", options.line, "another `events` or `bytes`"
        )
    return out


def _rebatched(records: Sequence[Record], options: Options, random: Random) -> Iterator[Record]:
    most = options.number("events", COUNT_MAX)
    limit = options.number("bytes") if "bytes" in options else None
    uneven = options.text("sizes") == "random"
    batches: dict[Place, _Open] = {}
    for record in records:
        here = place(record)
        if not is_rows(record):
            if here in batches:
                yield batches.pop(here).record()
            yield record
            continue
        for event in _events(record, options.line):
            size = len(event[0]) + len(event[1]) + _LENGTHS
            _check(size, limit, options.line)
            batch = batches.get(here)
            if batch is not None and limit is not None and batch.size + size > limit:
                yield batches.pop(here).record()
                batch = None
            if batch is None:
                batch = batches[here] = _Open(record, random.randint(1, most) if uneven else most)
            batch.events.append(event)
            batch.size += size
            if len(batch.events) >= batch.room:
                yield batches.pop(here).record()
    yield from (batch.record() for batch in batches.values())


def _check(size: int, limit: int | None, line: int) -> None:
    needed = size + _VERSION + RECORD_OVERHEAD
    if limit is not None and needed > limit:
        raise StepError(
            f"one event alone makes a message of {needed} bytes",
            line=line,
            expected=f"`bytes` from {needed}",
            hint="what becomes of larger events is up to the changefeed's large-message-handle",
        )


def _events(record: Record, line: int) -> Iterator[Event]:
    try:
        pairs = unframe(record.key or b"", record.value or b"")
    except DecodingError as error:
        what = f"a message cannot be cut into events: {error.what}"
        expected = "messages of the protocol, whole: cut them before other steps change them"
        raise StepError(what, line=line, expected=expected) from error
    for (key, value), origin in zip(pairs, record.origins, strict=True):
        yield key, value, origin


ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "rebatch",
        "Cuts the row messages into events and joins them anew: one to a message (`events: 1`), "
        "many, or as many as fit below a size. Events above the size limit are the changefeed's "
        "affair, not that of its delivery.",
        frozenset(Invariant) - {Invariant.BYTES, Invariant.LAST_VALUE},
        (
            Option("events", Takes.NUMBER, "The most events in one message."),
            Option("bytes", Takes.NUMBER, "The largest message, counted as TiCDC counts."),
            Option(
                "sizes",
                Takes.WORD,
                "Whether every message takes what fits, or a random share of `events`.",
                "full",
                words=("full", "random"),
            ),
        ),
        rebatch,
        some_of=("events", "bytes"),
        example={"events": 1},
    ),
)
