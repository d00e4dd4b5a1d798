"""What Debezium's connectors demand of any stream, whichever database they follow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from harness.model.debezium_place import DebeziumPlace
from harness.model.decoded import DecodedEvent, EventKind
from harness.stream_rules.shared import in_one_place, one_table_a_topic, rising
from harness.stream_rules.stream import Place, Sent, Stream, StreamRule

SETTINGS = ("provide.transaction.metadata",)
IF_METADATA = "with `provide.transaction.metadata`"
_UNGROWN = "where no partition was added on the way"
TOMBSTONES = "tombstones.on.delete"
_LEGAL = re.compile(r"[A-Za-z0-9._-]*")


def event_of(sent: Sent) -> int:
    """Return the number of a message's source event."""
    return sent.origin.event


def place_of(sent: Sent) -> DebeziumPlace:
    """Return where a message says that it stands."""
    return sent.event.place or DebeziumPlace()


def as_generated(stream: Stream) -> Iterator[str]:
    """Yield rows that are not in the order of the source."""
    return rising(stream, lambda _: 0, event_of)


def per_key(stream: Stream) -> Iterator[str]:
    """Yield rows of a key that are apart although its bytes are the same, or out of order.

    The bytes hold the key's schema, or the schema's id: a column of another type makes others.
    """
    if not stream.grown:
        yield from in_one_place(stream, lambda sent: sent.row and (sent.row, sent.record.key))
    yield from rising(stream, lambda sent: sent.row, event_of)


def by_key(stream: Stream) -> Iterator[str]:
    """Yield messages that are not where the hash of their key puts them.

    Statements and heartbeats have topics of their own, and name partition 0 themselves.
    """
    named = {sent.record.topic for sent in stream.events if _names_its_partition(sent.event)}
    for number, record in enumerate(stream.records):
        if record.key is not None and record.topic not in named:
            home = (murmur2(record.key) & 0x7FFFFFFF) % stream.partitions
            if home != record.partition:
                yield f"message {number} is in partition {record.partition}, its key's is {home}"


def _names_its_partition(event: DecodedEvent) -> bool:
    return event.kind is EventKind.HEARTBEAT or (event.kind is EventKind.DDL and not event.empties)


def boundaries(stream: Stream, *, all_end: bool = True) -> Iterator[str]:
    """Yield an END that is not its transaction's and, where all end, a BEGIN that has none."""
    open_: dict[Place, Sent] = {}
    for sent in stream.events:
        if not sent.first or sent.event.kind not in (EventKind.BEGIN, EventKind.END):
            continue
        begun = open_.pop(sent.place, None)
        if sent.event.kind is EventKind.BEGIN:
            if begun is not None and all_end:
                yield f"{sent} comes before the END of {begun}"
            open_[sent.place] = sent
        elif begun is None or place_of(begun).transaction_id != place_of(sent).transaction_id:
            yield f"{sent} has no BEGIN before it"
    for begun in open_.values() if all_end else ():
        yield f"{begun} has no END behind it"


def murmur2(data: bytes) -> int:
    """Return the 32-bit hash that Kafka's producer takes of a key.

    Source: org.apache.kafka.common.utils.Utils `murmur2`, seed 0x9747b28c.
    """
    mask, multiplier = 0xFFFFFFFF, 0x5BD1E995
    length = len(data)
    found = (0x9747B28C ^ length) & mask
    whole = length & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * multiplier & mask
        k = (k ^ k >> 24) * multiplier & mask
        found = found * multiplier & mask ^ k
    if length > whole:
        found = (found ^ int.from_bytes(data[whole:], "little")) * multiplier & mask
    found = (found ^ found >> 13) * multiplier & mask
    return found ^ found >> 15


def tombstone_behind(stream: Stream) -> Iterator[str]:
    """Yield deletes without a tombstone right behind them."""
    waiting: dict[tuple[Place, bytes | None], Sent] = {}
    for sent in stream.events:
        if sent.record.key is None:
            continue  # a table without a key: its tombstones go to any partition
        name = (sent.place, sent.record.key)
        before = waiting.pop(name, None)
        if before is not None and sent.record.value is not None:
            yield f"{sent} comes before the tombstone of {before}"
        if sent.event.kind is EventKind.DELETE:
            waiting[name] = sent
    for sent in waiting.values():
        yield f"{sent} has no tombstone behind it"


def no_tombstone(stream: Stream) -> Iterator[str]:
    """Yield tombstones."""
    for number, record in enumerate(stream.records):
        if record.value is None:
            yield f"message {number} is a tombstone"


def total_order(stream: Stream) -> Iterator[str]:
    """Yield rows whose numbers within their transaction have gaps or fall."""
    together: dict[str, list[Sent]] = {}
    for sent in stream.first_rows:
        # A transform may take the id away: then nothing says whose the number is.
        if place_of(sent).total_order is not None and place_of(sent).transaction_id:
            together.setdefault(place_of(sent).transaction_id, []).append(sent)
    for events in together.values():
        events.sort(key=lambda sent: place_of(sent).total_order or 0)
        for number, sent in enumerate(events, 1):
            if place_of(sent).total_order != number:
                yield f"{sent} has total_order {place_of(sent).total_order}, it is number {number}"
        for one, other in pairwise(events):
            if one.place == other.place and one.number > other.number:
                yield f"{other} comes before {one}, which has a smaller total_order"


def is_on(name: str, *, default: bool) -> Callable[[Stream], bool]:
    """Return whether a stream was sent under a setting."""

    def said(stream: Stream) -> bool:
        return str(stream.settings.get(name, default)).lower() == "true"

    return said


def metadata(stream: Stream) -> bool:
    """Return whether transactions are reported."""
    return is_on("provide.transaction.metadata", default=False)(stream)


def legal_topics(stream: Stream) -> Iterator[str]:
    """Yield topics of two tables, of which neither needs a character that Kafka forbids."""
    legal = (sent for sent in stream.events if all(map(_LEGAL.fullmatch, sent.table)))
    return one_table_a_topic(replace(stream, events=tuple(legal)))


def _chosen_by_key(stream: Stream) -> bool:
    return not stream.grown


def partition_rules(check: Callable[[Stream], Iterator[str]]) -> tuple[StreamRule, ...]:
    """Return the rules by which Kafka's producer chooses a partition."""
    clauses = ("connect.partition.by-key", "kafka.partition.murmur2")
    return tuple(StreamRule(clause, check, _UNGROWN, _chosen_by_key) for clause in clauses)
