"""The request with which a task opens its stream.

Source: V:connection/VitessReplicationConnection.java startStreaming; vitess NOTES §3, §9, §10;
vectors start.*, `vstream_requests`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from harness.codecs.debezium.selection import table_filter
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium_vitess.settings import keyspace
from harness.codecs.debezium_vitess.tasks import VitessCluster
from harness.codecs.debezium_vitess.vgtid import VgtidPosition

# MASTER and PRIMARY are one number in Vitess; PRIMARY is the name it has kept.
_TABLETS: Mapping[str, str] = MappingProxyType({"MASTER": "PRIMARY"})
LARGEST_INTERVAL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class VStreamRequest:
    """A request; `rules` are the tables that are asked for by name, none for all of them."""

    position: VgtidPosition
    tablet_type: str
    stop_on_reshard: bool
    heartbeat_seconds: int
    keyspace_heartbeats: bool
    rules: tuple[tuple[str, str], ...]


def request(
    settings: ConnectorSettings, cluster: VitessCluster, position: VgtidPosition
) -> VStreamRequest:
    """Return the request for a stream from a position."""
    tablet = settings.text("vitess.tablet.type")
    seconds = settings.number("heartbeat.interval.ms") // 1000
    return VStreamRequest(
        position=position,
        tablet_type=_TABLETS.get(tablet, tablet),
        stop_on_reshard=settings.flag("vitess.stop_on_reshard"),
        heartbeat_seconds=min(seconds, LARGEST_INTERVAL),
        keyspace_heartbeats=settings.flag("vitess.stream.keyspace.heartbeats"),
        rules=_rules(settings, cluster),
    )


def _rules(settings: ConnectorSettings, cluster: VitessCluster) -> tuple[tuple[str, str], ...]:
    if not settings.optional("table.include.list"):
        return ()
    captured = table_filter(settings)
    return tuple(
        (table, f"select * from `{table}`")  # noqa: S608 what the connector asks for
        for table in cluster.tables
        if captured(keyspace(settings), table)
    )
