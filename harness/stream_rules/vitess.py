"""What Debezium Vitess demands of any stream."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from itertools import pairwise

from harness.model.decoded import EventKind
from harness.model.vitess_position import VitessPlace
from harness.stream_rules.shared import (
    in_one_place,
    one_table_a_topic,
    one_topic_a_table,
    rising,
)
from harness.stream_rules.stream import Place, Sent, Stream, StreamRule

_TOMBSTONES = "tombstones.on.delete"
_NAMING = "topic.naming.strategy"
_BY_NAME = ("SchemaTopicNamingStrategy", "TableTopicNamingStrategy")
_SETTINGS = ("provide.transaction.metadata",)
_LEGAL = re.compile(r"[A-Za-z0-9._-]*")


def _event(sent: Sent) -> int:
    return sent.origin.event


def _at(sent: Sent) -> VitessPlace:
    return sent.event.vitess or VitessPlace()


def _as_generated(stream: Stream) -> Iterator[str]:
    return rising(stream, lambda _: 0, _event)


def _per_key(stream: Stream) -> Iterator[str]:
    if not stream.grown:
        yield from in_one_place(stream, lambda sent: sent.row)
    yield from rising(stream, lambda sent: sent.row, _event)


def _by_key(stream: Stream) -> Iterator[str]:
    for number, record in enumerate(stream.records):
        if record.key is not None:
            home = (murmur2(record.key) & 0x7FFFFFFF) % stream.partitions
            if home != record.partition:
                yield f"message {number} is in partition {record.partition}, its key's is {home}"


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


def _tombstone_behind(stream: Stream) -> Iterator[str]:
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


def _no_tombstone(stream: Stream) -> Iterator[str]:
    for number, record in enumerate(stream.records):
        if record.value is None:
            yield f"message {number} is a tombstone"


def _unmixed(stream: Stream) -> Iterator[str]:
    done: dict[Place, set[Hashable]] = {}
    now: dict[Place, Sent] = {}
    for sent in stream.first_rows:
        before = now.get(sent.place)
        if before is not None and _at(before).vgtid != _at(sent).vgtid:
            done.setdefault(sent.place, set()).add(_at(before).vgtid)
        if _at(sent).vgtid in done.get(sent.place, ()):
            yield f"{sent} comes behind another transaction, which parts it from its own"
        now[sent.place] = sent


def _boundaries(stream: Stream) -> Iterator[str]:
    open_: dict[Place, Sent] = {}
    for sent in stream.events:
        if not sent.first or sent.event.kind not in (EventKind.BEGIN, EventKind.END):
            continue
        begun = open_.pop(sent.place, None)
        if sent.event.kind is EventKind.BEGIN:
            if begun is not None:
                yield f"{sent} comes before the END of {begun}"
            open_[sent.place] = sent
        elif begun is None or _at(begun).transaction_id != _at(sent).transaction_id:
            yield f"{sent} has no BEGIN before it"
    for begun in open_.values():
        yield f"{begun} has no END behind it"


def _total_order(stream: Stream) -> Iterator[str]:
    together: dict[str, list[Sent]] = {}
    for sent in stream.first_rows:
        # A transform may take the id away: then nothing says whose the number is.
        if _at(sent).total_order is not None and _at(sent).transaction_id:
            together.setdefault(_at(sent).transaction_id, []).append(sent)
    for events in together.values():
        events.sort(key=lambda sent: _at(sent).total_order or 0)
        for number, sent in enumerate(events, 1):
            if _at(sent).total_order != number:
                yield f"{sent} has total_order {_at(sent).total_order}, it is number {number}"
        for one, other in pairwise(events):
            if one.place == other.place and one.number > other.number:
                yield f"{other} comes before {one}, which has a smaller total_order"


def _of_shard(sent: Sent) -> Hashable | None:
    return None if _at(sent).rank is None else _at(sent).shard


def _epochs(stream: Stream) -> Iterator[str]:
    return rising(stream, _of_shard, lambda sent: _at(sent).epoch or 0)


def _ranks(stream: Stream) -> Iterator[str]:
    def within(sent: Sent) -> Hashable | None:
        return None if _of_shard(sent) is None else (_of_shard(sent), _at(sent).epoch)

    return rising(stream, within, lambda sent: _at(sent).rank or 0)


def _on(name: str, *, default: bool) -> Callable[[Stream], bool]:
    def is_on(stream: Stream) -> bool:
        return str(stream.settings.get(name, default)).lower() == "true"

    return is_on


def _metadata(stream: Stream) -> bool:
    return _on("provide.transaction.metadata", default=False)(stream)


def _legal_topics(stream: Stream) -> Iterator[str]:
    """Yield topics of two tables, of which neither needs a character that Kafka forbids."""
    legal = (sent for sent in stream.events if all(map(_LEGAL.fullmatch, sent.table)))
    return one_table_a_topic(replace(stream, events=tuple(legal)))


def _chosen_by_key(stream: Stream) -> bool:
    return not stream.grown


_UNGROWN = "where no partition was added on the way"
_NO_TRANSFORM = "without transforms, which may stop the connector or change what it sends"
_IF_METADATA = "with `provide.transaction.metadata`"
RULES: tuple[StreamRule, ...] = (
    StreamRule("vitess.order.as-generated", _as_generated),
    StreamRule("vitess.order.per-key", _per_key),
    StreamRule("connect.partition.by-key", _by_key, _UNGROWN, _chosen_by_key),
    StreamRule("kafka.partition.murmur2", _by_key, _UNGROWN, _chosen_by_key),
    StreamRule(
        "vitess.topic.per-table",
        _legal_topics,
        "of tables whose names Kafka takes, under strategies that put them into topics",
        lambda stream: str(stream.settings.get(_NAMING, _BY_NAME[0])).endswith(_BY_NAME),
        (_NAMING,),
    ),
    StreamRule("vitess.topic.one-per-table", one_topic_a_table),
    StreamRule(
        "vitess.tombstone.follows",
        _tombstone_behind,
        f"with `{_TOMBSTONES}`; {_NO_TRANSFORM}; compaction may take either away",
        lambda stream: (
            stream.produced
            and "transforms" not in stream.settings
            and _on(_TOMBSTONES, default=True)(stream)
        ),
        (_TOMBSTONES,),
    ),
    StreamRule(
        "vitess.tombstone.off",
        _no_tombstone,
        f"with `{_TOMBSTONES}: false`",
        lambda stream: not _on(_TOMBSTONES, default=True)(stream),
        (_TOMBSTONES,),
    ),
    StreamRule("vitess.txn.whole", _unmixed),
    StreamRule("vitess.txn.boundaries", _boundaries, _IF_METADATA, _metadata, _SETTINGS),
    StreamRule("vitess.txn.total-order", _total_order, _IF_METADATA, _metadata, _SETTINGS),
    StreamRule("vitess.ordered.epoch-rises", _epochs, "with ordered metadata"),
    StreamRule("vitess.ordered.rank-rises", _ranks, "with ordered metadata"),
)
