"""What Debezium Vitess demands of any stream."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from harness.stream_rules.debezium import (
    IF_METADATA,
    SETTINGS,
    TOMBSTONES,
    as_generated,
    boundaries,
    by_key,
    is_on,
    legal_topics,
    metadata,
    no_tombstone,
    partition_rules,
    per_key,
    place_of,
    tombstone_behind,
    total_order,
)
from harness.stream_rules.shared import in_one_topic, rising
from harness.stream_rules.stream import Place, Sent, Stream, StreamRule

_NAMING = "topic.naming.strategy"
_BY_NAME = ("SchemaTopicNamingStrategy", "TableTopicNamingStrategy")
# Debezium's strategies of this name take the catalog for a part of the topic's: here, the shard.
_BY_SHARD = "Default"


def _one_topic(stream: Stream) -> Iterator[str]:
    strategy = str(stream.settings.get(_NAMING, _BY_NAME[0])).rpartition(".")[2]
    if strategy.startswith(_BY_SHARD):
        return in_one_topic(stream, lambda sent: (sent.table, place_of(sent).shard))
    return in_one_topic(stream, lambda sent: sent.table)


def _unmixed(stream: Stream) -> Iterator[str]:
    done: dict[Place, set[Hashable]] = {}
    now: dict[Place, Sent] = {}
    for sent in stream.first_rows:
        before = now.get(sent.place)
        if before is not None and place_of(before).vgtid != place_of(sent).vgtid:
            done.setdefault(sent.place, set()).add(place_of(before).vgtid)
        if place_of(sent).vgtid in done.get(sent.place, ()):
            yield f"{sent} comes behind another transaction, which parts it from its own"
        now[sent.place] = sent


def _of_shard(sent: Sent) -> Hashable | None:
    return None if place_of(sent).rank is None else place_of(sent).shard


def _epochs(stream: Stream) -> Iterator[str]:
    return rising(stream, _of_shard, lambda sent: place_of(sent).epoch or 0)


def _ranks(stream: Stream) -> Iterator[str]:
    def within(sent: Sent) -> Hashable | None:
        return None if _of_shard(sent) is None else (_of_shard(sent), place_of(sent).epoch)

    return rising(stream, within, lambda sent: place_of(sent).rank or 0)


_NO_TRANSFORM = "without transforms, which may stop the connector or change what it sends"
RULES: tuple[StreamRule, ...] = (
    StreamRule("vitess.order.as-generated", as_generated),
    StreamRule("vitess.order.per-key", per_key),
    *partition_rules(by_key),
    StreamRule(
        "vitess.topic.per-table",
        legal_topics,
        "of tables whose names Kafka takes, under strategies that put them into topics",
        lambda stream: str(stream.settings.get(_NAMING, _BY_NAME[0])).endswith(_BY_NAME),
        (_NAMING,),
    ),
    StreamRule("vitess.topic.one-per-table", _one_topic, settings=(_NAMING,)),
    StreamRule(
        "vitess.tombstone.follows",
        tombstone_behind,
        f"with `{TOMBSTONES}`; {_NO_TRANSFORM}; compaction may take either away",
        lambda stream: (
            stream.produced
            and "transforms" not in stream.settings
            and is_on(TOMBSTONES, default=True)(stream)
        ),
        (TOMBSTONES,),
    ),
    StreamRule(
        "vitess.tombstone.off",
        no_tombstone,
        f"with `{TOMBSTONES}: false`",
        lambda stream: not is_on(TOMBSTONES, default=True)(stream),
        (TOMBSTONES,),
    ),
    StreamRule("vitess.txn.whole", _unmixed),
    StreamRule("vitess.txn.boundaries", boundaries, IF_METADATA, metadata, SETTINGS),
    StreamRule("vitess.txn.total-order", total_order, IF_METADATA, metadata, SETTINGS),
    StreamRule("vitess.ordered.epoch-rises", _epochs, "with ordered metadata"),
    StreamRule("vitess.ordered.rank-rises", _ranks, "with ordered metadata"),
)
