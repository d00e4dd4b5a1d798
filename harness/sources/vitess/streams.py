"""Which shards a connector follows, by which task's stream, and where a resharding leads each.

With offsets stored per task each task opens a stream of its own, over the shards that are dealt to
it in turn. A stream goes on with the shards that replace its own; it ends with an error where a
resharding replaces some shards that it has and some that it has not.

Source: V:VitessConnector.java taskConfigs; Vitess go/vt/vtgate/vstream_manager.go getJournalEvent
("not all journaling participants are in the stream").
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import UsageError
from harness.sources.vitess.topology import Topology, overlap

# By shard the name of its stream: the first shard that it had. The only stream has no name.
Streams = Mapping[str, str | None]


def opened(topology: Topology) -> Streams:
    """Return the streams with which a connector begins."""
    if not topology.tasks:
        return dict.fromkeys(topology.streamed)
    shards = sorted(topology.streamed)
    count = min(topology.tasks, len(shards))
    dealt = {shard: shards[number % count] for number, shard in enumerate(shards)}
    return {shard: dealt[shard] for shard in topology.streamed}


def resharded(streams: Streams, before: Topology, after: Topology) -> Streams:
    """Return the streams behind a resharding.

    Raises UsageError for shards that replace some of a stream's together with others.
    """
    ended = {name for shard, name in streams.items() if shard not in after.shards}
    found: dict[str, str | None] = {}
    for shard in after.shards:
        kept = shard in before.shards
        parents = [shard] if kept else [old for old in before.shards if overlap(old, shard)]
        names = {streams[old] for old in parents if old in streams}
        if len(names) > 1 or (names and any(old not in streams for old in parents)):
            raise UsageError(
                f"shard {shard!r} replaces {', '.join(parents)}, which one stream does not follow "
                "all: not all journaling participants are in the stream",
                expected="streams that follow all shards of a reshard, or none",
                hint="let one task follow them, all of them or none",
            )
        if names and not (before.stops_at_reshard and names <= ended):
            (found[shard],) = names
    return found
