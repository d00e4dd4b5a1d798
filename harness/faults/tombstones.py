"""Tombstones: without their delete, missing, before everything, or empty where they are null.

A tombstone is a message with a null value. Debezium sends one behind each delete event, with the
same key; TiCDC's Avro deletes are tombstones. In the Open Protocol there are none.

Source: Vitess connector notes §5; TiCDC codec notes §3.1; clauses `kafka.compaction.older-gone`,
`kafka.compaction.tombstone-gone`; https://github.com/apache/hudi/issues/8519 and its likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from harness.faults.choose import Place, is_rows, nothing, place
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import Option, Options, Takes
from harness.model.record import Record


def drop_tombstones(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Leave out the tombstones that follow a delete event of the same key."""
    del random
    gone = {tombstone for _, tombstone in _deletes(records)}
    return _without(records, gone, options.line)


def drop_deletes(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Leave out the delete events that a tombstone of the same key follows."""
    del random
    gone = {delete for delete, _ in _deletes(records)}
    return _without(records, gone, options.line)


def tombstone_first(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Open each partition with a tombstone for the key of its first row message."""
    del random
    # A compacted topic takes no message without a key: a resolved event, a row of no key.
    uncompacted = {record.topic for record in records if record.key is None}
    firsts: dict[Place, Record] = {}
    for record in records:
        if record.topic not in uncompacted and is_rows(record):
            firsts.setdefault(place(record), record)
    if not firsts:
        raise nothing(
            "no topic of row messages has a key in each of them", options.line, _WITH_KEYS
        )
    tombstones = (replace(first, value=None, value_schema=None) for first in firsts.values())
    return (*tombstones, *records)


def zero_byte_tombstones(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Give every tombstone a value of no bytes instead of none."""
    del random
    out = tuple(replace(r, value=b"") if r.value is None else r for r in records)
    if out == tuple(records):
        raise nothing(_NO_TOMBSTONE, options.line, _WITH_DELETES)
    return out


def empty_message(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Put a message without key and without value bytes at some place of every partition."""
    value = None if options.text("value") == "null" else b""
    places: dict[Place, list[int]] = {}
    for number, record in enumerate(records):
        places.setdefault(place(record), []).append(number)
    before = {random.choice(numbers) for numbers in places.values()}
    if not before:
        raise nothing("nothing is sent", options.line)
    out: list[Record] = []
    for number, record in enumerate(records):
        if number in before:
            out.append(Record(record.topic, record.partition, None, value, record.origins))
        out.append(record)
    return tuple(out)


def _deletes(records: Sequence[Record]) -> list[tuple[int, int]]:
    """Return the positions of delete events and of the tombstones right behind them.

    The two have their key and their origin in common. The origin is an update where its key was
    changed: that is sent as delete, tombstone and create. Messages without a key, as those of a
    table without one, are left alone: compaction goes by keys.
    """
    before: dict[tuple[Place, bytes | None], int] = {}
    found: list[tuple[int, int]] = []
    for number, record in enumerate(records):
        if record.key is None:
            continue
        here = (place(record), record.key)
        previous = before.pop(here, None)
        if record.value is not None:
            before[here] = number
        elif previous is not None and records[previous].origins == record.origins:
            found.append((previous, number))
    return found


def _without(records: Sequence[Record], gone: set[int], line: int) -> tuple[Record, ...]:
    if not gone:
        raise nothing("no delete event is followed by its tombstone", line, _WITH_DELETES)
    return tuple(record for number, record in enumerate(records) if number not in gone)


_WITH_KEYS = "a topic whose row messages all have keys"
_NO_TOMBSTONE = "no tombstone is sent"
_WITH_DELETES = "a delete, in a protocol that sends tombstones behind deletes"
_LESS = frozenset(Invariant) - {Invariant.LAST_VALUE}

ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "drop-tombstones",
        "Leaves out the tombstones behind delete events, as compaction does after a while.",
        _LESS,
        (),
        drop_tombstones,
    ),
    Disturbance(
        "drop-deletes",
        "Leaves out the delete events and keeps their tombstones, as compaction does.",
        frozenset(Invariant),
        (),
        drop_deletes,
    ),
    Disturbance(
        "tombstone-first",
        "Opens each partition with a tombstone for the key of its first row message, as compaction "
        "leaves it.",
        frozenset(Invariant) - {Invariant.BYTES, Invariant.ONCE},
        (),
        tombstone_first,
    ),
    Disturbance(
        "zero-byte-tombstones",
        "Gives every tombstone a value of no bytes instead of a null value.",
        frozenset(
            {
                Invariant.EVENTS,
                Invariant.ONCE,
                Invariant.ORDER,
                Invariant.PROMISE,
                Invariant.RISING,
                Invariant.MARKS,
            }
        ),
        (),
        zero_byte_tombstones,
    ),
    Disturbance(
        "empty-message",
        "Puts a message without key and without value bytes somewhere into every partition.",
        frozenset({Invariant.EVENTS, Invariant.PROMISE, Invariant.MARKS, Invariant.LAST_VALUE}),
        (
            Option(
                "value",
                Takes.WORD,
                "Whether the value has no bytes, or is null like the key.",
                "zero-byte",
                words=("zero-byte", "null"),
            ),
        ),
        empty_message,
        example={"value": "null"},
    ),
)
