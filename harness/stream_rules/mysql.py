"""What Debezium's connectors for MariaDB and MySQL demand of any stream."""

from __future__ import annotations

from functools import partial
from typing import Final

from harness.contracts import DEFAULT_DIALECT
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
    tombstone_behind,
    total_order,
)
from harness.stream_rules.stream import Stream, StreamRule

_NAMING = "topic.naming.strategy"
_DEFAULT_NAMING = "DefaultTopicNamingStrategy"
_GTIDS: Final = f"{IF_METADATA}, of the MariaDB connector"
# A statement leaves a BEGIN without an END.
_BOUNDARIES = partial(boundaries, all_end=False)


def _knows(stream: Stream) -> bool:
    """Return whether transactions are reported, by the connector that knows them."""
    return metadata(stream) and stream.dialect == DEFAULT_DIALECT


def _untransformed(stream: Stream) -> bool:
    return "transforms" not in stream.settings


RULES: tuple[StreamRule, ...] = (
    StreamRule("debezium-mysql.order.as-logged", as_generated),
    StreamRule("debezium-mysql.order.per-key", per_key),
    *partition_rules(by_key),
    StreamRule(
        "debezium-mysql.topic.per-table",
        legal_topics,
        "of tables whose names Kafka takes, under the default strategy, without transforms",
        lambda stream: (
            str(stream.settings.get(_NAMING, _DEFAULT_NAMING)).endswith(_DEFAULT_NAMING)
            and _untransformed(stream)
        ),
        (_NAMING,),
    ),
    StreamRule(
        "debezium-mysql.tombstone.follows",
        tombstone_behind,
        f"with `{TOMBSTONES}`; without transforms; compaction may take either away",
        lambda stream: (
            stream.produced and _untransformed(stream) and is_on(TOMBSTONES, default=True)(stream)
        ),
        (TOMBSTONES,),
    ),
    StreamRule(
        "debezium-mysql.tombstone.off",
        no_tombstone,
        f"with `{TOMBSTONES}: false`",
        lambda stream: not is_on(TOMBSTONES, default=True)(stream),
        (TOMBSTONES,),
    ),
    StreamRule("debezium-mysql.txn.boundaries", _BOUNDARIES, _GTIDS, _knows, SETTINGS),
    StreamRule("debezium-mysql.txn.total-order", total_order, _GTIDS, _knows, SETTINGS),
)
