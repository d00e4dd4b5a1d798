"""Where an event of a Debezium connector stands: shard, position, transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class DebeziumPlace:
    """Position and transaction from a record's source and transaction blocks.

    `vgtid` is the source's own text, `gtid` the shard's position in it; MariaDB has a `gtid` alone,
    whose last part is its `number`. `transaction_id` is empty
    where there is no transaction block; orders count from 1. `epoch` and `rank` come with ordered
    metadata only. `event_count` and `collections` (`shard.keyspace.table` to its number of events)
    are an END's. `old_key` and `new_key` are the texts of the headers of a moved primary key.
    """

    keyspace: str = ""
    shard: str = ""
    vgtid: str = ""
    ts_ms: int = 0
    op: str = ""
    snapshot: str = ""
    transaction_id: str = ""
    total_order: int | None = None
    collection_order: int | None = None
    epoch: int | None = None
    rank: int | None = None
    event_count: int | None = None
    collections: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    old_key: str = ""
    new_key: str = ""
    gtid: str = ""
    number: int = 0
